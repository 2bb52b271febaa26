//! Generation of the kernel and assembly of the program around it.

use std::fmt::Write;

use crate::data::Shape;
use crate::scope::{Address, Path, Step};
use crate::stmt::Flow;
use crate::types::{INTEGERS, Kind, Ty};
use crate::writer::Generator;

/// Maximum number of statements that one work-item executes.
// Source: the interpreter runs such a kernel in some milliseconds.
const BUDGET: u32 = 700;

/// Number of work-items for which `BUDGET` holds. In larger launches each work-item gets a smaller budget.
// Arbitrary.
const ITEMS: u32 = 24;

impl Generator {
    /// Returns the text of the program.
    pub fn program(mut self) -> String {
        self.write_types();
        self.write_tables();
        let types = std::mem::take(&mut self.text);
        if self.is_20() {
            let slots = self.options.sizes.slots();
            self.line(&format!("global ulong kept[{slots}];"));
            if self.options.disputed {
                self.write_appliers();
            }
        }
        let after = self.write_functions();
        self.write_kernel();
        let body = std::mem::replace(&mut self.text, after);
        let hashes = self.hash_functions();
        let version = if self.is_20() { "2.0" } else { "1.2" };
        format!("// OpenCL C {version}, seed {}\n{types}\n{hashes}\n{body}\n{}", self.options.seed, self.text)
    }

    /// Returns `mix` and the hash functions of the vector types that are hashed. These mix all lanes in order.
    fn hash_functions(&self) -> String {
        let mut text = String::from(
            "static ulong mix(ulong h, ulong x) { return rotate((h ^ x) * 0x9e3779b97f4a7c15UL, 29UL) + x; }\n",
        );
        let kinds = INTEGERS.iter().chain(&[Kind::Float, Kind::Double]);
        for kind in kinds {
            for &(_, lanes) in self.hashed.iter().filter(|(k, _)| *k == *kind as u32) {
                let ty = Ty { kind: *kind, lanes };
                let conversion = if kind.is_float() { "(ulong)(long)" } else { "(ulong)" };
                let _ = writeln!(text, "static ulong mix_{ty}(ulong h, {ty} v) {{");
                for lane in 0..lanes {
                    let _ = writeln!(text, "    h = mix(h, {conversion}v.s{lane:x});");
                }
                text += "    return h;\n}\n";
            }
        }
        text
    }

    fn write_kernel(&mut self) {
        let sizes = self.options.sizes;
        (self.cost, self.weight) = (0, 1);
        self.budget = BUDGET * ITEMS / ITEMS.max(sizes.slots() as u32);
        if sizes.is_uniform() && self.random.chance(25) {
            let [x, y, z] = sizes.local;
            self.line(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"));
        }
        let mark =
            self.open("kernel void k(global const int *in, global ulong *out, local uint *scratch, int n)");
        self.write_prologue();
        let flow = Flow::kernel();
        let size = self.options.size;
        self.together(size / 2 + 1, 3, &flow);
        self.statements(size / 3, 3, &flow);
        self.together(size / 4, 2, &flow);
        // No barrier follows, so work-items may return.
        let condition = self.condition(2);
        self.line(&format!("if ({condition}) {{ out[gid] = h; return; }}"));
        self.statements(size / 4 + 1, 3, &flow);
        self.hash_all(mark);
        self.line("out[gid] = h;");
        self.close(mark, "");
    }

    /// Writes the variables of the kernel that statements rely on, and some random ones.
    fn write_prologue(&mut self) {
        let sizes = self.options.sizes;
        let (items, slots, inputs) = (sizes.items(), sizes.slots(), sizes.inputs() as u32);
        self.write_numbers();
        let number = match sizes.dimensions {
            1 => "get_global_id(0)".into(),
            _ => format!(
                "((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)) * {items} + l"
            ),
        };
        self.line(&format!("const uint gid = (uint)({number});"));
        self.line(&format!("volatile global uint *cells = (volatile global uint *)(out + {slots});"));
        for _ in 0..self.random.below(3) {
            let (name, ty) = (self.name("tile"), self.any_type());
            self.line(&format!("local {ty} {name}[{items}];"));
            self.tiles.push((name, ty));
        }
        self.line(&format!("local short own[{items}][3];"));
        self.line("ulong h = (ulong)gid + 1;");
        let own = format!("scratch[{} + l]", items + crate::launch::COUNTERS);
        self.line(&format!("{own} = (uint)in[gid];"));
        self.line("for (int j = 0; j < 3; j++) own[l][j] = (short)(in[gid + j] >> (j * 4));");
        let word = Path { address: Address::Shared, ..Path::variable(&own) };
        self.declare(&word, &Shape::Value(Ty::scalar(Kind::UInt)));
        let mut row = Path { address: Address::Shared, ..Path::variable("own[l]") }
            .then(Step::Index { from: 0, len: 3 });
        row.in_array = true;
        self.scope.leaves.push((row, Ty::scalar(Kind::Short)));
        if self.is_20() {
            self.line("kept[gid] = (ulong)in[gid] * 77;");
            let kept = Path { address: Address::Shared, ..Path::variable("kept[gid]") };
            self.declare(&kept, &Shape::Value(Ty::scalar(Kind::ULong)));
        }
        let input = Path::variable("in").read_only();
        let mut element = input.then(Step::Index { from: 0, len: inputs });
        element.in_array = false;
        self.scope.leaves.push((element, Ty::scalar(Kind::Int)));
        self.scope.arrays.push((input, Ty::scalar(Kind::Int), inputs));
        self.line("int a = in[gid];");
        self.declare(&Path::variable("a"), &Shape::Value(Ty::scalar(Kind::Int)));
        let ty = Ty { kind: Kind::UInt, lanes: 4 };
        self.declare_value(ty, "(uint4)((uint)in[gid], (uint)in[gid + 1], (uint)n, l)");
        self.declare_value(Ty { kind: Kind::Float, lanes: 2 }, "(float2)((float)(in[gid] & 255), (float)n)");
        for _ in 0..2 + self.random.below(3) {
            self.declaration();
        }
    }

    /// Writes the declarations of the work-item's linear id in its work-group, `l`, and of the actual size of the
    /// group, `m`.
    pub fn write_numbers(&mut self) {
        let (number, count) = match self.options.sizes.dimensions {
            1 => ("get_local_id(0)", "get_local_size(0)"),
            _ if self.is_20() => {
                ("get_local_linear_id()", "(get_local_size(0) * get_local_size(1) * get_local_size(2))")
            }
            _ => (
                "((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))",
                "(get_local_size(0) * get_local_size(1) * get_local_size(2))",
            ),
        };
        self.line(&format!("const uint l = (uint){number};"));
        self.line(&format!("const uint m = (uint){count};"));
    }

    /// Mixes everything declared in the kernel since `mark` into the hash.
    fn hash_all(&mut self, mark: crate::scope::Mark) {
        for i in mark.0[0]..self.scope.leaves.len() {
            let (path, ty) = self.scope.leaves[i].clone();
            let text = self.path(&path, 1);
            self.hash(&text, ty);
        }
    }
}
