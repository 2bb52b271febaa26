//! Shuffles of lanes of 32 and 64 bits with AVX2, whose instructions permute lanes within halves of 128 bits, or of one
//! register. Sequences of one or two instructions are found by trial; otherwise each register is permuted and the
//! results are blended.

use regalloc2::VReg;

use super::super::vec_ops::{Size, VecOp};
use super::lanes::{Pick, Picked};
use super::{Lower, Lowered, ValueRegs, one};
use grus_ir::{Inst, Op, Value};

/// Maximum number of lanes of 32 bits in a register.
// Source: AVX2 registers have 256 bits.
const MAX_LANES: usize = 8;

/// Number of lanes of 32 bits in half a register of 256 bits.
const HALF_LANES: usize = 4;

/// Source of each lane of 32 bits of a result: index of a register, and lane in it; none if the lane is arbitrary.
type LaneSources = [Option<(usize, usize)>; MAX_LANES];

/// Instructions that a shuffle has emitted, for reuse by other registers of the result.
pub type ShuffleCache = Vec<((VecOp, VReg, VReg, u8), VReg)>;

/// Sources of the lanes of each half of 128 bits: the operand, and the lane in the operand's half.
const UNPACK_PATTERNS: [(VecOp, [(usize, usize); HALF_LANES]); 4] = [
    (VecOp::Vpunpckldq, [(0, 0), (1, 0), (0, 1), (1, 1)]),
    (VecOp::Vpunpckhdq, [(0, 2), (1, 2), (0, 3), (1, 3)]),
    (VecOp::Vpunpcklqdq, [(0, 0), (0, 1), (1, 0), (1, 1)]),
    (VecOp::Vpunpckhqdq, [(0, 2), (0, 3), (1, 2), (1, 3)]),
];

/// Checks whether `is` is the required value, if one is required.
fn is_met<T: PartialEq>(required: Option<T>, actual: T) -> bool {
    required.is_none_or(|required| required == actual)
}

/// Packs numbers of two bits, the first one lowest.
fn pack_pairs(numbers: impl IntoIterator<Item = usize>) -> u8 {
    numbers.into_iter().enumerate().fold(0, |all, (at, number)| all | (number as u8) << (2 * at))
}

impl Lower<'_> {
    /// Lowers a vector whose lanes are constants or lanes of other registers, with at most two sources; all constants
    /// together count as one source.
    pub fn build_from_lanes(&mut self, inst: &Inst) -> Lowered<Option<ValueRegs>> {
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
            registers.push(self.value_reg(vector, chunk)?);
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
        self.permute(&registers, &picked, &mut ShuffleCache::new()).map(|reg| Some(one(reg)))
    }

    /// Permutes lanes of 32 or 64 bits of any number of registers. `picks` holds a register's index and a lane for each
    /// lane.
    pub fn permute_dwords(
        &mut self,
        registers: &ValueRegs,
        (bits, size): (u32, Size),
        picks: &[(usize, usize)],
        cache: &mut ShuffleCache,
    ) -> VReg {
        let step = bits as usize / 32;
        let mut sources: LaneSources = [None; MAX_LANES];
        for (at, &(register, lane)) in picks.iter().enumerate() {
            for dword in 0..step {
                sources[at * step + dword] = Some((register, lane * step + dword));
            }
        }
        let mut used: Vec<usize> = picks.iter().map(|pick| pick.0).collect();
        used.sort_unstable();
        used.dedup();
        if let [first, second] = used[..]
            && let Some(found) = self.permute_two(registers, size, &sources, [first, second], cache)
        {
            return found;
        }
        let mut result: Option<VReg> = None;
        for &register in &used {
            let own_sources = sources.map(|pick| pick.filter(|pick| pick.0 == register));
            let reg = self.permute_one(registers[register], size, &own_sources, cache);
            result = Some(match result {
                Some(before) => {
                    let is_from_register = |at: usize| u8::from(own_sources[at].is_some()) << at;
                    let blend_mask = (0..MAX_LANES).map(is_from_register).fold(0, |all, bit| all | bit);
                    self.vector2i(VecOp::Vpblendd, size, before, reg, blend_mask)
                }
                None => reg,
            });
        }
        result.unwrap_or(registers[0])
    }

    /// Permutes lanes of one or two registers, if a single instruction does it that permutes within segments of 128
    /// bits. The other permutations of AVX-512 read indices from a register, have longer latencies, and overwrite a
    /// source.
    pub fn permute_within_segments(
        &mut self,
        registers: &ValueRegs,
        used: &[usize],
        (bits, size): (u32, Size),
        picks: &[(usize, usize)],
        cache: &mut ShuffleCache,
    ) -> Option<VReg> {
        let (step, lanes) = (bits as usize / 32, size.bytes() as usize / 4);
        let source = |at: usize| picks.get(at / step).map(|pick| (pick.0, pick.1 * step + at % step));
        // All segments must have the same pattern: for each of the four lanes a register and a lane.
        let segment: [Option<(usize, usize)>; HALF_LANES] = std::array::from_fn(|at| {
            (at..lanes).step_by(HALF_LANES).find_map(source).map(|(r, l)| (r, l % HALF_LANES))
        });
        let is_same = |at: usize| {
            let of = segment[at % HALF_LANES]
                .map(|(register, lane)| (register, at / HALF_LANES * HALF_LANES + lane));
            source(at).is_none_or(|source| of == Some(source))
        };
        if !(0..lanes).all(is_same) {
            return None;
        }
        let &[one, other] = used else {
            let order = pack_pairs(segment.map(|pick| pick.map_or(0, |pick| pick.1)));
            let only = registers[used[0]];
            return Some(self.cached_op(cache, (VecOp::Vpshufd, only, only, order), size));
        };
        for order in [[one, other], [other, one]] {
            let [first, second] = order.map(|register| registers[register]);
            for (vec_op, pattern) in UNPACK_PATTERNS {
                let from = |at: usize| (order[pattern[at].0], pattern[at].1);
                if (0..HALF_LANES).all(|at| is_met(segment[at], from(at))) {
                    return Some(self.cached_op(cache, (vec_op, first, second, 0), size));
                }
            }
            if (0..HALF_LANES).all(|at| segment[at].is_none_or(|pick| pick.0 == order[at / 2])) {
                let selected = pack_pairs(segment.map(|pick| pick.map_or(0, |pick| pick.1)));
                return Some(self.cached_op(cache, (VecOp::Vshufps, first, second, selected), size));
            }
            let mut others = (0..HALF_LANES).filter(|&at| !is_met(segment[at], (order[0], at)));
            if size == Size::X
                && let (Some(at), None) = (others.next(), others.next())
                // Another lane than the first could not come from memory, if the register is spilled.
                && segment[at] == Some((order[1], 0))
            {
                let position = (at << 4) as u8;
                return Some(self.cached_op(cache, (VecOp::Vinsertps, first, second, position), size));
            }
        }
        None
    }

    /// Permutes lanes of one register.
    fn permute_one(
        &mut self,
        register: VReg,
        size: Size,
        sources: &LaneSources,
        cache: &mut ShuffleCache,
    ) -> VReg {
        let lanes = size.bytes() as usize / 4;
        let lane = |at: usize| sources[at].map(|pick| pick.1);
        if (0..lanes).all(|at| is_met(lane(at), at)) {
            return register;
        }
        // Both halves have the same pattern.
        let within: [Option<usize>; HALF_LANES] = std::array::from_fn(|at| {
            (at..lanes).step_by(HALF_LANES).find_map(|at| Some(lane(at)? % HALF_LANES))
        });
        if (0..lanes)
            .all(|at| is_met(lane(at), at / HALF_LANES * HALF_LANES + within[at % HALF_LANES].unwrap_or(0)))
        {
            let order = pack_pairs(within.map(|lane| lane.unwrap_or(0)));
            return self.cached_op(cache, (VecOp::Vpshufd, register, register, order), size);
        }
        let pairs: [Option<usize>; HALF_LANES] =
            std::array::from_fn(|pair| lane(2 * pair).or(lane(2 * pair + 1)).map(|lane| lane / 2));
        if (0..lanes).all(|at| is_met(lane(at), 2 * pairs[at / 2].unwrap_or(0) + at % 2)) {
            let order = pack_pairs(pairs.map(|pair| pair.unwrap_or(0)));
            return self.cached_op(cache, (VecOp::Vpermqi, register, register, order), size);
        }
        let order = self.order(32, size, (0..lanes).map(|at| lane(at).unwrap_or(at) as u64));
        let order = self.vector1(VecOp::Vmovdqu, size, order);
        self.vector2(VecOp::Vpermd, size, order, register)
    }

    /// Permutes lanes of two registers, if one or two instructions do it.
    fn permute_two(
        &mut self,
        registers: &ValueRegs,
        size: Size,
        sources: &LaneSources,
        pair: [usize; 2],
        cache: &mut ShuffleCache,
    ) -> Option<VReg> {
        let lanes = size.bytes() as usize / 4;
        let is = |at: usize, register: usize, lane: usize| is_met(sources[at], (register, lane));
        let [one, other] = pair.map(|register| registers[register]);
        if (0..lanes).all(|at| pair.iter().any(|&register| is(at, register, at))) {
            let blend_mask =
                (0..lanes).map(|at| u8::from(is(at, pair[1], at)) << at).fold(0, |all, bit| all | bit);
            return Some(self.cached_op(cache, (VecOp::Vpblendd, one, other, blend_mask), size));
        }
        let orders = [[pair[0], pair[1]], [pair[1], pair[0]]];
        for order in orders {
            let [first, second] = order.map(|register| registers[register]);
            for (vec_op, pattern) in UNPACK_PATTERNS {
                let from = |at: usize| {
                    (
                        order[pattern[at % HALF_LANES].0],
                        at / HALF_LANES * HALF_LANES + pattern[at % HALF_LANES].1,
                    )
                };
                if (0..lanes).all(|at| is_met(sources[at], from(at))) {
                    return Some(self.cached_op(cache, (vec_op, first, second, 0), size));
                }
            }
        }
        let halves = |half: usize| half * HALF_LANES..(half + 1) * HALF_LANES;
        let number = |half: usize| {
            (0..4).find(|&from| {
                halves(half).all(|at| is(at, pair[from / 2], from % 2 * HALF_LANES + at % HALF_LANES))
            })
        };
        if size == Size::Y
            && let (Some(low), Some(high)) = (number(0), number(1))
        {
            let which = (low | high << 4) as u8;
            return Some(self.cached_op(cache, (VecOp::Vperm2i128, one, other, which), size));
        }
        for order in orders {
            let [first, second] = order.map(|register| registers[register]);
            if let Some((selected, pairs)) = shufps_immediates(sources, lanes, order) {
                let picked = self.cached_op(cache, (VecOp::Vshufps, first, second, selected), size);
                let in_place = pack_pairs([0, 1, 2, 3]);
                return Some(if pairs == in_place {
                    picked
                } else {
                    self.cached_op(cache, (VecOp::Vpermqi, picked, picked, pairs), size)
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
                let candidates = UNPACK_PATTERNS.iter().flat_map(|form| [(form, 0), (form, 1)]);
                candidates.map(|(&(vec_op, pattern), from)| (vec_op, pattern, from)).find(
                    |(_, pattern, from)| {
                        halves(half).all(|at| {
                            let (register, lane) = pattern[at % HALF_LANES];
                            is(at, order[register], from * HALF_LANES + lane)
                        })
                    },
                )
            };
            if let (Some((low, _, low_from)), Some((high, _, high_from))) = (unpacked(0), unpacked(1)) {
                let [low, high] =
                    [low, high].map(|vec_op| self.cached_op(cache, (vec_op, first, second, 0), size));
                let which = (low_from | (2 + high_from) << 4) as u8;
                return Some(self.cached_op(cache, (VecOp::Vperm2i128, low, high, which), size));
            }
        }
        None
    }

    /// Emits an instruction with one or two sources, or returns the result of an equal one.
    pub fn cached_op(&mut self, cache: &mut ShuffleCache, key: (VecOp, VReg, VReg, u8), size: Size) -> VReg {
        if let Some(&(_, found)) = cache.iter().find(|(before, _)| *before == key) {
            return found;
        }
        let (vec_op, first, second, immediate) = key;
        let new = match vec_op {
            VecOp::Vpshufd | VecOp::Vpermqi => self.vector1i(vec_op, size, first, immediate),
            VecOp::Vpunpckldq | VecOp::Vpunpckhdq | VecOp::Vpunpcklqdq | VecOp::Vpunpckhqdq => {
                self.vector2(vec_op, size, first, second)
            }
            _ => self.vector2i(vec_op, size, first, second, immediate),
        };
        cache.push((key, new));
        new
    }
}

/// Returns the immediates of `vshufps`, which picks lanes from the halves of two registers, and of `vpermq`, which then
/// orders the pairs of lanes: two of the first register's lower half, two of the second one's, and the same lanes of
/// the upper halves.
fn shufps_immediates(sources: &LaneSources, lanes: usize, order: [usize; 2]) -> Option<(u8, u8)> {
    let mut selected: [[Option<usize>; 2]; 2] = [[None; 2]; 2];
    let mut positions = [None; HALF_LANES];
    for pair in 0..lanes / 2 {
        for at in 0..2 {
            let Some((register, lane)) = sources[2 * pair + at] else { continue };
            let which = usize::from(register != order[0]);
            let position = lane / HALF_LANES * 2 + which;
            let is_known =
                is_met(positions[pair], position) && is_met(selected[which][at], lane % HALF_LANES);
            is_known.then_some(())?;
            positions[pair] = Some(position);
            selected[which][at] = Some(lane % HALF_LANES);
        }
    }
    let is_in_place = positions.iter().enumerate().all(|(at, position)| is_met(*position, at));
    // Only registers of 256 bits can have their pairs ordered.
    (is_in_place || lanes == MAX_LANES).then_some(())?;
    let numbers = selected.as_flattened().iter().map(|lane| lane.unwrap_or(0));
    let pairs = if is_in_place { [0, 1, 2, 3] } else { positions.map(|position| position.unwrap_or(0)) };
    Some((pack_pairs(numbers), pack_pairs(pairs)))
}
