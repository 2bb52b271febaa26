//! Atomic instructions, fences and barriers.

use grus_ir::{Attr, Consistency, IntCond, Kind, MemoryOrder, MemoryScope, Op, Rmw, Type, Value};

use super::function::{FunctionTranslator, Result};
use crate::error::Fault;
use crate::grammar::{Opcode, memory_semantics, scope};

/// Checks whether an instruction is an atomic access, a fence or a barrier.
pub(super) fn is_atomic(opcode: Opcode) -> bool {
    use Opcode::*;
    rmw_of(opcode).is_some()
        || matches!(
            opcode,
            AtomicLoad
                | AtomicStore
                | AtomicCompareExchange
                | AtomicCompareExchangeWeak
                | AtomicIIncrement
                | AtomicIDecrement
                | AtomicFlagTestAndSet
                | AtomicFlagClear
                | ControlBarrier
                | MemoryBarrier
                | ControlBarrierArriveEXT
                | ControlBarrierWaitEXT
        )
}

impl FunctionTranslator<'_, '_> {
    pub(super) fn atomic(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        match opcode {
            Opcode::ControlBarrier | Opcode::ControlBarrierWaitEXT => return self.barrier(words),
            // The work-items wait for each other where they wait.
            Opcode::ControlBarrierArriveEXT => return Ok(()),
            Opcode::MemoryBarrier => {
                let attr = Attr::Consistency(self.consistency(words, 1, &[2], Op::Fence, None)?);
                self.b.effect(Op::Fence, &[], attr);
                return Ok(());
            }
            Opcode::AtomicStore | Opcode::AtomicFlagClear => return self.atomic_store(opcode, words),
            _ => {}
        }
        let ty = self.t.globals.type_at(words, 1)?;
        let address = self.atomic_pointer(words, 3)?;
        let value = match opcode {
            Opcode::AtomicLoad => {
                let attr =
                    Attr::Consistency(self.consistency(words, 4, &[5], Op::AtomicLoad, Some(address))?);
                let ir = self.atomic_type(ty, 1)?;
                let bits = self.b.value(Op::AtomicLoad, ir.bits_type(), &[address], attr);
                self.b.convert(Op::Bitcast, ir, bits)
            }
            Opcode::AtomicCompareExchange | Opcode::AtomicCompareExchangeWeak => {
                let attr =
                    Attr::Consistency(self.consistency(words, 4, &[5, 6], Op::AtomicCas, Some(address))?);
                let ir = self.atomic_type(ty, 1)?;
                let (new, expected) =
                    (self.integer_operand(words, 7, ir)?, self.integer_operand(words, 8, ir)?);
                let bits = self.b.value(Op::AtomicCas, ir.bits_type(), &[address, expected, new], attr);
                self.b.convert(Op::Bitcast, ir, bits)
            }
            Opcode::AtomicFlagTestAndSet => {
                let consistency = self.consistency(words, 4, &[5], Op::AtomicRmw, Some(address))?;
                let one = self.b.iconst(Type::I32, 1);
                let attr = Attr::Rmw(Rmw::Xchg, consistency);
                let old = self.b.value(Op::AtomicRmw, Type::I32, &[address, one], attr);
                let zero = self.b.zero(Type::I32);
                self.b.icmp(IntCond::Ne, old, zero)
            }
            _ => self.read_modify_write(opcode, words, ty, address)?,
        };
        self.result(words, value)
    }

    fn read_modify_write(
        &mut self,
        opcode: Opcode,
        words: &[u32],
        ty: crate::types::TypeId,
        address: Value,
    ) -> Result<Value> {
        let consistency = self.consistency(words, 4, &[5], Op::AtomicRmw, Some(address))?;
        let ir = self.atomic_type(ty, 1)?;
        let (rmw, operand) = match opcode {
            Opcode::AtomicIIncrement => (Rmw::Add, self.b.constant(ir, 1)),
            Opcode::AtomicIDecrement => (Rmw::Sub, self.b.constant(ir, 1)),
            _ => {
                let rmw = rmw_of(opcode)
                    .ok_or_else(|| Fault::new("the device does not support this instruction"))?;
                let operand = self.value(words, 6)?;
                if self.b.func.ty(operand) != ir {
                    return Err(Fault::at(6, "the operand has another type than the result"));
                }
                (rmw, operand)
            }
        };
        if rmw.is_float() {
            if !ir.kind.is_float() {
                return Err(Fault::at(1, "the result is no float"));
            }
            return Ok(self.b.value(Op::AtomicRmw, ir, &[address, operand], Attr::Rmw(rmw, consistency)));
        }
        if rmw != Rmw::Xchg && !ir.kind.is_int() {
            return Err(Fault::at(1, "the result is no integer"));
        }
        // Other values than integers are exchanged as integers.
        let operand = self.b.convert(Op::Bitcast, ir.bits_type(), operand);
        let attr = Attr::Rmw(rmw, consistency);
        let old = self.b.value(Op::AtomicRmw, ir.bits_type(), &[address, operand], attr);
        Ok(self.b.convert(Op::Bitcast, ir, old))
    }

    fn atomic_store(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let address = self.atomic_pointer(words, 1)?;
        let attr = Attr::Consistency(self.consistency(words, 2, &[3], Op::AtomicStore, Some(address))?);
        let value = if opcode == Opcode::AtomicFlagClear {
            self.b.zero(Type::I32)
        } else {
            let (ty, value) = self.typed(words, 4)?;
            let ir = self.atomic_type(ty, 4)?;
            self.b.convert(Op::Bitcast, ir.bits_type(), value)
        };
        self.b.effect(Op::AtomicStore, &[address, value], attr);
        Ok(())
    }

    /// Returns a value of an operand as an integer, which must have this type.
    fn integer_operand(&mut self, words: &[u32], at: usize, ir: Type) -> Result<Value> {
        let value = self.value(words, at)?;
        if self.b.func.ty(value) != ir {
            return Err(Fault::at(at, "the operand has another type than the result"));
        }
        Ok(self.b.convert(Op::Bitcast, ir.bits_type(), value))
    }

    fn atomic_pointer(&mut self, words: &[u32], at: usize) -> Result<Value> {
        let address = self.value(words, at)?;
        let kind = self.b.func.ty(address).kind;
        if kind.is_ptr() { Ok(address) } else { Err(Fault::at(at, "the operand is no pointer")) }
    }

    /// Returns the type of values that can be accessed at once.
    fn atomic_type(&self, ty: crate::types::TypeId, at: usize) -> Result<Type> {
        let ir = self.t.types().ir(ty).filter(|ir| !ir.is_vector() && ir.kind != Kind::I1);
        ir.ok_or_else(|| Fault::at(at, "the value is no scalar"))
    }

    /// Returns order and scope from the constant operands at these positions; of several semantics, the strongest
    /// holds. Operands that are not constant stand for the strongest. Fences have no address.
    fn consistency(
        &self,
        words: &[u32],
        scope_at: usize,
        semantics: &[usize],
        op: Op,
        address: Option<Value>,
    ) -> Result<Consistency> {
        // LLVM's back end writes Workgroup for functions of OpenCL C without a scope, which are atomic for the device.
        let is_local = |address| self.b.func.ty(address).kind == Kind::PtrLocal;
        let of_group =
            if address.is_none_or(is_local) { MemoryScope::WorkGroup } else { MemoryScope::Device };
        let scope = self.constant_operand(words, scope_at).map_or(MemoryScope::AllSvmDevices, |number| {
            match number as u32 {
                scope::CrossDevice => MemoryScope::AllSvmDevices,
                scope::Device => MemoryScope::Device,
                scope::Workgroup | scope::Subgroup => of_group,
                scope::Invocation => MemoryScope::WorkItem,
                _ => MemoryScope::AllSvmDevices,
            }
        });
        let mut order = MemoryOrder::Relaxed;
        for &at in semantics {
            let number = self.constant_operand(words, at);
            order = joined(order, number.map_or(MemoryOrder::SeqCst, |number| order_of(number as u32)));
        }
        if !order.suits(op) {
            // A load cannot release and a store cannot acquire: what is left of the order is weaker still.
            order = match (order, op) {
                (MemoryOrder::AcqRel, Op::AtomicLoad) => MemoryOrder::Acquire,
                (MemoryOrder::AcqRel, Op::AtomicStore) => MemoryOrder::Release,
                _ => MemoryOrder::SeqCst,
            };
        }
        Ok(Consistency { order, scope })
    }

    fn barrier(&mut self, words: &[u32]) -> Result<()> {
        let execution = self.constant_operand(words, 1);
        let op = match execution.map(|number| number as u32) {
            Some(scope::Workgroup) => Op::Barrier,
            Some(scope::Subgroup) => Op::SubGroupBarrier,
            // A work-item alone.
            Some(scope::Invocation) => {
                let attr = Attr::Consistency(self.consistency(words, 2, &[3], Op::Fence, None)?);
                self.b.effect(Op::Fence, &[], attr);
                return Ok(());
            }
            Some(_) => {
                return Err(Fault::at(1, "the execution scope is neither a work-group nor a sub-group"));
            }
            None => return Err(Fault::at(1, "the execution scope is not constant")),
        };
        self.b.effect(op, &[], Attr::None);
        Ok(())
    }
}

fn rmw_of(opcode: Opcode) -> Option<Rmw> {
    Some(match opcode {
        Opcode::AtomicExchange => Rmw::Xchg,
        Opcode::AtomicIAdd => Rmw::Add,
        Opcode::AtomicISub => Rmw::Sub,
        Opcode::AtomicSMin => Rmw::Smin,
        Opcode::AtomicUMin => Rmw::Umin,
        Opcode::AtomicSMax => Rmw::Smax,
        Opcode::AtomicUMax => Rmw::Umax,
        Opcode::AtomicAnd => Rmw::And,
        Opcode::AtomicOr => Rmw::Or,
        Opcode::AtomicXor => Rmw::Xor,
        Opcode::AtomicFAddEXT => Rmw::Fadd,
        Opcode::AtomicFMinEXT => Rmw::Fmin,
        Opcode::AtomicFMaxEXT => Rmw::Fmax,
        _ => return None,
    })
}

/// Returns the order that the bits of memory semantics stand for.
fn order_of(semantics: u32) -> MemoryOrder {
    use memory_semantics::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
    // Numbers of OpenCL C, which LLVM's back end writes for atomic loads, have the lowest bit or suit no load.
    if semantics & (SequentiallyConsistent | 1) != 0 {
        MemoryOrder::SeqCst
    } else if semantics & AcquireRelease != 0 || semantics & (Acquire | Release) == Acquire | Release {
        MemoryOrder::AcqRel
    } else if semantics & Acquire != 0 {
        MemoryOrder::Acquire
    } else if semantics & Release != 0 {
        MemoryOrder::Release
    } else {
        MemoryOrder::Relaxed
    }
}

/// Returns the weakest order that is as strong as both.
fn joined(a: MemoryOrder, b: MemoryOrder) -> MemoryOrder {
    match (a, b) {
        (MemoryOrder::Acquire, MemoryOrder::Release) | (MemoryOrder::Release, MemoryOrder::Acquire) => {
            MemoryOrder::AcqRel
        }
        (a, b) => {
            if a as u8 >= b as u8 {
                a
            } else {
                b
            }
        }
    }
}
