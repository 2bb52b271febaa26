//! Decoder that distinguishes loads from stores, for 64-bit ARM instructions that faulted. Linux reports the direction
//! in a record of the signal frame, which emulators and some systems omit; the instruction can always be read.
//! Encodings: "Loads and Stores" in the Arm Architecture Reference Manual, C4.1.

/// Checks whether an instruction writes memory; `None` if it does not access memory. Instructions that read and write
/// (atomic operations, compare and swap) count as stores.
pub fn is_store(instruction: u32) -> Option<bool> {
    let bit = |at: u32| instruction >> at & 1 == 1;
    // Scalable vectors, which `memcpy` of some C libraries uses.
    if instruction >> 25 & 15 == 2 && bit(31) {
        return Some(bit(30) && bit(29));
    }
    if !bit(27) || bit(25) {
        return None;
    }
    let operation = instruction >> 22 & 3;
    let is_load = bit(22);
    Some(match (bit(29), bit(28), bit(26)) {
        // Vector structures (ld1 to ld4, st1 to st4).
        (false, false, true) => !is_load,
        // Exclusive and ordered accesses. Bit 21 marks compare-and-swap, except in exclusive pairs.
        (false, false, false) => !is_load || bit(21) && (bit(23) || !bit(31)),
        // PC-relative loads; with bit 24, ordered accesses with an offset.
        (false, true, _) => bit(24) && operation == 0,
        // Pairs.
        (true, false, _) => !is_load,
        (true, true, _) if !bit(24) && bit(21) && instruction >> 10 & 3 == 0 => !is_ordered_load(instruction),
        (true, true, true) => !is_load,
        (true, true, false) => operation == 0,
    })
}

/// Checks for LDAPR, a load whose encoding is among those of atomic operations.
fn is_ordered_load(instruction: u32) -> bool {
    const MASK: u32 = 0x00ff_fc00;
    const LDAPR: u32 = 0x00bf_c000;
    instruction & MASK == LDAPR
}

#[cfg(test)]
mod tests {
    use super::is_store;

    #[test]
    fn loads_and_stores_are_distinguished() {
        let reads = [
            (0xb940_0020, "ldr w0, [x1]"),
            (0xf940_0420, "ldr x0, [x1, #8]"),
            (0xf862_7820, "ldr x0, [x1, x2, lsl #3]"),
            (0x3940_0020, "ldrb w0, [x1]"),
            (0x39c0_0020, "ldrsb w0, [x1]"),
            (0x7980_0420, "ldrsh x0, [x1, #2]"),
            (0xb980_0020, "ldrsw x0, [x1]"),
            (0x3dc0_0020, "ldr q0, [x1]"),
            (0x3d40_0420, "ldr b0, [x1, #1]"),
            (0x3cdf_0020, "ldur q0, [x1, #-16]"),
            (0xbc5f_c020, "ldur s0, [x1, #-4]"),
            (0xa940_0440, "ldp x0, x1, [x2]"),
            (0xad41_0440, "ldp q0, q1, [x2, #32]"),
            (0xa840_0440, "ldnp x0, x1, [x2]"),
            (0xf840_8420, "ldr x0, [x1], #8"),
            (0x5800_0040, "ldr x0, #8"),
            (0x4c40_7820, "ld1 {v0.4s}, [x1]"),
            (0x0d40_9020, "ld1 {v0.s}[1], [x1]"),
            (0x4d40_c820, "ld1r {v0.4s}, [x1]"),
            (0x4c40_0820, "ld4 {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]"),
            (0x885f_7c20, "ldxr w0, [x1]"),
            (0xc85f_fc20, "ldaxr x0, [x1]"),
            (0x88df_fc20, "ldar w0, [x1]"),
            (0x08df_fc20, "ldarb w0, [x1]"),
            (0xc87f_0820, "ldxp x0, x2, [x1]"),
            (0x887f_0820, "ldxp w0, w2, [x1]"),
            (0xb8bf_c020, "ldapr w0, [x1]"),
            (0x1940_1020, "ldapurb w0, [x1, #1]"),
            (0x9980_4020, "ldapursw x0, [x1, #4]"),
            (0xa400_a020, "ld1b {z0.b}, p0/z, [x1]"),
            (0xa5e2_4020, "ld1d {z0.d}, p0/z, [x1, x2, lsl #3]"),
            (0x8580_4020, "ldr z0, [x1]"),
            (0x8502_4020, "ld1w {z0.s}, p0/z, [x1, z2.s, uxtw]"),
            (0xc5c2_c020, "ld1d {z0.d}, p0/z, [x1, z2.d]"),
            (0xa41f_6020, "ldff1b {z0.b}, p0/z, [x1]"),
        ];
        for (word, text) in reads {
            assert_eq!(is_store(word), Some(false), "{text}");
        }
        let writes = [
            (0xb900_0020, "str w0, [x1]"),
            (0xf900_0420, "str x0, [x1, #8]"),
            (0xf822_7820, "str x0, [x1, x2, lsl #3]"),
            (0x3900_0020, "strb w0, [x1]"),
            (0x7900_0420, "strh w0, [x1, #2]"),
            (0x3d80_0020, "str q0, [x1]"),
            (0x3d00_0420, "str b0, [x1, #1]"),
            (0x7d00_0020, "str h0, [x1]"),
            (0x3c9f_0020, "stur q0, [x1, #-16]"),
            (0xa900_0440, "stp x0, x1, [x2]"),
            (0xad01_0440, "stp q0, q1, [x2, #32]"),
            (0xa9bf_7bfd, "stp x29, x30, [sp, #-16]!"),
            (0xf800_8420, "str x0, [x1], #8"),
            (0x4c00_7820, "st1 {v0.4s}, [x1]"),
            (0x0d00_9020, "st1 {v0.s}[1], [x1]"),
            (0x4c00_0820, "st4 {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]"),
            (0x8802_7c20, "stxr w2, w0, [x1]"),
            (0xc802_fc20, "stlxr w2, x0, [x1]"),
            (0x889f_fc20, "stlr w0, [x1]"),
            (0x089f_fc20, "stlrb w0, [x1]"),
            (0xc823_0820, "stxp w3, x0, x2, [x1]"),
            (0x1900_1020, "stlurb w0, [x1, #1]"),
            (0x88a0_7c22, "cas w0, w2, [x1]"),
            (0xc8e0_fc22, "casal x0, x2, [x1]"),
            (0x4820_7c82, "casp x0, x1, x2, x3, [x4]"),
            (0xb820_0022, "ldadd w0, w2, [x1]"),
            (0xf8e0_0022, "ldaddal x0, x2, [x1]"),
            (0xf8e0_8022, "swpal x0, x2, [x1]"),
            (0x38e0_1022, "ldclralb w0, w2, [x1]"),
            (0xb8a0_4022, "ldsmaxa w0, w2, [x1]"),
            (0xe400_e020, "st1b {z0.b}, p0, [x1]"),
            (0xe580_4020, "str z0, [x1]"),
            (0xe542_8020, "st1w {z0.s}, p0, [x1, z2.s, uxtw]"),
            (0xe582_a020, "st1d {z0.d}, p0, [x1, z2.d]"),
        ];
        for (word, text) in writes {
            assert_eq!(is_store(word), Some(true), "{text}");
        }
        for (word, text) in [
            (0x8b02_0020, "add x0, x1, x2"),
            (0xd503_201f, "nop"),
            (0x04a2_0020, "add z0.s, z1.s, z2.s"),
            (0x65a2_0020, "fmla z0.s, p0/m, z1.s, z2.s"),
            (0xd420_0020, "brk #1"),
            (0x1400_0002, "b #8"),
            (0xd63f_0120, "blr x9"),
            (0x4e22_d420, "fadd v0.4s, v1.4s, v2.4s"),
            (0x0000_0000, "udf #0"),
            (0xd503_3bbf, "dmb ish"),
        ] {
            assert_eq!(is_store(word), None, "{text}");
        }
    }
}
