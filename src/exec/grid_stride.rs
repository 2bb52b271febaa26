//! Grid-stride loops over more items than were asked for: as many as there are turns, so that threads share long pieces of memory
//! (`passes::group::lockstep::grid_stride`).

use super::{ArgBlock, NdRange};
use crate::ir::abi::{GridStride, StridedArray};

/// Ranges of so many items have pieces that are long enough as they are.
const LONG: u64 = 1 << 16;

/// The items of a range that does what `range` does, if that is another one.
pub(super) fn items(kernel: &GridStride, range: &NdRange, args: &ArgBlock) -> Option<u64> {
    let items = range.global[0];
    let is_plain = range.global[1..] == [1, 1] && range.offset[0] == 0;
    if !is_plain || items == 0 || items >= LONG {
        return None;
    }
    let turns = kernel.turns.count(|place, bytes| args.word(place, bytes))?;
    if turns < 2 * items || turns > kernel.most {
        return None;
    }
    let at = |array: &StridedArray| args.word(array.place, 8).map_or(0, i128::from);
    let arrays = kernel.arrays.iter().enumerate();
    let independent = arrays.clone().filter(|(_, array)| array.is_written).all(|(index, written)| {
        let mut others = arrays.clone().filter(|&(other, _)| other != index).map(|(_, array)| array);
        others.all(|other| are_independent((written, at(written)), (other, at(other)), turns))
    });
    independent.then_some(turns)
}

/// Whether no turn touches in one array what another turn touches in the other.
fn are_independent((a, a_at): (&StridedArray, i128), (b, b_at): (&StridedArray, i128), turns: u64) -> bool {
    let all = |array: &StridedArray, at: i128| {
        let last = i128::from(array.stride) * (i128::from(turns) - 1);
        (at + i128::from(array.begin), at + i128::from(array.end) + last)
    };
    let ((a_first, a_end), (b_first, b_end)) = (all(a, a_at), all(b, b_at));
    if a_end <= b_first || b_end <= a_first {
        return true;
    }
    // One array under two names: turns have their own part of it.
    let first = (a_at + i128::from(a.begin)).min(b_at + i128::from(b.begin));
    let end = (a_at + i128::from(a.end)).max(b_at + i128::from(b.end));
    a.stride == b.stride && end - first <= i128::from(a.stride)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::abi::Iterations;

    fn array(place: u32, stride: i64, is_written: bool) -> StridedArray {
        StridedArray { place, stride, begin: 0, end: 4, is_written }
    }

    fn wanted(args: &[u64], global: u64, offset: u64) -> Option<u64> {
        let kernel = GridStride {
            turns: Iterations { bound: (0, 4), is_signed: true },
            most: 1 << 30,
            arrays: Box::new([array(8, 4, true), array(16, 4, false)]),
        };
        let bytes: Vec<u8> = args.iter().flat_map(|word| word.to_le_bytes()).collect();
        let range = NdRange { work_dim: 1, offset: [offset, 0, 0], global: [global, 1, 1], local: [1; 3] };
        items(&kernel, &range, &ArgBlock::from(&bytes[..]))
    }

    #[test]
    fn turns_become_items() {
        assert_eq!(wanted(&[1000, 0x10000, 0x20000], 64, 0), Some(1000));
        // In place, and right behind each other.
        assert_eq!(wanted(&[1000, 0x10000, 0x10000], 64, 0), Some(1000));
        assert_eq!(wanted(&[1000, 0x10000, 0x10000 + 4000], 64, 0), Some(1000));
    }

    #[test]
    fn some_launches_stay_as_they_are() {
        // Few turns, none, too many, offsets, many items.
        assert_eq!(wanted(&[100, 0x10000, 0x20000], 64, 0), None);
        assert_eq!(wanted(&[0xffff_ffff, 0x10000, 0x20000], 64, 0), None);
        assert_eq!(wanted(&[(1 << 30) + 1, 0, 0x2_0000_0000], 64, 0), None);
        assert_eq!(wanted(&[1000, 0x10000, 0x20000], 64, 1), None);
        assert_eq!(wanted(&[1 << 20, 0x1000_0000, 0x2000_0000], LONG, 0), None);
        // An item reads in a later turn what it has written, or the other way round.
        assert_eq!(wanted(&[1000, 0x10000, 0x10000 + 256], 64, 0), None);
        assert_eq!(wanted(&[1000, 0x10000, 0x10000 - 256], 64, 0), None);
        assert_eq!(wanted(&[1000, 0x10000, 0x10002], 64, 0), None);
    }
}
