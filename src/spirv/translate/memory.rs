//! Memory: variables of functions, loads, stores, copies and addresses.

use grus_ir::{Helper, IntCond, Kind, MAX_OBJECT_SIZE, Mem, Op, Type, Value, abi::space};

use super::function::{FunctionTranslator, Leaves, Result, Translation};
use super::{arithmetic, narrow};
use crate::chain::Chain;
use crate::error::Fault;
use crate::grammar::{Opcode, memory_access, memory_semantics};
use crate::module::Id;
use crate::types::{Leaf, Space, TypeForm, TypeId, ValueType};

/// Maximum size of a variable of a function in bytes.
// Arbitrary: more than that cannot be had for each of many work-items.
const MAX_PRIVATE: u64 = 1 << 30;

/// Memory operands of an access.
#[derive(Clone, Copy, Debug)]
struct Access {
    is_volatile: bool,
    /// Alignment in bytes, if it is given.
    align: Option<u32>,
}

impl Access {
    /// Returns the operands at the beginning of these words.
    fn of(words: &[u32]) -> Access {
        let Some(&mask) = words.first() else { return Access { is_volatile: false, align: None } };
        let align = (mask & memory_access::Aligned != 0).then(|| words.get(1).copied()).flatten();
        Access { is_volatile: mask & memory_access::Volatile != 0, align }
    }

    /// Returns the number of words that the operands at the beginning of these words take.
    fn words(words: &[u32]) -> usize {
        let with_parameter = memory_access::Aligned | ALIASING;
        words.first().map_or(0, |mask| 1 + (mask & with_parameter).count_ones() as usize)
    }

    /// Returns the alignment that is given, 1 if there is none.
    fn given(self) -> u32 {
        self.align.filter(|align| align.is_power_of_two()).unwrap_or(1)
    }

    /// Returns the alignment of an access to a type of this natural alignment: at most that, and a power of two.
    fn align(self, natural: u32) -> u32 {
        let given = self.align.filter(|align| align.is_power_of_two());
        given.map_or(natural, |align| align.min(natural)).max(1)
    }
}

/// Maximum alignment of a copy; more does not make it faster.
// Source: the size of the largest vector register.
const MAX_COPY_ALIGN: u32 = 64;

/// Bits of a memory access that name lists of alias scopes (SPV_INTEL_memory_access_aliasing).
const ALIASING: u32 = memory_access::AliasScopeINTELMask | memory_access::NoAliasINTELMask;

impl FunctionTranslator<'_, '_> {
    pub(super) fn variable(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let variable = self.t.globals.variable(self.t.module, opcode, words, self.place)?;
        if variable.space != Space::Function {
            return Err(Fault::at(3, "the variable of a function is in memory of the module"));
        }
        let row = self.t.types().get(variable.contents);
        let (size, natural) = (row.size, row.align);
        if size > MAX_PRIVATE {
            return Err(Fault::new(format!("the variable has {size} bytes; {MAX_PRIVATE} are the limit")));
        }
        let align = self.t.alignment(variable.id).unwrap_or(1).max(natural.into());
        let address = self.temporary(size, align as u32);
        if let Some(initializer) = variable.initializer {
            let (ty, value) = self.translation(initializer)?;
            self.store_any(ty, &value, address, Mem::aligned(natural))?;
        }
        self.define(variable.id, variable.pointer, Translation::One(address));
        Ok(())
    }

    pub(super) fn load(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let id = Id(words[2]);
        if let (_, Translation::BuiltIn { variable, component }) = self.translation(Id(words[3]))? {
            let value = self.load_built_in(ty, variable, component)?;
            self.define(id, ty, Translation::One(value));
            return Ok(());
        }
        let (of, address) = self.typed(words, 3)?;
        self.check_pointee(of, ty, 3)?;
        let access = Access::of(&words[4..]);
        let align = access.align(self.t.types().get(ty).align);
        let value = self.load_any(ty, address, align, access.is_volatile)?;
        self.define(id, ty, value);
        Ok(())
    }

    /// Checks that a pointer's pointee, if it has one, is of a type.
    fn check_pointee(&self, pointer: TypeId, ty: TypeId, at: usize) -> Result<()> {
        match self.t.types().form(pointer) {
            TypeForm::Pointer { pointee: None, .. } => Ok(()),
            TypeForm::Pointer { .. } => match self.t.types().pointee(pointer) {
                Some(pointee) if self.t.types().are_alike(pointee, ty) => Ok(()),
                _ => Err(Fault::at(at, "the pointer points at another type")),
            },
            _ => Err(Fault::at(at, "the operand is no pointer")),
        }
    }

    /// Emits the load of a value of any type.
    pub(super) fn load_any(
        &mut self,
        ty: TypeId,
        address: Value,
        align: u32,
        is_volatile: bool,
    ) -> Result<Translation> {
        match self.t.types().value(ty) {
            Some(ty) => {
                let mem = Mem { volatile: is_volatile, ..Mem::aligned(align) };
                Ok(Translation::One(self.load_value(ty, address, mem)))
            }
            None => self.load_composite(ty, address, align, is_volatile),
        }
    }

    /// Emits the load of a scalar, vector, pointer or handle. Bools are bytes in memory.
    pub(super) fn load_value(&mut self, ty: ValueType, address: Value, mem: Mem) -> Value {
        if ty.is_narrow() {
            return narrow::load(&mut self.b, ty, address, mem);
        }
        if ty.ir.kind != Kind::I1 {
            return self.b.load(ty.ir, address, mem);
        }
        let byte = self.b.load(ty.ir.with_kind(Kind::I8), address, mem);
        self.truth(byte)
    }

    /// Emits the test whether integers are not zero.
    pub(super) fn truth(&mut self, value: Value) -> Value {
        let zero = self.b.zero(self.b.func.ty(value));
        self.b.icmp(IntCond::Ne, value, zero)
    }

    /// Emits the store of a scalar, vector, pointer or handle.
    pub(super) fn store_value(&mut self, ty: ValueType, value: Value, address: Value, mem: Mem) {
        if ty.is_narrow() {
            return narrow::store(&mut self.b, ty, value, address, mem);
        }
        let value = self.widened(value);
        self.b.store(value, address, mem);
    }

    /// Emits the load of a composite: of its leaves, or a copy in memory if they are too many.
    pub(super) fn load_composite(
        &mut self,
        ty: TypeId,
        address: Value,
        align: u32,
        is_volatile: bool,
    ) -> Result<Translation> {
        if !self.t.types().is_composite(ty) {
            return Err(Fault::at(1, format!("{} has no values", self.t.types().describe(ty))));
        }
        let Some(leaves) = self.t.types().leaves(ty) else {
            return Ok(Translation::Memory(self.copied(ty, address, align)));
        };
        let mut values = Leaves::new();
        for leaf in leaves {
            let at = self.b.ptr_offset(address, leaf.offset);
            let mem = Mem { volatile: is_volatile, ..Mem::aligned(leaf_align(align, leaf)) };
            values.push(self.load_value(leaf.ty, at, mem));
        }
        Ok(Translation::Leaves(values))
    }

    /// Emits the store of a composite.
    pub(super) fn store_composite(
        &mut self,
        ty: TypeId,
        value: &Translation,
        address: Value,
        align: u32,
        is_volatile: bool,
    ) -> Result<()> {
        match value {
            Translation::Memory(from) => {
                let size = self.t.types().get(ty).size;
                self.b.copy_bytes(address, *from, size, align);
            }
            Translation::Leaves(values) => {
                let leaves = self.t.types().leaves(ty).unwrap_or_default();
                for (&leaf, &value) in leaves.iter().zip(values) {
                    let at = self.b.ptr_offset(address, leaf.offset);
                    let mem = Mem { volatile: is_volatile, ..Mem::aligned(leaf_align(align, leaf)) };
                    self.store_value(leaf.ty, value, at, mem);
                }
            }
            Translation::One(_) | Translation::BuiltIn { .. } => {
                return Err(Fault::new("a structure or array is wanted"));
            }
        }
        Ok(())
    }

    /// Emits the store of a value of any type.
    pub(super) fn store_any(
        &mut self,
        ty: TypeId,
        value: &Translation,
        address: Value,
        mem: Mem,
    ) -> Result<()> {
        match value {
            Translation::One(value) => {
                let ty = self.t.types().value(ty).expect("it is one value");
                self.store_value(ty, *value, address, mem);
                Ok(())
            }
            _ => self.store_composite(ty, value, address, mem.align, mem.volatile),
        }
    }

    pub(super) fn store(&mut self, words: &[u32]) -> Result<()> {
        let (of, address) = self.typed(words, 1)?;
        let (ty, mut value) = self.translation(Id(words[2]))?;
        if let Translation::BuiltIn { .. } = value {
            value = Translation::One(self.value(words, 2)?);
        }
        self.check_pointee(of, ty, 1)?;
        let access = Access::of(&words[3..]);
        let align = access.align(self.t.types().get(ty).align);
        self.store_any(ty, &value, address, Mem { volatile: access.is_volatile, ..Mem::aligned(align) })
    }

    pub(super) fn copy(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let ((to_ty, to), (from_ty, from)) = (self.typed(words, 1)?, self.typed(words, 2)?);
        if self.t.types().space(to_ty).is_none() || self.t.types().space(from_ty).is_none() {
            return Err(Fault::new("the operands are no pointers"));
        }
        let operands = words.get(if opcode == Opcode::CopyMemorySized { 4 } else { 3 }..).unwrap_or_default();
        let access = Access::of(operands);
        // The operands of the source follow; without them, those of the target hold for both.
        let source = match operands.get(Access::words(operands)..) {
            Some(rest) if !rest.is_empty() => Access::of(rest),
            _ => access,
        };
        if opcode == Opcode::CopyMemorySized {
            // Without operands nothing is known of the bytes.
            let align = access.given().min(source.given());
            let Some(size) = self.constant_operand(words, 3).filter(|&size| size <= MAX_OBJECT_SIZE) else {
                let size = self.value(words, 3)?;
                let size = arithmetic::resize(&mut self.b, Op::Zext, Type::I64, size);
                self.b.helper(Helper::MemCopy, Type::VOID, &[to, from, size]);
                return Ok(());
            };
            self.b.copy_bytes(to, from, size, align.min(MAX_COPY_ALIGN));
            return Ok(());
        }
        let types = self.t.types();
        let ty = types.pointee(to_ty).or_else(|| types.pointee(from_ty));
        let ty = ty.ok_or_else(|| Fault::at(1, "the pointers have no pointee"))?;
        let natural = types.get(ty).align;
        let align = access.align(natural).min(source.align(natural));
        let size = types.get(ty).size;
        match types.value(ty) {
            Some(ty) => {
                let mem = Mem { volatile: access.is_volatile, ..Mem::aligned(align) };
                let value = self.load_value(ty, from, mem);
                self.store_value(ty, value, to, mem);
            }
            None => self.b.copy_bytes(to, from, size, align),
        }
        Ok(())
    }

    /// Translates an access chain.
    pub(super) fn chain(&mut self, chain: Chain, words: &[u32]) -> Result<()> {
        let base_at = 3 + usize::from(chain.is_untyped);
        let result = self.t.globals.type_at(words, 1)?;
        if let (_, Translation::BuiltIn { variable, component: None }) =
            self.translation(Id(words[base_at]))?
        {
            return self.chain_of_built_in(
                words,
                base_at + 1 + usize::from(chain.has_element),
                variable,
                result,
            );
        }
        let (of, base) = self.typed(words, base_at)?;
        let pointee = if chain.is_untyped {
            Some(self.t.globals.type_at(words, 3)?)
        } else {
            self.t.types().pointee(of)
        };
        let mut ty = pointee.ok_or_else(|| Fault::at(base_at, "the base has no pointee"))?;
        let (mut offset, mut address) = (0i64, base);
        for at in base_at + 1..words.len() {
            let is_element = chain.has_element && at == base_at + 1;
            let stride = match *self.t.types().form(ty) {
                _ if is_element => self.t.types().stride(ty),
                _ if self.t.types().is_packed(ty) => {
                    return Err(Fault::at(at, "the components have no addresses"));
                }
                TypeForm::Array { element, .. } => {
                    ty = element;
                    self.t.types().stride(ty)
                }
                TypeForm::Vector { element, .. } => {
                    ty = element;
                    self.t.types().get(ty).size
                }
                _ => {
                    let index = self.t.globals.integer_at(words, at)?;
                    let part = self.t.types().part(ty, index);
                    let (part, bytes) =
                        part.ok_or_else(|| Fault::at(at, format!("there is no member {index}")))?;
                    (ty, offset) = (part, offset.wrapping_add(bytes as i64));
                    continue;
                }
            };
            let index = self.signed(words, at)?;
            if !self.b.func.ty(index).kind.is_int() || self.b.func.ty(index).is_vector() {
                return Err(Fault::at(at, "the index is no integer"));
            }
            if let Some(bits) = self.b.func.as_const(index) {
                let width = self.b.func.ty(index).kind.bits();
                let signed = (bits << (64 - width)) as i64 >> (64 - width);
                offset = offset.wrapping_add(signed.wrapping_mul(stride as i64));
                continue;
            }
            let index = arithmetic::resize(&mut self.b, Op::Sext, Type::I64, index);
            let bytes = self.scaled(index, stride);
            address = self.b.ptr_add(address, bytes);
        }
        let address = self.b.ptr_offset(address, offset as u64);
        self.result(words, address)
    }

    /// Emits the multiplication of an index with the size of an element. It has no guarantee against wrapping, even in
    /// bounds: work-items that do not take part compute the address, too.
    fn scaled(&mut self, index: Value, stride: u64) -> Value {
        if stride == 1 {
            return index;
        }
        let stride = self.b.iconst(Type::I64, stride);
        self.b.same(Op::Imul, &[index, stride])
    }

    pub(super) fn compare_pointers(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let ((ty, a), b) = (self.typed(words, 3)?, self.value(words, 4)?);
        if !self.b.func.ty(a).kind.is_ptr() || !self.b.func.ty(b).kind.is_ptr() {
            return Err(Fault::at(3, "the operands are no pointers"));
        }
        let [a, b] = [a, b].map(|pointer| self.b.convert(Op::Bitcast, Type::I64, pointer));
        let value = match opcode {
            Opcode::PtrEqual => self.b.icmp(IntCond::Eq, a, b),
            Opcode::PtrNotEqual => self.b.icmp(IntCond::Ne, a, b),
            _ => {
                let stride = self.t.types().pointee(ty).map_or(1, |ty| self.t.types().stride(ty)).max(1);
                let bytes = self.b.same(Op::Isub, &[a, b]);
                let stride = self.b.iconst(Type::I64, stride);
                let count = self.b.same(Op::Sdiv, &[bytes, stride]);
                let result = self.t.globals.type_at(words, 1)?;
                let ty = self.t.types().value(result).filter(|ty| ty.ir.kind.is_int() && !ty.ir.is_vector());
                let ty = ty.ok_or_else(|| Fault::at(1, "the result is no integer"))?;
                let count = arithmetic::resize(&mut self.b, Op::Sext, ty.ir, count);
                narrow::cleared(&mut self.b, ty, count)
            }
        };
        self.result(words, value)
    }

    /// Emits the pointer if it points into a storage class, else null.
    pub(super) fn if_in_space(&mut self, pointer: Value, wanted: Space) -> Result<Value> {
        let number = match wanted {
            Space::Workgroup => space::LOCAL,
            Space::Function => space::PRIVATE,
            Space::CrossWorkgroup => space::GLOBAL,
            _ => return Err(Fault::new("no generic pointer points there")),
        };
        if !self.b.func.ty(pointer).kind.is_ptr() {
            return Err(Fault::new("a pointer is wanted"));
        }
        Ok(self.b.if_in_space(number, pointer, Type::scalar(wanted.kind())))
    }

    /// Translates the questions to which memory a generic pointer points.
    pub(super) fn generic(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let pointer = self.value(words, 3)?;
        if opcode == Opcode::GenericCastToPtrExplicit {
            let wanted = Space::from_class(words[4])
                .ok_or_else(|| Fault::at(4, "kernels have no such storage class"))?;
            let value = self.if_in_space(pointer, wanted)?;
            return self.result(words, value);
        }
        if !self.b.func.ty(pointer).kind.is_ptr() {
            return Err(Fault::at(3, "the operand is no pointer"));
        }
        let found = self.b.space_of(pointer);
        let mut semantics = self.b.iconst(Type::I32, memory_semantics::CrossWorkgroupMemory.into());
        for (number, bits) in [(space::LOCAL, memory_semantics::WorkgroupMemory), (space::PRIVATE, 0)] {
            let number = self.b.iconst(Type::I32, number.into());
            let is_there = self.b.icmp(IntCond::Eq, found, number);
            let bits = self.b.iconst(Type::I32, bits.into());
            semantics = self.b.select(is_there, bits, semantics);
        }
        self.result(words, semantics)
    }

    pub(super) fn size_of(&mut self, words: &[u32]) -> Result<()> {
        let (ty, _) = self.translation(Id(words[3]))?;
        let pointee = self.t.types().pointee(ty).ok_or_else(|| Fault::at(3, "the operand is no pointer"))?;
        let size = self.t.types().get(pointee).size;
        let result = self.t.globals.type_at(words, 1)?;
        let ty = self.t.types().value(result).filter(|ty| ty.ir.kind.is_int() && ty.ir.kind != Kind::I1);
        let ty = ty.ok_or_else(|| Fault::at(1, "the result is no integer"))?;
        let value = self.b.iconst(ty.ir, size & ty.mask());
        self.result(words, value)
    }
}

/// Returns the alignment of a leaf of a composite of this alignment.
fn leaf_align(align: u32, leaf: Leaf) -> u32 {
    let of_offset = if leaf.offset == 0 { align } else { 1 << leaf.offset.trailing_zeros().min(16) };
    let lanes = u32::from(leaf.ty.ir.lanes).next_power_of_two();
    align.min(of_offset).min(leaf.ty.ir.kind.bytes() * lanes).max(1)
}
