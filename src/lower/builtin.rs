//! Builtins that are one operation: the meaning of `__op(name)` in `kernels/`.
//!
//! A name is either an op of the IR table, applied to the arguments, or one of the names below that need more
//! code.

use super::expr::pointee_size;
use super::func::Lowering;
use grus_clc::types::{Type as CType, TypeId};
use grus_ir::abi::enqueue::{self, Call};
use grus_ir::abi::space;
use grus_ir::{
    Attr, Consistency, Helper, ImageField, IntCond, Kind, Mem, MemoryOrder, MemoryScope, Op, Query,
    Reduction, Rmw, Type, Value,
};

impl Lowering<'_> {
    /// Emits operation `name`. A test that lowers all of `kernels/` catches unknown names.
    pub(super) fn operation(
        &mut self,
        name: &str,
        args: &[Value],
        types: &[TypeId],
        ret: TypeId,
    ) -> Option<Value> {
        let ty = self.cx.ty(ret);
        if let Some(result) = self.atomic(name, args, ty) {
            return result;
        }
        if let Some(query) = Query::from_name(name) {
            return Some(match args {
                [] => self.b.query(query, 0),
                [dim, ..] => self.b.query_at(query, *dim),
            });
        }
        if let Some(field) = name.strip_prefix("image_").and_then(ImageField::from_name) {
            let value = self.b.value(Op::ImageQuery, field.ty(), args, Attr::Field(field));
            return Some(self.b.convert(Op::Zext, ty, value));
        }
        if let Some(call) = name.strip_prefix("device_").and_then(Call::from_name) {
            return self.device_enqueue(call, args, ty);
        }
        if let Some((op, how)) = collective(name) {
            return Some(self.b.value(op, ty, args, Attr::Reduction(how)));
        }
        match name {
            "barrier" | "wait_events" => {
                self.b.effect(Op::Barrier, &[], Attr::None);
                None
            }
            "trap" => {
                self.b.effect(Op::Trap, &[], Attr::None);
                None
            }
            "memory_copy" => self.memory_copy(args, ty),
            "async_copy" => {
                let size = pointee_size(self, types[0]);
                Some(self.async_copy(Op::AsyncCopy, Attr::Int(size), args))
            }
            "async_rect" => Some(self.async_copy(Op::AsyncRect, Attr::None, args)),
            "vload" => {
                let mem = Mem::natural(ty);
                Some(self.b.load(ty, args[0], mem))
            }
            "vstore" => {
                let mem = Mem::natural(self.b.func.ty(args[0]));
                self.b.store(args[0], args[1], mem);
                None
            }
            "half_to_float" => {
                let half = self.b.value(Op::Bitcast, ty.with_kind(Kind::F16), &args[..1], Attr::None);
                Some(self.b.value(Op::Fpext, ty, &[half], Attr::None))
            }
            "float_to_half" => {
                let half = self.b.value(Op::Fptrunc, ty.with_kind(Kind::F16), &args[..1], Attr::None);
                Some(self.b.value(Op::Bitcast, ty, &[half], Attr::None))
            }
            "fcvt_sat" => {
                let ret = self.cx.types().get(ret);
                let signed = matches!(ret, CType::Scalar(s) | CType::Vector(s, _) if s.is_signed_int());
                Some(self.b.value(if signed { Op::Fptosi } else { Op::Fptoui }, ty, args, Attr::None))
            }
            "image_load" => Some(self.b.value(Op::ImageLoad, ty, args, Attr::Format(None))),
            "image_store" => {
                self.b.effect(Op::ImageStore, args, Attr::Format(None));
                None
            }
            "clock" => self.b.helper(Helper::Clock, ty, &[]),
            "printf" => Some(self.b.printf(self.entry, args[0], &args[1..])),
            "max_work_group_size" => Some(self.b.iconst(ty, u64::from(enqueue::MAX_WORK_GROUP_SIZE))),
            "work_group_multiple" => Some(self.b.iconst(ty, u64::from(enqueue::WORK_GROUP_MULTIPLE))),
            "to_global" => Some(self.b.if_in_space(space::GLOBAL, args[0], ty)),
            "to_local" => Some(self.b.if_in_space(space::LOCAL, args[0], ty)),
            "to_private" => Some(self.b.if_in_space(space::PRIVATE, args[0], ty)),
            "space_of" => Some(self.b.space_of(args[0])),
            "movemask" => {
                let mask = self.b.sign_mask(args[0]);
                Some(self.b.value(Op::Movemask, ty, &[mask], Attr::None))
            }
            "sub_group_ballot" => {
                let zero = self.b.zero(self.b.func.ty(args[0]));
                let yes = self.b.icmp(IntCond::Ne, args[0], zero);
                Some(self.b.value(Op::SubGroupBallot, ty, &[yes], Attr::None))
            }
            "convert" => self.convert(args[0], types[0], ret),
            "bitcast" => Some(self.bitcast(args[0], ty)),
            _ => self.table_op(name, args, ty),
        }
    }

    /// Emits an op of the table, with the result type of the prototype.
    fn table_op(&mut self, name: &str, args: &[Value], ty: Type) -> Option<Value> {
        let op =
            Op::from_name(name).unwrap_or_else(|| panic!("kernels/ names an unknown operation `{name}`"));
        let id = self.b.inst(op, ty, args, Attr::None, Vec::new());
        self.b.func.insts[id].result
    }

    /// Emits an atomic operation or fence if the name is one. Order and scope follow in the name if they are
    /// constant; otherwise they are the last arguments and remain operands until they are known.
    fn atomic(&mut self, name: &str, args: &[Value], ty: Type) -> Option<Option<Value>> {
        let mut words = name.split(' ');
        let name = words.next()?;
        let consistency = words.next().map_or(Consistency::STRONGEST, |order| {
            let order = MemoryOrder::from_name(order).expect("kernels/ names an order");
            let scope = words.next().and_then(MemoryScope::from_name).expect("kernels/ names a scope");
            Consistency { order, scope }
        });
        let attr = Attr::Consistency(consistency);
        match name {
            // The first argument is `cl_mem_fence_flags`, which are not needed.
            "fence" => self.b.effect(Op::Fence, &args[1..], attr),
            "atomic_store" => self.b.effect(Op::AtomicStore, args, attr),
            "atomic_cas" => return Some(Some(self.b.value(Op::AtomicCas, ty, args, attr))),
            "atomic_load" => return Some(Some(self.b.value(Op::AtomicLoad, ty, args, attr))),
            _ => {
                let rmw = name.strip_prefix("atomic_").and_then(Rmw::from_name)?;
                let attr = Attr::Rmw(rmw, consistency);
                if rmw.is_float() {
                    return Some(Some(self.b.value(Op::AtomicRmw, ty, args, attr)));
                }
                return Some(Some(self.atomic_rmw(attr, args, ty)));
            }
        }
        Some(None)
    }

    /// Emits a read-modify-write; floating-point values are exchanged as integers.
    fn atomic_rmw(&mut self, attr: Attr, args: &[Value], ty: Type) -> Value {
        let bits = Type::scalar(Kind::int_of_bits(ty.kind.bits()));
        let mut args = args.to_vec();
        if !ty.kind.is_int() {
            args[1] = self.b.convert(Op::Bitcast, bits, args[1]);
        }
        let old = self.b.value(Op::AtomicRmw, bits, &args, attr);
        self.b.convert(Op::Bitcast, ty, old)
    }

    /// Emits an async copy. Arguments are the operands and an event; the result is an event. The copy is
    /// complete at the barrier, so an event is only a token: the argument, or 1 if that is 0.
    fn async_copy(&mut self, op: Op, attr: Attr, args: &[Value]) -> Value {
        let (&event, operands) = args.split_last().expect("the event is the last argument");
        self.b.effect(op, operands, attr);
        let zero = self.b.zero(Type::I64);
        let one = self.b.iconst(Type::I64, 1);
        let none = self.b.icmp(IntCond::Eq, event, zero);
        self.b.select(none, one, event)
    }

    /// Emits a copy; arguments are destination, source and bytes, the result is the destination. The objects
    /// may overlap.
    fn memory_copy(&mut self, args: &[Value], ty: Type) -> Option<Value> {
        match self.b.func.as_const(args[2]) {
            Some(size) => self.b.copy_bytes(args[0], args[1], size, 1),
            None => {
                self.b.helper(Helper::MemCopy, Type::VOID, &args[..3]);
            }
        }
        (ty != Type::VOID).then(|| args[0])
    }

    /// Emits a request to the executor (`abi::enqueue`). The arguments are stored in memory, a word each.
    /// Arguments that the call of `enqueue_kernel` lacks are 0.
    fn device_enqueue(&mut self, call: Call, args: &[Value], ty: Type) -> Option<Value> {
        let mut words = args.to_vec();
        let block = match call {
            Call::Enqueue => Some(3),
            Call::EnqueueAfter => Some(6),
            _ => None,
        };
        if let Some(block) = block {
            let sizes = self.b.iconst(Type::I64, (words.len() - block - 1) as u64);
            words.insert(block + 1, sizes);
            if call == Call::Enqueue {
                let zero = self.b.zero(Type::I64);
                words.splice(3..3, [zero; 3]);
            }
        }
        let result = self.b.ask_device(self.entry, call, &words);
        (ty != Type::VOID).then(|| self.b.convert(Op::Trunc, ty, result))
    }
}

/// Returns the op and the reduction of a collective function's name.
fn collective(name: &str) -> Option<(Op, Reduction)> {
    let forms = [
        ("sub_group_reduce_", Op::SubGroupReduce),
        ("sub_group_exclusive_scan_", Op::SubGroupExclusiveScan),
        ("sub_group_scan_", Op::SubGroupScan),
        ("sub_group_cluster_", Op::SubGroupCluster),
        ("group_reduce_", Op::GroupReduce),
        ("group_exclusive_scan_", Op::GroupExclusiveScan),
        ("group_scan_", Op::GroupScan),
    ];
    forms.into_iter().find_map(|(prefix, op)| Some((op, Reduction::from_name(name.strip_prefix(prefix)?)?)))
}
