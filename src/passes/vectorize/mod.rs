//! Whole-function vectorization: turns a kernel body for one work-item into one for several work-items, each of
//! which is a lane of every vector (Karrenberg, Hack, Whole-Function Vectorization, CGO 2011).
//!
//! ```text
//! plan          number of lanes, by an estimate of the cost (cost/)
//! scalarize     OpenCL vectors, component by component
//! memory/lane_interleaving  private arrays, element by element
//! canonicalize  one return; one latch for each loop
//! versioning    fast paths behind run-time tests: guards, bounds, strides
//! block_order   reverse post-order in which the blocks of a loop are contiguous
//! divergence    values that are uniform, affine or varying; branches at which lanes diverge (stride)
//! forward_progress  loops in which a work-item may spin until another one has made progress
//! linearize     order and masks of blocks where lanes diverge
//! widen         each instruction for all lanes (inst, memory/, sub_group, calls/, remaining_lanes)
//! ssa_repair    definitions that no longer dominate their uses
//! ```
//!
//! Functions that are not inlined are vectorized, too, once for each vector shape of their arguments
//! (`calls/vectorized_functions`, `vector_abi`, `scalar_thunk`).
//!
//! A body is widened twice where it pays: without a mask, for vectors whose work-items are all active, and with a
//! mask of the active lanes as its last parameter. Without the masked version the remainder of a row runs one
//! work-item at a time. A body that cannot be widened, or for which the cost model predicts no gain, is unrolled
//! and jammed over two work-items if that is faster (`unroll_and_jam`, `divergent_branch`), or stays scalar.
//! Vectors of several rows are computed together where that hides latency (`row_jam`).

pub(super) mod block_order;
mod calls;
pub(super) mod canonicalize;
mod comparison;
pub mod cost;
mod divergence;
mod divergent_branch;
pub(super) mod forward_progress;
mod inst;
mod linearize;
pub mod loops;
mod memory;
mod plan;
mod remaining_lanes;
mod row_jam;
mod scalarize;
mod ssa_repair;
mod stride;
mod sub_group;
mod unroll_and_jam;
pub mod versioning;
mod widen;
mod widen_state;

use super::gather::table_lookup::{self, ConstantTables};
use super::pass_manager::{Debugging, PassContext, after};
use super::work_items::Record;
use super::{
    COALESCE_GATHERS, GVN, MASKED_SUBWORD_GATHERS, PROMOTE, Pass, ROW_LOADS, SIMPLIFY, SUBWORD_GATHERS,
    TABLE_LOOKUP,
};
use grus_ir::analysis::Analyses;
use grus_ir::{Block, Function, Inst, Op};
use grus_support::IdMap;
use grus_support::target::{Backend, Features};
use memory::{interleaved_groups, lane_interleaving, row_segments};
use versioning::{bounds, guards, speculative_stride};

pub use calls::vectorized_functions::Callees;
pub use plan::{MAX_LANES, may_lack_sub_groups, plan, sub_group};
pub use sub_group::{has_sub_group_ops, with_single_item_sub_groups};

/// Reason why a body is not widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Operations on OpenCL vectors that cannot be scalarized.
    #[error("vectors of the program cannot be split")]
    OpenClVectors,
    /// Operations that concern the whole work-group.
    #[error("work-group functions")]
    GroupOps,
    /// Irreducible control flow, or too many divergent paths.
    #[error("irreducible or too many divergent paths")]
    ControlFlow,
    /// Private objects that are too large.
    #[error("too much private memory")]
    PrivateMemory,
    /// Loops in which work-items may wait for each other.
    #[error("work-items wait for each other")]
    SpinWaits,
    /// An operation that cannot be widened.
    #[error("`{}` cannot be widened", .0.name())]
    Op(Op),
    /// Code that is too large.
    #[error("too many instructions")]
    Size,
    /// Iterations of a loop of which one may write what another one accesses.
    #[error("iterations may access the same memory")]
    DependentIterations,
    /// Iterations of a loop that need results of earlier ones.
    #[error("iterations need results of earlier ones")]
    CarriedValues,
    /// No predicted gain.
    #[error("not faster")]
    Unprofitable,
    /// A demand for one lane: `GRUS_LANES=1`, `-cl-opt-disable` or a test.
    #[error("requested")]
    Forced,
}

/// Returns the function for `lanes` work-items that are neighbors in the first dimension. It has the same
/// parameters, with the values of the first work-item. `record` is the memory in which it notes the work-item
/// that runs.
///
/// # Errors
/// The reason why the body cannot be widened.
pub fn widen(body: &Function, lanes: u16, record: Option<Record>) -> Result<Function, Refusal> {
    let backend = Backend::Cranelift;
    let debugging = Debugging::default();
    let options = WidenOptions {
        lanes,
        record,
        segment_lanes: None,
        may_wait: false,
        is_forced: true,
        backend,
        debugging,
    };
    widen_body(
        &ScalarizedBody::new(body, debugging)?,
        options,
        &mut Callees::new(Vec::new(), Vec::new(), debugging),
    )
    .map(|(wide, _)| wide)
}

/// A body after scalarization, which is the same for every number of lanes.
struct ScalarizedBody {
    func: Function,
    groups: scalarize::AccessGroups,
}

impl ScalarizedBody {
    /// Scalarizes a body.
    ///
    /// # Errors
    /// If it operates on OpenCL vectors in ways that cannot be scalarized.
    fn new(body: &Function, debugging: Debugging) -> Result<ScalarizedBody, Refusal> {
        let mut func = body.clone();
        canonicalize::store_booleans_as_bytes(&mut func);
        let mut groups = scalarize::AccessGroups::default();
        if scalarize::has_vectors(&func) {
            let cfg = Analyses::default().cfg(&func);
            groups = scalarize::run(&mut func, &cfg)?;
            PassContext::standalone(debugging).run(&[PROMOTE, SIMPLIFY], &mut func);
        }
        Ok(ScalarizedBody { func, groups })
    }
}

/// Options of one widening.
#[derive(Clone, Copy)]
struct WidenOptions {
    lanes: u16,
    record: Option<Record>,
    /// Number of work-items in a row if a vector spans several rows; a power of two.
    segment_lanes: Option<u16>,
    /// True if work-items may wait for each other, as those of a sub-group may.
    may_wait: bool,
    /// True if the cost model is not consulted.
    is_forced: bool,
    /// Backend that compiles the widened function.
    backend: Backend,
    debugging: Debugging,
}

/// Limit of versioning rounds, each of which may nest tests: the four sides of an image, and the bounds inside
/// of them.
// Arbitrary.
const MAX_VERSIONING_ROUNDS: usize = 6;

/// Returns the widened function and the execution frequencies of its blocks.
fn widen_body(
    body: &ScalarizedBody,
    options: WidenOptions,
    callees: &mut Callees,
) -> Result<(Function, widen::BlockFrequencies), Refusal> {
    let WidenOptions { lanes, record, may_wait, .. } = options;
    let (mut func, mut groups) = (body.func.clone(), body.groups.clone());
    let mut analyses = Analyses::default();
    let cfg = analyses.cfg(&func);
    let interleaved = lane_interleaving::run(&mut func, &cfg, &mut groups, lanes);
    canonicalize::run(&mut func, &mut analyses);
    let mut versioned = guards::VersionedCode::default();
    let (mut cfg, mut loops) = (analyses.cfg(&func), analyses.loops(&func));
    if !loops.is_reducible() {
        return Err(Refusal::ControlFlow);
    }
    let mut order = block_order::BlockOrder::new(&func, &cfg, &loops);
    let mut rounds = 0;
    let shapes = loop {
        let shapes = divergence::VectorShapes::find(&func, &loops, &order, &interleaved, &versioned, lanes)
            .ok_or(Refusal::ControlFlow)?;
        if rounds == MAX_VERSIONING_ROUNDS {
            break shapes;
        }
        rounds += 1;
        let dom = analyses.dominators(&func);
        let guards = guards::guards(&func, &order, &shapes, &cfg, &dom, &versioned, (callees, lanes));
        if guards.is_empty() {
            let Some(version_point) = bounds::find(&func, &order, &shapes, &dom, &versioned, lanes) else {
                break shapes;
            };
            bounds::run(&mut func, &version_point, &mut groups, &mut versioned, lanes);
        } else {
            guards::run(&mut func, &guards, &mut groups, &mut versioned);
        }
        canonicalize::run(&mut func, &mut analyses);
        (cfg, loops) = (analyses.cfg(&func), analyses.loops(&func));
        order = block_order::BlockOrder::new(&func, &cfg, &loops);
    };
    let (dom, post) = (analyses.dominators(&func), analyses.post_dominators(&func));
    let linearization = linearize::Linearization::new(&func, &order, &loops, &shapes, &dom, &post)
        .ok_or(Refusal::ControlFlow)?;
    let mut is_used = IdMap::with_len(false, func.values.len());
    func.instructions().flat_map(Inst::uses).for_each(|value| is_used[value] = true);
    if !may_wait {
        // The result of such a function may decide on another iteration of the loop around the call.
        let calls_spinning = |inst: &Inst| inst.op == Op::Call && callees.may_wait(inst.callee());
        let may_spin_in_loop = |&block: &Block| {
            shapes.innermost_divergent_loop(block).is_some()
                && func.blocks[block].insts.iter().any(|&id| calls_spinning(&func.insts[id]))
        };
        if order.blocks.iter().any(may_spin_in_loop)
            || forward_progress::may_spin(&func, &order, &loops, &shapes, &is_used)
        {
            return Err(Refusal::SpinWaits);
        }
    }
    let speculative_strides = speculative_stride::find(&func, &order, &shapes, lanes);
    let finder = interleaved_groups::InterleavedFinder {
        func: &func,
        shapes: &shapes,
        groups: &groups,
        lane_interleaved: &interleaved,
        lanes,
        has_masks: options.backend.has_masks(),
    };
    let interleaved_groups = finder.find(&order);
    let segments = options.segment_lanes.filter(|&length| length < lanes).and_then(|length| {
        let shapes = divergence::VectorShapes::find(&func, &loops, &order, &interleaved, &versioned, length)?;
        Some(row_segments::RowSegments { length, shapes })
    });
    let source = widen::WidenInput {
        func: &func,
        order: &order,
        loops: &loops,
        shapes: &shapes,
        dom: &dom,
        linearization: &linearization,
        groups: &groups,
        interleaved: &interleaved,
        speculative_strides: &speculative_strides,
        interleaved_groups: &interleaved_groups,
        is_used: &is_used,
        versioned: &versioned,
        record,
        segments: segments.as_ref(),
    };
    let mut wide = Function::new(body.func.name.clone(), body.func.ret);
    wide.param_facts = body.func.param_facts.clone();
    let frequencies = widen::Widener::new(&source, &mut wide, options, callees).run()?;
    grus_ir::analysis::prune_unreachable(&mut wide);
    ssa_repair::run(&mut wide);
    after("vectorize", &wide, None, options.debugging);
    let mut context = PassContext::standalone(options.debugging);
    context.run(&[PROMOTE, SIMPLIFY], &mut wide);
    lower_gathers(&mut wide, &mut context, options.backend, callees.tables());
    Ok((wide, frequencies))
}

/// Replaces gathers and scatters by accesses that the backend executes faster.
fn lower_gathers(
    func: &mut Function,
    context: &mut PassContext<'_>,
    backend: Backend,
    tables: &ConstantTables,
) {
    let narrow: &[Pass] = match backend {
        Backend::Cranelift => &[],
        _ if Features::host().slow_gathers => &[MASKED_SUBWORD_GATHERS],
        _ => &[SUBWORD_GATHERS],
    };
    // Each gather of a structure's members has computed its indices.
    if func.instructions().filter(|inst| matches!(inst.op, Op::GatherAt | Op::ScatterAt)).nth(1).is_some() {
        context.run(&[GVN], func);
    }
    let look_up = |func: &mut Function, _: &mut PassContext<'_>| table_lookup::run_for(func, tables, backend);
    if context.run_with(TABLE_LOOKUP, func, look_up)
        | context.run(&[ROW_LOADS], func)
        | context.run(&[COALESCE_GATHERS], func)
        | context.run(narrow, func)
    {
        context.run(&[SIMPLIFY], func);
    }
}
