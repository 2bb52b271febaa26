//! The argument block of a launch.

use smallvec::SmallVec;

/// Bytes of a word of the block: it is aligned to as much.
const WORD: usize = size_of::<u128>();

/// Argument values, each at its `ArgInfo::offset`. Blocks of the usual size need no allocation.
#[derive(Clone, Debug, Default)]
pub struct ArgBlock(SmallVec<[u128; 8]>);

impl ArgBlock {
    /// A block of at least `size` bytes, all zero.
    pub fn zeroed(size: usize) -> Self {
        Self(SmallVec::from_elem(0, size.div_ceil(WORD)))
    }

    /// Becomes a copy of `other`, in the memory it has.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }

    /// Writes `value` at a byte of the block, as far as it fits; whether it did.
    pub fn put(&mut self, place: usize, value: &[u8]) -> bool {
        let fits = place.checked_add(value.len()).is_some_and(|end| end <= self.0.len() * WORD);
        if fits {
            // SAFETY: the range is in the block, checked above, and nobody else has the block.
            unsafe {
                let target = self.0.as_mut_ptr().cast::<u8>().add(place);
                std::ptr::copy_nonoverlapping(value.as_ptr(), target, value.len());
            }
        }
        fits
    }

    /// So many bytes from a byte of the block on, as far as there are any.
    pub fn get(&self, place: usize, size: usize) -> Vec<u8> {
        let bytes = self.0.iter().flat_map(|word| word.to_ne_bytes());
        bytes.skip(place).take(size).collect()
    }

    /// The number of up to 8 bytes at a byte of the block, if it is there.
    pub fn word(&self, place: u32, bytes: u32) -> Option<u64> {
        let (place, bytes) = (place as usize, bytes as usize);
        let mut word = [0; 8];
        let target = word.get_mut(..bytes)?;
        (place + bytes <= self.bytes()).then_some(())?;
        // SAFETY: the bytes are in the block, checked above.
        unsafe { std::ptr::copy_nonoverlapping(self.as_ptr().add(place), target.as_mut_ptr(), bytes) };
        Some(u64::from_le_bytes(word))
    }

    /// Bytes that the block has room for.
    pub fn bytes(&self) -> usize {
        self.0.len() * WORD
    }

    /// The first byte.
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
