//! Table of vector instructions, each named after its mnemonic. Suffixes distinguish forms: `i` takes a shift count as
//! immediate, `r` reads a general register, `s` stores, `k` writes a mask, `y` is the form for 256 bits.
//!
//! An entry holds, in this order:
//!
//! - the VEX encoding (iced's name) for the smallest register, and the number of sizes; larger sizes follow in iced's
//!   list;
//! - the EVEX encoding for the smallest register, and the number of sizes;
//! - the smallest size (0: xmm, 1: ymm, 2: zmm);
//! - for each operand, the number of sizes (zmm, ymm, xmm) that it is smaller than the largest operand;
//! - the bits of an element that a memory operand can be broadcast from, or 0.

use iced_x86::Code;

/// Size of a vector register: 128, 256 or 512 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Size {
    X,
    Y,
    Z,
}

impl Size {
    /// All sizes, ascending.
    pub const ALL: [Size; 3] = [Size::X, Size::Y, Size::Z];

    /// Returns the smallest register that holds `bytes` bytes.
    pub fn of_bytes(bytes: u32) -> Size {
        match bytes {
            0..=16 => Size::X,
            17..=32 => Size::Y,
            _ => Size::Z,
        }
    }
    /// Returns the bytes of the register.
    pub fn bytes(self) -> u32 {
        16 << self as u32
    }
    /// Returns the size that is `steps` smaller, at least the smallest one.
    pub fn narrower(self, steps: u8) -> Size {
        Size::ALL[usize::from((self as u8).saturating_sub(steps))]
    }
}

/// Encodings of a vector instruction.
#[derive(Clone, Copy, Debug)]
pub struct VecOpForm {
    /// Name in the message if the machine lacks the instruction.
    pub name: &'static str,
    /// VEX encoding for the smallest register, or `INVALID`.
    vex: Code,
    vex_sizes: u8,
    evex: Code,
    evex_sizes: u8,
    /// Smallest register size.
    pub min_size: u8,
    pub size_shifts: [u8; 4],
    /// Bits of an element that memory is broadcast from; 0 if there is no broadcast form.
    pub broadcast_bits: u8,
    /// True if the last source may be memory in all encodings.
    pub takes_memory: bool,
}

/// Checks whether the last source can be memory, by the name of an encoding: `VEX_Vpaddd_xmm_xmm_xmmm128`,
/// `..._xmmm128b32_imm8`.
const fn takes_memory(name: &str) -> bool {
    let name = name.as_bytes();
    let mut end = name.len();
    loop {
        let mut start = end;
        while start > 0 && name[start - 1] != b'_' {
            start -= 1;
        }
        // An immediate, embedded rounding (`er`) or suppression of exceptions (`sae`) may follow the last source.
        let is_suffix = matches!((end - start, name[start]), (4, b'i') | (2, b'e') | (3, b's'));
        if start == 0 || !is_suffix {
            return end - start > 4
                && name[start + 1] == b'm'
                && name[start + 2] == b'm'
                && name[start + 3] == b'm';
        }
        end = start - 1;
    }
}

impl VecOpForm {
    fn code_at(first: Code, sizes: u8, min_size: u8, size: Size) -> Option<Code> {
        let step = (size as u8).checked_sub(min_size)?;
        if step >= sizes {
            return None;
        }
        Code::try_from(first as usize + usize::from(step)).ok()
    }
    /// Returns the VEX encoding.
    pub fn vex(&self, size: Size) -> Option<Code> {
        VecOpForm::code_at(self.vex, self.vex_sizes, self.min_size, size)
    }
    /// Returns the EVEX encoding.
    pub fn evex(&self, size: Size) -> Option<Code> {
        VecOpForm::code_at(self.evex, self.evex_sizes, self.min_size, size)
    }
}

macro_rules! vec_ops {
    ($($name:ident: $vex:ident $vex_sizes:literal $evex:ident $evex_sizes:literal $min_size:literal $size_shifts:tt $broadcast_bits:literal;)*) => {
        /// Vector instruction; see the module's documentation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum VecOp { $($name),* }

        impl VecOp {
            /// Every vector instruction.
            #[cfg(test)]
            pub const ALL: &'static [VecOp] = &[$(VecOp::$name),*];

            /// Returns the encodings.
            pub fn form(self) -> &'static VecOpForm {
                const FORMS: &[VecOpForm] = &[$(VecOpForm {
                    name: stringify!($name),
                    vex: Code::$vex,
                    vex_sizes: $vex_sizes,
                    evex: Code::$evex,
                    evex_sizes: $evex_sizes,
                    min_size: $min_size,
                    size_shifts: $size_shifts,
                    broadcast_bits: $broadcast_bits,
                    takes_memory: ($vex_sizes == 0 || takes_memory(stringify!($vex)))
                        && ($evex_sizes == 0 || takes_memory(stringify!($evex))),
                }),*];
                &FORMS[self as usize]
            }
        }
    };
}

vec_ops! {
    Vpaddb: VEX_Vpaddb_xmm_xmm_xmmm128 2 EVEX_Vpaddb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpaddw: VEX_Vpaddw_xmm_xmm_xmmm128 2 EVEX_Vpaddw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpaddd: VEX_Vpaddd_xmm_xmm_xmmm128 2 EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpaddq: VEX_Vpaddq_xmm_xmm_xmmm128 2 EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpsubb: VEX_Vpsubb_xmm_xmm_xmmm128 2 EVEX_Vpsubb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubw: VEX_Vpsubw_xmm_xmm_xmmm128 2 EVEX_Vpsubw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubd: VEX_Vpsubd_xmm_xmm_xmmm128 2 EVEX_Vpsubd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpsubq: VEX_Vpsubq_xmm_xmm_xmmm128 2 EVEX_Vpsubq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmullw: VEX_Vpmullw_xmm_xmm_xmmm128 2 EVEX_Vpmullw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmulld: VEX_Vpmulld_xmm_xmm_xmmm128 2 EVEX_Vpmulld_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpmuludq: VEX_Vpmuludq_xmm_xmm_xmmm128 2 EVEX_Vpmuludq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmuldq: VEX_Vpmuldq_xmm_xmm_xmmm128 2 EVEX_Vpmuldq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmulhw: VEX_Vpmulhw_xmm_xmm_xmmm128 2 EVEX_Vpmulhw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmulhuw: VEX_Vpmulhuw_xmm_xmm_xmmm128 2 EVEX_Vpmulhuw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaddubsw: VEX_Vpmaddubsw_xmm_xmm_xmmm128 2 EVEX_Vpmaddubsw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaddwd: VEX_Vpmaddwd_xmm_xmm_xmmm128 2 EVEX_Vpmaddwd_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsadbw: VEX_Vpsadbw_xmm_xmm_xmmm128 2 EVEX_Vpsadbw_xmm_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpminsb: VEX_Vpminsb_xmm_xmm_xmmm128 2 EVEX_Vpminsb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpminsw: VEX_Vpminsw_xmm_xmm_xmmm128 2 EVEX_Vpminsw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpminsd: VEX_Vpminsd_xmm_xmm_xmmm128 2 EVEX_Vpminsd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpmaxsb: VEX_Vpmaxsb_xmm_xmm_xmmm128 2 EVEX_Vpmaxsb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaxsw: VEX_Vpmaxsw_xmm_xmm_xmmm128 2 EVEX_Vpmaxsw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaxsd: VEX_Vpmaxsd_xmm_xmm_xmmm128 2 EVEX_Vpmaxsd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpminub: VEX_Vpminub_xmm_xmm_xmmm128 2 EVEX_Vpminub_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpminuw: VEX_Vpminuw_xmm_xmm_xmmm128 2 EVEX_Vpminuw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpminud: VEX_Vpminud_xmm_xmm_xmmm128 2 EVEX_Vpminud_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpmaxub: VEX_Vpmaxub_xmm_xmm_xmmm128 2 EVEX_Vpmaxub_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaxuw: VEX_Vpmaxuw_xmm_xmm_xmmm128 2 EVEX_Vpmaxuw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmaxud: VEX_Vpmaxud_xmm_xmm_xmmm128 2 EVEX_Vpmaxud_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpaddsb: VEX_Vpaddsb_xmm_xmm_xmmm128 2 EVEX_Vpaddsb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpaddsw: VEX_Vpaddsw_xmm_xmm_xmmm128 2 EVEX_Vpaddsw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpaddusb: VEX_Vpaddusb_xmm_xmm_xmmm128 2 EVEX_Vpaddusb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpaddusw: VEX_Vpaddusw_xmm_xmm_xmmm128 2 EVEX_Vpaddusw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubsb: VEX_Vpsubsb_xmm_xmm_xmmm128 2 EVEX_Vpsubsb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubsw: VEX_Vpsubsw_xmm_xmm_xmmm128 2 EVEX_Vpsubsw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubusb: VEX_Vpsubusb_xmm_xmm_xmmm128 2 EVEX_Vpsubusb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsubusw: VEX_Vpsubusw_xmm_xmm_xmmm128 2 EVEX_Vpsubusw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsllvd: VEX_Vpsllvd_xmm_xmm_xmmm128 2 EVEX_Vpsllvd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpsllvq: VEX_Vpsllvq_xmm_xmm_xmmm128 2 EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpsrlvd: VEX_Vpsrlvd_xmm_xmm_xmmm128 2 EVEX_Vpsrlvd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpsrlvq: VEX_Vpsrlvq_xmm_xmm_xmmm128 2 EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpsravd: VEX_Vpsravd_xmm_xmm_xmmm128 2 EVEX_Vpsravd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpshufb: VEX_Vpshufb_xmm_xmm_xmmm128 2 EVEX_Vpshufb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpunpcklbw: VEX_Vpunpcklbw_xmm_xmm_xmmm128 2 EVEX_Vpunpcklbw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpunpcklwd: VEX_Vpunpcklwd_xmm_xmm_xmmm128 2 EVEX_Vpunpcklwd_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpunpckldq: VEX_Vpunpckldq_xmm_xmm_xmmm128 2 EVEX_Vpunpckldq_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpunpcklqdq: VEX_Vpunpcklqdq_xmm_xmm_xmmm128 2 EVEX_Vpunpcklqdq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpunpckhdq: VEX_Vpunpckhdq_xmm_xmm_xmmm128 2 EVEX_Vpunpckhdq_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpunpckhqdq: VEX_Vpunpckhqdq_xmm_xmm_xmmm128 2 EVEX_Vpunpckhqdq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpermd: VEX_Vpermd_ymm_ymm_ymmm256 1 EVEX_Vpermd_ymm_k1z_ymm_ymmm256b32 2 1 [0, 0, 0, 0] 32;
    Vpmullq: INVALID 0 EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpminsq: INVALID 0 EVEX_Vpminsq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmaxsq: INVALID 0 EVEX_Vpmaxsq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpminuq: INVALID 0 EVEX_Vpminuq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmaxuq: INVALID 0 EVEX_Vpmaxuq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpsllvw: INVALID 0 EVEX_Vpsllvw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsrlvw: INVALID 0 EVEX_Vpsrlvw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsravw: INVALID 0 EVEX_Vpsravw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpsravq: INVALID 0 EVEX_Vpsravq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vprolvd: INVALID 0 EVEX_Vprolvd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vprolvq: INVALID 0 EVEX_Vprolvq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpermw: INVALID 0 EVEX_Vpermw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpermb: INVALID 0 EVEX_Vpermb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpermvq: INVALID 0 EVEX_Vpermq_ymm_k1z_ymm_ymmm256b64 2 1 [0, 0, 0, 0] 64;
    Vpermt2b: INVALID 0 EVEX_Vpermt2b_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpermt2w: INVALID 0 EVEX_Vpermt2w_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpermt2d: INVALID 0 EVEX_Vpermt2d_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpermt2q: INVALID 0 EVEX_Vpermt2q_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpblendmb: INVALID 0 EVEX_Vpblendmb_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpblendmw: INVALID 0 EVEX_Vpblendmw_xmm_k1z_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpblendmd: INVALID 0 EVEX_Vpblendmd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpblendmq: INVALID 0 EVEX_Vpblendmq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpand: VEX_Vpand_xmm_xmm_xmmm128 2 EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpor: VEX_Vpor_xmm_xmm_xmmm128 2 EVEX_Vpord_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpxor: VEX_Vpxor_xmm_xmm_xmmm128 2 EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpandn: VEX_Vpandn_xmm_xmm_xmmm128 2 EVEX_Vpandnd_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpandq: INVALID 0 EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vporq: INVALID 0 EVEX_Vporq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpxorq: INVALID 0 EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpternlogd: INVALID 0 EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpternlogq: INVALID 0 EVEX_Vpternlogq_xmm_k1z_xmm_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpsllwi: VEX_Vpsllw_xmm_xmm_imm8 2 EVEX_Vpsllw_xmm_k1z_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpslldi: VEX_Vpslld_xmm_xmm_imm8 2 EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpsllqi: VEX_Vpsllq_xmm_xmm_imm8 2 EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpsrlwi: VEX_Vpsrlw_xmm_xmm_imm8 2 EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpsrldi: VEX_Vpsrld_xmm_xmm_imm8 2 EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpsrlqi: VEX_Vpsrlq_xmm_xmm_imm8 2 EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpsrawi: VEX_Vpsraw_xmm_xmm_imm8 2 EVEX_Vpsraw_xmm_k1z_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpsradi: VEX_Vpsrad_xmm_xmm_imm8 2 EVEX_Vpsrad_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpsraqi: INVALID 0 EVEX_Vpsraq_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vproldi: INVALID 0 EVEX_Vprold_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vprolqi: INVALID 0 EVEX_Vprolq_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpsrldq: VEX_Vpsrldq_xmm_xmm_imm8 2 EVEX_Vpsrldq_xmm_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpabsb: VEX_Vpabsb_xmm_xmmm128 2 EVEX_Vpabsb_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpabsw: VEX_Vpabsw_xmm_xmmm128 2 EVEX_Vpabsw_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpabsd: VEX_Vpabsd_xmm_xmmm128 2 EVEX_Vpabsd_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpabsq: INVALID 0 EVEX_Vpabsq_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vplzcntd: INVALID 0 EVEX_Vplzcntd_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vplzcntq: INVALID 0 EVEX_Vplzcntq_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpopcntd: INVALID 0 EVEX_Vpopcntd_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpopcntq: INVALID 0 EVEX_Vpopcntq_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpopcntb: INVALID 0 EVEX_Vpopcntb_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpopcntw: INVALID 0 EVEX_Vpopcntw_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmovsxbw: VEX_Vpmovsxbw_xmm_xmmm64 2 EVEX_Vpmovsxbw_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovzxbw: VEX_Vpmovzxbw_xmm_xmmm64 2 EVEX_Vpmovzxbw_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovsxbd: VEX_Vpmovsxbd_xmm_xmmm32 2 EVEX_Vpmovsxbd_xmm_k1z_xmmm32 3 0 [0, 2, 0, 0] 0;
    Vpmovzxbd: VEX_Vpmovzxbd_xmm_xmmm32 2 EVEX_Vpmovzxbd_xmm_k1z_xmmm32 3 0 [0, 2, 0, 0] 0;
    Vpmovsxbq: VEX_Vpmovsxbq_xmm_xmmm16 2 EVEX_Vpmovsxbq_xmm_k1z_xmmm16 3 0 [0, 2, 0, 0] 0;
    Vpmovzxbq: VEX_Vpmovzxbq_xmm_xmmm16 2 EVEX_Vpmovzxbq_xmm_k1z_xmmm16 3 0 [0, 2, 0, 0] 0;
    Vpmovsxwd: VEX_Vpmovsxwd_xmm_xmmm64 2 EVEX_Vpmovsxwd_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovzxwd: VEX_Vpmovzxwd_xmm_xmmm64 2 EVEX_Vpmovzxwd_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovsxwq: VEX_Vpmovsxwq_xmm_xmmm32 2 EVEX_Vpmovsxwq_xmm_k1z_xmmm32 3 0 [0, 2, 0, 0] 0;
    Vpmovzxwq: VEX_Vpmovzxwq_xmm_xmmm32 2 EVEX_Vpmovzxwq_xmm_k1z_xmmm32 3 0 [0, 2, 0, 0] 0;
    Vpmovsxdq: VEX_Vpmovsxdq_xmm_xmmm64 2 EVEX_Vpmovsxdq_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovzxdq: VEX_Vpmovzxdq_xmm_xmmm64 2 EVEX_Vpmovzxdq_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vpmovwb: INVALID 0 EVEX_Vpmovwb_xmmm64_k1z_xmm 3 0 [1, 0, 0, 0] 0;
    Vpmovdb: INVALID 0 EVEX_Vpmovdb_xmmm32_k1z_xmm 3 0 [2, 0, 0, 0] 0;
    Vpmovqb: INVALID 0 EVEX_Vpmovqb_xmmm16_k1z_xmm 3 0 [2, 0, 0, 0] 0;
    Vpmovdw: INVALID 0 EVEX_Vpmovdw_xmmm64_k1z_xmm 3 0 [1, 0, 0, 0] 0;
    Vpmovqw: INVALID 0 EVEX_Vpmovqw_xmmm32_k1z_xmm 3 0 [2, 0, 0, 0] 0;
    Vpmovqd: INVALID 0 EVEX_Vpmovqd_xmmm64_k1z_xmm 3 0 [1, 0, 0, 0] 0;
    Vpbroadcastb: VEX_Vpbroadcastb_xmm_xmmm8 2 EVEX_Vpbroadcastb_xmm_k1z_xmmm8 3 0 [0, 2, 0, 0] 0;
    Vpbroadcastbr: INVALID 0 EVEX_Vpbroadcastb_xmm_k1z_r32 3 0 [0, 0, 0, 0] 0;
    Vpbroadcastw: VEX_Vpbroadcastw_xmm_xmmm16 2 EVEX_Vpbroadcastw_xmm_k1z_xmmm16 3 0 [0, 2, 0, 0] 0;
    Vpbroadcastwr: INVALID 0 EVEX_Vpbroadcastw_xmm_k1z_r32 3 0 [0, 0, 0, 0] 0;
    Vpbroadcastd: VEX_Vpbroadcastd_xmm_xmmm32 2 EVEX_Vpbroadcastd_xmm_k1z_xmmm32 3 0 [0, 2, 0, 0] 0;
    Vpbroadcastdr: INVALID 0 EVEX_Vpbroadcastd_xmm_k1z_r32 3 0 [0, 0, 0, 0] 0;
    Vpbroadcastq: VEX_Vpbroadcastq_xmm_xmmm64 2 EVEX_Vpbroadcastq_xmm_k1z_xmmm64 3 0 [0, 2, 0, 0] 0;
    Vpbroadcastqr: INVALID 0 EVEX_Vpbroadcastq_xmm_k1z_r64 3 0 [0, 0, 0, 0] 0;
    Vaddps: VEX_Vaddps_xmm_xmm_xmmm128 2 EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vaddpd: VEX_Vaddpd_xmm_xmm_xmmm128 2 EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vaddss: VEX_Vaddss_xmm_xmm_xmmm32 1 EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vaddsd: VEX_Vaddsd_xmm_xmm_xmmm64 1 EVEX_Vaddsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vsubps: VEX_Vsubps_xmm_xmm_xmmm128 2 EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vsubpd: VEX_Vsubpd_xmm_xmm_xmmm128 2 EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vsubss: VEX_Vsubss_xmm_xmm_xmmm32 1 EVEX_Vsubss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vsubsd: VEX_Vsubsd_xmm_xmm_xmmm64 1 EVEX_Vsubsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vmulps: VEX_Vmulps_xmm_xmm_xmmm128 2 EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vmulpd: VEX_Vmulpd_xmm_xmm_xmmm128 2 EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vmulss: VEX_Vmulss_xmm_xmm_xmmm32 1 EVEX_Vmulss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vmulsd: VEX_Vmulsd_xmm_xmm_xmmm64 1 EVEX_Vmulsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vdivps: VEX_Vdivps_xmm_xmm_xmmm128 2 EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vdivpd: VEX_Vdivpd_xmm_xmm_xmmm128 2 EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vdivss: VEX_Vdivss_xmm_xmm_xmmm32 1 EVEX_Vdivss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vdivsd: VEX_Vdivsd_xmm_xmm_xmmm64 1 EVEX_Vdivsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vminps: VEX_Vminps_xmm_xmm_xmmm128 2 EVEX_Vminps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vminpd: VEX_Vminpd_xmm_xmm_xmmm128 2 EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vminss: VEX_Vminss_xmm_xmm_xmmm32 1 EVEX_Vminss_xmm_k1z_xmm_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vminsd: VEX_Vminsd_xmm_xmm_xmmm64 1 EVEX_Vminsd_xmm_k1z_xmm_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vmaxps: VEX_Vmaxps_xmm_xmm_xmmm128 2 EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vmaxpd: VEX_Vmaxpd_xmm_xmm_xmmm128 2 EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vmaxss: VEX_Vmaxss_xmm_xmm_xmmm32 1 EVEX_Vmaxss_xmm_k1z_xmm_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vmaxsd: VEX_Vmaxsd_xmm_xmm_xmmm64 1 EVEX_Vmaxsd_xmm_k1z_xmm_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vsqrtps: VEX_Vsqrtps_xmm_xmmm128 2 EVEX_Vsqrtps_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vsqrtpd: VEX_Vsqrtpd_xmm_xmmm128 2 EVEX_Vsqrtpd_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vsqrtss: VEX_Vsqrtss_xmm_xmm_xmmm32 1 EVEX_Vsqrtss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vsqrtsd: VEX_Vsqrtsd_xmm_xmm_xmmm64 1 EVEX_Vsqrtsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd132ps: VEX_Vfmadd132ps_xmm_xmm_xmmm128 2 EVEX_Vfmadd132ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmsub132ps: VEX_Vfmsub132ps_xmm_xmm_xmmm128 2 EVEX_Vfmsub132ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmadd132ps: VEX_Vfnmadd132ps_xmm_xmm_xmmm128 2 EVEX_Vfnmadd132ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmsub132ps: VEX_Vfnmsub132ps_xmm_xmm_xmmm128 2 EVEX_Vfnmsub132ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmadd132pd: VEX_Vfmadd132pd_xmm_xmm_xmmm128 2 EVEX_Vfmadd132pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmsub132pd: VEX_Vfmsub132pd_xmm_xmm_xmmm128 2 EVEX_Vfmsub132pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmadd132pd: VEX_Vfnmadd132pd_xmm_xmm_xmmm128 2 EVEX_Vfnmadd132pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmsub132pd: VEX_Vfnmsub132pd_xmm_xmm_xmmm128 2 EVEX_Vfnmsub132pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmadd132ss: VEX_Vfmadd132ss_xmm_xmm_xmmm32 1 EVEX_Vfmadd132ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub132ss: VEX_Vfmsub132ss_xmm_xmm_xmmm32 1 EVEX_Vfmsub132ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd132ss: VEX_Vfnmadd132ss_xmm_xmm_xmmm32 1 EVEX_Vfnmadd132ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub132ss: VEX_Vfnmsub132ss_xmm_xmm_xmmm32 1 EVEX_Vfnmsub132ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd132sd: VEX_Vfmadd132sd_xmm_xmm_xmmm64 1 EVEX_Vfmadd132sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub132sd: VEX_Vfmsub132sd_xmm_xmm_xmmm64 1 EVEX_Vfmsub132sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd132sd: VEX_Vfnmadd132sd_xmm_xmm_xmmm64 1 EVEX_Vfnmadd132sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub132sd: VEX_Vfnmsub132sd_xmm_xmm_xmmm64 1 EVEX_Vfnmsub132sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd213ps: VEX_Vfmadd213ps_xmm_xmm_xmmm128 2 EVEX_Vfmadd213ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmsub213ps: VEX_Vfmsub213ps_xmm_xmm_xmmm128 2 EVEX_Vfmsub213ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmadd213ps: VEX_Vfnmadd213ps_xmm_xmm_xmmm128 2 EVEX_Vfnmadd213ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmsub213ps: VEX_Vfnmsub213ps_xmm_xmm_xmmm128 2 EVEX_Vfnmsub213ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmadd213pd: VEX_Vfmadd213pd_xmm_xmm_xmmm128 2 EVEX_Vfmadd213pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmsub213pd: VEX_Vfmsub213pd_xmm_xmm_xmmm128 2 EVEX_Vfmsub213pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmadd213pd: VEX_Vfnmadd213pd_xmm_xmm_xmmm128 2 EVEX_Vfnmadd213pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmsub213pd: VEX_Vfnmsub213pd_xmm_xmm_xmmm128 2 EVEX_Vfnmsub213pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmadd213ss: VEX_Vfmadd213ss_xmm_xmm_xmmm32 1 EVEX_Vfmadd213ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub213ss: VEX_Vfmsub213ss_xmm_xmm_xmmm32 1 EVEX_Vfmsub213ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd213ss: VEX_Vfnmadd213ss_xmm_xmm_xmmm32 1 EVEX_Vfnmadd213ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub213ss: VEX_Vfnmsub213ss_xmm_xmm_xmmm32 1 EVEX_Vfnmsub213ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd213sd: VEX_Vfmadd213sd_xmm_xmm_xmmm64 1 EVEX_Vfmadd213sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub213sd: VEX_Vfmsub213sd_xmm_xmm_xmmm64 1 EVEX_Vfmsub213sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd213sd: VEX_Vfnmadd213sd_xmm_xmm_xmmm64 1 EVEX_Vfnmadd213sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub213sd: VEX_Vfnmsub213sd_xmm_xmm_xmmm64 1 EVEX_Vfnmsub213sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd231ps: VEX_Vfmadd231ps_xmm_xmm_xmmm128 2 EVEX_Vfmadd231ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmsub231ps: VEX_Vfmsub231ps_xmm_xmm_xmmm128 2 EVEX_Vfmsub231ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmadd231ps: VEX_Vfnmadd231ps_xmm_xmm_xmmm128 2 EVEX_Vfnmadd231ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfnmsub231ps: VEX_Vfnmsub231ps_xmm_xmm_xmmm128 2 EVEX_Vfnmsub231ps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vfmadd231pd: VEX_Vfmadd231pd_xmm_xmm_xmmm128 2 EVEX_Vfmadd231pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmsub231pd: VEX_Vfmsub231pd_xmm_xmm_xmmm128 2 EVEX_Vfmsub231pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmadd231pd: VEX_Vfnmadd231pd_xmm_xmm_xmmm128 2 EVEX_Vfnmadd231pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfnmsub231pd: VEX_Vfnmsub231pd_xmm_xmm_xmmm128 2 EVEX_Vfnmsub231pd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vfmadd231ss: VEX_Vfmadd231ss_xmm_xmm_xmmm32 1 EVEX_Vfmadd231ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub231ss: VEX_Vfmsub231ss_xmm_xmm_xmmm32 1 EVEX_Vfmsub231ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd231ss: VEX_Vfnmadd231ss_xmm_xmm_xmmm32 1 EVEX_Vfnmadd231ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub231ss: VEX_Vfnmsub231ss_xmm_xmm_xmmm32 1 EVEX_Vfnmsub231ss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vfmadd231sd: VEX_Vfmadd231sd_xmm_xmm_xmmm64 1 EVEX_Vfmadd231sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfmsub231sd: VEX_Vfmsub231sd_xmm_xmm_xmmm64 1 EVEX_Vfmsub231sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmadd231sd: VEX_Vfnmadd231sd_xmm_xmm_xmmm64 1 EVEX_Vfnmadd231sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vfnmsub231sd: VEX_Vfnmsub231sd_xmm_xmm_xmmm64 1 EVEX_Vfnmsub231sd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vroundps: VEX_Vroundps_xmm_xmmm128_imm8 2 EVEX_Vrndscaleps_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vroundpd: VEX_Vroundpd_xmm_xmmm128_imm8 2 EVEX_Vrndscalepd_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vroundss: VEX_Vroundss_xmm_xmm_xmmm32_imm8 1 EVEX_Vrndscaless_xmm_k1z_xmm_xmmm32_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vroundsd: VEX_Vroundsd_xmm_xmm_xmmm64_imm8 1 EVEX_Vrndscalesd_xmm_k1z_xmm_xmmm64_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vcmpps: VEX_Vcmpps_xmm_xmm_xmmm128_imm8 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vcmppd: VEX_Vcmppd_xmm_xmm_xmmm128_imm8 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vcmppsk: INVALID 0 EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vcmppdk: INVALID 0 EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vcmpss: VEX_Vcmpss_xmm_xmm_xmmm32_imm8 1 INVALID 0 0 [0, 0, 0, 0] 0;
    Vcmpsd: VEX_Vcmpsd_xmm_xmm_xmmm64_imm8 1 INVALID 0 0 [0, 0, 0, 0] 0;
    Vcmpssk: INVALID 0 EVEX_Vcmpss_kr_k1_xmm_xmmm32_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vcmpsdk: INVALID 0 EVEX_Vcmpsd_kr_k1_xmm_xmmm64_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vucomiss: VEX_Vucomiss_xmm_xmmm32 1 EVEX_Vucomiss_xmm_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vucomisd: VEX_Vucomisd_xmm_xmmm64 1 EVEX_Vucomisd_xmm_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vpcmpeqb: VEX_Vpcmpeqb_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpgtb: VEX_Vpcmpgtb_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpb: INVALID 0 EVEX_Vpcmpb_kr_k1_xmm_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpcmpub: INVALID 0 EVEX_Vpcmpub_kr_k1_xmm_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vptestmb: INVALID 0 EVEX_Vptestmb_kr_k1_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vptestnmb: INVALID 0 EVEX_Vptestnmb_kr_k1_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmovm2b: INVALID 0 EVEX_Vpmovm2b_xmm_kr 3 0 [0, 0, 0, 0] 0;
    Vpmovb2m: INVALID 0 EVEX_Vpmovb2m_kr_xmm 3 0 [0, 0, 0, 0] 0;
    Vpcmpeqw: VEX_Vpcmpeqw_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpgtw: VEX_Vpcmpgtw_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpw: INVALID 0 EVEX_Vpcmpw_kr_k1_xmm_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vpcmpuw: INVALID 0 EVEX_Vpcmpuw_kr_k1_xmm_xmmm128_imm8 3 0 [0, 0, 0, 0] 0;
    Vptestmw: INVALID 0 EVEX_Vptestmw_kr_k1_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vptestnmw: INVALID 0 EVEX_Vptestnmw_kr_k1_xmm_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vpmovm2w: INVALID 0 EVEX_Vpmovm2w_xmm_kr 3 0 [0, 0, 0, 0] 0;
    Vpmovw2m: INVALID 0 EVEX_Vpmovw2m_kr_xmm 3 0 [0, 0, 0, 0] 0;
    Vpcmpeqd: VEX_Vpcmpeqd_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpgtd: VEX_Vpcmpgtd_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpd: INVALID 0 EVEX_Vpcmpd_kr_k1_xmm_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpcmpud: INVALID 0 EVEX_Vpcmpud_kr_k1_xmm_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vptestmd: INVALID 0 EVEX_Vptestmd_kr_k1_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vptestnmd: INVALID 0 EVEX_Vptestnmd_kr_k1_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vpmovm2d: INVALID 0 EVEX_Vpmovm2d_xmm_kr 3 0 [0, 0, 0, 0] 0;
    Vpmovd2m: INVALID 0 EVEX_Vpmovd2m_kr_xmm 3 0 [0, 0, 0, 0] 0;
    Vpcmpeqq: VEX_Vpcmpeqq_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpgtq: VEX_Vpcmpgtq_xmm_xmm_xmmm128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpcmpq: INVALID 0 EVEX_Vpcmpq_kr_k1_xmm_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpcmpuq: INVALID 0 EVEX_Vpcmpuq_kr_k1_xmm_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vptestmq: INVALID 0 EVEX_Vptestmq_kr_k1_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vptestnmq: INVALID 0 EVEX_Vptestnmq_kr_k1_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vpmovm2q: INVALID 0 EVEX_Vpmovm2q_xmm_kr 3 0 [0, 0, 0, 0] 0;
    Vpmovq2m: INVALID 0 EVEX_Vpmovq2m_kr_xmm 3 0 [0, 0, 0, 0] 0;
    Vgetexpps: INVALID 0 EVEX_Vgetexpps_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vgetexppd: INVALID 0 EVEX_Vgetexppd_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vgetexpss: INVALID 0 EVEX_Vgetexpss_xmm_k1z_xmm_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vgetexpsd: INVALID 0 EVEX_Vgetexpsd_xmm_k1z_xmm_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vgetexpph: INVALID 0 EVEX_Vgetexpph_xmm_k1z_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vgetmantps: INVALID 0 EVEX_Vgetmantps_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vgetmantpd: INVALID 0 EVEX_Vgetmantpd_xmm_k1z_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vgetmantss: INVALID 0 EVEX_Vgetmantss_xmm_k1z_xmm_xmmm32_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vgetmantsd: INVALID 0 EVEX_Vgetmantsd_xmm_k1z_xmm_xmmm64_imm8_sae 1 0 [0, 0, 0, 0] 0;
    Vgetmantph: INVALID 0 EVEX_Vgetmantph_xmm_k1z_xmmm128b16_imm8 3 0 [0, 0, 0, 0] 16;
    Vscalefps: INVALID 0 EVEX_Vscalefps_xmm_k1z_xmm_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vscalefpd: INVALID 0 EVEX_Vscalefpd_xmm_k1z_xmm_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vscalefss: INVALID 0 EVEX_Vscalefss_xmm_k1z_xmm_xmmm32_er 1 0 [0, 0, 0, 0] 0;
    Vscalefsd: INVALID 0 EVEX_Vscalefsd_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vscalefph: INVALID 0 EVEX_Vscalefph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vaddph: INVALID 0 EVEX_Vaddph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vsubph: INVALID 0 EVEX_Vsubph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vmulph: INVALID 0 EVEX_Vmulph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vdivph: INVALID 0 EVEX_Vdivph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vsqrtph: INVALID 0 EVEX_Vsqrtph_xmm_k1z_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vroundph: INVALID 0 EVEX_Vrndscaleph_xmm_k1z_xmmm128b16_imm8 3 0 [0, 0, 0, 0] 16;
    Vcmpphk: INVALID 0 EVEX_Vcmpph_kr_k1_xmm_xmmm128b16_imm8 3 0 [0, 0, 0, 0] 16;
    Vfmadd132ph: INVALID 0 EVEX_Vfmadd132ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfmsub132ph: INVALID 0 EVEX_Vfmsub132ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmadd132ph: INVALID 0 EVEX_Vfnmadd132ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmsub132ph: INVALID 0 EVEX_Vfnmsub132ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfmadd213ph: INVALID 0 EVEX_Vfmadd213ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfmsub213ph: INVALID 0 EVEX_Vfmsub213ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmadd213ph: INVALID 0 EVEX_Vfnmadd213ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmsub213ph: INVALID 0 EVEX_Vfnmsub213ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfmadd231ph: INVALID 0 EVEX_Vfmadd231ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfmsub231ph: INVALID 0 EVEX_Vfmsub231ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmadd231ph: INVALID 0 EVEX_Vfnmadd231ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vfnmsub231ph: INVALID 0 EVEX_Vfnmsub231ph_xmm_k1z_xmm_xmmm128b16 3 0 [0, 0, 0, 0] 16;
    Vcvtdq2ps: VEX_Vcvtdq2ps_xmm_xmmm128 2 EVEX_Vcvtdq2ps_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvtdq2pd: VEX_Vcvtdq2pd_xmm_xmmm64 2 EVEX_Vcvtdq2pd_xmm_k1z_xmmm64b32 3 0 [0, 1, 0, 0] 32;
    Vcvttps2dq: VEX_Vcvttps2dq_xmm_xmmm128 2 EVEX_Vcvttps2dq_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvttpd2dq: VEX_Vcvttpd2dq_xmm_xmmm128 2 EVEX_Vcvttpd2dq_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtps2dq: VEX_Vcvtps2dq_xmm_xmmm128 2 EVEX_Vcvtps2dq_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvtpd2dq: VEX_Vcvtpd2dq_xmm_xmmm128 2 EVEX_Vcvtpd2dq_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtps2pd: VEX_Vcvtps2pd_xmm_xmmm64 2 EVEX_Vcvtps2pd_xmm_k1z_xmmm64b32 3 0 [0, 1, 0, 0] 32;
    Vcvtpd2ps: VEX_Vcvtpd2ps_xmm_xmmm128 2 EVEX_Vcvtpd2ps_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtph2ps: VEX_Vcvtph2ps_xmm_xmmm64 2 EVEX_Vcvtph2ps_xmm_k1z_xmmm64 3 0 [0, 1, 0, 0] 0;
    Vcvtss2sd: VEX_Vcvtss2sd_xmm_xmm_xmmm32 1 EVEX_Vcvtss2sd_xmm_k1z_xmm_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vcvtsd2ss: VEX_Vcvtsd2ss_xmm_xmm_xmmm64 1 EVEX_Vcvtsd2ss_xmm_k1z_xmm_xmmm64_er 1 0 [0, 0, 0, 0] 0;
    Vcvtps2ph: VEX_Vcvtps2ph_xmmm64_xmm_imm8 2 EVEX_Vcvtps2ph_xmmm64_k1z_xmm_imm8 3 0 [1, 0, 0, 0] 0;
    Vcvtudq2ps: INVALID 0 EVEX_Vcvtudq2ps_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvtudq2pd: INVALID 0 EVEX_Vcvtudq2pd_xmm_k1z_xmmm64b32 3 0 [0, 1, 0, 0] 32;
    Vcvtqq2ps: INVALID 0 EVEX_Vcvtqq2ps_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtqq2pd: INVALID 0 EVEX_Vcvtqq2pd_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vcvtuqq2ps: INVALID 0 EVEX_Vcvtuqq2ps_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtuqq2pd: INVALID 0 EVEX_Vcvtuqq2pd_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vcvttps2udq: INVALID 0 EVEX_Vcvttps2udq_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvttpd2udq: INVALID 0 EVEX_Vcvttpd2udq_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvtps2udq: INVALID 0 EVEX_Vcvtps2udq_xmm_k1z_xmmm128b32 3 0 [0, 0, 0, 0] 32;
    Vcvtpd2udq: INVALID 0 EVEX_Vcvtpd2udq_xmm_k1z_xmmm128b64 3 0 [1, 0, 0, 0] 64;
    Vcvttps2qq: INVALID 0 EVEX_Vcvttps2qq_xmm_k1z_xmmm64b32 3 0 [0, 1, 0, 0] 32;
    Vcvttps2uqq: INVALID 0 EVEX_Vcvttps2uqq_xmm_k1z_xmmm64b32 3 0 [0, 1, 0, 0] 32;
    Vcvttpd2qq: INVALID 0 EVEX_Vcvttpd2qq_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vcvttpd2uqq: INVALID 0 EVEX_Vcvttpd2uqq_xmm_k1z_xmmm128b64 3 0 [0, 0, 0, 0] 64;
    Vcvtsi2ss64: VEX_Vcvtsi2ss_xmm_xmm_rm64 1 EVEX_Vcvtsi2ss_xmm_xmm_rm64_er 1 0 [0, 0, 0, 0] 0;
    Vcvtusi2ss64: INVALID 0 EVEX_Vcvtusi2ss_xmm_xmm_rm64_er 1 0 [0, 0, 0, 0] 0;
    Vcvttss2si64: VEX_Vcvttss2si_r64_xmmm32 1 EVEX_Vcvttss2si_r64_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vcvttss2usi64: INVALID 0 EVEX_Vcvttss2usi_r64_xmmm32_sae 1 0 [0, 0, 0, 0] 0;
    Vcvtsi2sd64: VEX_Vcvtsi2sd_xmm_xmm_rm64 1 EVEX_Vcvtsi2sd_xmm_xmm_rm64_er 1 0 [0, 0, 0, 0] 0;
    Vcvtusi2sd64: INVALID 0 EVEX_Vcvtusi2sd_xmm_xmm_rm64_er 1 0 [0, 0, 0, 0] 0;
    Vcvttsd2si64: VEX_Vcvttsd2si_r64_xmmm64 1 EVEX_Vcvttsd2si_r64_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vcvttsd2usi64: INVALID 0 EVEX_Vcvttsd2usi_r64_xmmm64_sae 1 0 [0, 0, 0, 0] 0;
    Vmovdqu: VEX_Vmovdqu_xmm_xmmm128 2 EVEX_Vmovdqu32_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vmovdqus: VEX_Vmovdqu_xmmm128_xmm 2 EVEX_Vmovdqu32_xmmm128_k1z_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovntdq: VEX_Vmovntdq_m128_xmm 2 EVEX_Vmovntdq_m128_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovdqu8: INVALID 0 EVEX_Vmovdqu8_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vmovdqu8s: INVALID 0 EVEX_Vmovdqu8_xmmm128_k1z_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovdqu16: INVALID 0 EVEX_Vmovdqu16_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vmovdqu16s: INVALID 0 EVEX_Vmovdqu16_xmmm128_k1z_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovdqu64: INVALID 0 EVEX_Vmovdqu64_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vmovdqu64s: INVALID 0 EVEX_Vmovdqu64_xmmm128_k1z_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovdqa: VEX_Vmovdqa_xmm_xmmm128 2 EVEX_Vmovdqa32_xmm_k1z_xmmm128 3 0 [0, 0, 0, 0] 0;
    Vmovdqas: VEX_Vmovdqa_xmmm128_xmm 2 EVEX_Vmovdqa32_xmmm128_k1z_xmm 3 0 [0, 0, 0, 0] 0;
    Vmovss: VEX_Vmovss_xmm_m32 1 EVEX_Vmovss_xmm_k1z_m32 1 0 [0, 0, 0, 0] 0;
    Vmovsss: VEX_Vmovss_m32_xmm 1 EVEX_Vmovss_m32_k1_xmm 1 0 [0, 0, 0, 0] 0;
    Vmovsd: VEX_Vmovsd_xmm_m64 1 EVEX_Vmovsd_xmm_k1z_m64 1 0 [0, 0, 0, 0] 0;
    Vmovsds: VEX_Vmovsd_m64_xmm 1 EVEX_Vmovsd_m64_k1_xmm 1 0 [0, 0, 0, 0] 0;
    Vmovssr: INVALID 0 EVEX_Vmovss_xmm_k1z_xmm_xmm 1 0 [0, 0, 0, 0] 0;
    Vmovsdr: INVALID 0 EVEX_Vmovsd_xmm_k1z_xmm_xmm 1 0 [0, 0, 0, 0] 0;
    Vmovd: VEX_Vmovd_xmm_rm32 1 EVEX_Vmovd_xmm_rm32 1 0 [0, 0, 0, 0] 0;
    Vmovds: VEX_Vmovd_rm32_xmm 1 EVEX_Vmovd_rm32_xmm 1 0 [0, 0, 0, 0] 0;
    Vmovq: VEX_Vmovq_xmm_rm64 1 EVEX_Vmovq_xmm_rm64 1 0 [0, 0, 0, 0] 0;
    Vmovqs: VEX_Vmovq_rm64_xmm 1 EVEX_Vmovq_rm64_xmm 1 0 [0, 0, 0, 0] 0;
    Vpinsrb: VEX_Vpinsrb_xmm_xmm_r32m8_imm8 1 EVEX_Vpinsrb_xmm_xmm_r32m8_imm8 1 0 [0, 0, 0, 0] 0;
    Vpextrb: VEX_Vpextrb_r32m8_xmm_imm8 1 EVEX_Vpextrb_r32m8_xmm_imm8 1 0 [0, 0, 0, 0] 0;
    Vpinsrw: VEX_Vpinsrw_xmm_xmm_r32m16_imm8 1 EVEX_Vpinsrw_xmm_xmm_r32m16_imm8 1 0 [0, 0, 0, 0] 0;
    Vpextrw: VEX_Vpextrw_r32m16_xmm_imm8 1 EVEX_Vpextrw_r32m16_xmm_imm8 1 0 [0, 0, 0, 0] 0;
    Vpinsrd: VEX_Vpinsrd_xmm_xmm_rm32_imm8 1 EVEX_Vpinsrd_xmm_xmm_rm32_imm8 1 0 [0, 0, 0, 0] 0;
    Vpextrd: VEX_Vpextrd_rm32_xmm_imm8 1 EVEX_Vpextrd_rm32_xmm_imm8 1 0 [0, 0, 0, 0] 0;
    Vpinsrq: VEX_Vpinsrq_xmm_xmm_rm64_imm8 1 EVEX_Vpinsrq_xmm_xmm_rm64_imm8 1 0 [0, 0, 0, 0] 0;
    Vpextrq: VEX_Vpextrq_rm64_xmm_imm8 1 EVEX_Vpextrq_rm64_xmm_imm8 1 0 [0, 0, 0, 0] 0;
    Vinsertps: VEX_Vinsertps_xmm_xmm_xmmm32_imm8 1 EVEX_Vinsertps_xmm_xmm_xmmm32_imm8 1 0 [0, 0, 0, 0] 0;
    Vextract128: VEX_Vextracti128_xmmm128_ymm_imm8 1 EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8 2 1 [2, 0, 0, 0] 0;
    Vextract256: INVALID 0 EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8 1 2 [1, 0, 0, 0] 0;
    Vinsert128: VEX_Vinserti128_ymm_ymm_xmmm128_imm8 1 EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8 2 1 [0, 0, 2, 0] 0;
    Vinsert256: INVALID 0 EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8 1 2 [0, 0, 1, 0] 0;
    Vpermqi: VEX_Vpermq_ymm_ymmm256_imm8 1 EVEX_Vpermq_ymm_k1z_ymmm256b64_imm8 2 1 [0, 0, 0, 0] 64;
    Vpshufd: VEX_Vpshufd_xmm_xmmm128_imm8 2 EVEX_Vpshufd_xmm_k1z_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vshufps: VEX_Vshufps_xmm_xmm_xmmm128_imm8 2 EVEX_Vshufps_xmm_k1z_xmm_xmmm128b32_imm8 3 0 [0, 0, 0, 0] 32;
    Vpblendd: VEX_Vpblendd_xmm_xmm_xmmm128_imm8 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vperm2i128: VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 1 INVALID 0 1 [0, 0, 0, 0] 0;
    Vshufpd: VEX_Vshufpd_xmm_xmm_xmmm128_imm8 2 EVEX_Vshufpd_xmm_k1z_xmm_xmmm128b64_imm8 3 0 [0, 0, 0, 0] 64;
    Vpblendvb: VEX_Vpblendvb_xmm_xmm_xmmm128_xmm 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vblendvps: VEX_Vblendvps_xmm_xmm_xmmm128_xmm 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vblendvpd: VEX_Vblendvpd_xmm_xmm_xmmm128_xmm 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpmovmskb: VEX_Vpmovmskb_r32_xmm 1 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpmovmskby: VEX_Vpmovmskb_r32_ymm 1 INVALID 0 1 [0, 0, 0, 0] 0;
    Vmovmskps: VEX_Vmovmskps_r32_xmm 1 INVALID 0 0 [0, 0, 0, 0] 0;
    Vmovmskpsy: VEX_Vmovmskps_r32_ymm 1 INVALID 0 1 [0, 0, 0, 0] 0;
    Vmovmskpd: VEX_Vmovmskpd_r32_xmm 1 INVALID 0 0 [0, 0, 0, 0] 0;
    Vmovmskpdy: VEX_Vmovmskpd_r32_ymm 1 INVALID 0 1 [0, 0, 0, 0] 0;
    Vpmaskmovd: VEX_Vpmaskmovd_xmm_xmm_m128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpmaskmovq: VEX_Vpmaskmovq_xmm_xmm_m128 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpmaskmovds: VEX_Vpmaskmovd_m128_xmm_xmm 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpmaskmovqs: VEX_Vpmaskmovq_m128_xmm_xmm 2 INVALID 0 0 [0, 0, 0, 0] 0;
    Vpgatherdd: VEX_Vpgatherdd_xmm_vm32x_xmm 2 EVEX_Vpgatherdd_xmm_k1_vm32x 3 0 [0, 0, 0, 0] 0;
    Vpscatterdd: INVALID 0 EVEX_Vpscatterdd_vm32x_k1_xmm 3 0 [0, 0, 0, 0] 0;
    Vpgatherdq: VEX_Vpgatherdq_xmm_vm32x_xmm 2 EVEX_Vpgatherdq_xmm_k1_vm32x 3 0 [0, 0, 0, 0] 0;
    Vpscatterdq: INVALID 0 EVEX_Vpscatterdq_vm32x_k1_xmm 3 0 [0, 0, 0, 0] 0;
    Vpgatherqd: VEX_Vpgatherqd_xmm_vm64x_xmm 2 EVEX_Vpgatherqd_xmm_k1_vm64x 3 0 [0, 0, 0, 0] 0;
    Vpscatterqd: INVALID 0 EVEX_Vpscatterqd_vm64x_k1_xmm 3 0 [0, 0, 0, 0] 0;
    Vpgatherqq: VEX_Vpgatherqq_xmm_vm64x_xmm 2 EVEX_Vpgatherqq_xmm_k1_vm64x 3 0 [0, 0, 0, 0] 0;
    Vpscatterqq: INVALID 0 EVEX_Vpscatterqq_vm64x_k1_xmm 3 0 [0, 0, 0, 0] 0;
}
