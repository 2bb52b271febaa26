//! Gathers of what fills 16 bytes side by side, such as the points of a cloud at indices that vary: each lane loads its 16 bytes at
//! once, and lanes and members change places in registers. Scatters likewise.
//!
//! Machines gather and scatter lane by lane, each member for itself. Pairs are for `neighbours`, and so is what not all lanes
//! take part in.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::{Replacements, combine};
use super::coalesce::{Member, Moved, WordAccess, elements, groups, start_between};
use super::subword::LaneAddresses;
use crate::ir::{Block, Builder, Function, Inst, Kind, Mem, Type, Value};

/// Bytes that a lane loads or stores.
const ROW: i64 = 16;
/// A row need not be aligned.
const ANYWHERE: Mem = Mem::aligned(1);

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    if func.instructions().filter(|inst| element(func, inst).is_some()).nth(1).is_none() {
        return false;
    }
    combine(func, rows_of)
}

/// The type of the elements that an instruction gathers or scatters, if rows of them would do.
fn element(func: &Function, inst: &Inst) -> Option<Type> {
    let ty = elements(func, inst)?;
    let is_number = matches!(ty.kind, Kind::I32 | Kind::F32 | Kind::I64 | Kind::F64);
    (is_number && ty.lanes >= 4 && ty.lanes.is_power_of_two()).then_some(ty)
}

/// Accesses that become one for each lane.
struct RowAccess {
    piece: WordAccess,
    ty: Type,
}

/// Rows of a block. Nothing is touched besides what is between members.
fn rows_of(func: &Function, block: Block) -> Vec<RowAccess> {
    let mut rows = Vec::new();
    let groups = groups(func, block, element).into_iter().filter(|group| group.key.mask.is_none());
    for group in groups {
        let Some(ty) = element(func, &func.insts[group.members[0].id]) else { continue };
        let size = i64::from(ty.kind.bytes());
        let worth = if group.is_scatter() { ROW / size } else { (ROW / size).min(3) } as usize;
        let distances = group.distances();
        let all = distances[0]..distances[distances.len() - 1] + size;
        let mut rest = &distances[..];
        while let Some(&first) = rest.first() {
            let count = rest.iter().take_while(|&&at| at + size <= first + ROW).count();
            let (inside, behind) = rest.split_at(count);
            let last = inside[count - 1] + size;
            match start_between(first..last, all.clone(), ROW).filter(|_| count >= worth) {
                Some(start) => {
                    rows.push(RowAccess { piece: group.piece(start, inside), ty });
                    rest = behind;
                }
                None => rest = &rest[1..],
            }
        }
    }
    rows
}

impl RowAccess {
    /// The number of an element.
    fn number(&self, member: Member) -> usize {
        ((member.distance - self.piece.start) / i64::from(self.ty.kind.bytes())) as usize
    }

    /// Elements of each lane.
    fn width(&self) -> u16 {
        ROW as u16 / self.ty.kind.bytes() as u16
    }
}

impl Moved for RowAccess {
    fn piece(&self) -> &WordAccess {
        &self.piece
    }

    fn gather(&self, b: &mut Builder<'_>, _: &Inst, lanes: LaneAddresses, replaced: &mut Replacements) {
        let row_type = Type::vector(self.ty.kind, self.width());
        let mut rows = Vec::new();
        for lane in 0..self.ty.lanes {
            let place = lanes.lane(b, lane);
            rows.push(b.load(row_type, place, ANYWHERE));
        }
        let columns = columns_of(b, &rows, self.width().into());
        for &member in &self.piece.members {
            if let Some(result) = b.func.insts[member.id].result {
                replaced.set(result, columns[self.number(member)]);
            }
        }
    }

    fn scatter(&self, b: &mut Builder<'_>, _: &Inst, lanes: LaneAddresses, replaced: &Replacements) {
        let width = self.width();
        let columns = self.piece.values(b.func, replaced);
        let piece = self.ty.lanes.min(2 * width);
        for first in (0..self.ty.lanes).step_by(piece.into()) {
            let parts = columns.iter().map(|&column| part(b, column, first, piece)).collect();
            let rows = transposed(b, parts);
            for lane in 0..piece {
                let row = part(b, rows[usize::from(lane % width)], lane / width * width, width);
                let place = lanes.lane(b, first + lane);
                b.store(row, place, ANYWHERE);
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
