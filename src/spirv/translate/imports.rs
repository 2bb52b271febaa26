//! Functions that a module imports because translators left them: intrinsics of LLVM, which are ops of the IR, and
//! functions of OpenCL C by their mangled names. Each of the latter is defined, as the call of a request, by a definition
//! that gives way to one of another unit.

use grus_ir::{Attr, Builder, FuncId, IntCond, Kind, Linkage, Op, Type, Value};

use super::function::{FunctionTranslator, Result};
use super::module::Translator;
use super::narrow;
use crate::error::Fault;
use crate::kernels;
use crate::module::Id;
use crate::request::{Adjustment, After, Request};
use crate::types::ValueType;

/// Imported function that is defined here. If the library has no such function, it is one of another unit.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    pub func: FuncId,
    /// Function without body that stands for the request.
    pub request: FuncId,
}

/// Meaning of an imported function that no unit defines.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KnownImport {
    /// Intrinsic of LLVM.
    Intrinsic(Intrinsic),
    /// Conversion of a generic pointer, null if it points elsewhere: the storage class is that of the result.
    ToSpace,
}

/// Intrinsic of LLVM on integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Intrinsic {
    /// One op of the first operands, of which there are so many.
    Op(Op, usize),
    /// Funnel shift to the left, or to the right.
    FunnelShift { is_left: bool },
    /// Reversal of bytes.
    ByteSwap,
}

impl KnownImport {
    /// Returns the meaning of a name.
    pub(crate) fn from_name(name: &str) -> Option<KnownImport> {
        if let Some(rest) = name.strip_prefix("llvm.") {
            return intrinsic(rest).map(KnownImport::Intrinsic);
        }
        matches!(name, "__to_global" | "__to_local" | "__to_private").then_some(KnownImport::ToSpace)
    }
}

impl Translator<'_> {
    /// Keeps the meaning of an imported function, if its name has one.
    pub(super) fn import(&mut self, id: Id, words: &[u32], name: &str) {
        let Ok((result, params)) = self.signature(words) else { return };
        if let Some(import) = KnownImport::from_name(name) {
            self.known_imports.insert(id, import);
            return;
        }
        let result = kernels::c_name(self.types(), result);
        let has_values = params.iter().all(|&param| self.types().ir(param).is_some());
        if let Some(result) = result.filter(|_| has_values)
            && let Some((name, params)) = super::mangled::demangle(name)
        {
            self.library_imports.insert(id, Request { name, result, params, is_relaxed: false });
        }
    }

    /// Defines an imported function whose name is that of one of the library, when it is called first.
    pub(super) fn define_import(&mut self, id: Id) -> Result<()> {
        let Some(request) = self.library_imports.remove(&id) else { return Ok(()) };
        let func = self.functions[&id];
        let range = self.range_of(id).expect("it was declared");
        let (_, params) = self.signature(self.module.raw(range.start as usize))?;
        let mut function = self.out.funcs[func].clone();
        function.linkage = Linkage::External { is_odr: true };
        let (entry, ret) = (function.add_block(), function.ret);
        // Bools are bytes in OpenCL C.
        let as_byte = |ty: Type| if ty.kind == Kind::I1 { ty.with_kind(Kind::I8) } else { ty };
        let target = self.request(request, as_byte(ret));
        let params = params.iter().filter_map(|&param| self.types().ir(param));
        let params: Vec<Value> = params.map(|ty| function.add_param(entry, ty)).collect();
        function.param_facts.resize_with(params.len(), Default::default);
        let mut b = Builder::new(&mut function, entry);
        let args = params.into_iter().map(|param| b.convert(Op::Zext, as_byte(b.func.ty(param)), param));
        let args: Vec<Value> = args.collect();
        let call = b.inst(Op::Call, as_byte(ret), &args, Attr::Func(target), Vec::new());
        let value = b.func.insts[call].result.map(|value| {
            if ret.kind != Kind::I1 {
                return value;
            }
            let zero = b.zero(as_byte(ret));
            b.icmp(IntCond::Ne, value, zero)
        });
        b.ret(value.as_slice());
        self.out.funcs[func] = function;
        self.imports.push(Import { func, request: target });
        Ok(())
    }
}

/// Returns the intrinsic of a name without its prefix. The type at the end is that of the result.
fn intrinsic(name: &str) -> Option<Intrinsic> {
    let (name, _) = name.rsplit_once('.')?;
    Some(match name {
        "usub.sat" => Intrinsic::Op(Op::UsubSat, 2),
        "uadd.sat" => Intrinsic::Op(Op::UaddSat, 2),
        "ssub.sat" => Intrinsic::Op(Op::SsubSat, 2),
        "sadd.sat" => Intrinsic::Op(Op::SaddSat, 2),
        "smin" => Intrinsic::Op(Op::Smin, 2),
        "smax" => Intrinsic::Op(Op::Smax, 2),
        "umin" => Intrinsic::Op(Op::Umin, 2),
        "umax" => Intrinsic::Op(Op::Umax, 2),
        "abs" => Intrinsic::Op(Op::Iabs, 1),
        "ctpop" => Intrinsic::Op(Op::Popcnt, 1),
        "ctlz" => Intrinsic::Op(Op::Clz, 1),
        "cttz" => Intrinsic::Op(Op::Ctz, 1),
        "fshl" => Intrinsic::FunnelShift { is_left: true },
        "fshr" => Intrinsic::FunnelShift { is_left: false },
        "bswap" => Intrinsic::ByteSwap,
        _ => return None,
    })
}

/// Returns what an op of an intrinsic needs for integers of widths that the IR lacks.
fn adjustment(op: Op) -> Adjustment {
    let (is_signed, after) = match op {
        Op::Smin | Op::Smax | Op::Iabs => (true, After::Clear),
        Op::SsubSat | Op::SaddSat => (true, After::ClampSigned),
        Op::UaddSat => (false, After::ClampUnsigned),
        Op::Clz => (false, After::LeadingZeros),
        Op::Ctz => (false, After::TrailingZeros),
        _ => (false, After::Clear),
    };
    Adjustment { is_signed, after }
}

impl FunctionTranslator<'_, '_> {
    /// Emits an intrinsic of LLVM on integers of type `ty`.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, of: ValueType, args: &[Value]) -> Result<Value> {
        let ty = of.ir;
        let count = match intrinsic {
            Intrinsic::Op(_, count) => count,
            Intrinsic::FunnelShift { .. } => 3,
            Intrinsic::ByteSwap => 1,
        };
        let args = args.get(..count).filter(|args| args.iter().all(|&arg| self.b.func.ty(arg) == ty));
        let args = args
            .filter(|_| ty.kind.is_int())
            .ok_or_else(|| Fault::at(3, "the arguments do not suit the intrinsic"))?;
        Ok(match intrinsic {
            Intrinsic::Op(op, _) => {
                let Adjustment { is_signed, after } = adjustment(op);
                let extended =
                    |&arg| if is_signed { narrow::sign_extended(&mut self.b, of, arg) } else { arg };
                let args: Vec<Value> = args.iter().map(extended).collect();
                let value = self.b.same(op, &args);
                narrow::adjusted(&mut self.b, after, of, value)
            }
            _ if of.is_narrow() => {
                return Err(Fault::at(3, format!("the intrinsic is not for {} bits", of.width)));
            }
            Intrinsic::FunnelShift { is_left } => self.funnel_shift(is_left, ty, args),
            Intrinsic::ByteSwap => self.byte_swap(ty, args[0])?,
        })
    }

    /// Emits the upper half of two words shifted to the left, or the lower half of them shifted to the right.
    fn funnel_shift(&mut self, is_left: bool, ty: Type, args: &[Value]) -> Value {
        let (high, low, count) = (args[0], args[1], args[2]);
        let mask = self.b.iconst(ty, u64::from(ty.kind.bits()) - 1);
        let count = self.b.same(Op::And, &[count, mask]);
        // The other half is shifted in two steps, since the whole width is no count.
        let rest = self.b.same(Op::Isub, &[mask, count]);
        let one = self.b.iconst(ty, 1);
        let (first, second) = if is_left {
            let near = self.b.same(Op::Lshr, &[low, one]);
            (self.b.same(Op::Shl, &[high, count]), self.b.same(Op::Lshr, &[near, rest]))
        } else {
            let near = self.b.same(Op::Shl, &[high, one]);
            (self.b.same(Op::Lshr, &[low, count]), self.b.same(Op::Shl, &[near, rest]))
        };
        self.b.same(Op::Or, &[first, second])
    }

    fn byte_swap(&mut self, ty: Type, value: Value) -> Result<Value> {
        let bytes = ty.kind.bytes() as u16;
        let all = bytes * ty.lanes;
        if all > MAX_BYTES {
            return Err(Fault::at(3, "the vector is too long for the intrinsic"));
        }
        let lanes: Vec<u16> = (0..all).map(|lane| lane / bytes * bytes + bytes - 1 - lane % bytes).collect();
        let split = self.b.value(Op::Bitcast, Type::I8.with_lanes(all), &[value], Attr::None);
        let swapped = self.b.shuffle(split, split, &lanes);
        Ok(self.b.value(Op::Bitcast, ty, &[swapped], Attr::None))
    }
}

/// Maximum number of bytes in a vector of them.
// Source: the largest vectors that backends have lanes for.
const MAX_BYTES: u16 = 64;
