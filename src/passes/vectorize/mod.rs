//! Bodies for several work-items at once: lanes of vectors (Karrenberg, Hack, Whole-Function Vectorization, CGO 2011).
//!
//! ```text
//! scalarise vectors of the program, component by component
//! agree     ways for lanes that all go on
//! interleave  private arrays, element by element
//! prepare   one return; a latch for each loop
//! order     blocks of loops together
//! shape     what is the same in all lanes, what goes in steps, where lanes part
//! waits     whether one may wait for another
//! linear    which block follows which when lanes that part must wait for each other
//! widen     every instruction for all lanes (inst, memory, subgroup, call)
//! repair    definitions that do not dominate their uses any more
//! ```
//!
//! Functions that stay calls are widened, too, for what they are called with (callees, convention, thunk).
//!
//! A body is widened for as many items as there are lanes, all of which run; what is left of a row goes item by item. What
//! cannot be widened, or not with gain, is done for two items by turns where that is faster (jam), or stays as it is.

pub(super) mod block_order;
mod calls;
pub(super) mod canonicalize;
pub mod cost;
mod divergence;
mod divergent_branch;
pub(super) mod forward_progress;
mod inst;
mod linearize;
mod memory;
mod plan;
mod scalarize;
mod ssa_repair;
mod stride;
mod sub_group;
mod unroll_and_jam;
pub mod versioning;
mod widen;

use super::pass_manager::{Debugging, PassContext, after};
use super::work_items::Record;
use super::{COALESCE_GATHERS, PROMOTE, Pass, ROW_LOADS, SIMPLIFY, SUBWORD_GATHERS};
use crate::ir::analysis::Analyses;
use crate::ir::{Block, Function, Inst, Op};
use crate::support::IdMap;
use crate::support::target::Backend;

pub use calls::vectorized_functions::Callees;
pub use plan::{MOST_LANES, choose, may_lack_sub_groups, sub_group};
pub use sub_group::{asks_for_sub_groups, of_one_item};

/// Why a body stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It works on vectors of the program.
    Vectors,
    /// It does what concerns the group.
    Group,
    /// Control flow has cycles without a header, or lanes part in too many ways.
    Flow,
    /// It has private objects that are too large.
    Private,
    /// Its items may wait for each other in a loop.
    Waits,
    /// This is not done for lanes.
    Op(Op),
    /// It is too large.
    Size,
    /// It would not be faster.
    Gain,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Vectors => f.write_str("vectors"),
            Refusal::Group => f.write_str("work-group functions"),
            Refusal::Flow => f.write_str("control flow"),
            Refusal::Waits => f.write_str("items wait for each other"),
            Refusal::Private => f.write_str("private memory"),
            Refusal::Op(op) => f.write_str(op.name()),
            Refusal::Size => f.write_str("size"),
            Refusal::Gain => f.write_str("no gain"),
        }
    }
}

/// The function for so many work-items, side by side in its first dimension: the same parameters, which are those of the
/// first one. `record` is where it notes which item runs.
///
/// # Errors
/// What it holds that cannot be widened.
pub fn widen(body: &Function, lanes: u16, record: Option<Record>) -> Result<Function, Refusal> {
    let backend = Backend::Cranelift;
    let debugging = Debugging::default();
    let asked = Asked { lanes, record, piece: None, may_wait: false, is_forced: true, backend, debugging };
    widened(&Scalarised::new(body, debugging)?, asked, &mut Callees::new(Vec::new(), debugging))
        .map(|(wide, _)| wide)
}

/// A body whose vectors are taken apart: the same for any number of lanes.
struct Scalarised {
    func: Function,
    groups: scalarize::Groups,
}

impl Scalarised {
    /// # Errors
    /// If it works on vectors in ways that cannot be taken apart.
    fn new(body: &Function, debugging: Debugging) -> Result<Scalarised, Refusal> {
        let mut func = body.clone();
        canonicalize::truths_are_bytes(&mut func);
        let mut groups = scalarize::Groups::default();
        if scalarize::has_vectors(&func) {
            let cfg = Analyses::default().cfg(&func);
            groups = scalarize::run(&mut func, &cfg)?;
            PassContext::standalone(debugging).run(&[PROMOTE, SIMPLIFY], &mut func);
        }
        Ok(Scalarised { func, groups })
    }
}

/// How a body is to be widened.
#[derive(Clone, Copy)]
struct Asked {
    lanes: u16,
    record: Option<Record>,
    /// Items of a row, where those of several run side by side: a power of two.
    piece: Option<u16>,
    /// Items may wait for each other.
    may_wait: bool,
    /// It is not asked whether that gains anything.
    is_forced: bool,
    /// Who makes code of it.
    backend: Backend,
    debugging: Debugging,
}

/// Questions behind each other at most: the four sides of an image, and what is clamped behind them.
const QUESTIONS: usize = 6;

/// The same, and how often its blocks run.
fn widened(
    body: &Scalarised,
    asked: Asked,
    callees: &mut Callees,
) -> Result<(Function, widen::Frequencies), Refusal> {
    let Asked { lanes, record, may_wait, .. } = asked;
    let (mut func, mut groups) = (body.func.clone(), body.groups.clone());
    let mut analyses = Analyses::default();
    let cfg = analyses.cfg(&func);
    let interleaved =
        crate::passes::vectorize::memory::lane_interleaving::run(&mut func, &cfg, &mut groups, lanes);
    canonicalize::run(&mut func, &mut analyses);
    let mut agreed = crate::passes::vectorize::versioning::guards::Agreed::default();
    let (mut cfg, mut loops) = (analyses.cfg(&func), analyses.loops(&func));
    if !loops.is_reducible() {
        return Err(Refusal::Flow);
    }
    let mut order = block_order::BlockOrder::new(&func, &cfg, &loops);
    let mut rounds = 0;
    let shapes = loop {
        let shapes = divergence::Shapes::find(&func, &loops, &order, &interleaved, &agreed, lanes)
            .ok_or(Refusal::Flow)?;
        if rounds == QUESTIONS {
            break shapes;
        }
        rounds += 1;
        let dom = analyses.dominators(&func);
        let guards = crate::passes::vectorize::versioning::guards::guards(
            &func,
            &order,
            &shapes,
            &cfg,
            &dom,
            &agreed,
            (callees, lanes),
        );
        if guards.is_empty() {
            let Some(question) = crate::passes::vectorize::versioning::bounds::find(
                &func, &order, &shapes, &dom, &agreed, lanes,
            ) else {
                break shapes;
            };
            crate::passes::vectorize::versioning::bounds::run(
                &mut func,
                &question,
                &mut groups,
                &mut agreed,
                lanes,
            );
        } else {
            crate::passes::vectorize::versioning::guards::run(&mut func, &guards, &mut groups, &mut agreed);
        }
        canonicalize::run(&mut func, &mut analyses);
        (cfg, loops) = (analyses.cfg(&func), analyses.loops(&func));
        order = block_order::BlockOrder::new(&func, &cfg, &loops);
    };
    let (dom, post) = (analyses.dominators(&func), analyses.post_dominators(&func));
    let plan =
        linearize::Linearization::new(&func, &order, &loops, &shapes, &dom, &post).ok_or(Refusal::Flow)?;
    let mut is_used = IdMap::with_len(false, func.values.len());
    func.instructions().flat_map(Inst::uses).for_each(|value| is_used[value] = true);
    if !may_wait {
        // What a function has seen of others may decide on another turn.
        let looks = |inst: &Inst| inst.op == Op::Call && callees.may_wait(inst.callee());
        let asks = |&block: &Block| {
            shapes.divergent_around(block).is_some()
                && func.blocks[block].insts.iter().any(|&id| looks(&func.insts[id]))
        };
        if order.blocks.iter().any(asks)
            || forward_progress::may_wait(&func, &order, &loops, &shapes, &is_used)
        {
            return Err(Refusal::Waits);
        }
    }
    let likely =
        crate::passes::vectorize::versioning::speculative_stride::find(&func, &order, &shapes, lanes);
    let finder = crate::passes::vectorize::memory::interleaved_groups::InterleavedFinder {
        func: &func,
        shapes: &shapes,
        groups: &groups,
        interleaved: &interleaved,
        lanes,
        has_masks: asked.backend.has_masks(),
    };
    let runs = finder.find(&order);
    let pieces = asked.piece.filter(|&length| length < lanes).and_then(|length| {
        let shapes = divergence::Shapes::find(&func, &loops, &order, &interleaved, &agreed, length)?;
        Some(crate::passes::vectorize::memory::row_segments::RowSegments { length, shapes })
    });
    let source = widen::WidenInput {
        func: &func,
        order: &order,
        loops: &loops,
        shapes: &shapes,
        dom: &dom,
        plan: &plan,
        groups: &groups,
        interleaved: &interleaved,
        likely: &likely,
        runs: &runs,
        is_used: &is_used,
        agreed: &agreed,
        record,
        pieces: pieces.as_ref(),
    };
    let mut wide = Function::new(body.func.name.clone(), body.func.ret);
    wide.param_facts = body.func.param_facts.clone();
    let frequencies = widen::Widener::new(&source, &mut wide, asked, callees).write()?;
    crate::ir::analysis::prune_unreachable(&mut wide);
    ssa_repair::run(&mut wide);
    after("vectorize", &wide, None, asked.debugging);
    let mut context = PassContext::standalone(asked.debugging);
    context.run(&[PROMOTE, SIMPLIFY], &mut wide);
    let narrow: &[Pass] = if asked.backend == Backend::Cranelift { &[] } else { &[SUBWORD_GATHERS] };
    if context.run(&[ROW_LOADS], &mut wide)
        | context.run(&[COALESCE_GATHERS], &mut wide)
        | context.run(narrow, &mut wide)
    {
        context.run(&[SIMPLIFY], &mut wide);
    }
    Ok((wide, frequencies))
}
