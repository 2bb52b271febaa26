//! Lowers gathers of 8 and 16-bit elements, since CPUs gather only 32 bits or more. Each lane gathers the aligned
//! 32 bits around its element and shifts the element out. These bits are all on one page, so no page is touched
//! that the lane does not access.

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::rewrite;
use grus_ir::{Attr, Block, Builder, Function, Inst, Kind, Mem, Op, Type, Value};

/// Bytes of the gathered words.
const WORD: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    run_where(func, |_, _| true)
}

/// Runs the pass where gathers are slow: those of all lanes remain, since a load for each lane is faster.
pub fn run_masked(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    run_where(func, |func, mask| func.as_const_of_lanes(mask) != Some(1))
}

fn run_where(func: &mut Function, is_mask: impl Fn(&Function, Value) -> bool) -> bool {
    let is_narrow = |inst: &Inst| {
        let is_gather = matches!(inst.op, Op::Gather | Op::GatherAt);
        is_gather && matches!(inst.ty.kind, Kind::I8 | Kind::I16) && is_aligned(inst)
    };
    let has_words = rewrite(func, is_narrow, |func, block, inst| {
        is_mask(func, inst.args[inst.args.len() - 2]).then(|| words(func, block, inst))
    });
    rewrite(func, |inst| inst.op == Op::Zext && inst.ty.is_vector(), low_bits) || has_words
}

/// Replaces a truncation followed by a zero extension to the same type by a mask.
fn low_bits(func: &mut Function, block: Block, inst: &Inst) -> Option<Value> {
    let def = func.def_inst(inst.args[0]).filter(|def| def.op == Op::Trunc)?;
    let (from, extracted) = (def.args[0], def.ty);
    if func.ty(from) != inst.ty || extracted.is_mask() {
        return None;
    }
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let low = b.iconst(inst.ty, (1u64 << extracted.kind.bits()) - 1);
    Some(b.same(Op::And, &[from, low]))
}

/// Checks whether no element crosses a word boundary.
fn is_aligned(inst: &Inst) -> bool {
    let mem = if inst.op == Op::Gather { inst.mem() } else { inst.scaled_mem().0 };
    mem.align >= inst.ty.kind.bytes()
}

/// Writes the replacement of a gather at the end of a block.
fn words(func: &mut Function, block: Block, inst: &Inst) -> Value {
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let wide = Type { kind: Kind::I32, ..inst.ty };
    let (mask, other) = (inst.args[inst.args.len() - 2], inst.args[inst.args.len() - 1]);
    let mem = if inst.op == Op::Gather { inst.mem() } else { inst.scaled_mem().0 };
    let lanes = LaneAddresses::of(&mut b, inst);
    let Rounded { lanes, bytes } = lanes.rounded(&mut b, WORD, inst.ty.kind.bytes());
    let gathered = lanes.gather(&mut b, wide, mask, Mem { align: WORD, ..mem });
    let bits = b.shift(Op::Shl, bytes, 3);
    let extracted = b.same(Op::Lshr, &[gathered, bits]);
    let extracted = b.convert(Op::Trunc, inst.ty, extracted);
    // An inactive lane gathers zeros.
    if b.func.is_zero(other) { extracted } else { b.select(mask, extracted, other) }
}

/// Addresses of lanes.
pub(crate) struct LaneAddresses {
    /// Uniform base pointer, if there is one.
    base: Option<Value>,
    /// Signed multiples of `scale` bytes that are added to the base; without a base, the addresses as integers.
    index: Value,
    scale: u32,
    /// Kind of the pointers.
    kind: Kind,
}

/// Addresses of lanes rounded down.
pub(crate) struct Rounded {
    /// Distance in bytes from the rounded address to the original one, as an `i32` vector.
    pub lanes: LaneAddresses,
    pub bytes: Value,
}

impl LaneAddresses {
    /// Returns the addresses of a gather or scatter.
    pub(crate) fn of(b: &mut Builder<'_>, inst: &Inst) -> LaneAddresses {
        let ty = b.func.ty(inst.args[0]);
        if matches!(inst.op, Op::GatherAt | Op::ScatterAt) {
            let scale = inst.scaled_mem().1;
            return LaneAddresses { base: Some(inst.args[0]), index: inst.args[1], scale, kind: ty.kind };
        }
        let index = b.convert(Op::Bitcast, Type { kind: Kind::I64, ..ty }, inst.args[0]);
        LaneAddresses { base: None, index, scale: 1, kind: ty.kind }
    }

    /// Adds a number of bytes to the addresses.
    pub(crate) fn add(&mut self, b: &mut Builder<'_>, bytes: i64) {
        if bytes == 0 {
            return;
        }
        if let Some(base) = &mut self.base {
            *base = b.ptr_offset(*base, bytes as u64);
            return;
        }
        let bytes = b.constant(b.func.ty(self.index), bytes as u64);
        self.index = b.same(Op::Iadd, &[self.index, bytes]);
    }

    /// Adds `2 * count` bytes to addresses that are rounded to 4 bytes; `count` is an `i32` vector of 0 or 1.
    pub(crate) fn add_pairs(&mut self, b: &mut Builder<'_>, count: Value) {
        let ty = b.func.ty(self.index);
        let mut count = b.convert(Op::Zext, ty, count);
        if self.base.is_some() && self.scale > 1 {
            self.index = b.shift(Op::Shl, self.index, self.scale.trailing_zeros() - 1);
            self.scale = 2;
        } else {
            count = b.shift(Op::Shl, count, 1);
        }
        self.index = b.same(Op::Iadd, &[self.index, count]);
    }

    /// Rounds addresses down to a multiple of `unit` bytes, at most 4. Elements have `size` bytes and are aligned
    /// to that.
    pub(crate) fn rounded(self, b: &mut Builder<'_>, unit: u32, size: u32) -> Rounded {
        if let Some(base) = self.base
            && b.func.ty(self.index).kind == Kind::I32
            && self.scale == size
        {
            return self.small_offsets(b, base, unit, size);
        }
        let numbers = self.addresses(b);
        let ty = b.func.ty(numbers);
        let low = b.constant(ty, u64::from(unit) - 1);
        let bytes = b.same(Op::And, &[numbers, low]);
        let index = b.same(Op::Isub, &[numbers, bytes]);
        let bytes = b.convert(Op::Trunc, Type { kind: Kind::I32, ..ty }, bytes);
        Rounded { lanes: LaneAddresses { base: None, index, scale: 1, kind: self.kind }, bytes }
    }

    /// Rounds 32-bit indices that count elements from an aligned base. They do not wrap.
    fn small_offsets(self, b: &mut Builder<'_>, base: Value, unit: u32, size: u32) -> Rounded {
        let index = self.index;
        let ty = b.func.ty(index);
        let number = b.convert(Op::Bitcast, Type::I64, base);
        let low = b.iconst(Type::I64, u64::from(unit) - 1);
        let rest = b.same(Op::And, &[number, low]);
        let zero = b.iconst(Type::I64, 0);
        let back = b.same(Op::Isub, &[zero, rest]);
        let base = b.ptr_add(base, back);
        // Number of elements between the start of the unit and the element, including those before the base: less
        // than two units.
        let (shift, each) = (size.trailing_zeros(), unit / size);
        let rest = b.shift(Op::Lshr, rest, shift);
        let rest = b.convert(Op::Trunc, Type::I32, rest);
        let rest = b.splat(ty, rest);
        let low = b.iconst(ty, u64::from(each) - 1);
        let inside = b.same(Op::And, &[index, low]);
        let inside = b.same(Op::Iadd, &[inside, rest]);
        let units = b.shift(Op::Ashr, index, each.trailing_zeros());
        let more = b.shift(Op::Lshr, inside, each.trailing_zeros());
        let index = b.same(Op::Iadd, &[units, more]);
        let inside = b.same(Op::And, &[inside, low]);
        let lanes = LaneAddresses { base: Some(base), index, scale: unit, kind: self.kind };
        Rounded { lanes, bytes: b.shift(Op::Shl, inside, shift) }
    }

    /// Returns the addresses as integers.
    fn addresses(&self, b: &mut Builder<'_>) -> Value {
        let Some(base) = self.base else { return self.index };
        let ty = Type { kind: Kind::I64, ..b.func.ty(self.index) };
        let index = b.convert(Op::Sext, ty, self.index);
        let scale = b.iconst(ty, self.scale.into());
        let offsets = b.same(Op::Imul, &[index, scale]);
        let base = b.convert(Op::Bitcast, Type::I64, base);
        let base = b.splat(ty, base);
        b.same(Op::Iadd, &[base, offsets])
    }

    /// Converts integers to pointers.
    fn pointers(&self, b: &mut Builder<'_>) -> Value {
        let ty = Type { kind: self.kind, ..b.func.ty(self.index) };
        b.convert(Op::Bitcast, ty, self.index)
    }

    /// Returns the address of one lane.
    pub(crate) fn lane(&self, b: &mut Builder<'_>, lane: u16) -> Value {
        let number = self.lane_index(b, lane);
        let Some(base) = self.base else { return b.convert(Op::Bitcast, Type::scalar(self.kind), number) };
        let scale = b.iconst(Type::I64, self.scale.into());
        let bytes = b.same(Op::Imul, &[number, scale]);
        b.ptr_add(base, bytes)
    }

    /// Returns the index of one lane as 64 bits. Two indices of 32 bits leave the vector together.
    fn lane_index(&self, b: &mut Builder<'_>, lane: u16) -> Value {
        let ty = b.func.ty(self.index);
        if ty.kind != Kind::I32 || ty.lanes < 4 || !ty.lanes.is_multiple_of(2) {
            let number = b.extract(self.index, lane);
            return b.convert(Op::Sext, Type::I64, number);
        }
        let pairs = b.convert(Op::Bitcast, Type::vector(Kind::I64, ty.lanes / 2), self.index);
        let pair = b.extract(pairs, lane / 2);
        if lane.is_multiple_of(2) {
            let low = b.convert(Op::Trunc, Type::I32, pair);
            return b.convert(Op::Sext, Type::I64, low);
        }
        b.shift(Op::Ashr, pair, 32)
    }

    /// Gathers the active lanes; the others are zero.
    pub(crate) fn gather(self, b: &mut Builder<'_>, ty: Type, mask: Value, mem: Mem) -> Value {
        let zeros = b.zero(ty);
        match self.base {
            Some(base) => {
                let attr = Attr::ScaledMem(mem, self.scale);
                b.value(Op::GatherAt, ty, &[base, self.index, mask, zeros], attr)
            }
            None => {
                let pointers = self.pointers(b);
                b.value(Op::Gather, ty, &[pointers, mask, zeros], Attr::Mem(mem))
            }
        }
    }

    /// Scatters the active lanes.
    pub(crate) fn scatter(self, b: &mut Builder<'_>, value: Value, mask: Value, mem: Mem) {
        match self.base {
            Some(base) => {
                let attr = Attr::ScaledMem(mem, self.scale);
                b.effect(Op::ScatterAt, &[base, self.index, value, mask], attr);
            }
            None => {
                let pointers = self.pointers(b);
                b.effect(Op::Scatter, &[pointers, value, mask], Attr::Mem(mem));
            }
        }
    }
}
