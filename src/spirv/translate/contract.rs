//! Contraction: a product and a sum that alone uses it, in the same block, become a fused multiply-add, which rounds once.
//!
//! Modules allow it unless they say otherwise (SPIR-V s3.6 ContractionOff; SPV_KHR_float_controls2). Producers that compile
//! OpenCL C or C++ say so wherever their language wants each product rounded.

use grus_ir::{Attr, Function, InstId, Kind, Op, Type, Value};
use grus_support::{FastMap, FastSet};

use super::function::FunctionTranslator;
use crate::globals::Globals;
use crate::grammar::{Opcode, capability, decoration, execution_mode, fp_fast_math_mode};
use crate::module::{Id, Module};

/// Facts about the machine for which modules are translated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine {
    /// True if a fused multiply-add of floats and doubles costs no more than a multiplication.
    pub fma: bool,
    /// True if one of halves costs no more than that.
    pub half_fma: bool,
}

impl Machine {
    fn fuses(self, ty: Type) -> bool {
        if ty.kind == Kind::F16 { self.half_fma } else { self.fma }
    }
}

/// Rules of a module for contraction.
pub(crate) struct Contraction {
    machine: Machine,
    /// True if instructions without FPFastMathMode may be contracted.
    is_default: bool,
    /// True if FPFastMathMode of an instruction replaces the default (SPV_KHR_float_controls2).
    is_explicit: bool,
}

impl Contraction {
    pub(super) fn of(module: &Module, globals: &Globals, machine: Machine) -> Contraction {
        let is_explicit = module.capabilities().contains(&capability::FloatControls2);
        // Functions do not know which kernels of other modules call them, whose products may have to be rounded.
        let mut is_default = !module.entry_points().is_empty();
        for &place in module.entry_points() {
            for mode in module.execution_modes(Id(module.raw(place as usize)[2])) {
                let words = module.raw(mode.place as usize);
                is_default &= match words[2] {
                    execution_mode::ContractionOff => false,
                    execution_mode::SignedZeroInfNanPreserve => !is_explicit,
                    execution_mode::FPFastMathDefault => {
                        let flags = globals.integer_at(words, 4);
                        flags.is_ok_and(|flags| flags & u64::from(fp_fast_math_mode::AllowContract) != 0)
                    }
                    _ => true,
                };
            }
        }
        Contraction { machine, is_default, is_explicit }
    }

    /// Checks whether the product or sum that an instruction computes may be contracted.
    fn allows(&self, module: &Module, id: Id) -> bool {
        const ALLOWED: u32 = fp_fast_math_mode::Fast | fp_fast_math_mode::AllowContract;
        if module.is_decorated(id, decoration::NoContraction) {
            return false;
        }
        match module.decoration(id, decoration::FPFastMathMode) {
            Some(&[flags, ..]) if flags & ALLOWED != 0 => true,
            Some(_) if self.is_explicit => false,
            _ => self.is_default,
        }
    }
}

impl FunctionTranslator<'_, '_> {
    /// Notes that the result of an instruction may take part in a contraction, if it is a product or a sum.
    pub(super) fn note_contractible(&mut self, opcode: Opcode, id: Id, value: Value) {
        use Opcode::{FAdd, FMul, FSub, VectorTimesScalar};
        if matches!(opcode, FAdd | FSub | FMul | VectorTimesScalar)
            && self.t.contraction.machine.fuses(self.b.func.ty(value))
            && self.t.contraction.allows(self.t.module, id)
        {
            self.contractible.insert(value);
        }
    }
}

/// Contracts the products and sums among the values `contractible`.
pub(super) fn contract(func: &mut Function, contractible: &FastSet<Value>) {
    let is_product = |value| func.def_inst(value).is_some_and(|def| def.op == Op::Fmul);
    if !contractible.iter().copied().any(is_product) {
        return;
    }
    let uses = func.use_counts();
    for &block in &func.layout.clone() {
        // Products of the block that one instruction uses.
        let mut products: FastMap<Value, InstId> = FastMap::default();
        let mut fused: FastSet<InstId> = FastSet::default();
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for id in insts {
            let inst = &func.insts[id];
            let result = inst.result.filter(|result| contractible.contains(result));
            match (inst.op, result) {
                (Op::Fmul, Some(product)) if uses[product] == 1 => {
                    products.insert(product, id);
                }
                (Op::Fadd | Op::Fsub, Some(_)) => {
                    let found = [0, 1].into_iter().find_map(|at| Some((at, *products.get(&inst.args[at])?)));
                    if let Some((at, product)) = found {
                        fused.insert(product);
                        kept.extend(fuse(func, id, at, product));
                    }
                }
                _ => {}
            }
            kept.push(id);
        }
        kept.retain(|id| !fused.contains(id));
        func.blocks[block].insts = kept;
    }
}

/// Makes a fused multiply-add of a sum, whose operand `at` is a product. Returns the negation that it needs if the sum is
/// a difference.
fn fuse(func: &mut Function, sum: InstId, at: usize, product: InstId) -> Option<InstId> {
    let factors = &func.insts[product].args;
    let inst = &func.insts[sum];
    let (mut x, y, mut addend) = (factors[0], factors[1], inst.args[1 - at]);
    let (op, ty, loc) = (inst.op, inst.ty, inst.loc);
    let negated = (op == Op::Fsub).then(|| {
        let negated = if at == 0 { &mut addend } else { &mut x };
        let args = [*negated].into_iter().collect();
        let negation = func.make_inst(Op::Fneg, ty, args, Attr::None, Vec::new(), loc);
        *negated = func.insts[negation].result.expect("a negation has a result");
        negation
    });
    let inst = &mut func.insts[sum];
    (inst.op, inst.args) = (Op::Fma, [x, y, addend].into_iter().collect());
    negated
}
