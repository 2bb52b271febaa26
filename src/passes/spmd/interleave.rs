//! Private objects interleaved by lane: an element of one lane lies beside the same element of the others, so that an
//! access at an index that is the same for all lanes is one of neighbours.
//!
//! That is done where only loads, stores and copies of this function reach an object, all loads and stores of it move
//! elements of one size, and all offsets are multiples of that size. Then offset `o` of a lane is `o * lanes + lane * size`:
//! here offsets are multiplied, `shape` says that the object is one element further in each lane, and the rest follows.
//! Fills and copies become stores of elements. Other objects stay whole, one behind the other (`inst`).

use super::scalarise::Groups;
use crate::ir::analysis::Cfg;
use crate::ir::{Attr, Block, Builder, Function, Inst, InstId, IntCond, Kind, Mem, Op, Target, Type, Value};
use crate::support::{FastMap, IdMap};

/// Objects that are interleaved.
#[derive(Debug, Default)]
pub(super) struct Interleaved {
    /// The bytes of an element, by the address of the object.
    elements: FastMap<Value, u32>,
    /// The object that an address is in.
    places: FastMap<Value, Value>,
}

impl Interleaved {
    /// The bytes of an element of the object that begins here.
    pub(super) fn element(&self, object: Value) -> Option<u32> {
        self.elements.get(&object).copied()
    }

    /// The object that an address is in: what lies between that of the first lane and that of the last is theirs.
    pub(super) fn object(&self, pointer: Value) -> Option<Value> {
        self.places.get(&pointer).copied()
    }

    /// The bytes of an element of that object.
    fn element_at(&self, pointer: Value) -> Option<u32> {
        self.element(self.object(pointer)?)
    }
}

/// What an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Unknown,
    /// The object that this alloca makes.
    Of(Value),
    Other,
}

impl Object {
    fn join(self, other: Object) -> Object {
        match (self, other) {
            (Object::Unknown, object) | (object, Object::Unknown) => object,
            (a, b) if a == b => a,
            _ => Object::Other,
        }
    }
}

/// Elements of up to 2³ bytes.
const MOST_ZEROS: u8 = 3;

/// Sweeps that settle every real function.
const SWEEPS: usize = 16;

/// How an object is used.
#[derive(Clone, Copy, Debug)]
struct Uses {
    /// What loads and stores move.
    element: Option<u32>,
    /// Zeros at the end of all offsets and sizes.
    zeros: u8,
    is_odd: bool,
}

/// Interleaves what can be, for so many lanes; what was one access of a vector there is none any more.
pub(super) fn run(func: &mut Function, cfg: &Cfg, groups: &mut Groups, lanes: u16) -> Interleaved {
    if !func.instructions().any(|inst| inst.op == Op::Alloca) {
        return Interleaved::default();
    }
    let mut finder = Finder {
        objects: IdMap::with_len(Object::Unknown, func.values.len()),
        zeros: IdMap::with_len(MOST_ZEROS, func.values.len()),
        uses: FastMap::default(),
        func,
    };
    if !finder.settle(cfg) {
        return Interleaved::default();
    }
    let elements = finder.elements(cfg);
    let mut places = FastMap::default();
    for value in func.values.ids() {
        if let Object::Of(object) = finder.objects[value]
            && elements.contains_key(&object)
        {
            places.insert(value, object);
        }
    }
    let mut interleaved = Interleaved { elements, places };
    if !interleaved.elements.is_empty() {
        let mut writer = Writer { b: Builder::new(func, Block(0)), into: &mut interleaved, groups, lanes };
        cfg.rpo().iter().for_each(|&block| writer.block(block));
    }
    interleaved
}

struct Finder<'f> {
    func: &'f Function,
    objects: IdMap<Value, Object>,
    /// Zeros at the end of each number, at least.
    zeros: IdMap<Value, u8>,
    uses: FastMap<Value, Uses>,
}

impl Finder<'_> {
    /// Finds what addresses are in, and zeros; optimistic. Says whether that came to an end.
    fn settle(&mut self, cfg: &Cfg) -> bool {
        for param in self.func.params() {
            (self.objects[*param], self.zeros[*param]) = (Object::Other, 0);
        }
        (0..SWEEPS).any(|_| !self.sweep(cfg))
    }

    fn sweep(&mut self, cfg: &Cfg) -> bool {
        let func = self.func;
        let mut changed = false;
        for &block in cfg.rpo() {
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                if let Some(result) = inst.result {
                    let (object, zeros) = (self.object(inst), self.zeros_of(inst));
                    changed |= self.set(result, object, zeros);
                }
                for target in &inst.targets {
                    let params = &func.blocks[target.block].params;
                    for (&param, &arg) in params.iter().zip(&target.args) {
                        let object = self.objects[param].join(self.objects[arg]);
                        let zeros = self.zeros[param].min(self.zeros[arg]);
                        changed |= self.set(param, object, zeros);
                    }
                }
            }
        }
        changed
    }

    fn set(&mut self, value: Value, object: Object, zeros: u8) -> bool {
        let before = (self.objects[value], self.zeros[value]);
        (self.objects[value], self.zeros[value]) = (object, zeros);
        before != (object, zeros)
    }

    fn object(&self, inst: &Inst) -> Object {
        let of = |i: usize| self.objects[inst.args[i]];
        match inst.op {
            Op::Alloca => inst.result.map_or(Object::Other, Object::Of),
            Op::PtrAdd => of(0),
            Op::Bitcast if inst.ty.kind.is_ptr() => of(0),
            Op::Select if inst.ty.kind.is_ptr() => of(1).join(of(2)),
            _ => Object::Other,
        }
    }

    /// Zeros at the end of a result. Signs and widths change nothing there.
    fn zeros_of(&self, inst: &Inst) -> u8 {
        let of = |i: usize| self.zeros[inst.args[i]];
        let zeros = match inst.op {
            Op::Iconst => return trailing_zeros(inst.int()),
            Op::Iadd | Op::Isub | Op::Or | Op::Xor | Op::Smin | Op::Smax | Op::Umin | Op::Umax => {
                of(0).min(of(1))
            }
            Op::And => of(0).max(of(1)),
            Op::Imul => of(0) + of(1),
            Op::Shl => match self.func.as_const(inst.args[1]) {
                // Counts are taken modulo the width.
                Some(by) => of(0).saturating_add((by % u64::from(inst.ty.kind.bits())) as u8),
                None => of(0),
            },
            Op::Select => of(1).min(of(2)),
            Op::Sext | Op::Zext | Op::Trunc if self.func.ty(inst.args[0]).kind != Kind::I1 => of(0),
            _ => 0,
        };
        zeros.min(MOST_ZEROS)
    }

    /// The size of the elements of each object that is to be interleaved.
    fn elements(&mut self, cfg: &Cfg) -> FastMap<Value, u32> {
        let func = self.func;
        let mut copies = Vec::new();
        for &block in cfg.rpo() {
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                self.note(inst);
                if inst.op == Op::MemCopy
                    && let Some(to) = self.object_of(inst.args[0])
                    && let Some(from) = self.object_of(inst.args[1])
                {
                    copies.push((to, from));
                }
            }
        }
        for (to, from) in copies {
            let [a, b] = [to, from].map(|object| self.uses[&object].element);
            if a != b || to == from {
                [to, from].iter().for_each(|&object| self.odd(object));
            }
        }
        let element = |(&object, uses): (&Value, &Uses)| {
            let size = uses.element.filter(|size| size.is_power_of_two())?;
            let fits = !uses.is_odd && size.trailing_zeros() <= u32::from(uses.zeros);
            fits.then_some((object, size))
        };
        self.uses.iter().filter_map(element).collect()
    }

    fn object_of(&self, value: Value) -> Option<Value> {
        if let Object::Of(object) = self.objects[value] { Some(object) } else { None }
    }

    fn uses(&mut self, object: Value) -> &mut Uses {
        let unused = Uses { element: None, zeros: MOST_ZEROS, is_odd: false };
        self.uses.entry(object).or_insert(unused)
    }

    /// An object that stays as it is.
    fn odd(&mut self, object: Value) {
        self.uses(object).is_odd = true;
    }

    /// Notes what an instruction does with objects.
    fn note(&mut self, inst: &Inst) {
        let func = self.func;
        for (i, &arg) in inst.args.iter().enumerate() {
            let Some(object) = self.object_of(arg) else { continue };
            let stays = inst.result.is_some_and(|result| self.objects[result] == Object::Of(object));
            match (inst.op, i) {
                (Op::PtrAdd, 0) => {
                    let zeros = self.zeros[inst.args[1]];
                    self.limit(object, zeros);
                }
                (Op::Load, 0) if !inst.is_volatile() => self.access(object, inst.ty),
                (Op::Store, 0) if !inst.is_volatile() => self.access(object, func.ty(inst.args[1])),
                (Op::MemZero, 0) | (Op::MemCopy, 0 | 1) => {
                    self.limit(object, trailing_zeros(inst.size_align().0));
                }
                // Those of one object compare as they did.
                (Op::Icmp, _) if inst.args.iter().all(|&arg| self.objects[arg] == Object::Of(object)) => {}
                (Op::Bitcast, 0) | (Op::Select, 1 | 2) if stays => {}
                _ => self.odd(object),
            }
        }
        for target in &inst.targets {
            for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                if let Some(object) = self.object_of(arg)
                    && self.objects[param] != Object::Of(object)
                {
                    self.odd(object);
                }
            }
        }
    }

    fn limit(&mut self, object: Value, zeros: u8) {
        let uses = self.uses(object);
        uses.zeros = uses.zeros.min(zeros);
    }

    fn access(&mut self, object: Value, ty: Type) {
        let uses = self.uses(object);
        let is_other = uses.element.is_some_and(|element| element != ty.bytes());
        uses.is_odd |= ty.is_vector() || ty.kind == Kind::I1 || is_other;
        uses.element = Some(ty.bytes());
    }
}

/// Zeros at the end of a number, as far as anybody asks.
fn trailing_zeros(number: u64) -> u8 {
    number.trailing_zeros().min(u32::from(MOST_ZEROS)) as u8
}

/// Rewrites what reaches interleaved objects.
struct Writer<'f, 'i> {
    b: Builder<'f>,
    into: &'i mut Interleaved,
    groups: &'i mut Groups,
    lanes: u16,
}

impl Writer<'_, '_> {
    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.b.func.blocks[block].insts);
        self.b.switch_to(block);
        for id in insts {
            self.inst(id);
        }
    }

    fn inst(&mut self, id: InstId) {
        let inst = &self.b.func.insts[id];
        self.b.loc = inst.loc;
        let (op, args) = (inst.op, inst.args.clone());
        let element = |i: usize| args.get(i).and_then(|&arg| self.into.element_at(arg));
        let size = match (element(0), op, element(1)) {
            (Some(size), _, _) | (None, Op::MemCopy, Some(size)) => size,
            _ => {
                self.push(id);
                return;
            }
        };
        match op {
            Op::PtrAdd => {
                let ty = self.b.func.ty(args[1]);
                let by = self.b.iconst(ty, self.lanes.trailing_zeros().into());
                let offset = self.b.same(Op::Shl, &[args[1], by]);
                self.b.func.insts[id].args[1] = offset;
                self.push(id);
            }
            Op::Load | Op::Store => {
                if let Attr::Mem(mem) = &mut self.b.func.insts[id].attr {
                    mem.align = mem.align.min(size);
                }
                self.groups.remove(id);
                self.push(id);
            }
            Op::MemZero => self.for_each_element(id, size, &args, |writer, at| {
                let zero = writer.b.zero(word(size));
                writer.b.store(zero, at[0], Mem::natural(word(size)));
            }),
            Op::MemCopy => {
                let align = self.b.func.insts[id].size_align().1.min(size);
                let mem = Mem { align, volatile: false };
                self.for_each_element(id, size, &args, |writer, at| {
                    let moved = writer.b.load(word(size), at[1], mem);
                    writer.b.store(moved, at[0], mem);
                });
            }
            _ => self.push(id),
        }
    }

    fn push(&mut self, id: InstId) {
        let block = self.b.block;
        self.b.func.blocks[block].insts.push(id);
    }

    /// Writes a fill or a copy element by element: one after the other if there are few, else in a loop.
    fn for_each_element(
        &mut self,
        id: InstId,
        size: u32,
        pointers: &[Value],
        mut each: impl FnMut(&mut Self, &[Value]),
    ) {
        const FEW: u64 = 16;
        let count = self.b.func.insts[id].size_align().0 / u64::from(size);
        if count <= FEW {
            for number in 0..count {
                let number = self.b.iconst(Type::I64, number);
                let at = self.elements(pointers, size, number);
                each(self, &at);
            }
            return;
        }
        let (header, body, after) =
            (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        let number = self.b.func.add_param(header, Type::I64);
        let zero = self.b.iconst(Type::I64, 0);
        self.b.jump(header, &[zero]);
        self.b.switch_to(header);
        let end = self.b.iconst(Type::I64, count);
        let is_over = self.b.icmp(IntCond::Uge, number, end);
        let ways = vec![Target::new(after, &[]), Target::new(body, &[])];
        self.b.inst(Op::BrIf, Type::VOID, &[is_over], Attr::None, ways);
        self.b.switch_to(body);
        let at = self.elements(pointers, size, number);
        each(self, &at);
        let one = self.b.iconst(Type::I64, 1);
        let next = self.b.same(Op::Iadd, &[number, one]);
        self.b.jump(header, &[next]);
        self.b.switch_to(after);
    }

    /// The addresses of the elements of that number.
    fn elements(&mut self, pointers: &[Value], size: u32, number: Value) -> Vec<Value> {
        let mut found = Vec::new();
        for &pointer in pointers {
            let object = self.into.object(pointer);
            let step = u64::from(size) * if object.is_some() { u64::from(self.lanes) } else { 1 };
            let by = self.b.iconst(Type::I64, step.trailing_zeros().into());
            let offset = self.b.same(Op::Shl, &[number, by]);
            let at = self.b.ptr_add(pointer, offset);
            if let Some(object) = object {
                self.into.places.insert(at, object);
            }
            found.push(at);
        }
        found
    }
}

/// A number of so many bytes.
fn word(size: u32) -> Type {
    match size {
        1 => Type::I8,
        2 => Type::I16,
        4 => Type::I32,
        _ => Type::I64,
    }
}
