//! Interpreter: runs IR directly and slowly, one work-item after the other, each up to the next barrier.
//!
//! It is the reference for the compiler, because it uses no regions, work-item loops or machine code. It also
//! runs single functions ([`Interp::call`]), by which the output of the work-group pass and later passes is
//! checked.
//!
//! Pointers are host addresses: a kernel with a wild access crashes the process as machine code would.
//! Interpret trusted test kernels only.

mod collective;
mod eval;
mod memory;
mod subgroup;

use smallvec::SmallVec;

use super::abi::{GroupContext, space};
use super::function::{Attr, Block, FuncId, Function, Inst, InstId, Module, Value};
use super::op::{Helper, Op, Query, Reduction};
use super::types::{Kind, Type};
use grus_support::{FastMap, IdMap};

pub use eval::{LaneBits, compare_int, eval, mask, signed};

/// Reason why the interpreter cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// A call of the function of this name, which has no body.
    #[error("`{0}` has no body")]
    NoBody(String),
    /// A barrier in a function that is not run for a work-group.
    #[error("a barrier outside of a kernel")]
    Barrier,
    #[error("unreachable was reached")]
    Unreachable,
    #[error("trap")]
    Trap,
    /// An op or runtime function that the interpreter does not execute, by its name.
    #[error("{0} is not done here")]
    Unsupported(&'static str),
    /// An op that no work-items of a sub-group execute together.
    #[error("no operation of a sub-group")]
    SubGroupOp(Op),
    /// A reduction that values of this type do not have.
    #[error("no such combination")]
    Reduction(Reduction, Type),
}

/// Position and size of one work-group in its range.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub work_dim: u32,
    pub group_id: [u64; 3],
    pub num_groups: [u64; 3],
    /// Size of this group. It is smaller than `enqueued_size` at the end of a range that is not a multiple of
    /// it.
    pub size: [u64; 3],
    pub enqueued_size: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
}

/// A module with the addresses of its static variables, ready to run.
pub struct Interp<'m> {
    pub module: &'m Module,
    /// Host address of each variable that is not `local`.
    pub globals: IdMap<super::GlobalId, u64>,
    /// Host address ranges of the memory that `local` arguments point at.
    pub local_args: Vec<std::ops::Range<u64>>,
    /// Number of work-items in a sub-group.
    pub sub_group: usize,
}

/// Folds a scalar instruction whose operands are all constants; returns its bits.
pub fn fold(func: &Function, id: InstId) -> Option<u64> {
    let inst = &func.insts[id];
    if inst.args.is_empty() {
        return None;
    }
    eval_scalar(func, inst, |arg| {
        func.def_inst(arg).filter(|def| matches!(def.op, Op::Iconst | Op::Fconst)).map(Inst::int)
    })
}

/// Evaluates a scalar that pure ops compute from `known` values and constants; returns its bits. Intermediate
/// results are added to `known`.
pub fn evaluate(func: &Function, value: Value, known: &mut FastMap<Value, u64>) -> Option<u64> {
    if let Some(&bits) = known.get(&value) {
        return Some(bits);
    }
    let bits = eval_scalar(func, func.def_inst(value)?, |arg| evaluate(func, arg, known))?;
    known.insert(value, bits);
    Some(bits)
}

/// Evaluates an op if it and its operands are scalars. `bits` returns the bits of an operand.
fn eval_scalar(func: &Function, inst: &Inst, mut bits: impl FnMut(Value) -> Option<u64>) -> Option<u64> {
    if inst.ty.is_vector() || inst.args.iter().any(|&arg| func.ty(arg).is_vector()) {
        return None;
    }
    let mut lanes = SmallVec::<[LaneBits; 3]>::new();
    for &arg in &inst.args {
        lanes.push(SmallVec::from_elem(bits(arg)?, 1));
    }
    let refs: SmallVec<[_; 3]> = lanes.iter().collect();
    let types: SmallVec<[Type; 3]> = inst.args.iter().map(|&arg| func.ty(arg)).collect();
    eval(inst.op, inst.ty, &inst.attr, &types, &refs).map(|lanes| lanes[0])
}

struct CallFrame<'m> {
    func: &'m Function,
    block: Block,
    next: usize,
    values: IdMap<Value, LaneBits>,
    /// Private memory; boxes keep their address when the list grows.
    memory: Vec<Box<[u128]>>,
    /// Value of the caller's frame that gets the result.
    result: Option<Value>,
    iterations: subgroup::Iterations,
}

/// A work-item and its call stack.
struct Item<'m> {
    frames: Vec<CallFrame<'m>>,
    local_id: [u64; 3],
    /// Linear local id.
    index: usize,
    state: ItemState,
}

/// Execution state of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemState {
    Running,
    AtBarrier,
    /// Stopped at a sub-group operation until the others have arrived.
    SubGroup,
    Done,
}

/// State that the work-items of a group share.
#[derive(Clone, Copy)]
struct GroupState<'g> {
    group: &'g Group,
    local: &'g memory::LocalMemory,
    reconvergence: &'g subgroup::Reconvergence,
}

/// Number of steps after which another work-item runs, because this one may be spinning on it.
// Arbitrary.
const TIME_SLICE: u64 = 1_000;

impl<'m> Interp<'m> {
    /// Runs one work-group of `kernel` on `args`, one entry of lanes for each parameter.
    ///
    /// # Safety
    /// Every address that the kernel computes from its arguments must be valid for the
    /// access it makes there.
    ///
    /// # Errors
    /// If work-items do not meet at the same barriers, or a call has no body.
    pub unsafe fn run_group(
        &self,
        kernel: FuncId,
        args: &[LaneBits],
        group: &Group,
    ) -> Result<(), InterpError> {
        let func = &self.module.funcs[kernel];
        let local = memory::LocalMemory::new(self.module);
        let mut items = Vec::new();
        for z in 0..group.size[2] {
            for y in 0..group.size[1] {
                for x in 0..group.size[0] {
                    let frames = vec![CallFrame::enter(func, args, None)];
                    let index = items.len();
                    items.push(Item { frames, local_id: [x, y, z], index, state: ItemState::Running });
                }
            }
        }
        let reconvergence = subgroup::Reconvergence::new(self.module);
        let state = GroupState { group, local: &local, reconvergence: &reconvergence };
        let mut waiting = 0;
        loop {
            for item in items.iter_mut().filter(|item| item.state == ItemState::Running) {
                // SAFETY: passed on from this function's own contract.
                item.state = unsafe { self.run_item(item, &state, waiting == 0, TIME_SLICE, &mut None)? };
                waiting += usize::from(item.state == ItemState::AtBarrier);
            }
            let any_released = reconvergence.release(&mut items, self.sub_group)?;
            if any_released || items.iter().any(|item| item.state == ItemState::Running) {
                continue;
            }
            if waiting == 0 {
                return Ok(());
            }
            items.retain(|item| item.state == ItemState::AtBarrier);
            collective::finish(&mut items, group)?;
            items.iter_mut().for_each(|item| item.state = ItemState::Running);
            waiting = 0;
        }
    }

    /// Runs a function without work-item queries and barriers, such as the group code of a kernel, whose
    /// argument is the address of a [`GroupContext`](super::abi::GroupContext). Returns the result if there
    /// is one.
    ///
    /// # Safety
    ///
    /// The contract is that of [`Interp::run_group`].
    ///
    /// # Errors
    ///
    /// Fails if the function reaches a barrier or calls a function without a body.
    pub unsafe fn call(&self, func: FuncId, args: &[LaneBits]) -> Result<Option<LaneBits>, InterpError> {
        let local = memory::LocalMemory::new(self.module);
        // Group code reads these from the context instead.
        let zeros = [0; 3];
        let group = Group {
            work_dim: 0,
            group_id: zeros,
            num_groups: zeros,
            size: zeros,
            enqueued_size: zeros,
            global_size: zeros,
            global_offset: zeros,
        };
        let frame = CallFrame::enter(&self.module.funcs[func], args, None);
        let mut item = Item { frames: vec![frame], local_id: zeros, index: 0, state: ItemState::Running };
        let mut returned = None;
        let state =
            GroupState { group: &group, local: &local, reconvergence: &subgroup::Reconvergence::default() };
        // SAFETY: passed on from this function's own contract.
        match unsafe { self.run_item(&mut item, &state, false, u64::MAX, &mut returned)? } {
            ItemState::Done => Ok(returned),
            _ => Err(InterpError::Barrier),
        }
    }

    /// Runs a work-item until it stops at a barrier or sub-group operation, or has taken `steps` steps.
    /// `is_first` is true for the first work-item at the barrier, which performs the effects that happen once
    /// for the group.
    unsafe fn run_item(
        &self,
        item: &mut Item<'m>,
        state: &GroupState<'_>,
        is_first: bool,
        steps: u64,
        returned: &mut Option<LaneBits>,
    ) -> Result<ItemState, InterpError> {
        let GroupState { group, local, reconvergence } = *state;
        for _ in 0..steps {
            let Some(frame) = item.frames.last_mut() else { return Ok(ItemState::Done) };
            let inst = &frame.func.insts[frame.func.blocks[frame.block].insts[frame.next]];
            frame.next += 1;
            match inst.op {
                Op::Ret => {
                    let value = inst.args.first().map(|&v| frame.values[v].clone());
                    let result = frame.result;
                    item.frames.pop();
                    if item.frames.is_empty() {
                        returned.clone_from(&value);
                    }
                    if let (Some(caller), Some(result), Some(value)) = (item.frames.last_mut(), result, value)
                    {
                        caller.values[result] = value;
                    }
                }
                Op::Call => {
                    let callee = &self.module.funcs[inst.callee()];
                    if !callee.is_defined() {
                        return Err(InterpError::NoBody(callee.name.clone()));
                    }
                    let args: Vec<LaneBits> = inst.args.iter().map(|&a| frame.values[a].clone()).collect();
                    item.frames.push(CallFrame::enter(callee, &args, inst.result));
                }
                Op::Jump | Op::BrIf | Op::Switch => {
                    frame.branch(inst);
                    reconvergence.enter_block(frame.func, frame.block, &mut frame.iterations);
                }
                Op::Unreachable => return Err(InterpError::Unreachable),
                Op::Barrier => return Ok(ItemState::AtBarrier),
                // The values are combined once all work-items have arrived.
                op if op.is_collective() => return Ok(ItemState::AtBarrier),
                op if op.is_of_sub_group() => match subgroup::independent(op, item.index, self.sub_group) {
                    Some(value) => frame.set(inst, value),
                    None => return Ok(ItemState::SubGroup),
                },
                op if op.is_async_copy() => {
                    if is_first {
                        let args: Vec<u64> = inst.args.iter().map(|&a| frame.values[a][0]).collect();
                        // SAFETY: the kernel's own addresses, as this function's contract says.
                        unsafe {
                            match op {
                                Op::AsyncRect => memory::rect_copy(&args),
                                _ => memory::strided_copy(&args, inst.int()),
                            }
                        }
                    }
                    return Ok(ItemState::AtBarrier);
                }
                Op::WorkItem => {
                    let (query, dim) = inst.query();
                    let value = query_value(query, usize::from(dim), group, item.local_id);
                    frame.set(inst, SmallVec::from_elem(value, 1));
                }
                Op::CallHelper if inst.attr == Attr::Helper(Helper::SpaceOf) => {
                    let address = frame.values[inst.args[1]][0];
                    let context = frame.values[inst.args[0]][0] as *const GroupContext;
                    // SAFETY: the interpreter answers the query for the context with 0; group code has one.
                    let context = unsafe { context.as_ref() };
                    let space = self.space_of(address, context, &item.frames, local);
                    let frame = item.frames.last_mut().expect("it was there above");
                    frame.set(inst, SmallVec::from_elem(u64::from(space), 1));
                }
                // SAFETY: as above.
                _ => unsafe { self.step(frame, inst, local)? },
            }
        }
        Ok(ItemState::Running)
    }

    /// Returns the address space that an address lies in.
    fn space_of(
        &self,
        address: u64,
        context: Option<&GroupContext>,
        frames: &[CallFrame<'m>],
        local: &memory::LocalMemory,
    ) -> u32 {
        if let Some(context) = context {
            let pointer = address as *const u8;
            if (context.local.cast_const()..context.private.cast_const()).contains(&pointer) {
                return space::LOCAL;
            }
            if (context.private.cast_const()..context.private_end.cast_const()).contains(&pointer) {
                return space::PRIVATE;
            }
        }
        let within = |block: &[u128]| block.as_ptr_range().contains(&(address as *const u128));
        if frames.iter().any(|frame| frame.memory.iter().any(|block| within(block))) {
            return space::PRIVATE;
        }
        let argument = self.local_args.iter().any(|range| range.contains(&address));
        if argument || local.contains(address) { space::LOCAL } else { space::GLOBAL }
    }

    /// Executes an op that neither branches nor stops.
    unsafe fn step(
        &self,
        frame: &mut CallFrame<'m>,
        inst: &Inst,
        local: &memory::LocalMemory,
    ) -> Result<(), InterpError> {
        let types: SmallVec<[Type; 4]> = inst.args.iter().map(|&a| frame.func.ty(a)).collect();
        let args: SmallVec<[LaneBits; 4]> = inst.args.iter().map(|&a| frame.values[a].clone()).collect();
        let refs: SmallVec<[&LaneBits; 4]> = args.iter().collect();
        if let Some(value) = eval(inst.op, inst.ty, &inst.attr, &types, &refs) {
            frame.set(inst, value);
            return Ok(());
        }
        match inst.op {
            Op::Alloca => {
                let (size, align) = inst.size_align();
                let address = frame.allocate(size, align);
                frame.set(inst, SmallVec::from_elem(address, 1));
            }
            Op::GlobalAddr => {
                frame.set(inst, SmallVec::from_elem(self.globals[inst.global()], 1));
            }
            Op::LocalAddr => {
                frame.set(inst, SmallVec::from_elem(local.address(inst.global()), 1));
            }
            // Ops that `eval` does not compute access memory; `memory::access` matches on all of them.
            _ => {
                // SAFETY: the kernel's own addresses, as this function's contract says.
                if let Some(value) = unsafe { memory::access(inst, &types, &args)? } {
                    frame.set(inst, value);
                }
            }
        }
        Ok(())
    }
}

impl<'m> CallFrame<'m> {
    fn enter(func: &'m Function, args: &[LaneBits], result: Option<Value>) -> CallFrame<'m> {
        let mut values = IdMap::with_len(LaneBits::new(), func.values.len());
        for (&param, arg) in func.params().iter().zip(args) {
            values[param] = arg.clone();
        }
        CallFrame {
            func,
            block: func.entry(),
            next: 0,
            values,
            memory: Vec::new(),
            result,
            iterations: SmallVec::new(),
        }
    }

    /// Returns the instruction that was executed last.
    fn current(&self) -> &'m Inst {
        &self.func.insts[self.func.blocks[self.block].insts[self.next - 1]]
    }

    fn set(&mut self, inst: &Inst, value: LaneBits) {
        if let Some(result) = inst.result {
            self.values[result] = value;
        }
    }

    fn allocate(&mut self, size: u64, align: u32) -> u64 {
        let size_with_padding = size + u64::from(align) + 16;
        self.memory.push(vec![0u128; size_with_padding.div_ceil(16) as usize].into_boxed_slice());
        let start = self.memory.last().map_or(0, |m| m.as_ptr() as u64);
        start.next_multiple_of(u64::from(align))
    }

    fn branch(&mut self, inst: &Inst) {
        let index = match (inst.op, &inst.attr) {
            (Op::BrIf, _) => usize::from(self.values[inst.args[0]][0] == 0),
            (Op::Switch, Attr::Cases(cases)) => {
                let value = self.values[inst.args[0]][0];
                cases.iter().position(|&c| c == value).map_or(0, |i| i + 1)
            }
            _ => 0,
        };
        let target = &inst.targets[index];
        let args: Vec<LaneBits> = target.args.iter().map(|&a| self.values[a].clone()).collect();
        for (&param, arg) in self.func.blocks[target.block].params.iter().zip(args) {
            self.values[param] = arg;
        }
        self.block = target.block;
        self.next = 0;
    }
}

/// Returns the result of a work-item query.
fn query_value(query: Query, dim: usize, group: &Group, local_id: [u64; 3]) -> u64 {
    match query {
        Query::WorkDim => u64::from(group.work_dim),
        Query::GlobalId => {
            group.global_offset[dim] + group.group_id[dim] * group.enqueued_size[dim] + local_id[dim]
        }
        Query::LocalId => local_id[dim],
        Query::LinearId => (local_id[2] * group.size[1] + local_id[1]) * group.size[0] + local_id[0],
        Query::GroupId => group.group_id[dim],
        Query::GlobalSize => group.global_size[dim],
        Query::LocalSize | Query::Items => group.size[dim],
        Query::FirstId => group.global_offset[dim] + group.group_id[dim] * group.enqueued_size[dim],
        Query::EnqueuedLocalSize => group.enqueued_size[dim],
        Query::NumGroups => group.num_groups[dim],
        Query::GlobalOffset => group.global_offset[dim],
        // The interpreter finds address spaces without a context.
        Query::Context => 0,
    }
}

/// Returns the size of one lane in memory in bytes.
fn lane_bytes(kind: Kind) -> u64 {
    u64::from(kind.bytes())
}
