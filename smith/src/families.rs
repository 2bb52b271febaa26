//! Families of programs that repeat one construct, to find compiler algorithms that scale badly.
//!
//! The program of a family contains its construct `size` times. The program `scale` of `bench` measures the time
//! and memory of a build as the size grows; `tests/scale.rs` counts operations. The programs have defined results,
//! but no test checks them.

use std::fmt::Write;

/// Family of programs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// Description of the construct that occurs `size` times.
    pub construct: &'static str,
    /// Maximum supported size. Compilers limit the nesting of statements.
    pub max_size: usize,
    write: fn(&mut String, usize),
}

impl Family {
    /// Returns the program of size `size`. It has one kernel `k` with two buffers as parameters.
    pub fn source(&self, size: usize) -> String {
        let mut text = String::new();
        (self.write)(&mut text, size);
        text
    }
}

/// Maximum nesting of statements.
// Arbitrary.
const MAX_NESTING: usize = 192;

/// Maximum number of operands in a flat chain. Each operand is a level of the syntax tree.
// Arbitrary.
const MAX_CHAIN_LENGTH: usize = 9_000;

const fn family(name: &'static str, construct: &'static str, write: fn(&mut String, usize)) -> Family {
    Family { name, construct, max_size: usize::MAX, write }
}

/// All families.
pub const ALL: &[Family] = &[
    family("loops", "loops with a barrier, one after the other", loops),
    family("branches", "conditional barriers", branches),
    Family { name: "nested", construct: "loops with barriers, nested", max_size: MAX_NESTING, write: nested },
    family("pairs", "pairs of barriers in a straight line", pairs),
    family("live", "values that live across one barrier", live),
    family("wide", "float16 shuffles with a multiply-add", wide),
    family("ifs", "ifs, one after the other", ifs),
    family("switch", "cases that fall through", switch),
    family("printf", "printf statements", printf),
    family("returns", "early returns between barriers", returns),
    family("breaks", "breaks in a loop", breaks),
    family("calls", "functions that call the next, by value", calls),
    family("pointers", "functions that call the next, with a pointer", pointers),
    family("twice", "functions with a barrier that call the next twice", twice),
    Family { name: "terms", construct: "terms of a flat sum", max_size: MAX_CHAIN_LENGTH, write: terms },
    Family {
        name: "choices",
        construct: "steps of a chain of choices",
        max_size: MAX_CHAIN_LENGTH,
        write: choices,
    },
    Family {
        name: "alternatives",
        construct: "alternatives of an if",
        max_size: MAX_CHAIN_LENGTH,
        write: alternatives,
    },
];

/// Returns the family named `name`, or `None` if there is none.
pub fn by_name(name: &str) -> Option<&'static Family> {
    ALL.iter().find(|family| family.name == name)
}

const HEAD: &str = "kernel void k(global uint *g, global uint *in) {
    local uint l[256];
    uint i = get_local_id(0), n = get_local_size(0), a = in[i];
";
const TAIL: &str = "    g[i] = a;\n}\n";

/// Writes a kernel that contains `size` statements, each written by `statement` for its number.
fn kernel(text: &mut String, size: usize, mut statement: impl FnMut(&mut String, usize)) {
    *text += HEAD;
    for k in 0..size {
        statement(text, k);
    }
    *text += TAIL;
}

/// Returns the offset of the half of local memory that statement `k` uses. Consecutive statements use different
/// halves, so one barrier between a write and a read is enough. Work-groups have at most 128 work-items.
fn half(k: usize) -> &'static str {
    if k.is_multiple_of(2) { "" } else { " + 128" }
}

fn loops(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let _ = writeln!(
            text,
            "    for (uint j = 0; j < in[{k}]; ++j) {{ l[i] = a + j; barrier(1); a += l[(i + {k}) % n]; barrier(1); }}"
        );
    });
}

fn branches(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let half = half(k);
        let _ = writeln!(
            text,
            "    if (in[{k}] > 3) {{ l[i{half}] = a; barrier(1); a += l[(i + {k}) % n{half}]; }}"
        );
    });
}

fn nested(text: &mut String, size: usize) {
    *text += HEAD;
    for k in 0..size {
        let _ =
            writeln!(text, "    for (uint j{k} = 0; j{k} < in[{k}]; ++j{k}) {{ l[i] = a + j{k}; barrier(1);");
    }
    *text += "    a += l[n - 1 - i];\n";
    *text += &"    }\n".repeat(size);
    *text += TAIL;
}

fn pairs(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let _ = writeln!(text, "    l[i] = a; barrier(1); a = a * 3 + l[(i + {k}) % n]; barrier(1);");
    });
}

fn live(text: &mut String, size: usize) {
    *text += HEAD;
    for k in 0..size {
        let _ = writeln!(text, "    uint v{k} = in[i + {k}] * a;");
    }
    *text += "    l[i] = a; barrier(1); a = l[n - 1 - i];\n";
    for k in 0..size {
        let _ = writeln!(text, "    a = (a ^ v{k}) * 5;");
    }
    *text += TAIL;
}

fn wide(text: &mut String, size: usize) {
    *text += "kernel void k(global float16 *g, global float16 *in) {
    size_t i = get_global_id(0);
    float16 a = in[i], b = in[i + 1];
";
    for k in 0..size {
        let first = k % 16;
        let _ = writeln!(
            text,
            "    a = mad(a.s{first:x}032547698badcfe, b, a); b = b.s123456789abcdef0 + {k}.0f;"
        );
    }
    *text += "    g[i] = a + b;\n}\n";
}

fn ifs(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let _ = writeln!(text, "    if (a & {}) a = a * 3 + in[{k}];", k + 1);
    });
}

fn terms(text: &mut String, size: usize) {
    *text += HEAD;
    *text += "    a = a";
    for k in 0..size {
        let _ = write!(text, " + in[{k}]");
    }
    *text += ";\n";
    *text += TAIL;
}

fn choices(text: &mut String, size: usize) {
    *text += HEAD;
    *text += "    a = ";
    for k in 0..size {
        let _ = write!(text, "a == {k} ? {} : ", 7 * k);
    }
    *text += "i;\n";
    *text += TAIL;
}

fn alternatives(text: &mut String, size: usize) {
    *text += HEAD;
    *text += "    if (a == 0) a = 1;\n";
    for k in 0..size {
        let _ = writeln!(text, "    else if (a == {}) a = in[{k}];", k + 1);
    }
    *text += TAIL;
}

fn switch(text: &mut String, size: usize) {
    *text += HEAD;
    *text += "    switch (a) {\n";
    for k in 0..size {
        let _ = writeln!(text, "    case {k}: a = a * 5 + in[{k}];");
    }
    *text += "    }\n";
    *text += TAIL;
}

fn printf(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let _ = writeln!(text, "    printf(\"{k}: %u %f\\n\", a + {k}, (float)a);");
    });
}

fn returns(text: &mut String, size: usize) {
    kernel(text, size, |text, k| {
        let half = half(k);
        let _ = writeln!(
            text,
            "    if (in[{k}] == 7) return; l[i{half}] = a; barrier(1); a += l[(i + {k}) % n{half}];"
        );
    });
}

fn breaks(text: &mut String, size: usize) {
    *text += HEAD;
    *text += "    for (uint j = 0; j < n; ++j) {\n";
    for k in 0..size {
        let _ = writeln!(text, "        if (a == in[{k}]) break; a = a * 7 + j;");
    }
    *text += "    }\n";
    *text += TAIL;
}

fn calls(text: &mut String, size: usize) {
    *text += "uint f0(uint a, uint b) { return a ^ b; }\n";
    for k in 1..size {
        let last = k - 1;
        let _ = writeln!(
            text,
            "uint f{k}(uint a, uint b) {{ if (a > b) a -= b * {k}; return f{last}(a * 3, b + {k}) ^ a; }}"
        );
    }
    kernel(text, 1, |text, _| {
        let _ = writeln!(text, "    a = f{}(a, i);", size - 1);
    });
}

fn pointers(text: &mut String, size: usize) {
    *text += "void f0(uint *a, uint b) { *a ^= b; }\n";
    for k in 1..size {
        let last = k - 1;
        let _ = writeln!(
            text,
            "void f{k}(uint *a, uint b) {{ uint c = *a; if (c > b) c -= b * {k}; f{last}(&c, b + {k}); *a += c; }}"
        );
    }
    kernel(text, 1, |text, _| {
        let _ = writeln!(text, "    f{}(&a, i);", size - 1);
    });
}

fn twice(text: &mut String, size: usize) {
    *text += "uint f0(local uint *l, uint a, uint i) { l[i] = a; barrier(1); return l[0] + a; }\n";
    for k in 1..size {
        let last = k - 1;
        let _ = writeln!(
            text,
            "uint f{k}(local uint *l, uint a, uint i) {{ a = f{last}(l, a * 3, i); barrier(1); return f{last}(l, a + {k}, i); }}"
        );
    }
    kernel(text, 1, |text, _| {
        // The call is never executed, because each level doubles the run time.
        let _ = writeln!(text, "    if (in[0] > 7) a = f{}(l, a, i);", size - 1);
    });
}
