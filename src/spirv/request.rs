//! Requests: functions of the builtin library that instructions of a module become.
//!
//! Many instructions are functions of OpenCL C: those of the set OpenCL.std, and core instructions for images, groups,
//! pipes and conversions. A [`Request`] names the function and its types in OpenCL C. Whoever knows OpenCL C compiles
//! a function of exactly these types whose body is the call, for the translated module to call.
//!
//! Two tables say which function an instruction is: `extended.tsv` for OpenCL.std, and `core.tsv` for core instructions
//! and built-in variables. They have all names. A row describes each operand by a `Word`, most often relative to the
//! row's *subject*, the operand (or the result) whose type varies. This is where integers, which have no sign in
//! SPIR-V, get the one that the function wants.
//!
//! # Operands
//!
//! Callers pass the types of the operands that are values, in the order of the grammar, without result type and result.
//! Literals choose the function: the scope, the group operation, the rounding mode, the number of
//! lanes, the mask of image operands, the packed format. For the rest:
//!
//! - A sampled image is two operands, the image and the sampler. Operands behind the mask of image operands are left
//!   out: callers check that a level of detail is zero.
//! - Coordinates must have [`Image::coordinate_lanes`] lanes; callers shuffle others before.
//! - Sizes of images have components of 32 bits; callers extend them if the result has 64.
//! - OpBuildNDRange takes the number of dimensions as its literal. With more than one, sizes are pointers to private
//!   memory. The result is a structure in memory.
//!
//! The function takes the first operands, as many as the request has parameters: sizes and alignments of packets, levels of
//! detail and invoked functions come last and are not needed.
//!
//! In IR, `bool` is an `i8` that is 0 or 1: callers convert conditions on both sides of the call.

mod ctype;
mod narrow;
mod samples;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use smallvec::SmallVec;

use crate::grammar::{ExtendedSet, Opcode};

pub use ctype::{COpaque, CScalar, CType, Sign};
pub(crate) use narrow::{Adjustment, After, of_core, of_extended};
pub use samples::{Sample, samples};

use table::{BUILT_INS, CORE, Choice, EXTENDED, Row, Word};

/// Function of the builtin library that a module calls, by its name and its types in OpenCL C.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    pub name: String,
    pub result: String,
    pub params: Vec<String>,
    /// True if the form for `-cl-fast-relaxed-math` is wanted.
    pub is_relaxed: bool,
}

/// Type of an operand or result, as far as a function depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgType {
    Void,
    Bool { lanes: u8 },
    Int { bits: u8, lanes: u8 },
    Float { bits: u8, lanes: u8 },
    Pointer { space: Space, to: Pointee },
    Image(Image),
    Sampler,
    Event,
    DeviceEvent,
    Queue,
    ReserveId,
    NdRange,
    Pipe { access: Access },
}

/// Type that a pointer points at. Most functions know it from other operands; copies and hints do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// Any type, or none.
    Void,
    Int {
        bits: u8,
        lanes: u8,
    },
    Float {
        bits: u8,
        lanes: u8,
    },
}

/// Address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Private,
    Global,
    Local,
    Constant,
    Generic,
}

/// Access qualifier of an image or pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    pub dim: ImageDim,
    pub is_arrayed: bool,
    pub is_depth: bool,
    pub is_multisampled: bool,
    pub access: Access,
}

/// Dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    One,
    Two,
    Three,
    Buffer,
}

/// Integer or floating-point number, or vector of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    is_float: bool,
    bits: u8,
    lanes: u8,
}

/// Reason why an instruction is no function of the library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRequest {
    #[error("{name} has no function in the builtin library")]
    NoFunction { name: &'static str },
    /// An instruction that the translator has to do itself, such as `printf`.
    #[error("{name} is no plain call of a function")]
    Special { name: &'static str },
    #[error("instruction {number} of OpenCL.std is not known")]
    Unknown { number: u32 },
    #[error("{name} has {found} operands; {wanted} are wanted")]
    Count { name: &'static str, found: usize, wanted: usize },
    #[error("{name}: {place} is {found}, which no function of the builtin library takes there")]
    Type { name: &'static str, place: Place, found: ArgType },
    #[error("{name}: no function of the builtin library is for the literal {found}")]
    Literal { name: &'static str, found: u32 },
    #[error("{name}: a literal is missing")]
    NoLiteral { name: &'static str },
}

/// Place of a type in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Result,
    /// Operand, counted from 0.
    Operand(usize),
}

/// Returns the request for an instruction of OpenCL.std.
///
/// # Errors
/// If no function has these types, or the instruction is not one function.
pub fn extended(
    number: u32,
    result: &ArgType,
    operands: &[ArgType],
    literals: &[u32],
) -> Result<Request, NoRequest> {
    let rows = u16::try_from(number).map_or(&[][..], |number| rows_of(&EXTENDED, number));
    if rows.is_empty() {
        return Err(NoRequest::Unknown { number });
    }
    let (name, choice) = (extended_name(number), Choice::of_literals(literals));
    if let Some(operand) = narrow::other_type(result, operands) {
        return Err(NoRequest::Type { name, place: Place::Operand(operand), found: operands[operand] });
    }
    adjusted(rows, of_extended(number), name, result, operands, &choice)
}

/// Checks whether an instruction of OpenCL.std only reads what its operand, counted from 0, points at.
pub(crate) fn only_reads(number: u32, operand: usize) -> bool {
    let rows = u16::try_from(number).map_or(&[][..], |number| rows_of(&EXTENDED, number));
    let is_const = |row: &Row| matches!(row.params.get(operand), Some(Word::Pointer { is_const: true, .. }));
    rows.iter().all(is_const)
}

/// Returns the request for a core instruction. The module's documentation says which operands and literals to pass.
///
/// # Errors
/// If no function has these types.
pub fn core(
    opcode: Opcode,
    result: &ArgType,
    operands: &[ArgType],
    literals: &[u32],
) -> Result<Request, NoRequest> {
    let choice = Choice::of_literals(literals);
    let rows = rows_of(&CORE, opcode as u16);
    adjusted(rows, of_core(opcode), opcode.instruction().name(), result, operands, &choice)
}

/// Returns the request for a conversion (OpConvertFToU and its like). `rounding` is a value of FPRoundingMode.
/// Conversions without either decoration have requests, too, but also an op of the IR.
///
/// # Errors
/// If no function has these types, or only conversions to integers are saturated.
pub fn converted(
    opcode: Opcode,
    result: &ArgType,
    operand: &ArgType,
    is_saturated: bool,
    rounding: Option<u32>,
) -> Result<Request, NoRequest> {
    let choice = Choice { literals: &[], is_saturated, rounding };
    let name = opcode.instruction().name();
    if is_saturated && matches!(result, ArgType::Float { .. }) {
        return Err(NoRequest::Type { name, place: Place::Result, found: *result });
    }
    let rows = rows_of(&CORE, opcode as u16);
    adjusted(rows, of_core(opcode), name, result, std::slice::from_ref(operand), &choice)
}

/// Returns the request for the value of a built-in variable, and its type, by its value of BuiltIn, or `None` if it is
/// not the result of a function.
pub fn variable(built_in: u32) -> Option<(Request, ArgType)> {
    let found = BUILT_INS.binary_search_by_key(&built_in, |row| u32::from(row.number)).ok()?;
    let choice = Choice::of_literals(&[]);
    // The types of these rows are fixed, and are the same as those of the result.
    let result = BUILT_INS[found].result.fixed()?;
    Some((BUILT_INS[found].request("BuiltIn", result, &[], &choice).ok()?, result))
}

/// Returns the request for an instruction. If there is an adjustment, the function is one for the integers that hold
/// those of the instruction.
fn adjusted(
    rows: &[Row],
    adjustment: Option<Adjustment>,
    name: &'static str,
    result: &ArgType,
    operands: &[ArgType],
    choice: &Choice<'_>,
) -> Result<Request, NoRequest> {
    if adjustment.is_none() {
        return first_of(rows, name, result, operands, choice);
    }
    let operands: SmallVec<[ArgType; 4]> = operands.iter().map(|&operand| narrow::held(operand)).collect();
    first_of(rows, name, &narrow::held(*result), &operands, choice)
}

/// Returns the request of the first row of an instruction that fits.
fn first_of(
    rows: &[Row],
    name: &'static str,
    result: &ArgType,
    operands: &[ArgType],
    choice: &Choice<'_>,
) -> Result<Request, NoRequest> {
    let mut why = NoRequest::NoFunction { name };
    for row in rows.iter().filter(|row| row.is_for(choice.literals)) {
        match row.request(name, *result, operands, choice) {
            Ok(request) => return Ok(request),
            Err(other) => why = other,
        }
    }
    match (why, rows, choice.literals) {
        (NoRequest::NoFunction { .. }, [_, ..], [scope, ..]) => {
            Err(NoRequest::Literal { name, found: *scope })
        }
        (why, ..) => Err(why),
    }
}

/// Checks whether an instruction is the call of a function.
pub fn has_rows(opcode: Opcode) -> bool {
    !rows_of(&CORE, opcode as u16).is_empty()
}

/// Returns the rows of an instruction.
fn rows_of(table: &'static [Row], number: u16) -> &'static [Row] {
    let start = table.partition_point(|row| row.number < number);
    let end = table.partition_point(|row| row.number <= number);
    &table[start..end]
}

fn extended_name(number: u32) -> &'static str {
    ExtendedSet::OpenclStd.instruction(number).map_or("OpExtInst", |row| row.name())
}

impl Request {
    /// Returns the request for the form for `-cl-fast-relaxed-math`.
    pub fn relaxed(self) -> Request {
        Request { is_relaxed: true, ..self }
    }
}

impl Image {
    /// Returns the name in OpenCL C, or `None` if it has no such images.
    pub(crate) fn name(self) -> Option<&'static str> {
        match CType::of_image(self)? {
            CType::Image { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the number of lanes that coordinates have for OpenCL C: those with three components have four.
    pub fn coordinate_lanes(self) -> u8 {
        match (self.dim, self.is_arrayed) {
            (ImageDim::One | ImageDim::Buffer, false) => 1,
            (ImageDim::One | ImageDim::Buffer, true) | (ImageDim::Two, false) => 2,
            (ImageDim::Two, true) | (ImageDim::Three, _) => 4,
        }
    }
}

impl ArgType {
    /// Returns the name in OpenCL C of a number or vector, without knowledge of signs, or `None` for other types.
    pub(crate) fn number_name(self) -> Option<String> {
        CType::of_number(self.number()?, Sign::Unsigned).map(|ty| ty.to_string())
    }

    fn number(self) -> Option<Number> {
        match self {
            ArgType::Int { bits, lanes } => Some(Number { is_float: false, bits, lanes }),
            ArgType::Float { bits, lanes } => Some(Number { is_float: true, bits, lanes }),
            _ => None,
        }
    }
}

impl Pointee {
    fn number(self) -> Option<Number> {
        match self {
            Pointee::Void => None,
            Pointee::Int { bits, lanes } => Some(Number { is_float: false, bits, lanes }),
            Pointee::Float { bits, lanes } => Some(Number { is_float: true, bits, lanes }),
        }
    }
}

impl From<Number> for ArgType {
    fn from(number: Number) -> ArgType {
        let Number { is_float, bits, lanes } = number;
        if is_float { ArgType::Float { bits, lanes } } else { ArgType::Int { bits, lanes } }
    }
}

impl From<Number> for Pointee {
    fn from(number: Number) -> Pointee {
        let Number { is_float, bits, lanes } = number;
        if is_float { Pointee::Float { bits, lanes } } else { Pointee::Int { bits, lanes } }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Result => f.write_str("the result"),
            Place::Operand(index) => write!(f, "operand {}", index + 1),
        }
    }
}

impl fmt::Display for ArgType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vector = |f: &mut fmt::Formatter<'_>, what: fmt::Arguments<'_>, lanes: u8| match lanes {
            1 => f.write_fmt(what),
            _ => write!(f, "{what} in each of {lanes} components"),
        };
        match *self {
            ArgType::Void => f.write_str("void"),
            ArgType::Bool { lanes } => vector(f, format_args!("a condition"), lanes),
            ArgType::Int { bits, lanes } => vector(f, format_args!("an integer of {bits} bits"), lanes),
            ArgType::Float { bits, lanes } => vector(f, format_args!("a float of {bits} bits"), lanes),
            ArgType::Pointer { space, .. } => write!(f, "a pointer into the storage class {}", space.class()),
            ArgType::Image(_) => f.write_str("an image"),
            ArgType::Sampler => f.write_str("a sampler"),
            ArgType::Event => f.write_str("an event"),
            ArgType::DeviceEvent => f.write_str("a device event"),
            ArgType::Queue => f.write_str("a queue"),
            ArgType::ReserveId => f.write_str("a reservation"),
            ArgType::NdRange => f.write_str("an ND-range"),
            ArgType::Pipe { .. } => f.write_str("a pipe"),
        }
    }
}

impl Space {
    fn class(self) -> &'static str {
        match self {
            Space::Private => "Function",
            Space::Global => "CrossWorkgroup",
            Space::Local => "Workgroup",
            Space::Constant => "UniformConstant",
            Space::Generic => "Generic",
        }
    }
}
