//! Storage of everything in a kernel that is not a value of one region: private objects, values that live
//! across barriers, and slots of the group.

use super::context_arrays::{Array, Arrays};
use super::continuations::ItemStatus;
use super::regions::KernelRegions;
use super::soa;
use grus_ir::abi::{AREA_ALIGN, RangeFacts};
use grus_ir::{Block, FuncId, GlobalId, Inst, InstId, Module, Op, Value};
use grus_support::{FastMap, IdMap};

/// Maximum size in bytes of a private object on the stack; all of them together take at most eight times
/// that.
// Arbitrary.
const MAX_STACK_OBJECT_BYTES: u64 = 4096;

/// Location of an alloca of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placement {
    /// On the stack; all work-items use the same memory one after the other.
    Stack,
    /// In the group's private area; all work-items use the same memory one after the other.
    Area(PrivateObject),
    /// An element of this context array for each work-item.
    Context(Array),
}

/// A private object outside the stack. Vectorized bodies have one for each lane, consecutively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PrivateObject {
    /// Size of the objects before it in bytes.
    pub before: u64,
    /// Size in bytes, a multiple of its alignment.
    pub size: u64,
}

/// Storage of a value that lives across barriers.
#[derive(Clone, Copy, Debug)]
pub(super) enum CrossBarrierStorage {
    /// An element for each work-item.
    Array(Array),
    /// One slot for the group, as the value is uniform.
    Slot(Slot),
    /// None: the value is reassembled from slots and ids.
    Reassembled,
}

grus_support::define_id! {
    /// Memory of the group for one value.
    Slot, "slot"
}

/// Storage of a work-group collective function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Collective {
    /// Values of the work-items, and the uniform result.
    Reduce { values: Array, result: Slot },
    /// Values of the work-items, each of which becomes its result; none if the results are unused.
    Scan(Option<Array>),
    /// Values of the work-items, the linear id of the one to broadcast, and the uniform result.
    Broadcast { values: Array, index: Slot, result: Slot },
}

impl Collective {
    /// Returns the slot of the uniform result.
    pub(super) fn result(self) -> Option<Slot> {
        match self {
            Collective::Scan(_) => None,
            Collective::Reduce { result, .. } | Collective::Broadcast { result, .. } => Some(result),
        }
    }
}

/// Offsets of `local` variables, assigned at their first use.
pub(super) struct LocalLayout<'m> {
    module: &'m Module,
    offsets: FastMap<GlobalId, u64>,
    pub size: u64,
}

impl<'m> LocalLayout<'m> {
    pub(super) fn new(module: &'m Module) -> LocalLayout<'m> {
        LocalLayout { module, offsets: FastMap::default(), size: 0 }
    }

    pub(super) fn offset(&mut self, global: GlobalId) -> u64 {
        if let Some(&offset) = self.offsets.get(&global) {
            return offset;
        }
        let variable = &self.module.globals[global];
        let start = self.size.next_multiple_of(variable.align.clamp(1, AREA_ALIGN));
        self.size = start + variable.size;
        self.offsets.insert(global, start);
        start
    }
}

/// Storage of one kernel.
pub(super) struct StoragePlan {
    pub placements: FastMap<InstId, Placement>,
    pub soa: soa::Objects,
    /// Storage of each value that lives across barriers.
    pub stored: FastMap<Value, CrossBarrierStorage>,
    /// Sizes of the slots in bytes; no slot is larger than a value.
    pub slots: Vec<u64>,
    /// Slots for the operands of each async copy, by which the work-items pass them to the group.
    pub operands: FastMap<InstId, Vec<Slot>>,
    pub collectives: FastMap<InstId, Collective>,
    pub status: ItemStatus,
    pub arrays: Arrays,
    /// Size in bytes of one work-item's private objects outside the stack.
    pub area: u64,
    /// Position of each function that is not inlined.
    pub position: IdMap<FuncId, u32>,
    pub region_of_head: FastMap<Block, usize>,
    /// Assumptions about the range.
    pub range: RangeFacts,
}

impl StoragePlan {
    pub(super) fn new(
        regions: &KernelRegions,
        position: IdMap<FuncId, u32>,
        range: RangeFacts,
    ) -> StoragePlan {
        let mut plan = StoragePlan {
            placements: FastMap::default(),
            soa: soa::Objects::default(),
            stored: FastMap::default(),
            slots: Vec::new(),
            operands: FastMap::default(),
            collectives: FastMap::default(),
            status: ItemStatus::Nothing,
            arrays: Arrays::default(),
            area: 0,
            position,
            region_of_head: regions.regions.iter().enumerate().map(|(i, region)| (region.head, i)).collect(),
            range,
        };
        plan.place_allocas(regions);
        plan.place_values(regions);
        plan.status = ItemStatus::of(regions, &mut plan.arrays);
        plan.add_barrier_slots(regions);
        plan
    }

    fn place_allocas(&mut self, regions: &KernelRegions) {
        let persistent = persistent_allocas(regions);
        let func = &regions.func;
        self.soa = soa::Objects::find(func, &persistent);
        let mut stack = 0;
        for &id in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            if func.insts[id].op != Op::Alloca {
                continue;
            }
            let (size, align) = func.insts[id].size_align();
            let placement = if persistent.binary_search(&id).is_ok() {
                let size = size.max(1).next_multiple_of(u64::from(align).clamp(1, AREA_ALIGN));
                Placement::Context(self.arrays.add(size))
            } else if size <= MAX_STACK_OBJECT_BYTES
                && align <= 16
                && stack + size <= 8 * MAX_STACK_OBJECT_BYTES
            {
                stack += size;
                Placement::Stack
            } else {
                let align = u64::from(align).clamp(1, AREA_ALIGN);
                let before = self.area.next_multiple_of(align);
                let size = size.next_multiple_of(align);
                self.area = before + size;
                Placement::Area(PrivateObject { before, size })
            };
            self.placements.insert(id, placement);
        }
    }

    fn place_values(&mut self, regions: &KernelRegions) {
        for &value in &regions.live_across {
            let size = u64::from(regions.func.ty(value).bytes());
            let stored = if regions.reassembled.contains(&value) {
                CrossBarrierStorage::Reassembled
            } else if regions.uniform.values[value] {
                CrossBarrierStorage::Slot(self.slot(size))
            } else {
                CrossBarrierStorage::Array(self.arrays.add(size))
            };
            self.stored.insert(value, stored);
        }
    }

    /// Allocates the slots of async copies and collective functions.
    fn add_barrier_slots(&mut self, regions: &KernelRegions) {
        let func = &regions.func;
        for barrier in regions.regions.iter().filter_map(|region| region.barrier) {
            let inst = &func.insts[barrier];
            if inst.op.is_async_copy() {
                let slots = inst.args.iter().map(|&arg| self.slot(u64::from(func.ty(arg).bytes()))).collect();
                self.operands.insert(barrier, slots);
            } else if inst.op.is_collective() {
                let collective = self.collective(inst);
                self.collectives.insert(barrier, collective);
            }
        }
    }

    fn collective(&mut self, inst: &Inst) -> Collective {
        let size = u64::from(inst.ty.bytes());
        if !inst.op.has_uniform_result() {
            let stored = inst.result.and_then(|result| self.stored.get(&result).copied());
            return Collective::Scan(stored.map(|stored| match stored {
                CrossBarrierStorage::Array(array) => array,
                CrossBarrierStorage::Slot(_) | CrossBarrierStorage::Reassembled => {
                    unreachable!("the result of a scan varies and cannot be recomputed")
                }
            }));
        }
        let (values, result) = (self.arrays.add(size), self.slot(size));
        if inst.op == Op::GroupReduce {
            return Collective::Reduce { values, result };
        }
        Collective::Broadcast { values, index: self.slot(8), result }
    }

    fn slot(&mut self, size: u64) -> Slot {
        self.slots.push(size);
        Slot(self.slots.len() as u32 - 1)
    }
}

/// Returns the allocas whose contents must survive a barrier: those used in several regions or in a region
/// that may follow itself, and those whose address escapes.
fn persistent_allocas(regions: &KernelRegions) -> Vec<InstId> {
    let mut found = Vec::new();
    if regions.regions.len() == 1 {
        return found;
    }
    let func = &regions.func;
    let mut alloca_of: IdMap<Value, Option<InstId>> = IdMap::with_len(None, func.values.len());
    let mut users: FastMap<InstId, Vec<Block>> = FastMap::default();
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for (i, &arg) in inst.args.iter().enumerate() {
                let Some(alloca) = alloca_of[arg] else { continue };
                let is_local_use = matches!(
                    (inst.op, i),
                    (Op::PtrAdd | Op::Bitcast | Op::Load | Op::Store | Op::MemZero | Op::AtomicRmw, 0)
                        | (Op::MemCopy, _)
                );
                if is_local_use {
                    users.entry(alloca).or_default().push(block);
                } else {
                    found.push(alloca);
                }
            }
            for &arg in inst.targets.iter().flat_map(|t| &t.args) {
                if let Some(alloca) = alloca_of[arg] {
                    found.push(alloca);
                }
            }
            let Some(result) = inst.result else { continue };
            alloca_of[result] = match inst.op {
                Op::Alloca => Some(id),
                Op::PtrAdd => alloca_of[inst.args[0]],
                Op::Bitcast if inst.ty.kind.is_ptr() => alloca_of[inst.args[0]],
                _ => None,
            };
            if inst.op == Op::Bitcast
                && !inst.ty.kind.is_ptr()
                && let Some(alloca) = alloca_of[inst.args[0]]
            {
                found.push(alloca);
            }
        }
    }
    let mut regions_of: IdMap<Block, Vec<usize>> = IdMap::with_len(Vec::new(), func.blocks.len());
    for (i, region) in regions.regions.iter().enumerate() {
        for &block in &region.blocks {
            regions_of[block].push(i);
        }
    }
    for (alloca, blocks) in users {
        let mut used_in: Vec<usize> = blocks.iter().flat_map(|&b| regions_of[b].iter().copied()).collect();
        used_in.sort_unstable();
        used_in.dedup();
        if used_in.len() > 1 || used_in.iter().any(|&r| regions.cyclic[regions.regions[r].head]) {
            found.push(alloca);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
