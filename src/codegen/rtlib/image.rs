//! Access to texels whose image format is unknown at compile time, or too rare for inline code.

use super::guard::guard;
use grus_ir::image::{Descriptor, texel};

/// Reads the texel at byte `offset` of the image into the four `components`: floats if `floats` is not 0, else
/// integers.
///
/// # Safety
/// See [`texel::load`]; `components` has room for four words.
pub unsafe extern "C" fn texel_load(
    image: *const Descriptor,
    offset: u64,
    components: *mut u32,
    floats: u32,
) {
    // SAFETY: compiled code checks the coordinates against the image and passes room for four components.
    guard("a read of an image", || unsafe {
        let loaded = texel::load(image, offset, floats != 0);
        components.cast::<[u32; 4]>().write_unaligned(loaded);
    });
}

/// Writes the four `components` to the texel at byte `offset` of the image.
///
/// # Safety
/// See [`texel::store`]; `components` points at four words.
pub unsafe extern "C" fn texel_store(
    image: *const Descriptor,
    offset: u64,
    components: *const u32,
    floats: u32,
) {
    // SAFETY: compiled code checks the coordinates against the image and passes four components.
    guard("a write to an image", || unsafe {
        let components = components.cast::<[u32; 4]>().read_unaligned();
        texel::store(image, offset, components, floats != 0);
    });
}
