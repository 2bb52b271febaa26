//! Loads, stores, atomics, block copies, stack slots.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AtomicRmwOp, Endianness, InstBuilder, MemFlagsData, types};

use super::mask::MaskForm;
use super::packed;
use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use grus_ir::{Helper, Inst, Rmw, Type};

/// Returns the flags of kernels' accesses: they may fault, but no trap is recorded for them here.
pub(super) fn access() -> MemFlagsData {
    MemFlagsData::new()
}

/// Returns the flags of bit casts between vectors, which need an order of lanes.
pub(super) fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

/// Alignment of the stack pointer in bytes.
const STACK_ALIGN: u32 = 16;

/// Size in bytes of the largest copy that is expanded inline.
// Arbitrary.
const MAX_INLINE_COPY: u64 = 128;

impl Translator<'_> {
    pub(super) fn alloca(&mut self, inst: &Inst) -> clif::Value {
        let (size, align) = inst.size_align();
        let shift = align.clamp(1, STACK_ALIGN).trailing_zeros() as u8;
        // A frame is aligned to 16 bytes; for larger alignments the slot has extra bytes, and the address is
        // rounded up.
        let extra = align.saturating_sub(STACK_ALIGN);
        let size = u32::try_from(size).expect("large ones are elsewhere") + extra;
        let data = clif::StackSlotData::new(clif::StackSlotKind::ExplicitSlot, size, shift);
        let slot = self.func().create_sized_stack_slot(data);
        let start = self.ins().stack_addr(types::I64, slot, 0);
        if extra == 0 {
            return start;
        }
        let end = self.ins().iadd_imm_u(start, i64::from(align) - 1);
        self.ins().band_imm_s(end, -i64::from(align))
    }

    /// Returns the address of a new stack slot.
    pub(super) fn scratch(&mut self, size: u32) -> clif::Value {
        let data = clif::StackSlotData::new(clif::StackSlotKind::ExplicitSlot, size, 4);
        let slot = self.func().create_sized_stack_slot(data);
        self.ins().stack_addr(types::I64, slot, 0)
    }

    pub(super) fn load(&mut self, inst: &Inst) -> ClifParts {
        let layout = layout(inst.ty);
        let ptr = self.scalar(inst, 0);
        if inst.ty.is_mask() {
            self.set_form(inst, MaskForm::Bytes);
            let byte = |i| self.ins().load(types::I8, access(), ptr, i32::from(i));
            return (0..inst.ty.lanes as i16).map(byte).collect();
        }
        if inst.mem().volatile && layout.count == 1 && layout.lanes_per_part == 1 {
            return ClifParts::from_slice(&[self.atomic_load(layout.part, ptr)]);
        }
        if let Some(word) = packed::word(inst.ty).filter(|_| !inst.mem().volatile) {
            let word = self.ins().load(word, access(), ptr, 0);
            return self.unpack(inst, word);
        }
        self.load_parts(inst.ty, ptr)
    }

    /// Loads all parts of a value, which are consecutive in memory.
    pub(super) fn load_parts(&mut self, ty: Type, ptr: clif::Value) -> ClifParts {
        let layout = layout(ty);
        let size = layout.part.bytes();
        let load = |i| self.ins().load(layout.part, access(), ptr, (i as u32 * size) as i32);
        (0..layout.count).map(load).collect()
    }

    /// Stores parts of one type to consecutive addresses.
    pub(super) fn store_parts(&mut self, parts: &[clif::Value], ptr: clif::Value) {
        let mut at = 0;
        for &part in parts {
            self.ins().store(access(), part, ptr, at);
            at += self.func().dfg.value_type(part).bytes() as i32;
        }
    }

    pub(super) fn store(&mut self, inst: &Inst) -> ClifParts {
        let ptr = self.scalar(inst, 0);
        if let Some(&word) = self.packed.get(&inst.args[1]).filter(|_| !inst.mem().volatile) {
            self.ins().store(access(), word, ptr, 0);
            return ClifParts::new();
        }
        let is_mask = self.arg_type(inst, 1).is_mask();
        let parts = if is_mask { self.mask(inst.args[1], MaskForm::Bytes) } else { self.arg(inst, 1) };
        if inst.mem().volatile {
            // Cranelift would remove a store that is overwritten immediately.
            self.between_sequence_points(|t| t.store_parts(&parts, ptr));
        } else {
            self.store_parts(&parts, ptr);
        }
        ClifParts::new()
    }

    /// Translates an atomic load of any memory order: x86-64 keeps loads in order, and on other machines the load
    /// that Cranelift emits is as strong as the strongest order. Used for volatile loads too, since Cranelift
    /// neither merges nor removes atomic accesses.
    pub(super) fn atomic_load(&mut self, ty: clif::Type, ptr: clif::Value) -> clif::Value {
        if ty.is_int() {
            return self.ins().atomic_load(ty, access(), ptr);
        }
        let bits = self.ins().atomic_load(ty.as_int(), access(), ptr);
        self.ins().bitcast(ty, access(), bits)
    }

    pub(super) fn atomic_rmw(&mut self, inst: &Inst) -> clif::Value {
        let (ptr, value) = (self.scalar(inst, 0), self.scalar(inst, 1));
        self.rmw_at(inst, ptr, value)
    }

    /// Translates an atomic read-modify-write at an address.
    pub(super) fn rmw_at(&mut self, inst: &Inst, ptr: clif::Value, value: clif::Value) -> clif::Value {
        let (ty, kind) = (lane_type(inst.ty.kind), inst.ty.kind);
        if !self.source.is_of_group(inst) {
            return self.ins().atomic_rmw(ty, access(), rmw_op(inst.rmw()), ptr, value);
        }
        let before = self.ins().load(ty, access(), ptr, 0);
        let after = match inst.rmw().by() {
            Some(op) => self.int2(op, kind, before, value, None),
            None => value,
        };
        self.ins().store(access(), after, ptr, 0);
        before
    }

    /// Translates an atomic compare-and-exchange at an address. A failed one only reads, as C11 specifies it:
    /// work-items that spin on the same location do not take its cache line from each other.
    pub(super) fn cas_at(
        &mut self,
        inst: &Inst,
        ptr: clif::Value,
        expected: clif::Value,
        value: clif::Value,
    ) -> clif::Value {
        let ty = self.func().dfg.value_type(expected);
        if !self.source.is_of_group(inst) {
            let before = self.ins().atomic_load(ty, access(), ptr);
            let is_same = self.ins().icmp(IntCC::Equal, before, expected);
            let exchange = |t: &mut Self| Some(t.ins().atomic_cas(access(), ptr, expected, value));
            return self.guarded(is_same, Some(before), exchange).expect("what was there");
        }
        let before = self.ins().load(ty, access(), ptr, 0);
        let is_same = self.ins().icmp(IntCC::Equal, before, expected);
        let after = self.ins().select(is_same, value, before);
        self.ins().store(access(), after, ptr, 0);
        before
    }

    pub(super) fn atomic_cas(&mut self, inst: &Inst) -> clif::Value {
        let ty = lane_type(inst.ty.kind);
        let [ptr, expected, value] = [0, 1, 2].map(|i| self.scalar(inst, i));
        if ty.is_int() {
            return self.cas_at(inst, ptr, expected, value);
        }
        let expected = self.ins().bitcast(ty.as_int(), access(), expected);
        let value = self.ins().bitcast(ty.as_int(), access(), value);
        let old = self.cas_at(inst, ptr, expected, value);
        self.ins().bitcast(ty, access(), old)
    }

    pub(super) fn atomic_store(&mut self, inst: &Inst) -> ClifParts {
        let (ptr, value) = (self.scalar(inst, 0), self.scalar(inst, 1));
        let ty = self.func().dfg.value_type(value);
        let bits = if ty.is_int() { value } else { self.ins().bitcast(ty.as_int(), access(), value) };
        if is_ordered_by_machine(inst) {
            // Cranelift's atomic store would be followed by a fence.
            self.between_sequence_points(|t| t.store_parts(&[bits], ptr));
        } else if self.source.is_of_group(inst) {
            self.store_parts(&[bits], ptr);
        } else if cfg!(target_arch = "x86_64") {
            // An exchange takes half the time of the store and fence that Cranelift emits for an atomic store.
            self.ins().atomic_rmw(ty.as_int(), access(), AtomicRmwOp::Xchg, ptr, bits);
        } else {
            self.ins().atomic_store(access(), bits, ptr);
        }
        ClifParts::new()
    }

    /// Emits a store between sequence points. They generate no instruction, but Cranelift treats them as fences: it
    /// merges, removes and moves no access across them.
    fn between_sequence_points(&mut self, store: impl FnOnce(&mut Self)) {
        self.ins().sequence_point();
        store(self);
        self.ins().sequence_point();
    }

    pub(super) fn fence(&mut self, inst: &Inst) -> ClifParts {
        if is_ordered_by_machine(inst) {
            self.ins().sequence_point();
        } else {
            self.ins().fence();
        }
        ClifParts::new()
    }

    pub(super) fn mem_copy(&mut self, inst: &Inst) -> ClifParts {
        let (size, _) = inst.size_align();
        let (to, from) = (self.scalar(inst, 0), self.scalar(inst, 1));
        if size > MAX_INLINE_COPY {
            let size = self.integer(types::I64, size);
            return self.call_helper(Helper::MemCopy, &[to, from, size]);
        }
        // All loads precede the stores, since the objects may overlap.
        let loaded: Vec<(u64, clif::Value)> =
            steps(size).map(|(at, ty)| (at, self.ins().load(ty, access(), from, at as i32))).collect();
        for (at, value) in loaded {
            self.ins().store(access(), value, to, at as i32);
        }
        ClifParts::new()
    }

    pub(super) fn mem_zero(&mut self, inst: &Inst) -> ClifParts {
        let (size, _) = inst.size_align();
        let to = self.scalar(inst, 0);
        if size > MAX_INLINE_COPY {
            let size = self.integer(types::I64, size);
            return self.call_helper(Helper::MemZero, &[to, size]);
        }
        for (at, ty) in steps(size) {
            let zero = if ty == types::I8X16 {
                let byte = self.integer(types::I8, 0);
                self.ins().splat(ty, byte)
            } else {
                self.integer(ty, 0)
            };
            self.ins().store(access(), zero, to, at as i32);
        }
        ClifParts::new()
    }
}

/// Checks whether the machine gives the memory order of a store or fence without an instruction, provided that
/// Cranelift keeps accesses in order: on x86-64 only later loads can pass a store.
fn is_ordered_by_machine(inst: &Inst) -> bool {
    cfg!(target_arch = "x86_64") && !inst.consistency().needs_store_load_fence()
}

/// Returns the offsets and types of accesses that cover `size` bytes.
fn steps(size: u64) -> impl Iterator<Item = (u64, clif::Type)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (bytes, ty) = match size - at {
            0 => return None,
            16.. => (16, types::I8X16),
            8.. => (8, types::I64),
            4.. => (4, types::I32),
            2.. => (2, types::I16),
            _ => (1, types::I8),
        };
        at += bytes;
        Some((at - bytes, ty))
    })
}

fn rmw_op(rmw: Rmw) -> AtomicRmwOp {
    match rmw {
        Rmw::Add => AtomicRmwOp::Add,
        Rmw::Sub => AtomicRmwOp::Sub,
        Rmw::And => AtomicRmwOp::And,
        Rmw::Or => AtomicRmwOp::Or,
        Rmw::Xor => AtomicRmwOp::Xor,
        Rmw::Xchg => AtomicRmwOp::Xchg,
        Rmw::Smin => AtomicRmwOp::Smin,
        Rmw::Smax => AtomicRmwOp::Smax,
        Rmw::Umin => AtomicRmwOp::Umin,
        Rmw::Umax => AtomicRmwOp::Umax,
        Rmw::Fadd | Rmw::Fmin | Rmw::Fmax => unreachable!("legalization replaces them"),
    }
}
