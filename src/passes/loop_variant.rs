//! Values that are computed in a loop, and loop invariance.

use grus_ir::{Args, Block, Builder, Effect, Function, Value};
use grus_support::{FastMap, FastSet};

/// Values that are computed in the blocks of a loop.
pub(crate) struct LoopVariant(FastSet<Value>);

impl LoopVariant {
    /// Collects the values that are computed in these blocks.
    pub(crate) fn of(func: &Function, blocks: &[Block]) -> LoopVariant {
        let mut variant = FastSet::default();
        for &block in blocks {
            let data = &func.blocks[block];
            variant.extend(data.params.iter().copied());
            variant.extend(data.insts.iter().filter_map(|&id| func.insts[id].result));
        }
        LoopVariant(variant)
    }

    pub(crate) fn contains(&self, value: Value) -> bool {
        self.0.contains(&value)
    }

    /// Checks whether a value is the same in all iterations. The budget is the number of instructions of the loop
    /// that may be visited.
    pub(crate) fn is_invariant(&self, func: &Function, value: Value, budget: &mut usize) -> bool {
        if !self.contains(value) {
            return true;
        }
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        func.def_inst(value).is_some_and(|inst| {
            inst.op.effect() == Effect::Pure
                && inst.args.iter().all(|&arg| self.is_invariant(func, arg, budget))
        })
    }

    /// Computes a loop-invariant value before the loop. `computed` contains values that have a replacement there, and
    /// receives the new ones.
    pub(crate) fn before(
        &self,
        b: &mut Builder<'_>,
        value: Value,
        computed: &mut FastMap<Value, Value>,
    ) -> Value {
        if let Some(&known) = computed.get(&value) {
            return known;
        }
        if !self.contains(value) {
            return value;
        }
        let inst = b.func.def_inst(value).expect("what is no parameter is computed").clone();
        let args: Args = inst.args.iter().map(|&arg| self.before(b, arg, computed)).collect();
        let new = b.value(inst.op, inst.ty, &args, inst.attr);
        computed.insert(value, new);
        new
    }
}
