//! Grid-stride loops: enlarges the range of a launch to one work-item per iteration of the loop, so that threads work
//! on long contiguous segments of memory (`passes::workgroup::implicit_barriers::grid_stride`).

use super::args::ArgBlock;
use super::range::NdRange;
use super::tuning::merging::MIN_LONG_RANGE;
use grus_ir::abi::{GridStride, StridedArray};

/// Returns the number of work-items of an enlarged range that computes the same as `range`; `None` if the range is to
/// stay.
pub(super) fn items(kernel: &GridStride, range: &NdRange, args: &ArgBlock) -> Option<u64> {
    let items = range.global[0];
    let is_one_dimensional = range.global[1..] == [1, 1] && range.offset[0] == 0;
    if !is_one_dimensional || items == 0 || items >= MIN_LONG_RANGE {
        return None;
    }
    let iterations = kernel.iterations.count(|offset, bytes| args.word(offset, bytes))?;
    if iterations < 2 * items || iterations > kernel.max_iterations {
        return None;
    }
    let address = |array: &StridedArray| args.word(array.offset, 8).map_or(0, i128::from);
    let arrays = kernel.arrays.iter().enumerate();
    let independent = arrays.clone().filter(|(_, array)| array.is_written).all(|(index, written)| {
        let mut others = arrays.clone().filter(|&(other, _)| other != index).map(|(_, array)| array);
        others.all(|other| are_independent((written, address(written)), (other, address(other)), iterations))
    });
    independent.then_some(iterations)
}

/// Checks whether no iteration accesses bytes of one array that another iteration accesses in the other array.
fn are_independent(
    (a, a_address): (&StridedArray, i128),
    (b, b_address): (&StridedArray, i128),
    iterations: u64,
) -> bool {
    let touched = |array: &StridedArray, address: i128| {
        let last = i128::from(array.stride) * (i128::from(iterations) - 1);
        (address + i128::from(array.begin), address + i128::from(array.end) + last)
    };
    let ((a_first, a_end), (b_first, b_end)) = (touched(a, a_address), touched(b, b_address));
    if a_end <= b_first || b_end <= a_first {
        return true;
    }
    // The arrays overlap, for instance if both are the same: independent if each iteration accesses bytes of its own.
    let first = (a_address + i128::from(a.begin)).min(b_address + i128::from(b.begin));
    let end = (a_address + i128::from(a.end)).max(b_address + i128::from(b.end));
    a.stride == b.stride && end - first <= i128::from(a.stride)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::abi::Iterations;

    fn array(offset: u32, stride: i64, is_written: bool) -> StridedArray {
        StridedArray { offset, stride, begin: 0, end: 4, is_written }
    }

    fn items_of(args: &[u64], global: u64, offset: u64) -> Option<u64> {
        let kernel = GridStride {
            iterations: Iterations { bound: (0, 4), is_signed: true },
            max_iterations: 1 << 30,
            arrays: Box::new([array(8, 4, true), array(16, 4, false)]),
        };
        let bytes: Vec<u8> = args.iter().flat_map(|word| word.to_le_bytes()).collect();
        let range = NdRange { work_dim: 1, offset: [offset, 0, 0], global: [global, 1, 1], local: [1; 3] };
        items(&kernel, &range, &ArgBlock::from(&bytes[..]))
    }

    #[test]
    fn iterations_become_items() {
        assert_eq!(items_of(&[1000, 0x10000, 0x20000], 64, 0), Some(1000));
        // The arrays are identical, then adjacent.
        assert_eq!(items_of(&[1000, 0x10000, 0x10000], 64, 0), Some(1000));
        assert_eq!(items_of(&[1000, 0x10000, 0x10000 + 4000], 64, 0), Some(1000));
    }

    #[test]
    fn some_launches_stay_as_they_are() {
        // Few iterations, a negative number of them, too many, an offset, many work-items.
        assert_eq!(items_of(&[100, 0x10000, 0x20000], 64, 0), None);
        assert_eq!(items_of(&[0xffff_ffff, 0x10000, 0x20000], 64, 0), None);
        assert_eq!(items_of(&[(1 << 30) + 1, 0, 0x2_0000_0000], 64, 0), None);
        assert_eq!(items_of(&[1000, 0x10000, 0x20000], 64, 1), None);
        assert_eq!(items_of(&[1 << 20, 0x1000_0000, 0x2000_0000], MIN_LONG_RANGE, 0), None);
        // An iteration reads bytes that another one writes.
        assert_eq!(items_of(&[1000, 0x10000, 0x10000 + 256], 64, 0), None);
        assert_eq!(items_of(&[1000, 0x10000, 0x10000 - 256], 64, 0), None);
        assert_eq!(items_of(&[1000, 0x10000, 0x10002], 64, 0), None);
    }
}
