//! Classes of types, of which the rules speak: each type has one flag, each class is a set of flags.

use crate::types::{Space, TypeForm, TypeId, TypeTable};

/// Kinds of types, each a bit.
pub(super) mod flag {
    pub const VOID: u32 = 1;
    pub const BOOL: u32 = 1 << 1;
    pub const INT32: u32 = 1 << 2;
    /// Integer of another width.
    pub const INT: u32 = 1 << 3;
    pub const FLOAT: u32 = 1 << 4;
    /// Vectors of those.
    pub const BOOLS: u32 = 1 << 5;
    pub const BALLOT: u32 = 1 << 6;
    pub const INTS: u32 = 1 << 7;
    pub const FLOATS: u32 = 1 << 8;
    pub const ARRAY: u32 = 1 << 9;
    pub const STRUCT: u32 = 1 << 10;
    /// Pointer to Function, Workgroup or CrossWorkgroup.
    pub const POINTER: u32 = 1 << 11;
    /// Pointer to UniformConstant or Input.
    pub const CONSTANT_POINTER: u32 = 1 << 12;
    pub const GENERIC_POINTER: u32 = 1 << 13;
    pub const IMAGE: u32 = 1 << 14;
    pub const SAMPLER: u32 = 1 << 15;
    pub const SAMPLED_IMAGE: u32 = 1 << 16;
    pub const EVENT: u32 = 1 << 17;
    pub const DEVICE_EVENT: u32 = 1 << 18;
    pub const QUEUE: u32 = 1 << 19;
    pub const RESERVE_ID: u32 = 1 << 20;
    pub const READ_PIPE: u32 = 1 << 21;
    pub const WRITE_PIPE: u32 = 1 << 22;
    pub const FUNCTION: u32 = 1 << 23;
    pub const OPAQUE: u32 = 1 << 24;

    pub const ANY_INT: u32 = INT32 | INT;
    pub const ANY_INTS: u32 = ANY_INT | BALLOT | INTS;
    pub const INT_VECTOR: u32 = BALLOT | INTS;
    pub const SCALAR: u32 = BOOL | ANY_INT | FLOAT;
    pub const VECTOR: u32 = BOOLS | INT_VECTOR | FLOATS;
    pub const ANY_POINTER: u32 = POINTER | CONSTANT_POINTER | GENERIC_POINTER;
    /// Types that have values.
    pub const VALUE: u32 = !(VOID | FUNCTION | OPAQUE);
}

/// Class of types that a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub flag: u32,
    /// Width of the number, or of each component.
    pub bits: u8,
    /// Number of components; 1 for what is no vector.
    pub lanes: u8,
    pub space: Option<Space>,
}

impl Shape {
    pub(super) fn of(types: &TypeTable, ty: TypeId) -> Shape {
        let shape = |flag| Shape { flag, bits: 0, lanes: 1, space: None };
        match *types.form(ty) {
            TypeForm::Void => shape(flag::VOID),
            TypeForm::Bool => Shape { bits: 1, ..shape(flag::BOOL) },
            TypeForm::Int { bits: 32 } => Shape { bits: 32, ..shape(flag::INT32) },
            TypeForm::Int { bits } => Shape { bits: bits as u8, ..shape(flag::INT) },
            TypeForm::Float { bits } => Shape { bits: bits as u8, ..shape(flag::FLOAT) },
            TypeForm::Vector { element, lanes } => {
                let of = Shape::of(types, element);
                let flag = match of.flag {
                    flag::BOOL => flag::BOOLS,
                    flag::FLOAT => flag::FLOATS,
                    flag::INT32 if lanes == 4 => flag::BALLOT,
                    _ => flag::INTS,
                };
                Shape { flag, lanes: lanes as u8, ..of }
            }
            TypeForm::Array { .. } => shape(flag::ARRAY),
            TypeForm::Struct { .. } => shape(flag::STRUCT),
            TypeForm::Pointer { space, .. } => {
                let flag = match space {
                    Space::Function | Space::Workgroup | Space::CrossWorkgroup => flag::POINTER,
                    Space::UniformConstant | Space::Input => flag::CONSTANT_POINTER,
                    Space::Generic => flag::GENERIC_POINTER,
                };
                Shape { flag, bits: 64, lanes: 1, space: Some(space) }
            }
            TypeForm::Function { .. } => shape(flag::FUNCTION),
            TypeForm::Image(_) => shape(flag::IMAGE),
            TypeForm::Sampler => shape(flag::SAMPLER),
            TypeForm::SampledImage { .. } => shape(flag::SAMPLED_IMAGE),
            TypeForm::Event => shape(flag::EVENT),
            TypeForm::DeviceEvent => shape(flag::DEVICE_EVENT),
            TypeForm::Queue => shape(flag::QUEUE),
            TypeForm::ReserveId => shape(flag::RESERVE_ID),
            TypeForm::Pipe { access: 1 } => shape(flag::WRITE_PIPE),
            TypeForm::Pipe { .. } => shape(flag::READ_PIPE),
            TypeForm::Opaque => shape(flag::OPAQUE),
        }
    }

    /// Checks whether this is a number, a bool, or a vector of them: such types are equal if their shapes are.
    pub(super) fn is_plain(self) -> bool {
        self.flag & (flag::SCALAR | flag::VECTOR) != 0
    }

    pub(super) fn is_any(self, flags: u32) -> bool {
        self.flag & flags != 0
    }
}

/// Class of an operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// No result.
    Nothing,
    Any,
    Bool,
    Bools,
    Int,
    Int32,
    Ints,
    Float,
    Floats,
    FloatVector,
    /// Integer or float.
    Number,
    Numbers,
    Scalar,
    Vector,
    BoolsOrInts,
    Ballot,
    Struct,
    Pointer,
    WritablePointer,
    NamedPointer,
    GenericPointer,
    Image,
    Sampler,
    SampledImage,
    Event,
    DeviceEvent,
    Queue,
    ReserveId,
    Pipe,
    ReadPipe,
    WritePipe,
    /// Function, by its id.
    Function,
    /// Scope whose work-items execute together: work-group or sub-group.
    Execution,
    WorkGroup,
    SubGroup,
    MemoryScope,
    Clock,
    Semantics,
    /// Scope or semantics of a load: clang 22 writes numbers of OpenCL C there, which mean nothing.
    LoadOrder,
    GroupOperation,
    PackedFormat,
    ImageOperands,
}

impl Class {
    /// Returns the flags of types that the class contains; 0 for operands that have no type.
    pub(super) fn flags(self) -> u32 {
        match self {
            Class::Any => flag::VALUE,
            Class::Bool => flag::BOOL,
            Class::Bools => flag::BOOL | flag::BOOLS,
            Class::Int => flag::ANY_INT,
            Class::Int32 => flag::INT32,
            Class::Ints => flag::ANY_INTS,
            Class::Float => flag::FLOAT,
            Class::Floats => flag::FLOAT | flag::FLOATS,
            Class::FloatVector => flag::FLOATS,
            Class::Number => flag::ANY_INT | flag::FLOAT,
            Class::Numbers => flag::ANY_INTS | flag::FLOAT | flag::FLOATS,
            Class::Scalar => flag::SCALAR,
            Class::Vector => flag::VECTOR,
            Class::BoolsOrInts => flag::BOOL | flag::BOOLS | flag::ANY_INTS,
            Class::Ballot => flag::BALLOT,
            Class::Struct => flag::STRUCT,
            Class::Pointer => flag::ANY_POINTER,
            Class::WritablePointer => flag::POINTER | flag::GENERIC_POINTER,
            Class::NamedPointer => flag::POINTER,
            Class::GenericPointer => flag::GENERIC_POINTER,
            Class::Image => flag::IMAGE,
            Class::Sampler => flag::SAMPLER,
            Class::SampledImage => flag::SAMPLED_IMAGE,
            Class::Event => flag::EVENT,
            Class::DeviceEvent => flag::DEVICE_EVENT,
            Class::Queue => flag::QUEUE,
            Class::ReserveId => flag::RESERVE_ID,
            Class::Pipe => flag::READ_PIPE | flag::WRITE_PIPE,
            Class::ReadPipe => flag::READ_PIPE,
            Class::WritePipe => flag::WRITE_PIPE,
            _ => 0,
        }
    }

    /// Returns what is wanted, for messages.
    pub(super) fn text(self) -> &'static str {
        match self {
            Class::Nothing | Class::ImageOperands => "a literal",
            Class::Any => "a value of a type that has a size",
            Class::Bool => "a bool",
            Class::Bools => "a bool or a vector of bools",
            Class::Int => "an integer",
            Class::Int32 => "an integer of 32 bits",
            Class::Ints => "an integer or a vector of integers",
            Class::Float => "a float",
            Class::Floats => "a float or a vector of floats",
            Class::FloatVector => "a vector of floats",
            Class::Number => "an integer or a float",
            Class::Numbers => "a number or a vector of numbers",
            Class::Scalar => "a number or a bool",
            Class::Vector => "a vector",
            Class::BoolsOrInts => "a vector of bools",
            Class::Ballot => "a vector of 4 integers of 32 bits",
            Class::Struct => "a structure",
            Class::Pointer => "a pointer",
            Class::WritablePointer => "a pointer to global, local, private or generic memory",
            Class::NamedPointer => "a pointer to global, local or private memory",
            Class::GenericPointer => "a pointer to generic memory",
            Class::Image => "an image",
            Class::Sampler => "a sampler",
            Class::SampledImage => "a sampled image",
            Class::Event => "an event",
            Class::DeviceEvent => "a device event",
            Class::Queue => "a queue",
            Class::ReserveId => "a reservation id",
            Class::Pipe => "a pipe",
            Class::ReadPipe => "a pipe to read",
            Class::WritePipe => "a pipe to write",
            Class::Function => "a function",
            Class::Execution => "the scope Workgroup or Subgroup",
            Class::WorkGroup => "the scope Workgroup",
            Class::SubGroup => "the scope Subgroup",
            Class::MemoryScope => "the scope CrossDevice, Device, Workgroup, Subgroup or Invocation",
            Class::Clock => "the scope Device, Workgroup or Subgroup",
            Class::Semantics | Class::LoadOrder => "memory semantics with one order at most",
            Class::GroupOperation => "a group operation",
            Class::PackedFormat => "a format of packed vectors",
        }
    }
}
