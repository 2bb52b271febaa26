//! Work-group functions: what all items brought to the barrier, combined.

use super::eval::eval;
use super::{Group, Item, Lanes};
use crate::ir::{Attr, Inst, Op, Reduction, Type};
use smallvec::SmallVec;

/// Gives each item its result, if the barrier at which all stand is a work-group function.
pub(super) fn finish(items: &mut [Item<'_>], group: &Group) -> Result<(), String> {
    let mut running: Option<u64> = None;
    let mut results = Vec::with_capacity(items.len());
    let mut uniform = false;
    for item in items.iter() {
        let Some(frame) = item.frames.last() else { continue };
        let inst = &frame.func.insts[frame.func.blocks[frame.block].insts[frame.next - 1]];
        if !inst.op.is_collective() {
            return Ok(());
        }
        uniform = inst.op.is_collective_uniform();
        let value = frame.values[inst.args[0]][0];
        let before = running.unwrap_or(match inst.attr {
            Attr::Reduction(how) => how.identity(inst.ty.kind),
            _ => 0,
        });
        let after = match inst.attr {
            Attr::Reduction(how) => combine(how, inst.ty, before, value).ok_or("no such combination")?,
            _ => {
                let [x, y, z] = item.local_id;
                let index = (z * group.size[1] + y) * group.size[0] + x;
                if index == frame.values[inst.args[1]][0] { value } else { before }
            }
        };
        running = Some(after);
        results.push(if inst.op == Op::GroupScanBefore { before } else { after });
    }
    for (item, result) in items.iter_mut().zip(results) {
        let Some(frame) = item.frames.last_mut() else { continue };
        let inst: &Inst = &frame.func.insts[frame.func.blocks[frame.block].insts[frame.next - 1]];
        let result = running.filter(|_| uniform).unwrap_or(result);
        frame.set(inst, SmallVec::from_elem(result, 1));
    }
    Ok(())
}

fn combine(how: Reduction, ty: Type, a: u64, x: u64) -> Option<u64> {
    let lane = |bits: u64| -> Lanes { SmallVec::from_elem(bits, 1) };
    let apply = |op: Op, result: Type, attr: Attr| {
        eval(op, result, &attr, &[ty, ty], &[&lane(x), &lane(a)]).map(|lanes| lanes[0])
    };
    match how.by() {
        Ok(op) => apply(op, ty, Attr::None),
        Err(cond) => {
            let better = apply(Op::Fcmp, ty.compared(), Attr::FloatCond(cond))?;
            Some(if better != 0 { x } else { a })
        }
    }
}
