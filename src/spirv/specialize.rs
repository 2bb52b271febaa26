//! Specialization constants: the values that a program sets, and constants that are computed from them.
//!
//! An operation is computed by the code that translates the instruction in functions: it builds the op for each lane,
//! and the builder folds it by the interpreter's arithmetic. So there is one meaning of each instruction.

use std::collections::BTreeMap;

use grus_ir::interp::signed;
use grus_ir::{Builder, Function, Kind, Op, Type, Value};
use grus_support::f16;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::constants::{ConstForm, ConstId, ConstRow};
use crate::error::Fault;
use crate::globals::Globals;
use crate::grammar::Opcode;
use crate::module::Id;
use crate::translate::narrow;
use crate::types::{TypeForm, TypeId, ValueType};

/// Values that a program has set for specialization constants, by their SpecId.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpecValues(BTreeMap<u32, u64>);

impl SpecValues {
    /// Sets the bits of a constant.
    pub fn set(&mut self, id: u32, bits: u64) {
        self.0.insert(id, bits);
    }

    /// Returns the bits of a constant that was set.
    pub fn get(&self, id: u32) -> Option<u64> {
        self.0.get(&id).copied()
    }

    /// Checks whether no value is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all ids with their bits, in the order of the ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(&id, &bits)| (id, bits))
    }
}

type Result<T> = std::result::Result<T, Fault>;

/// Returns the value of an OpSpecConstantOp of type `ty`.
pub(crate) fn operation(globals: &mut Globals, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
    let opcode = Opcode::from_number(words[3] as u16).expect("reading has checked it");
    if let Some(chain) = Chain::of(opcode) {
        return access_chain(globals, chain, words);
    }
    match opcode {
        Opcode::CompositeExtract => extract(globals, words),
        Opcode::CompositeInsert => insert(globals, ty, words),
        Opcode::VectorShuffle => shuffle(globals, ty, words),
        Opcode::PtrCastToGeneric
        | Opcode::GenericCastToPtr
        | Opcode::ConvertPtrToU
        | Opcode::ConvertUToPtr
        | Opcode::Bitcast
            if address(globals, Id(words[4])).is_some() =>
        {
            let (variable, offset) = address(globals, Id(words[4])).expect("checked by the guard");
            let is_word = globals.types.ir(ty).is_some_and(|ty| ty.bits() == 64 && !ty.is_vector());
            if !is_word {
                return Err(Fault::at(1, "an address has 64 bits"));
            }
            Ok(ConstForm::Address { variable, offset })
        }
        _ => computed(globals, opcode, ty, words),
    }
}

/// Returns the address that an id stands for: a variable, or a constant computed from one.
fn address(globals: &Globals, id: Id) -> Option<(Id, i64)> {
    if globals.variables.contains_key(&id) {
        return Some((id, 0));
    }
    match globals.constants.get(globals.constants.find(id)?).form {
        ConstForm::Address { variable, offset } => Some((variable, offset)),
        _ => None,
    }
}

/// Returns part `index` of a constant; a part of a null is added to the table.
fn part(globals: &mut Globals, of: ConstId, index: u64) -> Option<ConstId> {
    let row = globals.constants.get(of);
    let (ty, _) = globals.types.part(row.ty, index)?;
    if row.form == ConstForm::Null {
        let row = ConstRow { id: row.id, ty, form: ConstForm::Null };
        return Some(globals.constants.add(row, false));
    }
    globals.constants.part(of, index)
}

fn extract(globals: &mut Globals, words: &[u32]) -> Result<ConstForm> {
    let mut at = globals.constant_at(words, 4)?;
    for (position, &index) in words.iter().enumerate().skip(5) {
        let next = part(globals, at, index.into());
        at = next.ok_or_else(|| Fault::at(position, format!("there is no part {index}")))?;
    }
    Ok(globals.constants.get(at).form.clone())
}

/// Maximum number of parts of a constant that is changed.
// Arbitrary; as many as words that instructions have.
const MAX_PARTS: u64 = 1 << 16;

fn insert(globals: &mut Globals, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
    let mut new = globals.constant_at(words, 4)?;
    let mut at = globals.constant_at(words, 5)?;
    let mut path = Vec::new();
    for (position, &index) in words.iter().enumerate().skip(6) {
        if globals.types.parts(globals.constants.get(at).ty) > MAX_PARTS {
            return Err(Fault::at(5, "the composite is too large"));
        }
        path.push((at, index));
        let next = part(globals, at, index.into());
        at = next.ok_or_else(|| Fault::at(position, format!("there is no part {index}")))?;
    }
    if globals.constants.get(at).ty != globals.constants.get(new).ty {
        return Err(Fault::at(4, "the object has another type than the part"));
    }
    // From the innermost composite outwards, each is made anew.
    for (composite, index) in path.into_iter().rev() {
        let row = globals.constants.get(composite).clone();
        let count = globals.types.parts(row.ty);
        globals.constants.count_made(count)?;
        let parts: Option<Vec<ConstId>> = (0..count)
            .map(|i| if i == u64::from(index) { Some(new) } else { part(globals, composite, i) })
            .collect();
        let parts = parts.ok_or_else(|| Fault::new("the composite has no parts"))?;
        let is_zero = parts.iter().all(|&part| globals.constants.is_zero(part));
        let form = if is_zero { ConstForm::Null } else { ConstForm::Parts(parts.into()) };
        new = globals.constants.add(ConstRow { form, ..row }, false);
    }
    if globals.constants.get(new).ty != ty {
        return Err(Fault::at(1, "the type is another one than that of the composite"));
    }
    Ok(globals.constants.get(new).form.clone())
}

fn shuffle(globals: &mut Globals, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
    let sources = [globals.constant_at(words, 4)?, globals.constant_at(words, 5)?];
    let mut lanes = Vec::new();
    for source in sources {
        let found = globals.constants.lanes(&globals.types, source);
        lanes.extend(found.ok_or_else(|| Fault::new("the operands are no vectors of numbers"))?);
    }
    let pick = |(position, &index): (usize, &u32)| match index {
        u32::MAX => Ok(0),
        _ => lanes
            .get(index as usize)
            .copied()
            .ok_or_else(|| Fault::at(position, "there is no such component")),
    };
    let picked: Vec<u64> = words.iter().enumerate().skip(6).map(pick).collect::<Result<_>>()?;
    from_lanes(globals, ty, &picked)
}

/// Returns a scalar or vector constant of these bits, which are no more than its numbers have.
fn from_lanes(globals: &mut Globals, ty: TypeId, lanes: &[u64]) -> Result<ConstForm> {
    match *globals.types.form(ty) {
        TypeForm::Vector { element, lanes: count } if usize::from(count) == lanes.len() => {
            if lanes.iter().all(|&bits| bits == 0) {
                return Ok(ConstForm::Null);
            }
            let id = globals.types.get(ty).id;
            let mut row = |&bits: &u64| {
                let row = ConstRow { id, ty: element, form: ConstForm::Bits(bits) };
                globals.constants.add(row, false)
            };
            Ok(ConstForm::Parts(lanes.iter().map(&mut row).collect()))
        }
        TypeForm::Bool | TypeForm::Int { .. } | TypeForm::Float { .. } if lanes.len() == 1 => {
            Ok(ConstForm::Bits(lanes[0]))
        }
        TypeForm::Pointer { .. } if lanes == [0] => Ok(ConstForm::Null),
        _ => Err(Fault::at(1, "the result has another type than the operation computes")),
    }
}

/// Computes an operation of numbers lane by lane.
fn computed(globals: &mut Globals, opcode: Opcode, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
    let result = globals.types.value(ty).ok_or_else(|| Fault::at(1, "the result is no number"))?;
    let mut operands = Vec::new();
    for at in 4..words.len() {
        let constant = globals.constant_at(words, at)?;
        let of = globals.types.value(globals.constants.get(constant).ty);
        let lanes = globals.constants.lanes(&globals.types, constant);
        operands.push(of.zip(lanes).ok_or_else(|| Fault::at(at, "the operand is no number"))?);
    }
    let is_bitcast = opcode == Opcode::Bitcast;
    let fits = |(ty, _): &(ValueType, Vec<u64>)| ty.ir.lanes == result.ir.lanes || ty.ir.lanes == 1;
    if is_bitcast {
        return bitcast(globals, ty, result, &operands);
    }
    if !operands.iter().all(fits) {
        return Err(Fault::new("the operands have other numbers of components than the result"));
    }
    let mut lanes = Vec::new();
    for lane in 0..usize::from(result.ir.lanes) {
        let args: Vec<(ValueType, u64)> =
            operands.iter().map(|(ty, bits)| (ty.lane(), bits[lane.min(bits.len() - 1)])).collect();
        lanes.push(fold(opcode, result.lane(), &args)? & result.mask());
    }
    from_lanes(globals, ty, &lanes)
}

/// Computes an operation of scalars; returns its bits.
fn fold(opcode: Opcode, result: ValueType, args: &[(ValueType, u64)]) -> Result<u64> {
    if let (Opcode::FRem | Opcode::FMod, &[(of, a), (other, b)]) = (opcode, args)
        && of == result
        && other == result
        && of.ir.kind.is_float()
    {
        return Ok(remainder(opcode, of.ir.kind, a, b));
    }
    let mut function = Function::new("", Type::VOID);
    let block = function.add_block();
    let mut b = Builder::new(&mut function, block);
    let args: Vec<(ValueType, Value)> =
        args.iter().map(|&(ty, bits)| (ty, b.constant(ty.ir, bits))).collect();
    let value = narrow::op(&mut b, opcode, result, &args)?;
    let def = function.def_inst(value).filter(|def| matches!(def.op, Op::Iconst | Op::Fconst));
    def.map(|def| def.int()).ok_or_else(|| Fault::new("the operation has no constant result"))
}

/// Computes a remainder, which in functions is a request. 64 bits hold it exactly, and the sum with the divisor closely
/// enough that rounding it twice makes no difference.
fn remainder(opcode: Opcode, kind: Kind, a: u64, b: u64) -> u64 {
    let value = |bits: u64| match kind {
        Kind::F16 => f64::from(f16::to_f32(bits as u16)),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let (a, b) = (value(a), value(b));
    let mut rest = a % b;
    if opcode == Opcode::FMod {
        // The sign is that of the divisor.
        if rest == 0.0 {
            rest = rest.copysign(b);
        } else if (rest < 0.0) != (b < 0.0) {
            rest += b;
        }
    }
    match kind {
        Kind::F16 => f16::from_f64(rest).into(),
        Kind::F32 => (rest as f32).to_bits().into(),
        _ => rest.to_bits(),
    }
}

/// Reinterprets the bits of a scalar or vector.
fn bitcast(
    globals: &mut Globals,
    ty: TypeId,
    result: ValueType,
    operands: &[(ValueType, Vec<u64>)],
) -> Result<ConstForm> {
    let [(from, lanes)] = operands else { return Err(Fault::new("one operand is wanted")) };
    if from.bits() != result.bits() {
        return Err(Fault::at(1, "the result has another number of bits than the operand"));
    }
    let bits_of = |&lane: &u64| (0..from.width).map(move |bit| lane >> bit & 1);
    let bits: Vec<u64> = lanes.iter().flat_map(bits_of).collect();
    let word = |bits: &[u64]| bits.iter().rev().fold(0, |word, bit| word << 1 | bit);
    let lanes: Vec<u64> = bits.chunks_exact(result.width as usize).map(word).collect();
    from_lanes(globals, ty, &lanes)
}

/// Returns the constant at a position as a signed number.
fn signed_at(globals: &Globals, words: &[u32], at: usize) -> Result<i64> {
    let row = globals.constants.get(globals.constant_at(words, at)?);
    let bits = globals.types.value(row.ty).map_or(64, |ty| ty.width);
    Ok(signed(bits, globals.integer_at(words, at)?))
}

/// Returns the offset of an address that LLVM's back end computes from a constant one. It writes the number of bytes as
/// the second index, whatever the base points at, and a pointer to bytes as the result.
fn offset_in_bytes(
    globals: &Globals,
    chain: Chain,
    words: &[u32],
    base_at: usize,
    pointee: TypeId,
) -> Result<Option<i64>> {
    let is_byte = |ty: TypeId| *globals.types.form(ty) == TypeForm::Int { bits: 8 };
    let result = globals.types.pointee(globals.type_at(words, 1)?);
    if chain.is_untyped
        || !chain.has_element
        || words.len() != base_at + 3
        || globals.integer_at(words, base_at + 1)? != 0
        || !result.is_some_and(is_byte)
    {
        return Ok(None);
    }
    let part = globals.types.part(pointee, globals.integer_at(words, base_at + 2)?);
    if part.is_some_and(|(part, _)| is_byte(part)) {
        return Ok(None);
    }
    signed_at(globals, words, base_at + 2).map(Some)
}

/// Computes an address within a variable.
fn access_chain(globals: &Globals, chain: Chain, words: &[u32]) -> Result<ConstForm> {
    let base_at = 4 + usize::from(chain.is_untyped);
    let base = Id(words[base_at]);
    let (variable, start) = address(globals, base)
        .ok_or_else(|| Fault::at(base_at, format!("{base} is no address of a variable")))?;
    let pointee = if chain.is_untyped {
        Some(globals.type_at(words, 4)?)
    } else {
        match globals.variables.get(&base) {
            Some(variable) => Some(variable.contents),
            None => {
                let row = globals.constants.find(base).map(|id| globals.constants.get(id));
                row.and_then(|row| globals.types.pointee(row.ty))
            }
        }
    };
    let mut ty = pointee.ok_or_else(|| Fault::at(base_at, "the base has no pointee"))?;
    if let Some(bytes) = offset_in_bytes(globals, chain, words, base_at, ty)? {
        let offset = start.checked_add(bytes);
        let offset = offset.ok_or_else(|| Fault::at(base_at + 2, "the address is too far away"))?;
        return Ok(ConstForm::Address { variable, offset });
    }
    let mut offset = start;
    for at in base_at + 1..words.len() {
        let (index, signed) = (globals.integer_at(words, at)?, signed_at(globals, words, at)?);
        let is_element = chain.has_element && at == base_at + 1;
        let bytes = if is_element {
            signed.checked_mul(globals.types.stride(ty) as i64)
        } else if globals.types.is_packed(ty) {
            return Err(Fault::at(at, "the components have no addresses"));
        } else if let TypeForm::Array { element, .. } | TypeForm::Vector { element, .. } =
            *globals.types.form(ty)
        {
            ty = element;
            signed.checked_mul(globals.types.stride(ty) as i64)
        } else {
            let found = globals.types.part(ty, index);
            let (part, offset) = found.ok_or_else(|| Fault::at(at, format!("there is no member {index}")))?;
            ty = part;
            Some(offset as i64)
        };
        let sum = bytes.and_then(|bytes| offset.checked_add(bytes));
        offset = sum.ok_or_else(|| Fault::at(at, "the address is too far away"))?;
    }
    Ok(ConstForm::Address { variable, offset })
}
