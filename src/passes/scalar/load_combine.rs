//! Combines scalar code into vector code: vectors that are filled lane by lane are built by one instruction, and
//! adjacent scalars that form a vector are loaded by one load (Larsen, Amarasinghe: Exploiting Superword Level
//! Parallelism with Multimedia Instruction Sets, PLDI 2000, for these two cases only).
//!
//! Programs write operations on vectors of three as `a.xyz -= b.xyz`, and vectors of the members of a structure as
//! `(float4)(s.x, s.y, s.z, s.w)`.

use super::super::gather::coalesce::address;
use super::super::pass_manager::PassContext;
use super::insert_chains::{Chain, Inserts};
use super::replace::{Combined, Replacements, combine};
use grus_ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Mem, Op, Type, Value};
use grus_support::FastMap;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let fills = |inst: &Inst| matches!(inst.op, Op::BuildVector | Op::Insert);
    if !func.instructions().any(fills) {
        return false;
    }
    let has_built = build_vectors(func);
    combine(func, find_lane_loads) || has_built
}

/// Turns chains of inserts whose lanes are extracted from one vector into `build_vector`.
fn build_vectors(func: &mut Function) -> bool {
    let Some(inserts) = Inserts::of(func) else { return false };
    let mut has_changed = false;
    for block in func.layout.clone() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let chain = inserts.is_end(&func.insts[id]).then(|| inserts.chain(func, id));
            if let Some(Chain { start, lanes }) = chain.filter(|chain| copies_one_vector(func, chain)) {
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

/// Checks whether a chain sets several lanes, all extracted from the same vector.
fn copies_one_vector(func: &Function, chain: &Chain) -> bool {
    let of = |&value: &Value| func.def_inst(value).filter(|def| def.op == Op::Extract).map(|def| def.args[0]);
    let vectors: Vec<Option<Value>> = chain.lanes.iter().flatten().map(of).collect();
    let is_one = vectors[0].is_some() && vectors.iter().all(|vector| *vector == vectors[0]);
    vectors.len() > 1 && is_one && func.ty(chain.start).kind.bits() >= 32
}

/// Loads whose results form a vector.
/// Instruction that builds the vector.
struct LaneLoads {
    vector: InstId,
    /// Loads of the lanes.
    /// Index in `lanes` of the load that comes first in the block.
    lanes: Vec<InstId>,
    first: usize,
}

/// Finds the vectors of a block whose lanes are loaded one by one from consecutive addresses, without writes in
/// between.
fn find_lane_loads(func: &Function, block: Block) -> Vec<LaneLoads> {
    // For each load, the numbers of writes and of loads before it.
    let mut times: FastMap<InstId, (usize, usize)> = FastMap::default();
    let mut written = 0;
    let mut found: Vec<LaneLoads> = Vec::new();
    let mut used: FastMap<InstId, ()> = FastMap::default();
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
        let defined_by = |&arg: &Value| match func.values[arg].def {
            Def::Inst(id) => Some(id),
            Def::Param(..) => None,
        };
        let lanes: Option<Vec<InstId>> = inst.args.iter().map(defined_by).collect();
        let Some(lanes) = lanes else { continue };
        let Some(times) = lanes.iter().map(|lane| times.get(lane)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let is_free = lanes.iter().all(|lane| !used.contains_key(lane));
        if !is_free || times.iter().any(|time| time.0 != times[0].0) || !are_consecutive(func, &lanes) {
            continue;
        }
        let first = (0..lanes.len()).min_by_key(|&at| times[at].1).unwrap_or(0);
        used.extend(lanes.iter().map(|&lane| (lane, ())));
        found.push(LaneLoads { vector: id, lanes, first });
    }
    found
}

/// Checks whether loads have the same type and consecutive addresses.
fn are_consecutive(func: &Function, lanes: &[InstId]) -> bool {
    let start = address(func, func.insts[lanes[0]].args[0]);
    let ty = func.insts[lanes[0]].ty;
    let step = i64::from(ty.kind.bytes());
    (0i64..).zip(lanes).all(|(at, &lane)| {
        let inst = &func.insts[lane];
        let other = address(func, inst.args[0]);
        inst.ty == ty
            && (other.0, &other.1) == (start.0, &start.1)
            && other.2 == start.2.wrapping_add(at.wrapping_mul(step))
    })
}

impl Combined for LaneLoads {
    fn insertion_point(&self) -> InstId {
        self.lanes[self.first]
    }
    fn members(&self) -> impl Iterator<Item = InstId> {
        self.lanes.iter().chain([&self.vector]).copied()
    }
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements) {
        let mut inst = func.insts[self.insertion_point()].clone();
        replaced.resolve(&mut inst);
        let ty = Type::vector(inst.ty.kind, self.lanes.len() as u16);
        let bytes = inst.ty.kind.bytes();
        let back = self.first as u64 * u64::from(bytes);
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let pointer = b.ptr_offset(inst.args[0], back.wrapping_neg());
        // The vector's address is only known to be aligned to the minimum of a lane's size and its load's
        // alignment.
        let all = b.load(ty, pointer, Mem { align: inst.mem().align.min(bytes), ..inst.mem() });
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
