//! Parts of the state of [`Widener`](super::widen::Widener).

use super::super::alias::Terms;
use super::remaining_lanes::copied_loops;
use super::versioning::speculative_stride::SpeculativeValue;
use super::widen::WidenInput;
use grus_ir::analysis::LoopId;
use grus_ir::{Block, Function, InstId, Op, Value};
use grus_support::target::Backend;
use grus_support::{FastMap, IdMap};

/// Emitted values, by the values of the scalar function.
pub(super) struct WidenedValues {
    /// Scalars of uniform values, and the first lanes of affine ones.
    pub scalars: IdMap<Value, Option<Value>>,
    /// Vectors of varying values.
    pub vectors: IdMap<Value, Option<Value>>,
    /// Vectors of uniform and affine values, by the block in which they were built.
    pub expanded: FastMap<(Block, Value), Value>,
    /// OpenCL vectors with one value for each lane.
    pub per_lane: FastMap<Value, Vec<Value>>,
    /// OpenCL vectors with one widened value for each component.
    pub components: FastMap<Value, Vec<Value>>,
    /// First lanes of affine values, extended to 64 bits by an operation.
    pub extended: FastMap<(Value, Op), Value>,
    /// Speculatively affine values.
    pub speculative: FastMap<Value, SpeculativeValue>,
    /// Values that hold the number of the lane, as far as they have been defined.
    pub lane_numbers: Vec<Value>,
}

impl WidenedValues {
    pub(super) fn new(func: &Function) -> WidenedValues {
        WidenedValues {
            scalars: IdMap::with_len(None, func.values.len()),
            vectors: IdMap::with_len(None, func.values.len()),
            expanded: FastMap::default(),
            per_lane: FastMap::default(),
            components: FastMap::default(),
            extended: FastMap::default(),
            speculative: FastMap::default(),
            lane_numbers: Vec::new(),
        }
    }
}

/// Memory of calls and private objects, and parts of addresses that have been computed.
#[derive(Default)]
pub(super) struct MemoryState {
    /// Private memory for arguments and results of calls.
    pub call_frame: Option<Value>,
    /// Values of the first lanes of row segments, by the block in which they were computed and the lane.
    pub segment_starts: FastMap<(Block, Value, u16), Value>,
    /// Offsets of the lanes from a base, by the block in which they were computed and the terms that are added
    /// up.
    pub offset_indices: FastMap<(Block, Terms), Value>,
    /// Bytes of all private objects of one lane.
    pub private_size: u64,
}

/// Masks of active lanes.
pub(super) struct BlockMasks {
    /// Active lanes of each block; none if all lanes are active.
    pub active: IdMap<Block, Option<Value>>,
    /// Variables that collect the lanes that branch to a block.
    pub arrivals: FastMap<Block, Value>,
    /// Masks of no lane and of all lanes.
    pub constants: [Option<Value>; 2],
}

impl BlockMasks {
    pub(super) fn new(func: &Function) -> BlockMasks {
        let active = IdMap::with_len(None, func.blocks.len());
        BlockMasks { active, arrivals: FastMap::default(), constants: [None; 2] }
    }
}

/// Blocks of the widened function, and variables for values that are passed between them.
pub(super) struct ControlFlow {
    pub blocks: IdMap<Block, Block>,
    /// Entries of blocks: of a guarded block, the block that tests its mask.
    pub entries: IdMap<Block, Block>,
    /// Variables for the parameters of deferred blocks.
    pub param_variables: FastMap<Value, Value>,
    /// True for deferred blocks whose variables have been set.
    pub are_params_set: IdMap<Block, bool>,
    /// Variables for the live-outs of divergent loops.
    pub live_outs: FastMap<Value, Value>,
    pub live_outs_of_loop: FastMap<LoopId, Vec<Value>>,
    /// Loops whose last lanes may run a scalar copy, and their blocks.
    pub copied_loops: FastMap<LoopId, Vec<Block>>,
    /// Variables that count the iterations of divergent loops in which few lanes were left.
    pub patience: FastMap<LoopId, Value>,
}

impl ControlFlow {
    /// Creates the blocks.
    pub(super) fn new(source: &WidenInput<'_>, into: &mut Function, backend: Backend) -> ControlFlow {
        let len = source.func.blocks.len();
        let mut blocks = IdMap::with_len(Block(u32::MAX), len);
        let mut entries = blocks.clone();
        for &block in &source.order.blocks {
            blocks[block] = into.add_block();
            let is_guarded = source.linearization.is_guarded(block);
            entries[block] = if is_guarded { into.add_detached_block() } else { blocks[block] };
        }
        ControlFlow {
            blocks,
            entries,
            param_variables: FastMap::default(),
            are_params_set: IdMap::with_len(false, len),
            live_outs: FastMap::default(),
            live_outs_of_loop: FastMap::default(),
            copied_loops: copied_loops(source, backend),
            patience: FastMap::default(),
        }
    }
}

/// Instructions that are put at the start of the entry block once the function is complete: memory and constants.
pub(super) struct Prologue {
    pub entry: Block,
    pub insts: Vec<InstId>,
}
