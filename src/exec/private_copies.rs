//! Copies of memory that a launch only updates, one for each thread (`passes::specialize::private_updates`).

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use super::args::ArgBlock;
use super::launch::Inputs;
use grus_codegen::jit::KernelTraits;
use grus_ir::group_code::PrivateUpdate;
use grus_ir::{Kind, Reduction};
use smallvec::SmallVec;

/// Words behind each copy, for kernels that write a little past the end of a buffer.
// Arbitrary.
const SPARE_WORDS: usize = 512;

/// Arguments of a launch with pointers to a thread's copies.
pub(super) struct PrivateCopies {
    args: ArgBlock,
    copies: SmallVec<[PrivateCopy; 2]>,
}

/// A thread's copy of an argument's memory.
struct PrivateCopy {
    update: PrivateUpdate,
    words: Box<[u64]>,
    /// Bytes of the memory.
    size: usize,
    /// Address of the memory.
    target: u64,
}

impl PrivateCopies {
    /// Creates copies that hold the neutral numbers of their updates.
    pub fn new(traits: &KernelTraits, inputs: &Inputs) -> PrivateCopies {
        let mut args = inputs.args.clone();
        let updates = traits.private_updates.iter().zip(&inputs.updated_sizes);
        let copies = updates
            .map(|(&update, &size)| {
                let size = size as usize;
                let number = update.how.identity(update.kind);
                let neutral = if update.kind == Kind::I64 { number } else { number << 32 | number };
                let mut words =
                    vec![neutral; size.div_ceil(size_of::<u64>()) + SPARE_WORDS].into_boxed_slice();
                let target = args.word(update.place, 8).unwrap_or(0);
                args.put(update.place as usize, &words.as_mut_ptr().expose_provenance().to_ne_bytes());
                PrivateCopy { update, words, size, target }
            })
            .collect();
        PrivateCopies { args, copies }
    }

    /// Returns the argument block with the addresses of the copies.
    pub fn args(&self) -> *const u8 {
        self.args.as_ptr()
    }

    /// Updates the memory by the numbers of the copies.
    pub fn combine(self) {
        for copy in self.copies {
            // SAFETY: the memory of a buffer argument is there until the launch has ended, and has this size. The program
            // must align it for the atomic operations of its kernel.
            unsafe { copy.combine() };
        }
    }
}

impl PrivateCopy {
    /// Updates the memory by the numbers of the copy.
    ///
    /// # Safety
    /// `target` is the address of `size` bytes that live, aligned for the numbers.
    unsafe fn combine(&self) {
        let bits = self.update.kind.bits();
        let neutral = self.update.how.identity(self.update.kind);
        let count = self.size / (bits as usize / 8);
        for at in 0..count {
            let number = match bits {
                64 => self.words[at],
                _ => self.words[at / 2] >> (32 * (at % 2)) & u64::from(u32::MAX),
            };
            if number == neutral {
                continue;
            }
            let address = self.target as usize + at * (bits as usize / 8);
            // SAFETY: the caller guarantees that the memory is there and aligned.
            unsafe {
                if bits == 64 {
                    update_64(address, self.update.how, number);
                } else {
                    update_32(address, self.update.how, number as u32);
                }
            }
        }
    }
}

/// Defines a function that updates a number in memory by an atomic operation.
macro_rules! update {
    ($name:ident, $unsigned:ty, $signed:ty, $number:ty, $signed_number:ty) => {
        /// Updates a number in memory by an atomic operation.
        ///
        /// # Safety
        /// There is such a number at the address, and it is aligned.
        unsafe fn $name(address: usize, how: Reduction, number: $number) {
            // SAFETY: the caller guarantees it.
            let (unsigned, signed) = unsafe {
                let pointer = std::ptr::with_exposed_provenance_mut::<$number>(address);
                (<$unsigned>::from_ptr(pointer), <$signed>::from_ptr(pointer.cast::<$signed_number>()))
            };
            match how {
                Reduction::Add => _ = unsigned.fetch_add(number, Ordering::Relaxed),
                Reduction::And => _ = unsigned.fetch_and(number, Ordering::Relaxed),
                Reduction::Or => _ = unsigned.fetch_or(number, Ordering::Relaxed),
                Reduction::Xor => _ = unsigned.fetch_xor(number, Ordering::Relaxed),
                Reduction::Umin => _ = unsigned.fetch_min(number, Ordering::Relaxed),
                Reduction::Umax => _ = unsigned.fetch_max(number, Ordering::Relaxed),
                Reduction::Smin => _ = signed.fetch_min(number as $signed_number, Ordering::Relaxed),
                Reduction::Smax => _ = signed.fetch_max(number as $signed_number, Ordering::Relaxed),
                Reduction::Mul | Reduction::Fadd | Reduction::Fmul | Reduction::Fmin | Reduction::Fmax => {
                    unreachable!("no such updates are made private")
                }
            }
        }
    };
}

update!(update_32, AtomicU32, AtomicI32, u32, i32);
update!(update_64, AtomicU64, AtomicI64, u64, i64);

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(how: Reduction, kind: Kind, start: u64, number: Option<u64>) -> u64 {
        let memory = [start, 7].map(AtomicU64::new);
        let update = PrivateUpdate { place: 0, kind, how };
        let neutral = how.identity(kind);
        let words: Box<[u64]> = match kind {
            Kind::I64 => [number.unwrap_or(neutral)].into(),
            _ => [neutral << 32 | number.unwrap_or(neutral)].into(),
        };
        let target = memory[0].as_ptr().expose_provenance() as u64;
        // SAFETY: the memory lives, and is aligned.
        unsafe { PrivateCopy { update, words, size: 8, target }.combine() };
        let [first, second] = memory.map(AtomicU64::into_inner);
        assert_eq!(second, 7);
        first
    }

    #[test]
    fn copies_are_combined_with_the_memory() {
        let all = [
            Reduction::Add,
            Reduction::And,
            Reduction::Or,
            Reduction::Xor,
            Reduction::Smin,
            Reduction::Smax,
            Reduction::Umin,
            Reduction::Umax,
        ];
        let (five, minus_nine) = (5_u64, -9_i64 as u64);
        let of_64 = |start, number| all.map(|how| combined(how, Kind::I64, start, Some(number)));
        assert_eq!(of_64(12, five), [17, 4, 13, 9, 5, 12, 5, 12]);
        let minus = |value: i64| value as u64;
        assert_eq!(of_64(12, minus_nine), [3, 4, minus(-1), minus(-5), minus_nine, 12, 12, minus_nine]);
        for how in all {
            for start in [0, 3, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff] {
                assert_eq!(combined(how, Kind::I64, start, None), start, "{how:?}");
                assert_eq!(combined(how, Kind::I32, start, None), start, "{how:?}");
            }
        }
        let low = u64::from(u32::MAX - 8);
        let of_32 = all.map(|how| combined(how, Kind::I32, 4 << 32 | 12, Some(low)) ^ 4 << 32);
        assert_eq!(of_32, [3, 4, u64::from(u32::MAX), u64::from(u32::MAX - 4), low, 12, 12, low]);
    }
}
