//! Lanes that are put into a vector one by one are put there at once, and numbers that lie side by side are loaded at once
//! (Larsen, Amarasinghe: Exploiting Superword Level Parallelism with Multimedia Instruction Sets, PLDI 2000, for these two only).
//!
//! `a.xyz -= b.xyz` and `(float4)(s.x, s.y, s.z, s.w)` are how programs write vectors of three, and structures of numbers.

use super::super::gather::coalesce::address;
use super::super::pass_manager::PassContext;
use super::insert_chains::{Chain, Inserts};
use super::replace::{Joined, Replacements, join};
use crate::ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Mem, Op, Type, Value};
use crate::support::FastMap;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let fills = |inst: &Inst| matches!(inst.op, Op::BuildVector | Op::Insert);
    if !func.instructions().any(fills) {
        return false;
    }
    let has_moved = move_lanes(func);
    join(func, loads) || has_moved
}

/// Chains of inserts of lanes that are taken out of one vector become vectors that are built.
fn move_lanes(func: &mut Function) -> bool {
    let Some(inserts) = Inserts::of(func) else { return false };
    let mut has_changed = false;
    for block in func.layout.clone() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let chain = inserts.is_end(&func.insts[id]).then(|| inserts.chain(func, id));
            if let Some(Chain { start, lanes }) = chain.filter(|chain| is_moved(func, chain)) {
                let loc = func.insts[id].loc;
                let mut b = Builder::new(func, block);
                b.loc = loc;
                let lanes = (0u16..)
                    .zip(lanes)
                    .map(|(at, lane)| lane.unwrap_or_else(|| b.extract(start, at)))
                    .collect();
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) = (Op::BuildVector, Attr::None, lanes);
                has_changed = true;
            }
            func.blocks[block].insts.push(id);
        }
    }
    has_changed
}

/// Whether a chain sets some lanes, to those of one vector.
fn is_moved(func: &Function, chain: &Chain) -> bool {
    let of = |&value: &Value| func.def_inst(value).filter(|def| def.op == Op::Extract).map(|def| def.args[0]);
    let vectors: Vec<Option<Value>> = chain.lanes.iter().flatten().map(of).collect();
    let is_one = vectors[0].is_some() && vectors.iter().all(|vector| *vector == vectors[0]);
    vectors.len() > 1 && is_one && func.ty(chain.start).kind.bits() >= 32
}

/// Loads of which a vector is built.
struct Loads {
    vector: InstId,
    /// Those of the lanes, and which comes first.
    lanes: Vec<InstId>,
    first: usize,
}

/// Vectors of a block whose lanes are loaded one by one from places that follow each other, with nothing written in between.
fn loads(func: &Function, block: Block) -> Vec<Loads> {
    // When a load is done, counted by what is written, and how many come before it.
    let mut times: FastMap<InstId, (usize, usize)> = FastMap::default();
    let mut written = 0;
    let mut found: Vec<Loads> = Vec::new();
    let mut taken: FastMap<InstId, ()> = FastMap::default();
    for &id in &func.blocks[block].insts {
        let inst = &func.insts[id];
        if inst.op == Op::Load && !inst.ty.is_vector() && !inst.mem().volatile {
            times.insert(id, (written, times.len()));
        } else if !matches!(inst.op.effect(), Effect::Pure | Effect::Read) {
            written += 1;
        }
        if inst.op != Op::BuildVector || inst.ty.is_mask() || !matches!(inst.ty.bits(), 64 | 128 | 256) {
            continue;
        }
        let made_by = |&arg: &Value| match func.values[arg].def {
            Def::Inst(id) => Some(id),
            Def::Param(..) => None,
        };
        let lanes: Option<Vec<InstId>> = inst.args.iter().map(made_by).collect();
        let Some(lanes) = lanes else { continue };
        let Some(times) = lanes.iter().map(|lane| times.get(lane)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let is_free = lanes.iter().all(|lane| !taken.contains_key(lane));
        if !is_free || times.iter().any(|time| time.0 != times[0].0) || !are_in_line(func, &lanes) {
            continue;
        }
        let first = (0..lanes.len()).min_by_key(|&at| times[at].1).unwrap_or(0);
        taken.extend(lanes.iter().map(|&lane| (lane, ())));
        found.push(Loads { vector: id, lanes, first });
    }
    found
}

/// Whether loads are of one kind, from places that follow each other.
fn are_in_line(func: &Function, lanes: &[InstId]) -> bool {
    let start = address(func, func.insts[lanes[0]].args[0]);
    let ty = func.insts[lanes[0]].ty;
    let step = i64::from(ty.kind.bytes());
    (0i64..).zip(lanes).all(|(at, &lane)| {
        let inst = &func.insts[lane];
        let place = address(func, inst.args[0]);
        inst.ty == ty
            && (place.0, &place.1) == (start.0, &start.1)
            && place.2 == start.2.wrapping_add(at.wrapping_mul(step))
    })
}

impl Joined for Loads {
    fn place(&self) -> InstId {
        self.lanes[self.first]
    }
    fn members(&self) -> impl Iterator<Item = InstId> {
        self.lanes.iter().chain([&self.vector]).copied()
    }
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements) {
        let mut inst = func.insts[self.place()].clone();
        replaced.resolve(&mut inst);
        let ty = Type::vector(inst.ty.kind, self.lanes.len() as u16);
        let bytes = inst.ty.kind.bytes();
        let back = self.first as u64 * u64::from(bytes);
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let place = b.ptr_offset(inst.args[0], back.wrapping_neg());
        // What is known of one lane's address is known of the first one's up to the size of a lane.
        let all = b.load(ty, place, Mem { align: inst.mem().align.min(bytes), ..inst.mem() });
        for (lane, &id) in (0u16..).zip(&self.lanes) {
            if let Some(result) = b.func.insts[id].result {
                let one = b.extract(all, lane);
                replaced.set(result, one);
            }
        }
        if let Some(result) = b.func.insts[self.vector].result {
            replaced.set(result, all);
        }
    }
}
