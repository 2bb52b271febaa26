//! Tests of the table of vector instructions against the encoder's own description and against its decoder: every
//! instruction and size, with low and high registers, memory, masks and broadcasts.

use iced_x86::{Code, Decoder, DecoderOptions, Encoder, Instruction, OpCodeOperandKind, OpKind, Register};
use regalloc2::{PReg, RegClass};

use super::emit::register_name;
use super::inst::View;
use super::vec_ops::{Size, VecOp, VecOpForm};

/// Kind of an operand of an encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    Vector(Size),
    Mask,
    Dword,
    Qword,
    Memory,
    Immediate,
    Other,
}

fn operand(kind: OpCodeOperandKind) -> Operand {
    let name = format!("{kind:?}");
    match name.as_str() {
        _ if name.starts_with("imm") => Operand::Immediate,
        _ if name.starts_with("xmm") => Operand::Vector(Size::X),
        _ if name.starts_with("ymm") => Operand::Vector(Size::Y),
        _ if name.starts_with("zmm") => Operand::Vector(Size::Z),
        _ if name.starts_with('k') => Operand::Mask,
        _ if name.starts_with("r32") => Operand::Dword,
        _ if name.starts_with("r64") => Operand::Qword,
        _ if name.starts_with("mem") => Operand::Memory,
        _ => Operand::Other,
    }
}

fn register(operand: Operand, number: usize) -> Option<Register> {
    let (view, class) = match operand {
        Operand::Vector(size) => (View::Vector(size), RegClass::Float),
        Operand::Mask => (View::Mask, RegClass::Vector),
        Operand::Dword => (View::Dword, RegClass::Int),
        Operand::Qword => (View::Qword, RegClass::Int),
        _ => return None,
    };
    let number = if operand == Operand::Mask { number % 8 } else { number };
    let number = if class == RegClass::Int { number % 16 } else { number };
    Some(register_name(PReg::new(number, class), view))
}

/// Returns the encodings of a vector instruction.
fn encodings(form: &VecOpForm) -> Vec<(Code, Size, bool)> {
    let mut all = Vec::new();
    for size in Size::ALL {
        // The VEX encoding is never requested for the largest registers.
        if size < Size::Z {
            all.extend(form.vex(size).map(|code| (code, size, false)));
        }
        all.extend(form.evex(size).map(|code| (code, size, true)));
    }
    all
}

fn memory(instruction: &mut Instruction, index: u32, vector: Option<Register>) {
    instruction.set_op_kind(index, OpKind::Memory);
    instruction.set_memory_base(Register::R13);
    instruction.set_memory_index(vector.unwrap_or(Register::R12));
    instruction.set_memory_index_scale(4);
    instruction.set_memory_displacement64(0x140);
    instruction.set_memory_displ_size(1);
}

/// Checks that an instruction is the same after encoding and decoding.
fn check_round_trip(instruction: &Instruction) -> Result<(), String> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, 0).map_err(|error| format!("{:?}: {error}", instruction.code()))?;
    let bytes = encoder.take_buffer();
    let decoded = Decoder::new(64, &bytes, DecoderOptions::NONE).decode();
    let same = decoded.code() == instruction.code()
        && (0..instruction.op_count()).all(|index| {
            decoded.op_kind(index) == instruction.op_kind(index)
                && decoded.op_register(index) == instruction.op_register(index)
        })
        && decoded.memory_base() == instruction.memory_base()
        && decoded.memory_index() == instruction.memory_index()
        && decoded.memory_displacement64() == instruction.memory_displacement64()
        && decoded.op_mask() == instruction.op_mask()
        && decoded.is_broadcast() == instruction.is_broadcast();
    if same { Ok(()) } else { Err(format!("{:?} became {:?}", instruction.code(), decoded.code())) }
}

/// Builds an instruction with registers of the given numbers, and with memory as operand `in_memory`.
fn build(code: Code, numbers: [usize; 4], in_memory: Option<u32>) -> Instruction {
    let info = code.op_code();
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    for index in 0..info.op_count() {
        let kind = info.op_kind(index);
        let is_gather = format!("{kind:?}").contains("vsib");
        match (operand(kind), register(operand(kind), numbers[index as usize])) {
            (Operand::Immediate, _) => {
                instruction.set_op_kind(index, OpKind::Immediate8);
                instruction.set_immediate8(3);
            }
            (Operand::Memory, _) if is_gather => {
                let size = match format!("{kind:?}") {
                    name if name.ends_with('x') => Size::X,
                    name if name.ends_with('y') => Size::Y,
                    _ => Size::Z,
                };
                let offsets = register(Operand::Vector(size), numbers[3]);
                memory(&mut instruction, index, offsets);
            }
            (Operand::Memory, _) => memory(&mut instruction, index, None),
            (_, Some(_)) if in_memory == Some(index) => memory(&mut instruction, index, None),
            (_, Some(register)) => {
                instruction.set_op_kind(index, OpKind::Register);
                instruction.set_op_register(index, register);
            }
            (other, None) => panic!("{code:?}: {other:?}"),
        }
    }
    let name = format!("{code:?}");
    let is_by_lanes = name.contains("gather") || name.contains("scatter");
    if is_by_lanes && info.encoding() == iced_x86::EncodingKind::EVEX {
        instruction.set_op_mask(Register::K3);
    }
    instruction
}

#[test]
fn every_row_is_encoded_as_it_says() {
    let mut failed = Vec::new();
    let mut count = 0;
    for vec_op in VecOp::ALL {
        let form = vec_op.form();
        let all = encodings(form);
        assert!(!all.is_empty(), "{vec_op:?} has no encoding");
        let last_is_any = |&(code, ..): &(Code, Size, bool)| {
            let mut kinds = code.op_code().op_kinds().iter().map(|kind| format!("{kind:?}"));
            kinds.rfind(|kind| !kind.starts_with("imm")).is_some_and(|kind| kind.contains("mm_or_mem"))
        };
        assert_eq!(form.takes_memory, all.iter().all(last_is_any), "{vec_op:?}");
        for (code, size, is_evex) in all {
            let info = code.op_code();
            let name = format!("{:?}", code.mnemonic());
            let stem: String = name.chars().take(4).collect();
            let renamed = ["Vrndscale", "Vextract", "Vinsert", "Vmovdqa", "Vmovdqu"];
            if !form.name.starts_with(&stem) && !renamed.iter().any(|other| name.starts_with(other)) {
                failed.push(format!("{vec_op:?} is {name}"));
            }
            // Operands have the sizes that `size_shifts` says.
            let is_gather = name.contains("gather") || name.contains("scatter");
            for index in 0..info.op_count().min(4) {
                if let Operand::Vector(found) = operand(info.op_kind(index))
                    && !is_gather
                    && found != size.narrower(form.size_shifts[index as usize])
                {
                    failed.push(format!("{vec_op:?} {size:?}: operand {index} of {code:?} is {found:?}"));
                }
            }
            let high = if is_evex { [16, 31, 20, 25] } else { [15, 8, 7, 12] };
            for numbers in [[0, 7, 8, 1], [7, 0, 15, 2], [8, 15, 0, 9], [15, 8, 7, 10], high] {
                let instruction = build(code, numbers, None);
                failed.extend(check_round_trip(&instruction).err());
                count += 1;
                for index in 0..info.op_count() {
                    let kind = format!("{:?}", info.op_kind(index));
                    if !kind.contains("_or_mem") {
                        continue;
                    }
                    let with_memory = build(code, numbers, Some(index));
                    failed.extend(check_round_trip(&with_memory).err());
                    if is_evex && info.can_broadcast() {
                        let mut broadcast = with_memory;
                        broadcast.set_is_broadcast(true);
                        failed.extend(check_round_trip(&broadcast).err());
                        assert_ne!(form.broadcast_bits, 0, "{vec_op:?} can be broadcast to");
                    }
                    count += 1;
                }
                if is_evex && info.can_use_op_mask_register() && !is_gather {
                    let mut masked = instruction;
                    masked.set_op_mask(Register::K5);
                    failed.extend(check_round_trip(&masked).err());
                    if info.can_use_zeroing_masking() {
                        masked.set_zeroing_masking(true);
                        failed.extend(check_round_trip(&masked).err());
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 5000, "the table has shrunk: {count}");
    failed.dedup();
    let shown: Vec<&str> = failed.iter().take(20).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} failures:\n{}", failed.len(), shown.join("\n"));
}

/// Returns a function that loads `count` vectors and then reads each of them twice, in instructions without memory
/// operands.
fn of_values(count: usize) -> grus_ir::Function {
    let mut text = String::from("func f0 \"f\" void {\nb0(v0: ptr.global):\n");
    let mut next = 1;
    let mut line = |text: &mut String, what: String| {
        *text += &format!("    v{next} = {what}\n");
        next += 1;
        next - 1
    };
    let by = [3, 5].map(|by: u32| {
        let scalar = line(&mut text, format!("iconst.i32 {by:#x}"));
        line(&mut text, format!("splat.i32x8 v{scalar}"))
    });
    let values: Vec<usize> = (0..count)
        .map(|at| {
            let offset = line(&mut text, format!("iconst.i64 {:#x}", at * 32));
            let address = line(&mut text, format!("ptradd.ptr.global v0, v{offset}"));
            line(&mut text, format!("load.i32x8 align 4 v{address}"))
        })
        .collect();
    let mut sum = values[0];
    for value in &values {
        let left = line(&mut text, format!("shl.i32x8 v{value}, v{}", by[0]));
        let right = line(&mut text, format!("lshr.i32x8 v{value}, v{}", by[1]));
        let both = line(&mut text, format!("iadd.i32x8 v{left}, v{right}"));
        sum = line(&mut text, format!("imul.i32x8 v{sum}, v{both}"));
    }
    text += &format!("    store align 4 v0, v{sum}\n    ret\n}}\n");
    let module = grus_ir::parse_module(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    module.funcs.iter().next().map(|(_, func)| func.clone()).unwrap_or_else(|| panic!("no function"))
}

#[test]
fn what_does_not_fit_comes_back_once_for_what_is_near() {
    use super::super::Environment;
    use grus_support::IdMap;
    use grus_support::target::{Features, Overrides};
    let globals = IdMap::new(0);
    for (avx512, registers, widest) in [(false, 16, Size::Y), (true, 32, Size::Z)] {
        let features = Features { avx2: true, avx512, ..Features::default() };
        let target = super::X64Target { avx512, features, widest };
        let count = 2 * registers;
        let func = of_values(count);
        let code =
            super::compile(&func, &[], &Environment { globals: &globals }, target, Overrides::default())
                .unwrap_or_else(|error| panic!("{error:?}"));
        let decoder = Decoder::new(64, &code.bytes, DecoderOptions::NONE);
        let (mut stores, mut loads) = (0, 0);
        for inst in decoder.into_iter().filter(|inst| inst.memory_base() == Register::RSP) {
            *(if inst.op0_kind() == OpKind::Memory { &mut stores } else { &mut loads }) += 1;
        }
        let spilled = count - registers;
        assert!((spilled..count).contains(&stores), "{stores} stores with {registers} registers");
        assert!(loads <= stores, "{loads} loads of {stores} values with {registers} registers");
    }
}
