//! Loop vectorization: iterations of an innermost loop as lanes, for kernels that are launched with fewer work-items
//! than a vector has lanes. Programs for processors run few work-items with long loops, and some run a single one.
//!
//! ```text
//! counted       finds loops that count up to a bound
//! outline       the body of such a loop as a function of one iteration
//! dependence    no iteration may access what another one writes
//! accumulators  sums over iterations: in lanes where the order does not matter, otherwise in order, after the lanes
//! emit          the loop in steps of the number of lanes, before the loop that there was
//! ```
//!
//! The function of one iteration is widened as the body of a work-item is, with the counter in the place of the local
//! id, and is inlined into a loop that takes as many iterations at once. The original loop follows for the rest of the
//! iterations. Results are those of the original loop, bit for bit: what a floating-point sum adds is computed in lanes,
//! and added one after the other.
//!
//! For example, iterations of `for (int j = 0; j < n; j++) f = fma(a[j], b[j], f)` become
//!
//! ```text
//! for (; n - j > 7; j += 8) { x = a[j..j + 8]; y = b[j..j + 8]; f = fma(x[0], y[0], f); ...; f = fma(x[7], y[7], f); }
//! for (; j < n; j++) f = fma(a[j], b[j], f)
//! ```

mod accumulators;
mod counted;
mod dependence;
mod emit;
mod outline;

use super::super::pass_manager::{Debugging, PassContext};
use super::super::{GVN, PROMOTE, SIMPLIFY};
use super::cost::estimate::total_cost;
use super::plan::{MAX_BODY_SIZE, default_lanes, is_profitable, widen_scalarized};
use super::widen::BlockFrequencies;
use super::{Callees, Refusal, ScalarizedBody, WidenOptions, has_sub_group_ops};
use accumulators::Accumulation;
use counted::CountedLoop;
use grus_ir::Function;
use grus_ir::analysis::Analyses;
use grus_support::target::Backend;
use grus_support::timing;
use outline::Outlined;

/// Options of loop vectorization.
#[derive(Clone, Copy, Debug)]
pub struct LoopOptions {
    /// Iterations per vector that tests demand, whatever the cost.
    pub lanes: Option<u16>,
    /// Backend that will compile the kernel.
    pub backend: Backend,
}

/// A loop whose iterations have been widened.
struct WideLoop {
    lanes: u16,
    wide: Function,
    /// Arguments for the parameters of `wide`.
    sources: Vec<outline::Source>,
    accumulations: Vec<Accumulation>,
}

/// Checks whether a kernel has loops whose iterations may be vectorized.
pub fn has_candidates(func: &Function) -> bool {
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    loops.ids().next().is_some()
        && loops.is_reducible()
        && !counted::find(func, &analyses.cfg(func), &loops).is_empty()
}

/// Widens four iterations of each loop that permits it, for the text tests of the pass.
pub(crate) fn run_forced(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let options = LoopOptions { lanes: Some(4), backend: Backend::Cranelift };
    run(func, context, options)
}

/// Widens the innermost loops of a kernel where that pays. Returns whether it changed the kernel.
pub fn run(func: &mut Function, context: &mut PassContext<'_>, options: LoopOptions) -> bool {
    if has_sub_group_ops(func) {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let loops = context.analyses.loops(func);
    if !loops.is_reducible() {
        return false;
    }
    let mut has_changed = false;
    for counted in counted::find(func, &cfg, &loops) {
        let result = widen(func, &counted, options, context.debugging);
        timing::note("loop", || {
            let header = counted.shape.header;
            match &result {
                Ok(wide) => format!("{}: {header:?}: {} iterations per vector", func.name, wide.lanes),
                Err(reason) => format!("{}: {header:?}: one iteration ({reason})", func.name),
            }
        });
        if let Ok(wide) = result {
            emit::emit(func, &counted, &wide);
            has_changed = true;
        }
    }
    has_changed
}

/// Widens the iterations of a loop.
///
/// # Errors
/// The reason why that is impossible, or does not pay.
fn widen(
    func: &Function,
    counted: &CountedLoop,
    options: LoopOptions,
    debugging: Debugging,
) -> Result<WideLoop, Refusal> {
    let backend = options.backend;
    if counted.size > MAX_BODY_SIZE {
        return Err(Refusal::Size);
    }
    let Outlined { func: mut iteration, mut sources, carried } = outline::outline(func, counted);
    // Equal parts of addresses become one value.
    PassContext::standalone(debugging).run(&[GVN], &mut iteration);
    let lanes = options.lanes.unwrap_or_else(|| {
        // One register: loops are short more often than rows of work-items.
        default_lanes(&iteration) * (backend.register() / 16) as u16 / 2
    });
    if counted.trip_count(func).is_some_and(|count| count < lanes.into()) || !counted.shifts_fit(lanes) {
        return Err(Refusal::Unprofitable);
    }
    let mut body = ScalarizedBody::new(&iteration, debugging)?;
    if !dependence::is_independent(&body.func, &sources) {
        return Err(Refusal::DependentIterations);
    }
    let accumulations = accumulators::rewrite(&mut body.func, &mut sources, &carried, func.may_reassociate)?;
    PassContext::standalone(debugging).run(&[PROMOTE, SIMPLIFY], &mut body.func);
    let mut callees = Callees::new(Vec::new(), Vec::new(), debugging);
    let widening = WidenOptions {
        lanes,
        record: None,
        segment_lanes: None,
        may_wait: false,
        is_forced: options.lanes.is_some(),
        backend,
        debugging,
    };
    let (wide, frequencies) = widen_scalarized(&body, widening, &mut callees)?;
    if options.lanes.is_none() {
        let scalar_cost = total_cost(&iteration, &BlockFrequencies::default(), backend, &callees);
        let wide_cost = total_cost(&wide, &frequencies, backend, &callees);
        // Values that are accumulated in order are loaded and accumulated one by one.
        let in_order: u64 = accumulations.iter().map(Accumulation::values_in_order).sum();
        if !is_profitable(wide_cost + in_order * u64::from(lanes), scalar_cost, lanes) {
            return Err(Refusal::Unprofitable);
        }
    }
    Ok(WideLoop { lanes, wide, sources, accumulations })
}
