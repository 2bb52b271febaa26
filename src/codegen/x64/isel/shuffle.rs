//! Shuffles of lanes of 32 and 64 bits with AVX2, whose instructions permute lanes within halves of 128 bits, or of one
//! register. Sequences of one or two instructions are found by trial; otherwise each register is permuted and the
//! results are blended.

use regalloc2::VReg;

use super::super::vec_ops::{Size, VecOp};
use super::lanes::{Pick, Picked};
use super::{Lower, Lowered, ValueRegs, one};
use crate::ir::{Inst, Op, Value};

/// Maximum number of lanes of 32 bits in a register.
const MOST: usize = 8;

/// Number of lanes of 32 bits in half a register of 256 bits.
const HALF: usize = 4;

/// Source of each lane of 32 bits of a result: index of a register, and lane in it; none if the lane is arbitrary.
type Wanted = [Option<(usize, usize)>; MOST];

/// Instructions that a shuffle has emitted, for reuse by other registers of the result.
pub type ShuffleCache = Vec<((VecOp, VReg, VReg, u8), VReg)>;

/// Sources of the lanes of each half of 128 bits: the operand, and the lane in the operand's half.
const UNPACKED: [(VecOp, [(usize, usize); HALF]); 4] = [
    (VecOp::Vpunpckldq, [(0, 0), (1, 0), (0, 1), (1, 1)]),
    (VecOp::Vpunpckhdq, [(0, 2), (1, 2), (0, 3), (1, 3)]),
    (VecOp::Vpunpcklqdq, [(0, 0), (0, 1), (1, 0), (1, 1)]),
    (VecOp::Vpunpckhqdq, [(0, 2), (0, 3), (1, 2), (1, 3)]),
];

/// Checks whether `is` is the required value, if one is required.
fn fits<T: PartialEq>(wanted: Option<T>, is: T) -> bool {
    wanted.is_none_or(|wanted| wanted == is)
}

/// Packs numbers of two bits, the first one lowest.
fn twos(numbers: impl IntoIterator<Item = usize>) -> u8 {
    numbers.into_iter().enumerate().fold(0, |all, (at, number)| all | (number as u8) << (2 * at))
}

impl Lower<'_> {
    /// Lowers a vector whose lanes are constants or lanes of other registers, with at most two sources; all constants
    /// together count as one source.
    pub fn moved_lanes(&mut self, inst: &Inst) -> Lowered<Option<ValueRegs>> {
        let shape = self.shape_of(inst.ty)?;
        if inst.ty.is_mask() || shape.bits < 32 || shape.count != 1 {
            return Ok(None);
        }
        // For each lane: the vector, its register, and the lane in that register.
        let mut found: Vec<((Value, usize), usize)> = Vec::new();
        let mut constants: Vec<Option<u64>> = Vec::new();
        for &arg in &inst.args {
            let Some(def) = self.source.def_inst(arg) else { return Ok(None) };
            constants.push(matches!(def.op, Op::Iconst | Op::Fconst).then(|| def.int()));
            if constants.last().is_some_and(Option::is_some) {
                continue;
            }
            if def.op != Op::Extract {
                return Ok(None);
            }
            let (vector, lane) = (def.args[0], def.int() as usize);
            let lanes = self.shape(vector)?.lanes;
            found.push(((vector, lane / lanes), lane % lanes));
        }
        let mut used: Vec<(Value, usize)> = found.iter().map(|&(register, _)| register).collect();
        used.sort_unstable();
        used.dedup();
        let any = constants.iter().flatten().next().copied();
        if found.len() < 2 || used.len() + usize::from(any.is_some()) > 2 {
            return Ok(None);
        }
        let mut registers = ValueRegs::new();
        let mut size = shape.size;
        for &(vector, chunk) in &used {
            size = size.max(self.shape(vector)?.size);
            registers.push(self.part(vector, chunk)?);
        }
        if let Some(any) = any {
            let lanes: Vec<u64> = constants.iter().map(|bits| bits.unwrap_or(any)).collect();
            registers.push(self.lanes_constant(shape, &lanes, 0));
        }
        let mut found = found.into_iter();
        let picks: Vec<Pick> = (constants.iter().enumerate())
            .filter_map(|(at, constant)| match constant {
                Some(_) => Some((used.len(), at)),
                None => found.next().map(|(register, lane)| (used.partition_point(|u| *u < register), lane)),
            })
            .collect();
        let picked = Picked { bits: shape.bits, size, picks: &picks };
        self.permute(&registers, &picked, &mut ShuffleCache::new()).map(|part| Some(one(part)))
    }

    /// Permutes lanes of 32 or 64 bits of any number of registers. `picks` holds a register's index and a lane for each
    /// lane.
    pub fn permute_longs(
        &mut self,
        registers: &ValueRegs,
        (bits, size): (u32, Size),
        picks: &[(usize, usize)],
        made: &mut ShuffleCache,
    ) -> VReg {
        let step = bits as usize / 32;
        let mut wanted: Wanted = [None; MOST];
        for (at, &(register, lane)) in picks.iter().enumerate() {
            for part in 0..step {
                wanted[at * step + part] = Some((register, lane * step + part));
            }
        }
        let mut used: Vec<usize> = picks.iter().map(|pick| pick.0).collect();
        used.sort_unstable();
        used.dedup();
        if let [first, second] = used[..]
            && let Some(found) = self.of_two(registers, size, &wanted, [first, second], made)
        {
            return found;
        }
        let mut result: Option<VReg> = None;
        for &register in &used {
            let mine = wanted.map(|pick| pick.filter(|pick| pick.0 == register));
            let part = self.of_one(registers[register], size, &mine, made);
            result = Some(match result {
                Some(before) => {
                    let is_mine = |at: usize| u8::from(mine[at].is_some()) << at;
                    let places = (0..MOST).map(is_mine).fold(0, |all, bit| all | bit);
                    self.vector2i(VecOp::Vpblendd, size, before, part, places)
                }
                None => part,
            });
        }
        result.unwrap_or(registers[0])
    }

    /// Permutes lanes of one or two registers, if a single instruction does it that permutes within segments of 128
    /// bits. The other permutations of AVX-512 read indices from a register, have longer latencies, and overwrite a
    /// source.
    pub fn within_pieces(
        &mut self,
        registers: &ValueRegs,
        used: &[usize],
        (bits, size): (u32, Size),
        picks: &[(usize, usize)],
        made: &mut ShuffleCache,
    ) -> Option<VReg> {
        let (step, lanes) = (bits as usize / 32, size.bytes() as usize / 4);
        let wanted = |at: usize| picks.get(at / step).map(|pick| (pick.0, pick.1 * step + at % step));
        // All segments must have the same pattern: for each of the four lanes a register and a lane.
        let piece: [Option<(usize, usize)>; HALF] =
            std::array::from_fn(|at| (at..lanes).step_by(HALF).find_map(wanted).map(|(r, l)| (r, l % HALF)));
        let is_same = |at: usize| {
            let of = piece[at % HALF].map(|(register, lane)| (register, at / HALF * HALF + lane));
            wanted(at).is_none_or(|wanted| of == Some(wanted))
        };
        if !(0..lanes).all(is_same) {
            return None;
        }
        let &[one, other] = used else {
            let order = twos(piece.map(|pick| pick.map_or(0, |pick| pick.1)));
            let only = registers[used[0]];
            return Some(self.made_of(made, (VecOp::Vpshufd, only, only, order), size));
        };
        for order in [[one, other], [other, one]] {
            let [first, second] = order.map(|register| registers[register]);
            for (row, places) in UNPACKED {
                let from = |at: usize| (order[places[at].0], places[at].1);
                if (0..HALF).all(|at| fits(piece[at], from(at))) {
                    return Some(self.made_of(made, (row, first, second, 0), size));
                }
            }
            if (0..HALF).all(|at| piece[at].is_none_or(|pick| pick.0 == order[at / 2])) {
                let selected = twos(piece.map(|pick| pick.map_or(0, |pick| pick.1)));
                return Some(self.made_of(made, (VecOp::Vshufps, first, second, selected), size));
            }
            let mut others = (0..HALF).filter(|&at| !fits(piece[at], (order[0], at)));
            if size == Size::X
                && let (Some(at), None) = (others.next(), others.next())
                // Another lane than the first could not come from memory, if the register is spilled.
                && piece[at] == Some((order[1], 0))
            {
                let place = (at << 4) as u8;
                return Some(self.made_of(made, (VecOp::Vinsertps, first, second, place), size));
            }
        }
        None
    }

    /// Permutes lanes of one register.
    fn of_one(&mut self, register: VReg, size: Size, wanted: &Wanted, made: &mut ShuffleCache) -> VReg {
        let lanes = size.bytes() as usize / 4;
        let lane = |at: usize| wanted[at].map(|pick| pick.1);
        if (0..lanes).all(|at| fits(lane(at), at)) {
            return register;
        }
        // Both halves have the same pattern.
        let within: [Option<usize>; HALF] =
            std::array::from_fn(|at| (at..lanes).step_by(HALF).find_map(|at| Some(lane(at)? % HALF)));
        if (0..lanes).all(|at| fits(lane(at), at / HALF * HALF + within[at % HALF].unwrap_or(0))) {
            let order = twos(within.map(|lane| lane.unwrap_or(0)));
            return self.made_of(made, (VecOp::Vpshufd, register, register, order), size);
        }
        let pairs: [Option<usize>; HALF] =
            std::array::from_fn(|pair| lane(2 * pair).or(lane(2 * pair + 1)).map(|lane| lane / 2));
        if (0..lanes).all(|at| fits(lane(at), 2 * pairs[at / 2].unwrap_or(0) + at % 2)) {
            let order = twos(pairs.map(|pair| pair.unwrap_or(0)));
            return self.made_of(made, (VecOp::Vpermqi, register, register, order), size);
        }
        let order = self.order(32, size, (0..lanes).map(|at| lane(at).unwrap_or(at) as u64));
        let order = self.vector1(VecOp::Vmovdqu, size, order);
        self.vector2(VecOp::Vpermd, size, order, register)
    }

    /// Permutes lanes of two registers, if one or two instructions do it.
    fn of_two(
        &mut self,
        registers: &ValueRegs,
        size: Size,
        wanted: &Wanted,
        pair: [usize; 2],
        made: &mut ShuffleCache,
    ) -> Option<VReg> {
        let lanes = size.bytes() as usize / 4;
        let is = |at: usize, register: usize, lane: usize| fits(wanted[at], (register, lane));
        let [one, other] = pair.map(|register| registers[register]);
        if (0..lanes).all(|at| pair.iter().any(|&register| is(at, register, at))) {
            let places =
                (0..lanes).map(|at| u8::from(is(at, pair[1], at)) << at).fold(0, |all, bit| all | bit);
            return Some(self.made_of(made, (VecOp::Vpblendd, one, other, places), size));
        }
        let orders = [[pair[0], pair[1]], [pair[1], pair[0]]];
        for order in orders {
            let [first, second] = order.map(|register| registers[register]);
            for (row, places) in UNPACKED {
                let from = |at: usize| (order[places[at % HALF].0], at / HALF * HALF + places[at % HALF].1);
                if (0..lanes).all(|at| fits(wanted[at], from(at))) {
                    return Some(self.made_of(made, (row, first, second, 0), size));
                }
            }
        }
        let halves = |half: usize| half * HALF..(half + 1) * HALF;
        let number = |half: usize| {
            (0..4).find(|&from| halves(half).all(|at| is(at, pair[from / 2], from % 2 * HALF + at % HALF)))
        };
        if size == Size::Y
            && let (Some(low), Some(high)) = (number(0), number(1))
        {
            let which = (low | high << 4) as u8;
            return Some(self.made_of(made, (VecOp::Vperm2i128, one, other, which), size));
        }
        for order in orders {
            let [first, second] = order.map(|register| registers[register]);
            if let Some((selected, pairs)) = selected(wanted, lanes, order) {
                let picked = self.made_of(made, (VecOp::Vshufps, first, second, selected), size);
                let in_place = twos([0, 1, 2, 3]);
                return Some(if pairs == in_place {
                    picked
                } else {
                    self.made_of(made, (VecOp::Vpermqi, picked, picked, pairs), size)
                });
            }
        }
        if size == Size::X {
            return None;
        }
        // Combines halves of two unpack results, as interleaved lanes require.
        for order in orders {
            let [first, second] = order.map(|register| registers[register]);
            let unpacked = |half: usize| {
                let candidates = UNPACKED.iter().flat_map(|form| [(form, 0), (form, 1)]);
                candidates.map(|(&(row, places), from)| (row, places, from)).find(|(_, places, from)| {
                    halves(half).all(|at| {
                        let (register, lane) = places[at % HALF];
                        is(at, order[register], from * HALF + lane)
                    })
                })
            };
            if let (Some((low, _, low_from)), Some((high, _, high_from))) = (unpacked(0), unpacked(1)) {
                let [low, high] = [low, high].map(|row| self.made_of(made, (row, first, second, 0), size));
                let which = (low_from | (2 + high_from) << 4) as u8;
                return Some(self.made_of(made, (VecOp::Vperm2i128, low, high, which), size));
            }
        }
        None
    }

    /// Emits an instruction with one or two sources, or returns the result of an equal one.
    pub fn made_of(&mut self, made: &mut ShuffleCache, key: (VecOp, VReg, VReg, u8), size: Size) -> VReg {
        if let Some(&(_, found)) = made.iter().find(|(before, _)| *before == key) {
            return found;
        }
        let (row, first, second, immediate) = key;
        let new = match row {
            VecOp::Vpshufd | VecOp::Vpermqi => self.vector1i(row, size, first, immediate),
            VecOp::Vpunpckldq | VecOp::Vpunpckhdq | VecOp::Vpunpcklqdq | VecOp::Vpunpckhqdq => {
                self.vector2(row, size, first, second)
            }
            _ => self.vector2i(row, size, first, second, immediate),
        };
        made.push((key, new));
        new
    }
}

/// Returns the immediates of `vshufps`, which picks lanes from the halves of two registers, and of `vpermq`, which then
/// orders the pairs of lanes: two of the first register's lower half, two of the second one's, and the same lanes of
/// the upper halves.
fn selected(wanted: &Wanted, lanes: usize, order: [usize; 2]) -> Option<(u8, u8)> {
    let mut selected: [[Option<usize>; 2]; 2] = [[None; 2]; 2];
    let mut places = [None; HALF];
    for pair in 0..lanes / 2 {
        for at in 0..2 {
            let Some((register, lane)) = wanted[2 * pair + at] else { continue };
            let which = usize::from(register != order[0]);
            let place = lane / HALF * 2 + which;
            let is_known = fits(places[pair], place) && fits(selected[which][at], lane % HALF);
            is_known.then_some(())?;
            places[pair] = Some(place);
            selected[which][at] = Some(lane % HALF);
        }
    }
    let is_in_place = places.iter().enumerate().all(|(at, place)| fits(*place, at));
    // Only registers of 256 bits can have their pairs ordered.
    (is_in_place || lanes == MOST).then_some(())?;
    let numbers = selected.as_flattened().iter().map(|lane| lane.unwrap_or(0));
    let pairs = if is_in_place { [0, 1, 2, 3] } else { places.map(|place| place.unwrap_or(0)) };
    Some((twos(numbers), twos(pairs)))
}
