//! Argument block of a launch.

use smallvec::SmallVec;

/// Size of a word of the block, and its alignment.
const WORD: usize = size_of::<u128>();

/// Argument values, each at its `ArgInfo::offset`. Blocks of common sizes are stored inline.
#[derive(Clone, Debug, Default)]
pub struct ArgBlock(SmallVec<[u128; 8]>);

impl ArgBlock {
    /// Creates a zeroed block of at least `size` bytes.
    pub fn zeroed(size: usize) -> Self {
        Self(SmallVec::from_elem(0, size.div_ceil(WORD)))
    }

    /// Copies `other` into this block, reusing its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }

    /// Writes `value` at a byte offset if it fits. Returns true if so.
    pub fn put(&mut self, offset: usize, value: &[u8]) -> bool {
        let fits = offset.checked_add(value.len()).is_some_and(|end| end <= self.0.len() * WORD);
        if fits {
            // SAFETY: the range is in the block, checked above, and `self` is borrowed exclusively.
            unsafe {
                let target = self.0.as_mut_ptr().cast::<u8>().add(offset);
                std::ptr::copy_nonoverlapping(value.as_ptr(), target, value.len());
            }
        }
        fits
    }

    /// Returns up to `size` bytes from a byte offset on, fewer at the end of the block.
    pub fn get(&self, offset: usize, size: usize) -> Vec<u8> {
        let bytes = self.0.iter().flat_map(|word| word.to_ne_bytes());
        bytes.skip(offset).take(size).collect()
    }

    /// Returns the little-endian number of up to 8 bytes at a byte offset, if it is in the block.
    pub fn word(&self, offset: u32, bytes: u32) -> Option<u64> {
        let (offset, bytes) = (offset as usize, bytes as usize);
        let mut word = [0; 8];
        let target = word.get_mut(..bytes)?;
        (offset + bytes <= self.bytes()).then_some(())?;
        // SAFETY: the bytes are in the block, checked above.
        unsafe { std::ptr::copy_nonoverlapping(self.as_ptr().add(offset), target.as_mut_ptr(), bytes) };
        Some(u64::from_le_bytes(word))
    }

    /// Returns the size of the block in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len() * WORD
    }

    /// Returns the address of the first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}

impl From<&[u8]> for ArgBlock {
    fn from(bytes: &[u8]) -> Self {
        let mut block = Self::zeroed(bytes.len());
        block.put(0, bytes);
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_where_they_were_put() {
        for size in [1, 16, 129, 1000] {
            let mut block = ArgBlock::zeroed(size);
            assert!(block.put(size - 1, &[7]));
            assert!(!block.put(size.next_multiple_of(WORD) - 1, &[1, 2]));
            assert!(!block.put(usize::MAX, &[1]));
            // SAFETY: the byte is in the block.
            assert_eq!(unsafe { block.as_ptr().add(size - 1).read() }, 7);
        }
    }
}
