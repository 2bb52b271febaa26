//! Private objects that are arrays of equally sized elements, whatever type they were declared with. Their memory
//! layout can be changed (`vectorize::memory::lane_interleaving`, `workgroup::soa`), since each offset is a number
//! of elements.
//!
//! Such an object is accessed only by loads, stores, fills and copies of this function. All loads and stores access
//! elements of one size, and all offsets are multiples of that size.

use grus_ir::{Block, Function, Inst, Kind, Op, Type, Value};
use grus_support::{FastMap, IdMap};

/// Array objects of a function, by their addresses.
#[derive(Debug, Default)]
pub struct PrivateArrays {
    /// Uses of each array.
    objects: FastMap<Value, Uses>,
    /// Array that each address points into.
    objects_of: FastMap<Value, Value>,
}

/// Uses of an object.
#[derive(Clone, Copy, Debug)]
pub struct Uses {
    /// Size in bytes of the elements that loads and stores access; `None` if there are none.
    element: Option<u32>,
    /// Minimum number of trailing zero bits of all offsets and sizes.
    zeros: u8,
    /// True if the object has other uses.
    has_other_uses: bool,
    /// True if no access is a vector or a truth value.
    pub are_scalars: bool,
    /// True if the object is source or destination of a copy.
    pub is_copied: bool,
    /// Maximum number of bytes that one fill sets to zero.
    pub filled: u64,
}

impl Uses {
    /// Returns the size of the array's elements in bytes. The array must be accessed by a load or store.
    pub fn element(&self) -> u32 {
        self.element.expect("it is an array")
    }
}

impl PrivateArrays {
    /// Finds the arrays of a function. In `order` the definitions come before their uses, except for loop-carried
    /// values.
    pub fn find(func: &Function, order: &[Block]) -> PrivateArrays {
        if !func.instructions().any(|inst| inst.op == Op::Alloca) {
            return PrivateArrays::default();
        }
        let mut finder = ArrayFinder {
            objects: IdMap::with_len(AddressedObject::Unknown, func.values.len()),
            zeros: IdMap::with_len(MAX_ZEROS, func.values.len()),
            uses: FastMap::default(),
            func,
        };
        if !finder.reach_fixed_point(order) {
            return PrivateArrays::default();
        }
        let objects = finder.elements(order);
        let mut objects_of = FastMap::default();
        for value in func.values.ids() {
            if let AddressedObject::Of(object) = finder.objects[value]
                && objects.contains_key(&object)
            {
                objects_of.insert(value, object);
            }
        }
        PrivateArrays { objects, objects_of }
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Removes the arrays that `keep` rejects.
    pub fn retain(&mut self, keep: impl Fn(Value, &Uses) -> bool) {
        self.objects.retain(|&object, uses| keep(object, uses));
        let objects = &self.objects;
        self.objects_of.retain(|_, object| objects.contains_key(object));
    }

    /// Returns the element size in bytes of the array that begins at an address.
    pub fn element(&self, object: Value) -> Option<u32> {
        self.objects.get(&object)?.element
    }

    /// Returns the array that an address points into.
    pub fn object(&self, pointer: Value) -> Option<Value> {
        self.objects_of.get(&pointer).copied()
    }

    /// Returns the element size in bytes of the array that an address points into.
    pub fn element_at(&self, pointer: Value) -> Option<u32> {
        self.element(self.object(pointer)?)
    }

    /// Adds another address of an array.
    pub fn add(&mut self, pointer: Value, object: Value) {
        self.objects_of.insert(pointer, object);
    }
}

/// Returns the type with which an element of `bytes` bytes, a power of two, is loaded and stored.
pub fn access_type(bytes: u32) -> Type {
    match bytes {
        1..=8 => Type::scalar(Kind::int_of_bits(8 * bytes)),
        _ => Type::vector(Kind::I64, (bytes / 8) as u16),
    }
}

/// Object that an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressedObject {
    Unknown,
    /// The object of this alloca.
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

/// Maximum number of trailing zeros that is tracked, for elements of up to 2⁷ bytes.
// Arbitrary.
const MAX_ZEROS: u8 = 7;

/// Maximum number of sweeps. They suffice for all real functions.
// Arbitrary.
const MAX_SWEEPS: usize = 16;

struct ArrayFinder<'f> {
    func: &'f Function,
    objects: IdMap<Value, AddressedObject>,
    /// Minimum number of trailing zero bits of each number.
    zeros: IdMap<Value, u8>,
    uses: FastMap<Value, Uses>,
}

impl ArrayFinder<'_> {
    /// Computes objects and trailing zeros by an optimistic data-flow analysis. Returns whether it has reached a
    /// fixed point.
    fn reach_fixed_point(&mut self, order: &[Block]) -> bool {
        for param in self.func.params() {
            (self.objects[*param], self.zeros[*param]) = (AddressedObject::Other, 0);
        }
        (0..MAX_SWEEPS).any(|_| !self.sweep(order))
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

    /// Returns the number of trailing zeros of a result. Sign and width do not affect it.
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
                // Shift counts are taken modulo the width.
                Some(by) => of(0).saturating_add((by % u64::from(inst.ty.kind.bits())) as u8),
                None => of(0),
            },
            Op::Select => of(1).min(of(2)),
            Op::Sext | Op::Zext | Op::Trunc if self.func.ty(inst.args[0]).kind != Kind::I1 => of(0),
            _ => 0,
        };
        zeros.min(MAX_ZEROS)
    }

    /// Returns the objects that are arrays.
    fn elements(&mut self, order: &[Block]) -> FastMap<Value, Uses> {
        let func = self.func;
        let mut copies = Vec::new();
        for &block in order {
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                self.record_uses(inst);
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
                [to, from].iter().for_each(|&object| self.mark_other_use(object));
            }
        }
        let is_array = |uses: &Uses| {
            let is_multiple =
                |size: u32| size.is_power_of_two() && size.trailing_zeros() <= u32::from(uses.zeros);
            !uses.has_other_uses && uses.element.is_some_and(is_multiple)
        };
        self.uses.iter().filter(|(_, uses)| is_array(uses)).map(|(&object, &uses)| (object, uses)).collect()
    }

    fn object_of(&self, value: Value) -> Option<Value> {
        if let AddressedObject::Of(object) = self.objects[value] { Some(object) } else { None }
    }

    fn uses(&mut self, object: Value) -> &mut Uses {
        let unused = Uses {
            element: None,
            zeros: MAX_ZEROS,
            has_other_uses: false,
            are_scalars: true,
            is_copied: false,
            filled: 0,
        };
        self.uses.entry(object).or_insert(unused)
    }

    /// Marks an object as no array.
    fn mark_other_use(&mut self, object: Value) {
        self.uses(object).has_other_uses = true;
    }

    /// Records the uses of objects by an instruction.
    fn record_uses(&mut self, inst: &Inst) {
        let func = self.func;
        for (i, &arg) in inst.args.iter().enumerate() {
            let Some(object) = self.object_of(arg) else { continue };
            let stays_in_object =
                inst.result.is_some_and(|result| self.objects[result] == AddressedObject::Of(object));
            match (inst.op, i) {
                (Op::PtrAdd, 0) => {
                    let zeros = self.zeros[inst.args[1]];
                    self.limit_zeros(object, zeros);
                }
                (Op::Load, 0) if !inst.is_volatile() => self.access(object, inst.ty),
                (Op::Store, 0) if !inst.is_volatile() => self.access(object, func.ty(inst.args[1])),
                (Op::MemZero, 0) | (Op::MemCopy, 0 | 1) => {
                    let bytes = inst.size_align().0;
                    self.limit_zeros(object, trailing_zeros(bytes));
                    let uses = self.uses(object);
                    match inst.op {
                        Op::MemZero => uses.filled = bytes.max(uses.filled),
                        _ => uses.is_copied = true,
                    }
                }
                // The order of addresses within one object is kept when its layout changes.
                (Op::Icmp, _)
                    if inst.args.iter().all(|&arg| self.objects[arg] == AddressedObject::Of(object)) => {}
                (Op::Bitcast, 0) | (Op::Select, 1 | 2) if stays_in_object => {}
                _ => self.mark_other_use(object),
            }
        }
        for target in &inst.targets {
            for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                if let Some(object) = self.object_of(arg)
                    && self.objects[param] != AddressedObject::Of(object)
                {
                    self.mark_other_use(object);
                }
            }
        }
    }

    fn limit_zeros(&mut self, object: Value, zeros: u8) {
        let uses = self.uses(object);
        uses.zeros = uses.zeros.min(zeros);
    }

    fn access(&mut self, object: Value, ty: Type) {
        let uses = self.uses(object);
        let is_other = uses.element.is_some_and(|element| element != ty.bytes());
        uses.has_other_uses |= is_other;
        uses.are_scalars &= !ty.is_vector() && ty.kind != Kind::I1;
        uses.element = Some(ty.bytes());
    }
}

/// Returns the number of trailing zeros, up to the maximum that is tracked.
fn trailing_zeros(number: u64) -> u8 {
    number.trailing_zeros().min(u32::from(MAX_ZEROS)) as u8
}
