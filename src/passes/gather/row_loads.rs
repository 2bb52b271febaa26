//! Lowers gathers of 16 adjacent bytes per lane, such as the points of a point cloud at divergent indices: each
//! lane loads its 16 bytes at once, and the rows are transposed in registers. Scatters are lowered accordingly.
//!
//! CPUs execute gathers and scatters lane by lane, once for each member. Pairs of members and masked accesses are
//! left to `coalesce`.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::{Replacements, combine};
use super::coalesce::{CombinedAccess, Member, SegmentAccess, elements, groups, start_between};
use super::subword::LaneAddresses;
use grus_ir::{Block, Builder, Function, Inst, Kind, Mem, Type, Value};

/// Bytes that a lane loads or stores.
const ROW: i64 = 16;
/// Memory attributes of a row access, which need not be aligned.
const UNALIGNED: Mem = Mem::aligned(1);

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    if func.instructions().filter(|inst| element(func, inst).is_some()).nth(1).is_none() {
        return false;
    }
    combine(func, find_rows)
}

/// Returns the type of the elements that an instruction gathers or scatters, if it can be lowered to rows.
fn element(func: &Function, inst: &Inst) -> Option<Type> {
    let ty = elements(func, inst)?;
    let is_number = matches!(ty.kind, Kind::I32 | Kind::F32 | Kind::I64 | Kind::F64);
    (is_number && ty.lanes >= 4 && ty.lanes.is_power_of_two()).then_some(ty)
}

/// Accesses that become one row access per lane.
struct RowAccess {
    segment: SegmentAccess,
    ty: Type,
}

/// Finds the rows of a block. A row covers only bytes between members of its group.
fn find_rows(func: &Function, block: Block) -> Vec<RowAccess> {
    let mut rows = Vec::new();
    let groups = groups(func, block, element).into_iter().filter(|group| group.key.mask.is_none());
    for group in groups {
        let Some(ty) = element(func, &func.insts[group.members[0].id]) else { continue };
        let size = i64::from(ty.kind.bytes());
        let min_count = if group.is_scatter() { ROW / size } else { (ROW / size).min(3) } as usize;
        let distances = group.distances();
        let all = distances[0]..distances[distances.len() - 1] + size;
        let mut rest = &distances[..];
        while let Some(&first) = rest.first() {
            let count = rest.iter().take_while(|&&at| at + size <= first + ROW).count();
            let (inside, remaining) = rest.split_at(count);
            let last = inside[count - 1] + size;
            match start_between(first..last, all.clone(), ROW).filter(|_| count >= min_count) {
                Some(start) => {
                    rows.push(RowAccess { segment: group.segment(start, inside), ty });
                    rest = remaining;
                }
                None => rest = &rest[1..],
            }
        }
    }
    rows
}

impl RowAccess {
    /// Returns the index of a member's element in the row.
    fn element_index(&self, member: Member) -> usize {
        ((member.distance - self.segment.start) / i64::from(self.ty.kind.bytes())) as usize
    }

    /// Returns the number of elements of a row.
    fn width(&self) -> u16 {
        ROW as u16 / self.ty.kind.bytes() as u16
    }
}

impl CombinedAccess for RowAccess {
    fn segment(&self) -> &SegmentAccess {
        &self.segment
    }

    fn gather(&self, b: &mut Builder<'_>, _: &Inst, lanes: LaneAddresses, replaced: &mut Replacements) {
        let row_type = Type::vector(self.ty.kind, self.width());
        let mut rows = Vec::new();
        for lane in 0..self.ty.lanes {
            let pointer = lanes.lane(b, lane);
            rows.push(b.load(row_type, pointer, UNALIGNED));
        }
        let columns = transpose_rows(b, &rows, self.width().into());
        for &member in &self.segment.members {
            if let Some(result) = b.func.insts[member.id].result {
                replaced.set(result, columns[self.element_index(member)]);
            }
        }
    }

    fn scatter(&self, b: &mut Builder<'_>, _: &Inst, lanes: LaneAddresses, replaced: &Replacements) {
        let width = self.width();
        let columns = self.segment.values(b.func, replaced);
        let segment = self.ty.lanes.min(2 * width);
        for first in (0..self.ty.lanes).step_by(segment.into()) {
            let columns = columns.iter().map(|&column| lanes_from(b, column, first, segment)).collect();
            let rows = transpose(b, columns);
            for lane in 0..segment {
                let row = lanes_from(b, rows[usize::from(lane % width)], lane / width * width, width);
                let pointer = lanes.lane(b, first + lane);
                b.store(row, pointer, UNALIGNED);
            }
        }
    }
}

/// Returns `lanes` lanes of a vector from `first` on.
fn lanes_from(b: &mut Builder<'_>, vector: Value, first: u16, lanes: u16) -> Value {
    if lanes == b.func.ty(vector).lanes {
        return vector;
    }
    let picks: Vec<u16> = (first..first + lanes).collect();
    b.shuffle(vector, vector, &picks)
}

/// Transposes rows: returns one vector per element, with one lane per row.
fn transpose_rows(b: &mut Builder<'_>, rows: &[Value], width: usize) -> Vec<Value> {
    // Two rows are joined into a register of 256 bits, whose halves are transposed alike.
    let segments = rows.len() / width;
    let mut joined: Vec<Vec<Value>> = Vec::new();
    for pair in (0..segments).step_by(2) {
        let current = &rows[pair * width..];
        if segments == 1 {
            joined.push(transpose(b, current[..width].iter().copied().collect()).into_vec());
            continue;
        }
        let all: Vec<u16> = (0..2 * width as u16).collect();
        let both = (0..width).map(|at| b.shuffle(current[at], current[width + at], &all)).collect();
        joined.push(transpose(b, both).into_vec());
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

/// Transposes two or four vectors in each segment of 16 bytes.
fn transpose(b: &mut Builder<'_>, rows: SmallVec<[Value; 4]>) -> SmallVec<[Value; 4]> {
    let lanes = b.func.ty(rows[0]).lanes;
    let width = rows.len() as u16;
    // Interleaves groups of `of` lanes of two vectors within each segment of 16 bytes, starting at the segment's
    // element `from`.
    let mut zip = |x: Value, y: Value, of: u16, from: u16| {
        let pick = |at: u16| {
            let (segment, inside) = (at / width * width, at % width);
            let vector = inside / of % 2;
            segment + from + inside / (2 * of) * of + inside % of + vector * lanes
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
