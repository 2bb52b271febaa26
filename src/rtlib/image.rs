//! Texels of images whose format is not known where the code is made, or is a rare one.

use super::guard::guard;
use crate::image::{Descriptor, texel};

/// Reads the texel `offset` bytes after the first one into `components`: floats, or integers.
///
/// # Safety
/// As of [`texel::load`], and `components` has room for four.
pub unsafe extern "C" fn texel_load(
    image: *const Descriptor,
    offset: u64,
    components: *mut u32,
    floats: u32,
) {
    // SAFETY: the kernel says that the texel is in the image, and has room for the components.
    guard("a read of an image", || unsafe {
        let loaded = texel::load(image, offset, floats != 0);
        components.cast::<[u32; 4]>().write_unaligned(loaded);
    });
}

/// Writes the texel `offset` bytes after the first one.
///
/// # Safety
/// As of [`texel::store`], and `components` are four.
pub unsafe extern "C" fn texel_store(
    image: *const Descriptor,
    offset: u64,
    components: *const u32,
    floats: u32,
) {
    // SAFETY: as in `texel_load`.
    guard("a write to an image", || unsafe {
        let components = components.cast::<[u32; 4]>().read_unaligned();
        texel::store(image, offset, components, floats != 0);
    });
}
