//! Gathers of what fills 16 bytes side by side, such as the points of a cloud at indices that vary: each lane loads its 16 bytes at
//! once, and lanes and members change places in registers. Scatters likewise.
//!
//! Machines without AVX-512 gather and scatter lane by lane, each member for itself. Pairs are for `neighbours`, and so is what
//! not all lanes take part in.

use smallvec::SmallVec;

use super::narrow::Lanes;
use super::neighbours::{Member, Open, groups};
use super::replace::Replacements;
use crate::ir::{Block, Builder, Effect, Function, Inst, InstId, Kind, Mem, Op, Type, Value};
use crate::passes::pipeline::Context;
use crate::support::FastMap;

/// Bytes that a lane loads or stores.
const ROW: i64 = 16;
/// A row need not be aligned.
const ANYWHERE: Mem = Mem::aligned(1);

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut Context<'_>) -> bool {
    if func.instructions().filter(|inst| element(func, inst).is_some()).nth(1).is_none() {
        return false;
    }
    let mut replaced = Replacements::new(func);
    let mut has_changed = false;
    for block in func.layout.clone() {
        let mut rows = Vec::new();
        for group in groups(func, block, element) {
            if group.key.mask.is_none() {
                rows_of(func, &group, &mut rows);
            }
        }
        if rows.is_empty() {
            continue;
        }
        has_changed = true;
        let places: FastMap<InstId, usize> =
            rows.iter().enumerate().map(|(at, row)| (row.place(), at)).collect();
        let members = rows.iter().flat_map(|row| &row.members);
        let covered: FastMap<InstId, ()> = members.map(|member| (member.id, ())).collect();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            if let Some(&at) = places.get(&id) {
                rows[at].write(func, block, &mut replaced);
            } else if !covered.contains_key(&id) {
                func.blocks[block].insts.push(id);
            }
        }
    }
    replaced.apply(func);
    has_changed
}

/// The type of the elements that an instruction gathers or scatters, if rows of them would do.
fn element(func: &Function, inst: &Inst) -> Option<Type> {
    let (ty, mem) = match inst.op {
        Op::Gather => (inst.ty, inst.mem()),
        Op::GatherAt => (inst.ty, inst.scaled_mem().0),
        Op::Scatter => (func.ty(inst.args[1]), inst.mem()),
        Op::ScatterAt => (func.ty(inst.args[2]), inst.scaled_mem().0),
        _ => return None,
    };
    let is_number = matches!(ty.kind, Kind::I32 | Kind::F32 | Kind::I64 | Kind::F64);
    (is_number && ty.lanes >= 4 && ty.lanes.is_power_of_two() && !mem.volatile).then_some(ty)
}

/// Accesses that become one for each lane.
struct Row {
    is_scatter: bool,
    /// Where it begins: bytes from the key's address.
    start: i64,
    ty: Type,
    members: Vec<Member>,
}

/// Rows of what belongs together. Nothing is touched besides what is between members.
fn rows_of(func: &Function, group: &Open, rows: &mut Vec<Row>) {
    let first = &func.insts[group.members[0].id];
    let Some(ty) = element(func, first) else { return };
    let is_scatter = group.key.op.effect() != Effect::Read;
    let size = i64::from(ty.kind.bytes());
    let worth = if is_scatter { ROW / size } else { (ROW / size).min(3) } as usize;
    let mut distances: Vec<i64> = group.members.iter().map(|member| member.distance).collect();
    distances.sort_unstable();
    distances.dedup();
    let (Some(&lowest), Some(&highest)) = (distances.first(), distances.last()) else { return };
    let mut rest = &distances[..];
    while let Some(&first) = rest.first() {
        let count = rest.iter().take_while(|&&at| at + size <= first + ROW).count();
        let last = rest[count - 1] + size;
        let start = match () {
            () if first + ROW <= highest + size => Some(first),
            () if last - ROW >= lowest => Some(last - ROW),
            () => None,
        };
        let Some(start) = start.filter(|_| count >= worth) else {
            rest = &rest[1..];
            continue;
        };
        let (inside, behind) = rest.split_at(count);
        rest = behind;
        let is_inside = |member: &&Member| inside.contains(&member.distance);
        let members = group.members.iter().filter(is_inside).copied().collect();
        rows.push(Row { is_scatter, start, ty, members });
    }
}

impl Row {
    /// The member that it takes the place of: loads are done early, stores late.
    fn place(&self) -> InstId {
        let place = if self.is_scatter { self.members.last() } else { self.members.first() };
        place.expect("a row has members").id
    }

    /// The number of an element.
    fn number(&self, member: Member) -> usize {
        ((member.distance - self.start) / i64::from(self.ty.kind.bytes())) as usize
    }

    /// Writes it at the end of a block.
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements) {
        let place = self.place();
        let mut inst = func.insts[place].clone();
        replaced.resolve(&mut inst);
        let distance =
            self.members.iter().find(|member| member.id == place).map_or(0, |member| member.distance);
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let mut lanes = Lanes::of(&mut b, &inst);
        lanes.add(&mut b, self.start.wrapping_sub(distance));
        let width = ROW as u16 / self.ty.kind.bytes() as u16;
        if self.is_scatter {
            let mut columns: SmallVec<[Value; 4]> = SmallVec::new();
            for number in 0..usize::from(width) {
                let member = self.members.iter().find(|member| self.number(**member) == number);
                let value = &b.func.insts[member.expect("a row is full").id];
                columns.push(replaced.get(value.args[value.args.len() - 2]));
            }
            let piece = self.ty.lanes.min(2 * width);
            for first in (0..self.ty.lanes).step_by(piece.into()) {
                let parts = columns.iter().map(|&column| part(&mut b, column, first, piece)).collect();
                let rows = transposed(&mut b, parts);
                for lane in 0..piece {
                    let row = part(&mut b, rows[usize::from(lane % width)], lane / width * width, width);
                    let place = lanes.lane(&mut b, first + lane);
                    b.store(row, place, ANYWHERE);
                }
            }
            return;
        }
        let row_type = Type::vector(self.ty.kind, width);
        let mut rows = Vec::new();
        for lane in 0..self.ty.lanes {
            let place = lanes.lane(&mut b, lane);
            rows.push(b.load(row_type, place, ANYWHERE));
        }
        let columns = columns_of(&mut b, &rows, width.into());
        for &member in &self.members {
            if let Some(result) = b.func.insts[member.id].result {
                replaced.set(result, columns[self.number(member)]);
            }
        }
    }
}

/// So many lanes of a vector, or all.
fn part(b: &mut Builder<'_>, vector: Value, first: u16, lanes: u16) -> Value {
    if lanes == b.func.ty(vector).lanes {
        return vector;
    }
    let picks: Vec<u16> = (first..first + lanes).collect();
    b.shuffle(vector, vector, &picks)
}

/// A vector for each element of rows, with a lane for each row.
fn columns_of(b: &mut Builder<'_>, rows: &[Value], width: usize) -> Vec<Value> {
    // Two rows fill a register of 256 bits, in whose halves the same is done.
    let pieces = rows.len() / width;
    let mut joined: Vec<Vec<Value>> = Vec::new();
    for pair in (0..pieces).step_by(2) {
        let mine = &rows[pair * width..];
        if pieces == 1 {
            joined.push(transposed(b, mine[..width].iter().copied().collect()).into_vec());
            continue;
        }
        let all: Vec<u16> = (0..2 * width as u16).collect();
        let both = (0..width).map(|at| b.shuffle(mine[at], mine[width + at], &all)).collect();
        joined.push(transposed(b, both).into_vec());
    }
    while joined.len() > 1 {
        let mut longer = Vec::new();
        for pair in joined.chunks(2) {
            let lanes = 2 * b.func.ty(pair[0][0]).lanes;
            let all: Vec<u16> = (0..lanes).collect();
            longer.push((0..width).map(|at| b.shuffle(pair[0][at], pair[1][at], &all)).collect());
        }
        joined = longer;
    }
    joined.pop().unwrap_or_default()
}

/// Two or four vectors, of which each 16 bytes become those of the others.
fn transposed(b: &mut Builder<'_>, rows: SmallVec<[Value; 4]>) -> SmallVec<[Value; 4]> {
    let lanes = b.func.ty(rows[0]).lanes;
    let width = rows.len() as u16;
    // One element of each of two vectors in turns, of so many lanes; from which element of each 16 bytes on.
    let mut zip = |x: Value, y: Value, of: u16, from: u16| {
        let pick = |at: u16| {
            let (piece, inside) = (at / width * width, at % width);
            let vector = inside / of % 2;
            piece + from + inside / (2 * of) * of + inside % of + vector * lanes
        };
        let picks: Vec<u16> = (0..lanes).map(pick).collect();
        b.shuffle(x, y, &picks)
    };
    if let [x, y] = rows[..] {
        return [zip(x, y, 1, 0), zip(x, y, 1, 1)].into_iter().collect();
    }
    let [low, low_too] = [zip(rows[0], rows[1], 1, 0), zip(rows[2], rows[3], 1, 0)];
    let [high, high_too] = [zip(rows[0], rows[1], 1, 2), zip(rows[2], rows[3], 1, 2)];
    let [x, y] = [zip(low, low_too, 2, 0), zip(low, low_too, 2, 2)];
    let [z, w] = [zip(high, high_too, 2, 0), zip(high, high_too, 2, 2)];
    SmallVec::from_buf([x, y, z, w])
}
