//! Private memory that only loads, stores and address arithmetic of this function can reach, so that all accesses
//! to it are known. `promote` has handled allocas that are accessed at constant offsets; this analysis is for the
//! rest.
//!
//! An address is decomposed into an alloca, terms (a value times a constant factor), and a constant offset. So
//! `a[i + 1]` and `a[i]` are known to be disjoint.

use grus_ir::analysis::Cfg;
use grus_ir::{Function, Inst, Op, Type, Value};
use grus_support::{FastMap, IdMap};

/// Identifier of an alloca together with the terms that were added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Base(u32);

/// Location in private memory, as a base and a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrivateBytes {
    /// Value of the alloca.
    pub(super) root: Value,
    pub(super) base: Base,
    pub(super) offset: u64,
}

impl PrivateBytes {
    /// Checks whether `size` bytes at `self` are all among `other_size` bytes at `other`.
    pub(super) fn is_within(self, size: u64, other: PrivateBytes, other_size: u64) -> bool {
        let distance = self.offset.wrapping_sub(other.offset);
        self.base == other.base && distance.checked_add(size).is_some_and(|end| end <= other_size)
    }
}

/// Effect of an instruction on private memory that does not escape.
#[derive(Clone, Copy, Debug)]
pub(super) enum PrivateAccess {
    Load(PrivateBytes, Type),
    Store(PrivateBytes),
    Zero(PrivateBytes),
    /// Destination, if it is such memory; otherwise the source is.
    Copy(Option<PrivateBytes>),
}

/// Locations of pointers into private memory, and the allocas that escape.
pub(super) struct PrivateMemory {
    location: IdMap<Value, Option<PrivateBytes>>,
    escapes: IdMap<Value, bool>,
    bases: FastMap<(Base, Value, u64), Base>,
    count: u32,
}

impl PrivateMemory {
    /// Analyzes a function. In reverse postorder its definitions come before their uses.
    pub(super) fn new(func: &Function, cfg: &Cfg) -> PrivateMemory {
        let mut memory = PrivateMemory {
            location: IdMap::new(None),
            escapes: IdMap::new(false),
            bases: FastMap::default(),
            count: 0,
        };
        for &block in cfg.rpo() {
            for &id in &func.blocks[block].insts {
                memory.visit(func, &func.insts[id]);
            }
        }
        memory
    }
    /// Returns the location that a pointer points to, if its alloca does not escape.
    pub(super) fn location(&self, pointer: Value) -> Option<PrivateBytes> {
        self.location[pointer].filter(|location| !self.escapes[location.root])
    }
    /// Returns the effect of an instruction on such memory, if it has any. An instruction has at most this one
    /// effect.
    pub(super) fn access(&self, inst: &Inst) -> Option<PrivateAccess> {
        let location = |i: usize| self.location(inst.args[i]);
        match inst.op {
            Op::Load => Some(PrivateAccess::Load(location(0)?, inst.ty)),
            Op::Store => Some(PrivateAccess::Store(location(0)?)),
            Op::MemZero => Some(PrivateAccess::Zero(location(0)?)),
            Op::MemCopy => location(0).or(location(1)).map(|_| PrivateAccess::Copy(location(0))),
            _ => None,
        }
    }

    fn visit(&mut self, func: &Function, inst: &Inst) {
        if inst.op == Op::Alloca {
            if let Some(root) = inst.result {
                let base = self.next_base();
                self.location[root] = Some(PrivateBytes { root, base, offset: 0 });
            }
            return;
        }
        let non_escaping = match inst.op {
            Op::PtrAdd => 1,
            Op::Bitcast if inst.ty.kind.is_ptr() => 1,
            Op::Load | Op::Store if !inst.is_volatile() => 1,
            Op::MemZero => 1,
            Op::MemCopy => 2,
            _ => 0,
        };
        let escaping = inst.args.iter().skip(non_escaping).chain(inst.targets.iter().flat_map(|t| &t.args));
        for &value in escaping {
            if let Some(location) = self.location[value] {
                self.escapes[location.root] = true;
            }
        }
        let (Some(result), Op::PtrAdd | Op::Bitcast) = (inst.result, inst.op) else { return };
        let Some(mut location) = self.location[inst.args[0]] else { return };
        if inst.op == Op::PtrAdd {
            let sum = Linear::of(func, inst.args[1]);
            location.offset = location.offset.wrapping_add(sum.offset);
            if let Some(value) = sum.value {
                let next = Base(self.count);
                let base = *self.bases.entry((location.base, value, sum.factor)).or_insert(next);
                self.count += u32::from(base == next);
                location.base = base;
            }
        }
        self.location[result] = Some(location);
    }

    fn next_base(&mut self) -> Base {
        self.count += 1;
        Base(self.count - 1)
    }
}

/// Number `value * factor + offset`, modulo 2^64.
struct Linear {
    value: Option<Value>,
    factor: u64,
    offset: u64,
}

impl Linear {
    /// Decomposes a value, looking through a few additions and multiplications of constants.
    fn of(func: &Function, value: Value) -> Linear {
        // Arbitrary.
        const MAX_STEPS: usize = 6;
        let mut sum = Linear { value: Some(value), factor: 1, offset: 0 };
        for _ in 0..MAX_STEPS {
            let Some(value) = sum.value else { break };
            let Some(inst) = func.def_inst(value).filter(|inst| inst.ty == Type::I64) else { break };
            let constant = |i: usize| func.as_const(inst.args[i]);
            match (inst.op, inst.args.len()) {
                (Op::Iconst, _) => {
                    sum.offset = sum.offset.wrapping_add(sum.factor.wrapping_mul(inst.int()));
                    sum.value = None;
                }
                (Op::Iadd, 2) if constant(1).or(constant(0)).is_some() => {
                    let (other, added) = match constant(1) {
                        Some(added) => (inst.args[0], added),
                        None => (inst.args[1], constant(0).unwrap_or(0)),
                    };
                    sum.offset = sum.offset.wrapping_add(sum.factor.wrapping_mul(added));
                    sum.value = Some(other);
                }
                (Op::Isub, 2) if constant(1).is_some() => {
                    let taken = constant(1).unwrap_or(0);
                    sum.offset = sum.offset.wrapping_sub(sum.factor.wrapping_mul(taken));
                    sum.value = Some(inst.args[0]);
                }
                (Op::Imul, 2) if constant(1).is_some() => {
                    sum.factor = sum.factor.wrapping_mul(constant(1).unwrap_or(0));
                    sum.value = Some(inst.args[0]);
                }
                (Op::Shl, 2) if constant(1).is_some() => {
                    sum.factor = sum.factor.wrapping_shl(constant(1).unwrap_or(0) as u32 & 63);
                    sum.value = Some(inst.args[0]);
                }
                _ => break,
            }
        }
        sum
    }
}
