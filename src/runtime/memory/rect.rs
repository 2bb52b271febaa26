//! Rectangles in linear memory: addresses of their rows, bounds checks, and overlap of two rectangles (API s5.2.2).

use std::ops::Range;

use crate::runtime::error::{Error, Result};

use super::copier::{ParallelCopier, Pattern};
use super::storage::HostPtr;

/// Size of a region: bytes in a row, rows in a slice, slices.
pub type Extent = [usize; 3];

/// Length in bytes of a row from which on filling it is as fast as copying another row.
// Arbitrary.
const MIN_LONG_ROW: usize = 16 << 10;

/// Layout of a rectangle: its origin, and the pitches of rows and slices in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub origin: [usize; 3],
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

impl Layout {
    /// Returns a layout in which pitches of 0 have their defaults. Fails if a pitch is too small for the region.
    pub fn new(origin: [usize; 3], region: Extent, row_pitch: usize, slice_pitch: usize) -> Result<Self> {
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

    /// Returns a layout like [`Layout::new`], for the application's memory in a command on an image (API s5.3.3),
    /// whose slice pitch need not be a multiple of the row pitch.
    pub fn of_texels(region: Extent, row_pitch: usize, slice_pitch: usize) -> Result<Self> {
        let [width, height, _] = region;
        let row_pitch = if row_pitch == 0 { width } else { row_pitch };
        let smallest_slice = row_pitch.checked_mul(height).ok_or(Error::InvalidValue)?;
        let slice_pitch = if slice_pitch == 0 { smallest_slice } else { slice_pitch };
        let layout = Self { origin: [0; 3], row_pitch, slice_pitch };
        layout.extent(region)?;
        if row_pitch < width || slice_pitch < smallest_slice {
            return Err(Error::InvalidValue);
        }
        Ok(layout)
    }

    /// Returns the offset of the first byte, and the number of bytes from there to the end of the last row.
    pub fn extent(&self, region: Extent) -> Result<(usize, usize)> {
        let place = |at: [usize; 3]| {
            let rows = at[1].checked_mul(self.row_pitch)?;
            let slices = at[2].checked_mul(self.slice_pitch)?;
            at[0].checked_add(rows)?.checked_add(slices)
        };
        let last = [region[0], region[1] - 1, region[2] - 1];
        place(self.origin).zip(place(last)).ok_or(Error::InvalidValue)
    }

    /// Checks whether a region with this layout and another region of the same layout, `distance` bytes further,
    /// have a byte in common.
    pub fn overlaps(&self, region: Extent, distance: usize) -> bool {
        let [width, height, depth] = region;
        // Rows are `width` long, so two rows overlap if the distance of their starts is less than that. Of all
        // pairs of slices only two can bring the starts that close, because a slice is no longer than its pitch;
        // the same holds for rows.
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

    /// Returns the offset of the first byte of a region that has passed the checks.
    fn start(&self) -> usize {
        self.origin[0] + self.origin[1] * self.row_pitch + self.origin[2] * self.slice_pitch
    }
}

/// Checks whether two rectangles of one allocation have, or might have, a byte in common.
pub(super) fn overlap(
    region: Extent,
    (source, from): (HostPtr, Layout),
    (target, to): (HostPtr, Layout),
) -> Result<bool> {
    let (first, length) = from.extent(region)?;
    let (second, other_length) = to.extent(region)?;
    let first = source.at(first).address();
    let second = target.at(second).address();
    if (from.row_pitch, from.slice_pitch) == (to.row_pitch, to.slice_pitch) {
        return Ok(from.overlaps(region, first.abs_diff(second)));
    }
    Ok(first < second + other_length && second < first + length)
}

/// Merges rows without gaps in all layouts into one row, and slices in the same way.
fn merged([width, rows, slices]: Extent, layouts: &[Layout]) -> Extent {
    let without_gaps = |pitch: fn(&Layout) -> usize, size| layouts.iter().all(|l| pitch(l) == size);
    let slice = width * rows;
    if rows > 1 && !without_gaps(|l| l.row_pitch, width) {
        [width, rows, slices]
    } else if slices > 1 && !without_gaps(|l| l.slice_pitch, slice) {
        [slice, 1, slices]
    } else {
        [slice * slices, 1, 1]
    }
}

/// Splits a range of row numbers into runs inside one slice each. Yields a run's first row in its slice, the slice,
/// and the number of rows.
fn runs(range: Range<usize>, rows: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let Range { mut start, end } = range;
    std::iter::from_fn(move || {
        let (y, z) = (start % rows, start / rows);
        let count = (rows - y).min(end - start);
        start += count;
        (count > 0).then_some((y, z, count))
    })
}

/// Calls `what` with the addresses of each row of the range in all rectangles.
fn each_row<const N: usize>(
    range: Range<usize>,
    rows: usize,
    rectangles: [(HostPtr, Layout); N],
    what: impl Fn([HostPtr; N]),
) {
    for (y, z, count) in runs(range, rows) {
        let mut at =
            rectangles.map(|(start, layout)| start.at(z * layout.slice_pitch + y * layout.row_pitch));
        for _ in 0..count {
            what(at);
            for (at, (_, layout)) in at.iter_mut().zip(&rectangles) {
                *at = at.at(layout.row_pitch);
            }
        }
    }
}

/// Copies a region row by row.
///
/// # Safety
/// Both rectangles are in valid memory. If they overlap, the contents of the target are undefined afterwards.
pub(super) unsafe fn copy(
    copier: &ParallelCopier,
    region: Extent,
    (source, from): (HostPtr, Layout),
    (target, to): (HostPtr, Layout),
) {
    let (source, target) = (source.at(from.start()), target.at(to.start()));
    let [width, rows, slices] = merged(region, &[from, to]);
    if (rows, slices) == (1, 1) {
        // SAFETY: the range is the only row of both rectangles, which the contract makes valid.
        return unsafe { copier.copy(source, target, width) };
    }
    // Non-temporal stores do not pay for short rows, of which a large part is not whole cache lines.
    let copy = ParallelCopier::way(if width < MIN_LONG_ROW { 0 } else { width * rows * slices });
    copier.spread(rows * slices, width, move |first, end| {
        each_row(first..end, rows, [(source, from), (target, to)], |[source, target]| {
            // SAFETY: the range is a row of both rectangles, which the contract makes valid.
            unsafe { copy(source, target, width) };
        });
    });
}

/// Fills a region with a pattern.
///
/// # Safety
/// The rectangle is in valid memory, and the length of its rows is a multiple of the pattern's length, which is not
/// 0.
pub(super) unsafe fn fill(
    copier: &ParallelCopier,
    region: Extent,
    (target, to): (HostPtr, Layout),
    pattern: Pattern,
) {
    let target = target.at(to.start());
    let [width, rows, slices] = merged(region, &[to]);
    // SAFETY: the range is the first row of the rectangle, which the contract makes valid.
    unsafe { copier.fill(target, pattern, width) };
    copier.spread(rows * slices - 1, width, move |first, end| {
        each_row(first + 1..end + 1, rows, [(target, to)], |[row]| {
            // SAFETY: the range is a row of the rectangle, which the contract makes valid. The first row is
            // complete when others copy it; for short rows that is faster than repeating the pattern.
            unsafe {
                if width > MIN_LONG_ROW {
                    row.fill(pattern.bytes(), width);
                } else {
                    target.copy_to(row, width);
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_up_to_the_end_of_a_slice() {
        let all = |range, rows| runs(range, rows).collect::<Vec<_>>();
        assert_eq!(all(0..7, 3), [(0, 0, 3), (0, 1, 3), (0, 2, 1)]);
        assert_eq!(all(4..5, 3), [(1, 1, 1)]);
        assert_eq!(all(5..9, 3), [(2, 1, 1), (0, 2, 3)]);
        assert_eq!(all(3..3, 3), []);
    }

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

    /// Returns the addresses of all bytes of a rectangle whose first byte is `start`.
    fn bytes(layout: &Layout, region: Extent, start: usize) -> Vec<usize> {
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
        // SAFETY: both vectors contain their rectangles.
        unsafe {
            copy(
                &ParallelCopier::default(),
                region,
                (HostPtr::new(source.as_ptr()), from),
                (HostPtr::new(target.as_mut_ptr()), to),
            )
        };
        let mut expected = vec![0u8; 24];
        for (z, y, x) in (0..12).map(|i| (i / 6, i / 2 % 3, i % 2)) {
            expected[z * 12 + y * 4 + x] = source[z * 30 + (y + 1) * 5 + x + 1];
        }
        assert_eq!(target, expected);
    }

    #[test]
    fn slices_of_texels_need_not_be_whole_rows() {
        let pitches = |row, slice| {
            Layout::of_texels([4, 3, 2], row, slice).map(|layout| (layout.row_pitch, layout.slice_pitch))
        };
        assert_eq!(pitches(0, 0), Ok((4, 12)));
        assert_eq!(pitches(5, 17), Ok((5, 17)));
        for (row, slice) in [(3, 0), (5, 14), (usize::MAX, 0), (usize::MAX / 4, 0), (0, usize::MAX)] {
            assert_eq!(pitches(row, slice), Err(Error::InvalidValue), "{row} {slice}");
        }
    }

    #[test]
    fn fills_leave_gaps_alone() {
        for (region, row, slice) in
            [([6, 2, 2], 6, 12), ([6, 2, 2], 6, 15), ([6, 2, 2], 9, 21), ([3, 1, 4], 3, 3)]
        {
            let layout = Layout { origin: [3, 1, 1], row_pitch: row, slice_pitch: slice };
            let mut target = vec![0u8; 8 * slice + 64];
            // SAFETY: the vector contains the rectangle, and its rows have once or twice the pattern's length.
            unsafe {
                fill(
                    &ParallelCopier::default(),
                    region,
                    (HostPtr::new(target.as_mut_ptr()), layout),
                    Pattern::new(&[1, 2, 3]),
                )
            };
            let inside = bytes(&layout, region, layout.start());
            for (at, &byte) in target.iter().enumerate() {
                let place = inside.iter().position(|&other| other == at);
                assert_eq!(byte as usize, place.map_or(0, |place| place % 3 + 1), "{region:?} {at}");
            }
        }
    }

    #[test]
    fn large_rectangles_are_whole() {
        let (region, pitch) = ([3000, 300, 3], 3001);
        let layout = Layout { origin: [1, 0, 0], row_pitch: pitch, slice_pitch: 301 * pitch };
        let source: Vec<u8> = (0..3 * layout.slice_pitch).map(|i| (i % 251 + 1) as u8).collect();
        let mut target = vec![0; source.len()];
        let copier = ParallelCopier::default();
        let ends = [(HostPtr::new(source.as_ptr()), layout), (HostPtr::new(target.as_mut_ptr()), layout)];
        let is_inside = |at: usize| !at.is_multiple_of(pitch) && at % layout.slice_pitch < 300 * pitch;
        // SAFETY: both vectors contain the rectangle.
        unsafe { copy(&copier, region, ends[0], ends[1]) };
        for (at, &byte) in target.iter().enumerate() {
            assert_eq!(byte, if is_inside(at) { source[at] } else { 0 }, "{at}");
        }
        // SAFETY: both vectors contain the rectangle, and the length of its rows is a multiple of the pattern's.
        unsafe { fill(&copier, region, ends[1], Pattern::new(&[7, 8])) };
        for (at, &byte) in target.iter().enumerate() {
            let inside = if at % pitch % 2 == 1 { 7 } else { 8 };
            assert_eq!(byte, if is_inside(at) { inside } else { 0 }, "{at}");
        }
    }
}
