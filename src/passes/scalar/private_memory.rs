//! Private memory that only loads, stores and address arithmetic of this function can reach: what is written there and
//! read is known, whatever else happens. `promote` has taken what has constant offsets; this is about the rest.
//!
//! An address is an alloca, terms of a value times a constant, and a constant: so `a[i + 1]` and `a[i]` are known to differ.

use crate::ir::analysis::Cfg;
use crate::ir::{Function, Inst, Op, Type, Value};
use crate::support::{FastMap, IdMap};

/// An alloca and the terms that were added to it, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Base(u32);

/// Bytes of private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrivateBytes {
    /// The alloca.
    pub(super) root: Value,
    pub(super) base: Base,
    pub(super) offset: u64,
}

impl PrivateBytes {
    /// Whether `size` bytes here are all among `other_size` bytes there.
    pub(super) fn is_within(self, size: u64, other: PrivateBytes, other_size: u64) -> bool {
        let distance = self.offset.wrapping_sub(other.offset);
        self.base == other.base && distance.checked_add(size).is_some_and(|end| end <= other_size)
    }
}

/// What an instruction does with private memory that nobody else reaches.
#[derive(Clone, Copy, Debug)]
pub(super) enum PrivateAccess {
    Load(PrivateBytes, Type),
    Store(PrivateBytes),
    Zero(PrivateBytes),
    /// Destination, if that is such memory; else the source is.
    Copy(Option<PrivateBytes>),
}

/// Addresses of private memory.
pub(super) struct PrivateMemory {
    place: IdMap<Value, Option<PrivateBytes>>,
    escapes: IdMap<Value, bool>,
    bases: FastMap<(Base, Value, u64), Base>,
    count: u32,
}

impl PrivateMemory {
    /// Looks through a function whose definitions come before their uses in the order of the graph.
    pub(super) fn new(func: &Function, cfg: &Cfg) -> PrivateMemory {
        let mut memory = PrivateMemory {
            place: IdMap::new(None),
            escapes: IdMap::new(false),
            bases: FastMap::default(),
            count: 0,
        };
        for &block in cfg.rpo() {
            for &id in &func.blocks[block].insts {
                memory.look_at(func, &func.insts[id]);
            }
        }
        memory
    }
    /// Where a pointer points, if nobody else gets there.
    pub(super) fn place(&self, pointer: Value) -> Option<PrivateBytes> {
        self.place[pointer].filter(|place| !self.escapes[place.root])
    }
    /// What an instruction does with it. All that an instruction can do, if it does anything.
    pub(super) fn access(&self, inst: &Inst) -> Option<PrivateAccess> {
        let place = |i: usize| self.place(inst.args[i]);
        match inst.op {
            Op::Load => Some(PrivateAccess::Load(place(0)?, inst.ty)),
            Op::Store => Some(PrivateAccess::Store(place(0)?)),
            Op::MemZero => Some(PrivateAccess::Zero(place(0)?)),
            Op::MemCopy => place(0).or(place(1)).map(|_| PrivateAccess::Copy(place(0))),
            _ => None,
        }
    }

    fn look_at(&mut self, func: &Function, inst: &Inst) {
        if inst.op == Op::Alloca {
            if let Some(root) = inst.result {
                let base = self.next_base();
                self.place[root] = Some(PrivateBytes { root, base, offset: 0 });
            }
            return;
        }
        let stays = match inst.op {
            Op::PtrAdd => 1,
            Op::Bitcast if inst.ty.kind.is_ptr() => 1,
            Op::Load | Op::Store if !inst.is_volatile() => 1,
            Op::MemZero => 1,
            Op::MemCopy => 2,
            _ => 0,
        };
        let others = inst.args.iter().skip(stays).chain(inst.targets.iter().flat_map(|t| &t.args));
        for &value in others {
            if let Some(place) = self.place[value] {
                self.escapes[place.root] = true;
            }
        }
        let (Some(result), Op::PtrAdd | Op::Bitcast) = (inst.result, inst.op) else { return };
        let Some(mut place) = self.place[inst.args[0]] else { return };
        if inst.op == Op::PtrAdd {
            let sum = Linear::of(func, inst.args[1]);
            place.offset = place.offset.wrapping_add(sum.offset);
            if let Some(value) = sum.value {
                let next = Base(self.count);
                let base = *self.bases.entry((place.base, value, sum.times)).or_insert(next);
                self.count += u32::from(base == next);
                place.base = base;
            }
        }
        self.place[result] = Some(place);
    }

    fn next_base(&mut self) -> Base {
        self.count += 1;
        Base(self.count - 1)
    }
}

/// `value * times + offset`, modulo 2^64.
struct Linear {
    value: Option<Value>,
    times: u64,
    offset: u64,
}

impl Linear {
    /// Looks through a few additions and multiplications of constants.
    fn of(func: &Function, value: Value) -> Linear {
        const MOST: usize = 6;
        let mut sum = Linear { value: Some(value), times: 1, offset: 0 };
        for _ in 0..MOST {
            let Some(value) = sum.value else { break };
            let Some(inst) = func.def_inst(value).filter(|inst| inst.ty == Type::I64) else { break };
            let constant = |i: usize| func.as_const(inst.args[i]);
            match (inst.op, inst.args.len()) {
                (Op::Iconst, _) => {
                    sum.offset = sum.offset.wrapping_add(sum.times.wrapping_mul(inst.int()));
                    sum.value = None;
                }
                (Op::Iadd, 2) if constant(1).or(constant(0)).is_some() => {
                    let (other, added) = match constant(1) {
                        Some(added) => (inst.args[0], added),
                        None => (inst.args[1], constant(0).unwrap_or(0)),
                    };
                    sum.offset = sum.offset.wrapping_add(sum.times.wrapping_mul(added));
                    sum.value = Some(other);
                }
                (Op::Isub, 2) if constant(1).is_some() => {
                    let taken = constant(1).unwrap_or(0);
                    sum.offset = sum.offset.wrapping_sub(sum.times.wrapping_mul(taken));
                    sum.value = Some(inst.args[0]);
                }
                (Op::Imul, 2) if constant(1).is_some() => {
                    sum.times = sum.times.wrapping_mul(constant(1).unwrap_or(0));
                    sum.value = Some(inst.args[0]);
                }
                (Op::Shl, 2) if constant(1).is_some() => {
                    sum.times = sum.times.wrapping_shl(constant(1).unwrap_or(0) as u32 & 63);
                    sum.value = Some(inst.args[0]);
                }
                _ => break,
            }
        }
        sum
    }
}
