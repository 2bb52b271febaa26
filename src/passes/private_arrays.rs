//! Private objects that are arrays of elements of one size, whatever they were declared as: what lies in them can be placed
//! anew (`spmd::interleave`, `group::soa`), since an offset is a number of elements.
//!
//! Only loads, stores, fills and copies of this function reach such an object, all loads and stores of it move elements of
//! one size, and all offsets are multiples of that size.

use crate::ir::{Block, Function, Inst, Kind, Op, Type, Value};
use crate::support::{FastMap, IdMap};

/// Such objects, by their addresses.
#[derive(Debug, Default)]
pub struct Elements {
    objects: FastMap<Value, Uses>,
    /// The object that an address is in.
    places: FastMap<Value, Value>,
}

/// How an object is used.
#[derive(Clone, Copy, Debug)]
pub struct Uses {
    /// What loads and stores move, in bytes; none if there are none.
    element: Option<u32>,
    /// Zeros at the end of all offsets and sizes.
    zeros: u8,
    is_odd: bool,
    /// No vectors and no truth values are moved.
    pub are_scalars: bool,
    /// It is one of the sides of a copy.
    pub is_copied: bool,
    /// Bytes, at most, that are filled with zeros at once.
    pub filled: u64,
}

impl Uses {
    /// Bytes of an element of an array, of which something is moved.
    pub fn element(&self) -> u32 {
        self.element.expect("it is an array")
    }
}

impl Elements {
    /// Those of a function whose blocks in this order have definitions before uses, but for what comes around loops.
    pub fn find(func: &Function, order: &[Block]) -> Elements {
        if !func.instructions().any(|inst| inst.op == Op::Alloca) {
            return Elements::default();
        }
        let mut finder = ArrayFinder {
            objects: IdMap::with_len(AddressedObject::Unknown, func.values.len()),
            zeros: IdMap::with_len(MOST_ZEROS, func.values.len()),
            uses: FastMap::default(),
            func,
        };
        if !finder.settle(order) {
            return Elements::default();
        }
        let objects = finder.elements(order);
        let mut places = FastMap::default();
        for value in func.values.ids() {
            if let AddressedObject::Of(object) = finder.objects[value]
                && objects.contains_key(&object)
            {
                places.insert(value, object);
            }
        }
        Elements { objects, places }
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Forgets the others.
    pub fn retain(&mut self, keep: impl Fn(Value, &Uses) -> bool) {
        self.objects.retain(|&object, uses| keep(object, uses));
        let objects = &self.objects;
        self.places.retain(|_, object| objects.contains_key(object));
    }

    /// The bytes of an element of the object that begins here.
    pub fn element(&self, object: Value) -> Option<u32> {
        self.objects.get(&object)?.element
    }

    /// The object that an address is in.
    pub fn object(&self, pointer: Value) -> Option<Value> {
        self.places.get(&pointer).copied()
    }

    /// The bytes of an element of that object.
    pub fn element_at(&self, pointer: Value) -> Option<u32> {
        self.element(self.object(pointer)?)
    }

    /// Takes note of another address in an object.
    pub fn add(&mut self, pointer: Value, object: Value) {
        self.places.insert(pointer, object);
    }
}

/// A type that is moved as an element of so many bytes, a power of two.
pub fn moved_as(bytes: u32) -> Type {
    match bytes {
        1..=8 => Type::scalar(Kind::int_of_bits(8 * bytes)),
        _ => Type::vector(Kind::I64, (bytes / 8) as u16),
    }
}

/// What an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressedObject {
    Unknown,
    /// The object that this alloca makes.
    Of(Value),
    Other,
}

impl AddressedObject {
    fn join(self, other: AddressedObject) -> AddressedObject {
        match (self, other) {
            (AddressedObject::Unknown, object) | (object, AddressedObject::Unknown) => object,
            (a, b) if a == b => a,
            _ => AddressedObject::Other,
        }
    }
}

/// Elements of up to 2⁷ bytes.
const MOST_ZEROS: u8 = 7;

/// Sweeps that settle every real function.
const SWEEPS: usize = 16;

struct ArrayFinder<'f> {
    func: &'f Function,
    objects: IdMap<Value, AddressedObject>,
    /// Zeros at the end of each number, at least.
    zeros: IdMap<Value, u8>,
    uses: FastMap<Value, Uses>,
}

impl ArrayFinder<'_> {
    /// Finds what addresses are in, and zeros; optimistic. Says whether that came to an end.
    fn settle(&mut self, order: &[Block]) -> bool {
        for param in self.func.params() {
            (self.objects[*param], self.zeros[*param]) = (AddressedObject::Other, 0);
        }
        (0..SWEEPS).any(|_| !self.sweep(order))
    }

    fn sweep(&mut self, order: &[Block]) -> bool {
        let func = self.func;
        let mut changed = false;
        for &block in order {
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

    fn set(&mut self, value: Value, object: AddressedObject, zeros: u8) -> bool {
        let before = (self.objects[value], self.zeros[value]);
        (self.objects[value], self.zeros[value]) = (object, zeros);
        before != (object, zeros)
    }

    fn object(&self, inst: &Inst) -> AddressedObject {
        let of = |i: usize| self.objects[inst.args[i]];
        match inst.op {
            Op::Alloca => inst.result.map_or(AddressedObject::Other, AddressedObject::Of),
            Op::PtrAdd => of(0),
            Op::Bitcast if inst.ty.kind.is_ptr() => of(0),
            Op::Select if inst.ty.kind.is_ptr() => of(1).join(of(2)),
            _ => AddressedObject::Other,
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

    /// The objects that are arrays.
    fn elements(&mut self, order: &[Block]) -> FastMap<Value, Uses> {
        let func = self.func;
        let mut copies = Vec::new();
        for &block in order {
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
        let is_array = |uses: &Uses| {
            let is_multiple =
                |size: u32| size.is_power_of_two() && size.trailing_zeros() <= u32::from(uses.zeros);
            !uses.is_odd && uses.element.is_some_and(is_multiple)
        };
        self.uses.iter().filter(|(_, uses)| is_array(uses)).map(|(&object, &uses)| (object, uses)).collect()
    }

    fn object_of(&self, value: Value) -> Option<Value> {
        if let AddressedObject::Of(object) = self.objects[value] { Some(object) } else { None }
    }

    fn uses(&mut self, object: Value) -> &mut Uses {
        let unused = Uses {
            element: None,
            zeros: MOST_ZEROS,
            is_odd: false,
            are_scalars: true,
            is_copied: false,
            filled: 0,
        };
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
            let stays = inst.result.is_some_and(|result| self.objects[result] == AddressedObject::Of(object));
            match (inst.op, i) {
                (Op::PtrAdd, 0) => {
                    let zeros = self.zeros[inst.args[1]];
                    self.limit(object, zeros);
                }
                (Op::Load, 0) if !inst.is_volatile() => self.access(object, inst.ty),
                (Op::Store, 0) if !inst.is_volatile() => self.access(object, func.ty(inst.args[1])),
                (Op::MemZero, 0) | (Op::MemCopy, 0 | 1) => {
                    let bytes = inst.size_align().0;
                    self.limit(object, trailing_zeros(bytes));
                    let uses = self.uses(object);
                    match inst.op {
                        Op::MemZero => uses.filled = bytes.max(uses.filled),
                        _ => uses.is_copied = true,
                    }
                }
                // Those of one object compare as they did.
                (Op::Icmp, _)
                    if inst.args.iter().all(|&arg| self.objects[arg] == AddressedObject::Of(object)) => {}
                (Op::Bitcast, 0) | (Op::Select, 1 | 2) if stays => {}
                _ => self.odd(object),
            }
        }
        for target in &inst.targets {
            for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                if let Some(object) = self.object_of(arg)
                    && self.objects[param] != AddressedObject::Of(object)
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
        uses.is_odd |= is_other;
        uses.are_scalars &= !ty.is_vector() && ty.kind != Kind::I1;
        uses.element = Some(ty.bytes());
    }
}

/// Zeros at the end of a number, as far as anybody asks.
fn trailing_zeros(number: u64) -> u8 {
    number.trailing_zeros().min(u32::from(MOST_ZEROS)) as u8
}
