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

mod agree;
mod atomic;
mod bits;
mod call;
mod callees;
mod choose;
mod clamps;
mod convention;
mod inst;
mod interleave;
mod jam;
mod latency;
mod likely;
mod linear;
mod memory;
mod offsets;
pub(super) mod order;
mod part;
mod pieces;
pub(super) mod prepare;
mod pressure;
mod repair;
mod runs;
mod scalarise;
mod shape;
mod stride;
mod strided;
mod subgroup;
mod thunk;
pub(super) mod waits;
mod walks;
mod widen;

use super::group::Record;
use super::pipeline::{Context, after};
use super::{NARROW, NEIGHBOURS, PROMOTE, Pass, ROWS, SIMPLIFY};
use crate::ir::analysis::Analyses;
use crate::ir::{Block, Function, Inst, Op};
use crate::support::IdMap;
use crate::support::machine::Backend;

pub use callees::Callees;
pub use choose::{MOST_LANES, choose, may_lack_sub_groups, sub_group};
pub use subgroup::{asks_for_sub_groups, of_one_item};

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
    let asked = Asked { lanes, record, piece: None, may_wait: false, is_forced: true, backend };
    widened(&Scalarised::new(body)?, asked, &mut Callees::new(Vec::new())).map(|(wide, _)| wide)
}

/// A body whose vectors are taken apart: the same for any number of lanes.
struct Scalarised {
    func: Function,
    groups: scalarise::Groups,
}

impl Scalarised {
    /// # Errors
    /// If it works on vectors in ways that cannot be taken apart.
    fn new(body: &Function) -> Result<Scalarised, Refusal> {
        let mut func = body.clone();
        prepare::truths_are_bytes(&mut func);
        let mut groups = scalarise::Groups::default();
        if scalarise::has_vectors(&func) {
            let cfg = Analyses::default().cfg(&func);
            groups = scalarise::run(&mut func, &cfg)?;
            Context::alone().run(&[PROMOTE, SIMPLIFY], &mut func);
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
    let interleaved = interleave::run(&mut func, &cfg, &mut groups, lanes);
    prepare::run(&mut func, &mut analyses);
    let mut agreed = agree::Agreed::default();
    let (mut cfg, mut loops) = (analyses.cfg(&func), analyses.loops(&func));
    if !loops.is_reducible() {
        return Err(Refusal::Flow);
    }
    let mut order = order::Order::new(&func, &cfg, &loops);
    let mut rounds = 0;
    let shapes = loop {
        let shapes =
            shape::Shapes::find(&func, &loops, &order, &interleaved, &agreed, lanes).ok_or(Refusal::Flow)?;
        if rounds == QUESTIONS {
            break shapes;
        }
        rounds += 1;
        let dom = analyses.dominators(&func);
        let guards = agree::guards(&func, &order, &shapes, &cfg, &dom, &agreed, (callees, lanes));
        if guards.is_empty() {
            let Some(question) = clamps::find(&func, &order, &shapes, &dom, &agreed, lanes) else {
                break shapes;
            };
            clamps::run(&mut func, &question, &mut groups, &mut agreed, lanes);
        } else {
            agree::run(&mut func, &guards, &mut groups, &mut agreed);
        }
        prepare::run(&mut func, &mut analyses);
        (cfg, loops) = (analyses.cfg(&func), analyses.loops(&func));
        order = order::Order::new(&func, &cfg, &loops);
    };
    let (dom, post) = (analyses.dominators(&func), analyses.post_dominators(&func));
    let plan = linear::Plan::new(&func, &order, &loops, &shapes, &dom, &post).ok_or(Refusal::Flow)?;
    let mut is_used = IdMap::with_len(false, func.values.len());
    func.instructions().flat_map(Inst::uses).for_each(|value| is_used[value] = true);
    if !may_wait {
        // What a function has seen of others may decide on another turn.
        let looks = |inst: &Inst| inst.op == Op::Call && callees.may_wait(inst.callee());
        let asks = |&block: &Block| {
            shapes.divergent_around(block).is_some()
                && func.blocks[block].insts.iter().any(|&id| looks(&func.insts[id]))
        };
        if order.blocks.iter().any(asks) || waits::may_wait(&func, &order, &loops, &shapes, &is_used) {
            return Err(Refusal::Waits);
        }
    }
    let likely = likely::find(&func, &order, &shapes, lanes);
    let finder = runs::Finder {
        func: &func,
        shapes: &shapes,
        groups: &groups,
        interleaved: &interleaved,
        lanes,
        has_masks: asked.backend.has_masks(),
    };
    let runs = finder.find(&order);
    let pieces = asked.piece.filter(|&length| length < lanes).and_then(|length| {
        let shapes = shape::Shapes::find(&func, &loops, &order, &interleaved, &agreed, length)?;
        Some(pieces::Pieces { length, shapes })
    });
    let source = widen::Source {
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
    repair::run(&mut wide);
    after("spmd", &wide, None);
    let mut context = Context::alone();
    context.run(&[PROMOTE, SIMPLIFY], &mut wide);
    let narrow: &[Pass] = if asked.backend == Backend::Cranelift { &[] } else { &[NARROW] };
    if context.run(&[ROWS], &mut wide)
        | context.run(&[NEIGHBOURS], &mut wide)
        | context.run(narrow, &mut wide)
    {
        context.run(&[SIMPLIFY], &mut wide);
    }
    Ok((wide, frequencies))
}
