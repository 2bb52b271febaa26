//! Runtime library: Rust functions that machine code of kernels calls. None of them unwinds (`guard`).

pub mod async_copy;
pub mod clock;
mod declaration;
pub mod enqueue;
pub mod guard;
pub mod image;
pub mod math;
pub mod memory;
pub mod print;

pub use declaration::Declaration;

use declaration::Declare;
use grus_ir::Helper;
use grus_support::bug::PanicSite;

/// Maps each helper to the function that implements it. The list of `_` has one entry per parameter.
macro_rules! helpers {
    ($($helper:ident => $function:path[$($param:tt)*];)*) => {
        fn function(helper: Helper) -> Declaration {
            match helper {
                $(Helper::$helper => ($function as unsafe extern "C" fn($($param),*) -> _).declaration(),)*
            }
        }
    };
}

helpers! {
    FmaF32 => math::fma_f32[_ _ _];
    FmaF64 => math::fma_f64[_ _ _];
    Printf => print::printf[_ _ _ _];
    SpaceOf => memory::space_of[_ _];
    StridedCopy => async_copy::strided_copy[_ _ _ _ _ _];
    RectCopy => async_copy::rect_copy[_];
    MemCopy => memory::mem_copy[_ _ _];
    MemZero => memory::mem_zero[_ _];
    Enqueue => enqueue::enqueue[_ _ _];
    Clock => clock::clock[];
    TexelLoad => image::texel_load[_ _ _ _];
    TexelStore => image::texel_store[_ _ _ _];
}

/// Returns the address and the signature of the function that implements `helper`.
pub fn declaration(helper: Helper) -> Declaration {
    let declared = function(helper);
    if PanicSite::Helpers.has_bug() {
        return Declaration { address: guard::panic as *const () as usize, ..declared };
    }
    declared
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::Kind;

    #[test]
    fn signatures_are_those_of_the_functions() {
        let printf = declaration(Helper::Printf);
        assert_eq!((printf.params, printf.result), (&[Kind::I64; 4][..], Kind::I32));
        let fma = declaration(Helper::FmaF64);
        assert_eq!((fma.params, fma.result), (&[Kind::F64; 3][..], Kind::F64));
        let load = declaration(Helper::TexelLoad);
        assert_eq!(
            (load.params, load.result),
            (&[Kind::I64, Kind::I64, Kind::I64, Kind::I32][..], Kind::Void)
        );
    }
}
