//! Rectangles in linear memory: where their rows are, whether they fit, whether two of them overlap (API s5.2.2).

use crate::runtime::error::{Error, Result};

use super::storage::HostPtr;

/// Bytes in a row, rows in a slice, slices.
pub type Region = [usize; 3];

/// Where a rectangle lies: its origin and the distances of rows and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub origin: [usize; 3],
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

impl Layout {
    /// A layout with the defaults filled in, or an error if a pitch is too small for the region.
    pub fn new(origin: [usize; 3], region: Region, row_pitch: usize, slice_pitch: usize) -> Result<Self> {
        let [width, height, _] = region;
        if region.contains(&0) {
            return Err(Error::InvalidValue);
        }
        let row_pitch = if row_pitch == 0 { width } else { row_pitch };
        let smallest_slice = row_pitch.checked_mul(height).ok_or(Error::InvalidValue)?;
        let slice_pitch = if slice_pitch == 0 { smallest_slice } else { slice_pitch };
        let fits = row_pitch >= width && slice_pitch >= smallest_slice;
        if !fits || !slice_pitch.is_multiple_of(row_pitch) {
            return Err(Error::InvalidValue);
        }
        Ok(Self { origin, row_pitch, slice_pitch })
    }

    /// Bytes before the first byte, and the number of bytes from it to the last one.
    pub fn extent(&self, region: Region) -> Result<(usize, usize)> {
        let place = |at: [usize; 3]| {
            let rows = at[1].checked_mul(self.row_pitch)?;
            let slices = at[2].checked_mul(self.slice_pitch)?;
            at[0].checked_add(rows)?.checked_add(slices)
        };
        let last = [region[0], region[1] - 1, region[2] - 1];
        place(self.origin).zip(place(last)).ok_or(Error::InvalidValue)
    }

    /// Whether the same region at `self` and, `distance` bytes further, at another place with the same pitches has a
    /// byte in common.
    pub fn overlaps(&self, region: Region, distance: usize) -> bool {
        let [width, height, depth] = region;
        // Rows are `width` long, so two rows meet if their starts are less than that apart. Of all pairs of slices only
        // two can bring the starts that close, since a slice is no longer than its pitch; likewise for rows.
        let near = |distance: usize, pitch: usize| [distance / pitch, distance / pitch + 1];
        for dz in near(distance, self.slice_pitch) {
            let rest = distance.abs_diff(dz * self.slice_pitch);
            for dy in near(rest, self.row_pitch) {
                let apart = rest.abs_diff(dy * self.row_pitch);
                if dz < depth && dy < height && apart < width {
                    return true;
                }
            }
        }
        false
    }
}

/// Copies a region row by row.
///
/// # Safety
/// Both rectangles are in valid memory, and they do not overlap.
pub(super) unsafe fn copy(
    region: Region,
    (source, from): (HostPtr, Layout),
    (target, to): (HostPtr, Layout),
) {
    let start = |layout: &Layout| {
        layout.origin[0] + layout.origin[1] * layout.row_pitch + layout.origin[2] * layout.slice_pitch
    };
    let (source, target) = (source.at(start(&from)), target.at(start(&to)));
    let (mut width, mut rows, mut slices) = (region[0], region[1], region[2]);
    // Rows without gaps are one long row, slices without gaps one long slice.
    if from.row_pitch == width && to.row_pitch == width {
        (width, rows) = (width * rows, 1);
        if from.slice_pitch == width && to.slice_pitch == width {
            (width, slices) = (width * slices, 1);
        }
    }
    for z in 0..slices {
        for y in 0..rows {
            let source = source.at(z * from.slice_pitch + y * from.row_pitch);
            let target = target.at(z * to.slice_pitch + y * to.row_pitch);
            // SAFETY: a row of both rectangles, which the caller says are valid.
            unsafe { source.copy_to(target, width) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_have_defaults_and_minima() {
        let layout = Layout::new([0; 3], [4, 3, 2], 0, 0).unwrap();
        assert_eq!((layout.row_pitch, layout.slice_pitch), (4, 12));
        for (row, slice) in [(3, 0), (4, 11), (5, 16)] {
            assert_eq!(Layout::new([0; 3], [4, 3, 2], row, slice), Err(Error::InvalidValue));
        }
        assert_eq!(Layout::new([0; 3], [4, 0, 2], 0, 0), Err(Error::InvalidValue));
        assert_eq!(Layout::new([0; 3], [usize::MAX, 2, 1], 0, 0), Err(Error::InvalidValue));
    }

    #[test]
    fn extents_reach_from_first_to_last_byte() {
        let layout = Layout::new([1, 2, 3], [4, 3, 2], 10, 100).unwrap();
        assert_eq!(layout.extent([4, 3, 2]), Ok((321, 124)));
        let far = Layout { origin: [usize::MAX, 1, 0], ..layout };
        assert_eq!(far.extent([4, 3, 2]), Err(Error::InvalidValue));
    }

    /// All bytes of a rectangle whose first byte is `start`.
    fn bytes(layout: &Layout, region: Region, start: usize) -> Vec<usize> {
        let mut bytes = Vec::new();
        for z in 0..region[2] {
            for y in 0..region[1] {
                let row = start + z * layout.slice_pitch + y * layout.row_pitch;
                bytes.extend(row..row + region[0]);
            }
        }
        bytes
    }

    #[test]
    fn overlap_agrees_with_counting_bytes() {
        for (region, row, slice) in
            [([3, 2, 2], 5, 15), ([3, 3, 1], 3, 9), ([1, 4, 3], 7, 28), ([6, 1, 2], 6, 18)]
        {
            let layout = Layout::new([0; 3], region, row, slice).unwrap();
            let first = bytes(&layout, region, 0);
            for distance in 0..4 * slice {
                let second = bytes(&layout, region, distance);
                let expected = first.iter().any(|byte| second.contains(byte));
                assert_eq!(layout.overlaps(region, distance), expected, "{region:?} {distance}");
            }
        }
    }

    #[test]
    fn copies_go_row_by_row() {
        let source: Vec<u8> = (0..60).collect();
        let mut target = vec![0u8; 24];
        let region = [2, 3, 2];
        let from = Layout::new([1, 1, 0], region, 5, 30).unwrap();
        let to = Layout::new([0; 3], region, 4, 12).unwrap();
        // SAFETY: both vectors hold their rectangles.
        unsafe {
            copy(region, (HostPtr::new(source.as_ptr()), from), (HostPtr::new(target.as_mut_ptr()), to))
        };
        let mut expected = vec![0u8; 24];
        for (z, y, x) in (0..12).map(|i| (i / 6, i / 2 % 3, i % 2)) {
            expected[z * 12 + y * 4 + x] = source[z * 30 + (y + 1) * 5 + x + 1];
        }
        assert_eq!(target, expected);
    }
}
