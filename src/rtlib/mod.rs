//! Rust functions that machine code of kernels calls. None of them unwinds (`guard`).

pub mod enqueue;
pub mod guard;
pub mod image;
pub mod math;
pub mod memory;
pub mod print;

use crate::ir::Helper;
use crate::support::bug::Place;

/// The address of a helper.
pub fn address(helper: Helper) -> usize {
    let function: *const () = match helper {
        _ if Place::Helpers.has_bug() => guard::panic as *const (),
        Helper::FmaF32 => math::fma_f32 as *const (),
        Helper::FmaF64 => math::fma_f64 as *const (),
        Helper::Printf => print::printf as *const (),
        Helper::SpaceOf => memory::space_of as *const (),
        Helper::StridedCopy => memory::strided_copy as *const (),
        Helper::MemCopy => memory::mem_copy as *const (),
        Helper::MemZero => memory::mem_zero as *const (),
        Helper::Enqueue => enqueue::enqueue as *const (),
        Helper::TexelLoad => image::texel_load as *const (),
        Helper::TexelStore => image::texel_store as *const (),
    };
    function as usize
}
