//! Work-group collective functions: combine the values that all work-items have brought to the barrier.

use super::eval::eval;
use super::{Group, InterpError, Item, LaneBits};
use crate::{Attr, Op, Reduction, Type};
use smallvec::SmallVec;

/// Stores the result in each work-item if the barrier at which all have arrived is a collective function.
pub(super) fn finish(items: &mut [Item<'_>], group: &Group) -> Result<(), InterpError> {
    let mut running: Option<u64> = None;
    let mut partials: Option<(Reduction, Type, Vec<u64>)> = None;
    let mut results = Vec::with_capacity(items.len());
    for item in items.iter() {
        let Some(frame) = item.frames.last() else { continue };
        let inst = frame.current();
        if !inst.op.is_collective() {
            return Ok(());
        }
        let value = frame.values[inst.args[0]][0];
        let [x, y, z] = item.local_id;
        let index = (z * group.size[1] + y) * group.size[0] + x;
        let Attr::Reduction(how) = inst.attr else {
            if index == frame.values[inst.args[1]][0] {
                running = Some(value);
            }
            continue;
        };
        let identity = how.identity(inst.ty.kind);
        let count = usize::from(Reduction::PARTS);
        if inst.op == Op::GroupReduce {
            let (.., partials) = partials.get_or_insert_with(|| (how, inst.ty, vec![identity; count]));
            let partial = &mut partials[index as usize % count];
            *partial = combine(how, inst.ty, *partial, value)?;
            continue;
        }
        let before = running.unwrap_or(identity);
        let after = combine(how, inst.ty, before, value)?;
        running = Some(after);
        results.push(if inst.op == Op::GroupExclusiveScan { before } else { after });
    }
    if let Some((how, ty, partials)) = partials {
        running = Some(halve(how, ty, partials)?);
    }
    let mut results = results.into_iter();
    for item in items {
        let Some(frame) = item.frames.last_mut() else { continue };
        let inst = frame.current();
        let result = results.next().or(running).unwrap_or(0);
        frame.set(inst, SmallVec::from_elem(result, 1));
    }
    Ok(())
}

/// Combines the first half with the second until one value is left.
pub(super) fn halve(how: Reduction, ty: Type, mut partials: Vec<u64>) -> Result<u64, InterpError> {
    while partials.len() > 1 {
        let high = partials.split_off(partials.len() / 2);
        for (low, high) in partials.iter_mut().zip(high) {
            *low = combine(how, ty, *low, high)?;
        }
    }
    Ok(partials[0])
}

pub(super) fn combine(how: Reduction, ty: Type, a: u64, x: u64) -> Result<u64, InterpError> {
    let lane = |bits: u64| -> LaneBits { SmallVec::from_elem(bits, 1) };
    let apply = |op: Op, result: Type, attr: Attr| {
        eval(op, result, &attr, &[ty, ty], &[&lane(x), &lane(a)]).map(|lanes| lanes[0])
    };
    let combined = match how.by() {
        Ok(op) => apply(op, ty, Attr::None),
        Err(cond) => {
            let better = apply(Op::Fcmp, ty.compared(), Attr::FloatCond(cond));
            better.map(|better| if better != 0 { x } else { a })
        }
    };
    combined.ok_or(InterpError::Reduction(how, ty))
}
