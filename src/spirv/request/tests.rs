//! Requests of single instructions. Tests of the compiler compile the samples of all rows.

use super::*;
use crate::grammar::{built_in, opencl_std};

const FLOAT: ArgType = ArgType::Float { bits: 32, lanes: 1 };
const INT: ArgType = ArgType::Int { bits: 32, lanes: 1 };
const LONG: ArgType = ArgType::Int { bits: 64, lanes: 1 };
const BOOL: ArgType = ArgType::Bool { lanes: 1 };

fn int(bits: u8, lanes: u8) -> ArgType {
    ArgType::Int { bits, lanes }
}

fn float(bits: u8, lanes: u8) -> ArgType {
    ArgType::Float { bits, lanes }
}

fn pointer(space: Space, to: ArgType) -> ArgType {
    ArgType::Pointer { space, to: to.number().map_or(Pointee::Void, Pointee::from) }
}

fn image(dim: ImageDim, is_arrayed: bool, is_depth: bool, access: Access) -> ArgType {
    ArgType::Image(Image { dim, is_arrayed, is_depth, is_multisampled: false, access })
}

/// Returns a request as the head of a function, or the text of the error.
fn text(request: Result<Request, NoRequest>) -> String {
    match request {
        Ok(request) => format!("{} {}({})", request.result, request.name, request.params.join(", ")),
        Err(why) => format!("error: {why}"),
    }
}

fn extended_text(number: u32, result: ArgType, operands: &[ArgType], literals: &[u32]) -> String {
    text(extended(number, &result, operands, literals))
}

fn core_text(opcode: Opcode, result: ArgType, operands: &[ArgType], literals: &[u32]) -> String {
    text(core(opcode, &result, operands, literals))
}

#[test]
fn rows_give_integers_a_sign() {
    let v = int(16, 4);
    for (number, expected) in [
        (opencl_std::s_max, "short4 max(short4, short4)"),
        (opencl_std::u_max, "ushort4 max(ushort4, ushort4)"),
        (opencl_std::s_abs_diff, "ushort4 abs_diff(short4, short4)"),
        (opencl_std::rotate, "ushort4 rotate(ushort4, ushort4)"),
    ] {
        assert_eq!(extended_text(number, v, &[v, v], &[]), expected);
    }
    assert_eq!(extended_text(opencl_std::s_abs, v, &[v], &[]), "ushort4 abs(short4)");
    let up = extended_text(opencl_std::s_upsample, int(32, 4), &[v, v], &[]);
    assert_eq!(up, "int4 upsample(short4, ushort4)");
    let shuffle = extended_text(opencl_std::shuffle, float(32, 8), &[float(32, 2), int(32, 8)], &[]);
    assert_eq!(shuffle, "float8 shuffle(float2, uint8)");
}

#[test]
fn pointers_get_their_types_from_other_operands() {
    let (untyped, p) = (pointer(Space::Generic, ArgType::Void), pointer(Space::Private, float(64, 1)));
    let f = float(64, 3);
    let remquo = extended_text(opencl_std::remquo, f, &[f, f, untyped], &[]);
    assert_eq!(remquo, "double3 remquo(double3, double3, generic int3 *)");
    assert_eq!(
        extended_text(opencl_std::sincos, f, &[f, p], &[]),
        "double3 sincos(double3, private double3 *)"
    );
    let constant = pointer(Space::Constant, ArgType::Void);
    let load = extended_text(opencl_std::vloadn, int(8, 16), &[LONG, constant], &[16]);
    assert_eq!(load, "uchar16 vload16(ulong, const constant uchar *)");
    let store =
        extended_text(opencl_std::vstore_halfn_r, ArgType::Void, &[float(32, 8), LONG, untyped], &[1]);
    assert_eq!(store, "void vstore_half8_rtz(float8, ulong, generic half *)");
    let read_only = extended_text(opencl_std::vstoren, ArgType::Void, &[float(32, 8), LONG, constant], &[]);
    assert!(read_only.starts_with("error: vstoren: operand 3 is a pointer into"), "{read_only}");
    let to = pointer(Space::Global, float(16, 2));
    assert_eq!(
        extended_text(opencl_std::prefetch, ArgType::Void, &[to, LONG], &[]),
        "void prefetch(const global uchar *, ulong)"
    );
}

#[test]
fn native_functions_of_other_types_are_the_exact_ones() {
    let (half, double) = (float(16, 2), float(64, 2));
    assert_eq!(extended_text(opencl_std::native_exp, half, &[half], &[]), "half2 exp(half2)");
    assert_eq!(
        extended_text(opencl_std::half_divide, double, &[double, double], &[]),
        "double2 __spirv_divide(double2, double2)"
    );
    assert_eq!(extended_text(opencl_std::native_exp, FLOAT, &[FLOAT], &[]), "float native_exp(float)");
}

#[test]
fn conversions_have_types_in_their_names() {
    let text = |opcode, to, from, sat, mode| text(converted(opcode, &to, &from, sat, mode));
    assert_eq!(
        text(Opcode::ConvertFToU, int(8, 4), float(32, 4), true, Some(2)),
        "uchar4 convert_uchar4_sat_rtp(float4)"
    );
    assert_eq!(text(Opcode::FConvert, float(16, 1), FLOAT, false, Some(1)), "half convert_half_rtz(float)");
    assert_eq!(text(Opcode::SatConvertSToU, INT, INT, false, None), "uint convert_uint_sat(int)");
    assert_eq!(
        text(Opcode::SatConvertUToS, int(8, 2), int(64, 2), false, None),
        "char2 convert_char2_sat(ulong2)"
    );
    assert!(text(Opcode::FConvert, FLOAT, float(64, 1), true, None).starts_with("error"));
    assert!(text(Opcode::FConvert, float(32, 2), FLOAT, false, Some(0)).starts_with("error"));
    let mode = converted(Opcode::ConvertSToF, &FLOAT, &LONG, false, Some(9));
    assert_eq!(mode, Err(NoRequest::Literal { name: "OpConvertSToF", found: 9 }));
}

#[test]
fn scopes_and_group_operations_choose_functions() {
    assert_eq!(core_text(Opcode::GroupSMin, INT, &[INT], &[2, 2]), "int work_group_scan_exclusive_min(int)");
    assert_eq!(core_text(Opcode::GroupUMin, INT, &[INT], &[3, 0]), "uint sub_group_reduce_min(uint)");
    assert_eq!(core_text(Opcode::GroupAll, BOOL, &[BOOL], &[2]), "bool work_group_all(bool)");
    let cluster = core_text(Opcode::GroupNonUniformFMul, FLOAT, &[FLOAT, INT], &[3, 3]);
    assert_eq!(cluster, "float sub_group_clustered_reduce_mul(float, uint)");
    let count = core_text(Opcode::GroupNonUniformBallotBitCount, INT, &[int(32, 4)], &[3, 1]);
    assert_eq!(count, "uint sub_group_ballot_inclusive_scan(uint4)");
    let device = core(Opcode::GroupAll, &BOOL, &[BOOL], &[1]);
    assert_eq!(device, Err(NoRequest::Literal { name: "OpGroupAll", found: 1 }));
    let none = core(Opcode::GroupIAdd, &INT, &[INT], &[2]);
    assert_eq!(none, Err(NoRequest::NoLiteral { name: "OpGroupIAdd" }));
    let small = core_text(Opcode::GroupSMin, int(8, 1), &[int(8, 1)], &[2, 0]);
    assert!(small.starts_with("error: OpGroupSMin: operand 1 is an integer of 8 bits"), "{small}");
}

#[test]
fn images_have_functions_for_their_texels() {
    let two = image(ImageDim::Two, true, false, Access::ReadOnly);
    let sample =
        core_text(Opcode::ImageSampleExplicitLod, float(16, 4), &[two, ArgType::Sampler, float(32, 4)], &[2]);
    assert_eq!(sample, "half4 read_imageh(read_only image2d_array_t, sampler_t, float4)");
    let both = image(ImageDim::Buffer, false, false, Access::ReadWrite);
    let read = core_text(Opcode::ImageRead, int(32, 4), &[both, INT], &[]);
    assert_eq!(read, "uint4 read_imageui(read_write image1d_buffer_t, int)");
    let depth = image(ImageDim::Two, false, true, Access::WriteOnly);
    let write = core_text(Opcode::ImageWrite, ArgType::Void, &[depth, int(32, 2), FLOAT], &[]);
    assert_eq!(write, "void write_imagef(write_only image2d_depth_t, int2, float)");
    let read = core_text(Opcode::ImageRead, FLOAT, &[depth, int(32, 2)], &[]);
    assert!(read.starts_with("error: OpImageRead: operand 1 is an image"), "{read}");
    let size = core_text(Opcode::ImageQuerySize, int(32, 3), &[two], &[]);
    assert_eq!(size, "int3 __spirv_image_size(read_only image2d_array_t)");
}

#[test]
fn packed_vectors_are_told_by_a_literal() {
    assert_eq!(core_text(Opcode::SUDot, INT, &[INT, INT], &[0]), "int __spirv_packed_dot(int, uint)");
    let vectors = core_text(Opcode::SUDotAccSat, INT, &[int(8, 4), int(8, 4), INT], &[]);
    assert_eq!(vectors, "int __spirv_add_dot_sat(char4, uchar4, int)");
    assert!(core_text(Opcode::SDot, INT, &[INT, INT], &[]).starts_with("error"));
}

#[test]
fn built_in_variables_are_results() {
    let (linear, _) = variable(built_in::GlobalLinearId).expect("a request");
    assert_eq!(text(Ok(linear)), "ulong get_global_linear_id()");
    let (mask, _) = variable(built_in::SubgroupLtMask).expect("a request");
    assert_eq!(text(Ok(mask)), "uint4 get_sub_group_lt_mask()");
    assert_eq!(variable(built_in::GlobalInvocationId), None);
}

#[test]
fn what_is_no_request_says_why() {
    for (error, expected) in [
        (extended(200, &FLOAT, &[FLOAT], &[]), "instruction 200 of OpenCL.std is not known"),
        (extended(opencl_std::printf, &INT, &[INT], &[]), "printf is no plain call of a function"),
        (extended(opencl_std::sin, &FLOAT, &[], &[]), "sin has 0 operands; 1 are wanted"),
        (
            extended(opencl_std::sin, &int(32, 2), &[int(32, 2)], &[]),
            "sin: operand 1 is an integer of 32 bits in each of 2 components, which no function of the builtin library \
             takes there",
        ),
        (
            extended(opencl_std::vloadn, &float(32, 4), &[LONG, pointer(Space::Local, FLOAT)], &[3]),
            "vloadn: no function of the builtin library is for the literal 3",
        ),
        (core(Opcode::IAdd, &INT, &[INT, INT], &[]), "OpIAdd has no function in the builtin library"),
    ] {
        assert_eq!(error.expect_err("no request").to_string(), expected);
    }
}

#[test]
fn rows_have_samples() {
    let all = samples();
    assert!(all.len() > 10_000, "{}", all.len());
    let of = |name: &str| all.iter().filter(|sample| sample.instruction == name).count();
    // Three elements, six numbers of lanes, and four spaces.
    assert_eq!((of("sin"), of("fract"), of("printf")), (18, 72, 0));
    for number in
        EXTENDED.iter().map(|row| u32::from(row.number)).filter(|&number| number != opencl_std::printf)
    {
        assert!(of(extended_name(number)) > 0, "{}", extended_name(number));
    }
}
