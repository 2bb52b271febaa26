//! Types of a module, with their layout in memory and their form as values of the IR.
//!
//! Members and elements are declared before the types that contain them, so that a type's row refers to earlier
//! rows only, and nothing recurs. Pointees are the exception: pointers to structures may be declared first. They are
//! looked up where an access needs them.

use grus_ir::{Kind, Type};
use grus_support::{FastMap, define_id};
use smallvec::SmallVec;

use crate::grammar::{access_qualifier, storage_class};
use crate::module::Id;

define_id!(
    /// Row of the type table.
    TypeId,
    "t"
);

/// Maximum number of values that a composite value is split into; larger ones are kept in memory.
// Source: as many as the members of the structures that compilers pass by value, and a matrix of 8 by 8.
pub(crate) const MAX_LEAVES: usize = 64;

/// Maximum number of parts of a composite, and of their parts in turn, that are looked at for leaves.
// Arbitrary: more than a composite of as many leaves has, unless nearly all its parts are empty.
const MAX_VISITED: u64 = 16 * MAX_LEAVES as u64;

/// Alignment of handles and pointers, and their size.
const WORD: u32 = 8;

/// Type of a module.
#[derive(Clone, Debug)]
pub(crate) struct TypeRow {
    pub id: Id,
    pub form: TypeForm,
    /// Size in memory in bytes, with the padding at the end.
    pub size: u64,
    /// Natural alignment in bytes.
    pub align: u32,
    /// Depth of nested composites.
    pub depth: u32,
    /// True if values exist: neither void, a function, nor a structure without declaration.
    pub is_sized: bool,
}

/// Kind of a type, with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TypeForm {
    Void,
    Bool,
    /// Integer of 1 to 64 bits.
    Int {
        bits: u32,
    },
    Float {
        bits: u32,
    },
    /// Vector of bools, integers or floats.
    Vector {
        element: TypeId,
        lanes: u16,
    },
    Array {
        element: TypeId,
        length: u64,
    },
    /// Structure: members with their offsets in bytes.
    Struct {
        members: Box<[(TypeId, u64)]>,
    },
    /// Pointer. Its pointee may be declared later; pointers without a type have none.
    Pointer {
        space: Space,
        pointee: Option<Id>,
    },
    Function {
        result: TypeId,
        params: Box<[TypeId]>,
    },
    Image(ImageForm),
    Sampler,
    SampledImage {
        image: TypeId,
    },
    Event,
    DeviceEvent,
    ReserveId,
    Queue,
    Pipe {
        access: u32,
    },
    /// Structure of a name, of which nothing is known.
    Opaque,
}

/// Storage class of a pointer, as far as kernels have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Function,
    CrossWorkgroup,
    Workgroup,
    UniformConstant,
    Generic,
    /// Built-in variables.
    Input,
}

/// Dimensions and access of an image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ImageForm {
    /// Number of `Dim`.
    pub dim: u32,
    pub is_depth: bool,
    pub is_array: bool,
    pub is_multisampled: bool,
    /// Number of `AccessQualifier`.
    pub access: u32,
}

impl Space {
    /// Returns the space of a storage class, or `None` if kernels do not have it.
    pub(crate) fn from_class(class: u32) -> Option<Space> {
        Some(match class {
            storage_class::Function => Space::Function,
            storage_class::CrossWorkgroup
            | storage_class::DeviceOnlyALTERA
            | storage_class::HostOnlyALTERA => Space::CrossWorkgroup,
            storage_class::Workgroup => Space::Workgroup,
            storage_class::UniformConstant => Space::UniformConstant,
            storage_class::Generic => Space::Generic,
            storage_class::Input => Space::Input,
            _ => return None,
        })
    }

    /// Returns the kind of pointers in the IR.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Space::Function => Kind::PtrPrivate,
            Space::CrossWorkgroup => Kind::PtrGlobal,
            Space::Workgroup => Kind::PtrLocal,
            Space::UniformConstant | Space::Input => Kind::PtrConstant,
            Space::Generic => Kind::PtrGeneric,
        }
    }

    /// Returns the address space in OpenCL C.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Space::Function | Space::Input => "private",
            Space::CrossWorkgroup => "global",
            Space::Workgroup => "local",
            Space::UniformConstant => "constant",
            Space::Generic => "generic",
        }
    }
}

impl TypeRow {
    /// Returns a scalar, handle or void.
    pub(crate) fn plain(id: Id, form: TypeForm) -> TypeRow {
        let (size, align) = match form {
            TypeForm::Void | TypeForm::Function { .. } | TypeForm::Opaque => (0, 1),
            TypeForm::Bool => (1, 1),
            TypeForm::Int { bits } => (container(bits) / 8, container(bits) / 8),
            TypeForm::Float { bits } => (bits.div_ceil(8), bits.div_ceil(8)),
            TypeForm::Sampler => (4, 4),
            TypeForm::SampledImage { .. } => (16, WORD),
            _ => (WORD, WORD),
        };
        let is_sized = size != 0;
        TypeRow { id, form, size: size.into(), align, depth: 0, is_sized }
    }
}

/// All types of a module.
#[derive(Debug)]
pub(crate) struct TypeTable {
    /// Row of each id, counted from 1; 0 for ids that are no types.
    places: Vec<u32>,
    rows: Vec<TypeRow>,
    /// Rows by what they describe: structures and arrays may be declared more than once, and are then one type.
    known: FastMap<(TypeForm, u64, u32), TypeId>,
    /// First of the types whose values have the form of each row's.
    alike: Vec<TypeId>,
    /// Such first types, by their forms with parts that are first types, and pointers without what they point at.
    first_alike: FastMap<TypeForm, TypeId>,
}

/// Leaf of a composite type: a scalar, vector, pointer or handle at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub offset: u64,
    pub ty: ValueType,
}

/// Type of a scalar, vector, pointer or handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueType {
    /// Type of the value in the IR.
    pub ir: Type,
    /// Number of bits that each component has in the module. An integer of a width that the IR lacks is the next wider
    /// one there; its upper bits are zero.
    pub width: u32,
}

impl ValueType {
    /// Returns a type that is the same in the module and in the IR.
    pub(crate) fn exact(ir: Type) -> ValueType {
        ValueType { ir, width: ir.kind.bits() }
    }

    /// Returns the type of the components.
    pub(crate) fn lane(self) -> ValueType {
        ValueType { ir: self.ir.lane(), ..self }
    }

    /// Checks whether values have upper bits, which are zero.
    pub(crate) fn is_narrow(self) -> bool {
        self.width < self.ir.kind.bits()
    }

    /// Returns the number of bits of all components.
    pub(crate) fn bits(self) -> u32 {
        self.width * u32::from(self.ir.lanes)
    }

    /// Returns the bits of the largest component without sign.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width.clamp(1, 64))
    }
}

impl TypeTable {
    /// Returns an empty table for ids below a bound.
    pub(crate) fn new(bound: u32) -> TypeTable {
        TypeTable {
            places: vec![0; bound as usize],
            rows: Vec::new(),
            known: FastMap::default(),
            alike: Vec::new(),
            first_alike: FastMap::default(),
        }
    }

    /// Adds a type. One that is like an earlier type is that type.
    pub(crate) fn add(&mut self, mut row: TypeRow) -> TypeId {
        if let TypeForm::Pointer { pointee: Some(to), .. } = &mut row.form
            && let Some(&place) = self.places.get(to.0 as usize)
            && place != 0
        {
            *to = self.rows[place as usize - 1].id;
        }
        let place = row.id.0 as usize;
        let next = TypeId(self.rows.len() as u32);
        let id = *self.known.entry((row.form.clone(), row.size, row.align)).or_insert(next);
        self.places[place] = id.0 + 1;
        if id == next {
            let form = self.without_pointees(&row.form);
            self.alike.push(form.map_or(id, |form| *self.first_alike.entry(form).or_insert(id)));
            self.rows.push(row);
        }
        id
    }

    /// Returns the form of a pointer or composite as [`TypeTable::are_alike`] compares it.
    fn without_pointees(&self, form: &TypeForm) -> Option<TypeForm> {
        let first = |ty: TypeId| self.alike[ty.0 as usize];
        match form {
            &TypeForm::Pointer { space, .. } => Some(TypeForm::Pointer { space, pointee: None }),
            &TypeForm::Array { element, length } => Some(TypeForm::Array { element: first(element), length }),
            TypeForm::Struct { members } => {
                let members = members.iter().map(|&(member, offset)| (first(member), offset)).collect();
                Some(TypeForm::Struct { members })
            }
            _ => None,
        }
    }

    /// Returns the row that describes an id, or `None` if it is no type.
    #[inline]
    pub(crate) fn find(&self, id: Id) -> Option<TypeId> {
        self.places.get(id.0 as usize)?.checked_sub(1).map(TypeId)
    }

    /// Returns the row of a type.
    #[inline]
    pub(crate) fn get(&self, ty: TypeId) -> &TypeRow {
        &self.rows[ty.0 as usize]
    }

    /// Returns the kind of a type.
    #[inline]
    pub(crate) fn form(&self, ty: TypeId) -> &TypeForm {
        &self.get(ty).form
    }

    /// Returns the number of types.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the type of values, or `None` for composites and types without values.
    #[inline]
    pub(crate) fn value(&self, ty: TypeId) -> Option<ValueType> {
        let ir = self.ir(ty)?;
        Some(match self.number(ty) {
            &TypeForm::Int { bits } => ValueType { ir, width: bits },
            _ => ValueType::exact(ir),
        })
    }

    /// Checks whether values are vectors of integers that have no addresses: they lie in memory bit by bit.
    pub(crate) fn is_packed(&self, ty: TypeId) -> bool {
        matches!(self.form(ty), TypeForm::Vector { .. }) && self.value(ty).is_some_and(ValueType::is_narrow)
    }

    /// Returns the kind of a vector's components, or of another type itself.
    fn number(&self, ty: TypeId) -> &TypeForm {
        match self.form(ty) {
            TypeForm::Vector { element, .. } => self.form(*element),
            form => form,
        }
    }

    /// Returns the type of values in the IR, or `None` for composites and types without values.
    #[inline]
    pub(crate) fn ir(&self, ty: TypeId) -> Option<Type> {
        Some(match *self.form(ty) {
            TypeForm::Bool => Type::I1,
            TypeForm::Int { bits } => Type::scalar(Kind::int_of_bits(container(bits))),
            TypeForm::Float { bits } => Type::scalar(float_kind(bits)),
            TypeForm::Vector { element, lanes } => self.ir(element)?.with_lanes(lanes),
            TypeForm::Pointer { space, .. } => Type::scalar(space.kind()),
            TypeForm::Image(_) => Type::CONSTANT,
            TypeForm::Sampler => Type::I32,
            TypeForm::Event | TypeForm::DeviceEvent | TypeForm::ReserveId | TypeForm::Queue => Type::I64,
            TypeForm::Pipe { .. } => Type::GLOBAL,
            TypeForm::Void
            | TypeForm::Array { .. }
            | TypeForm::Struct { .. }
            | TypeForm::SampledImage { .. }
            | TypeForm::Function { .. }
            | TypeForm::Opaque => return None,
        })
    }

    /// Checks whether values of both types have the same form. Types of pointers may differ in what they point at:
    /// producers do not always keep track of it.
    pub(crate) fn are_alike(&self, a: TypeId, b: TypeId) -> bool {
        self.alike[a.0 as usize] == self.alike[b.0 as usize]
    }

    /// Checks whether values are arrays or structures, or pairs of image and sampler.
    pub(crate) fn is_composite(&self, ty: TypeId) -> bool {
        matches!(
            self.form(ty),
            TypeForm::Array { .. } | TypeForm::Struct { .. } | TypeForm::SampledImage { .. }
        )
    }

    /// Checks whether values are bools or vectors of them.
    pub(crate) fn is_bool(&self, ty: TypeId) -> bool {
        self.ir(ty).is_some_and(|ty| ty.kind == Kind::I1)
    }

    /// Returns the pointee of a pointer if it is known.
    pub(crate) fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match *self.form(ty) {
            TypeForm::Pointer { pointee, .. } => self.find(pointee?),
            _ => None,
        }
    }

    /// Returns the storage class of a pointer.
    pub(crate) fn space(&self, ty: TypeId) -> Option<Space> {
        match *self.form(ty) {
            TypeForm::Pointer { space, .. } => Some(space),
            _ => None,
        }
    }

    /// Returns the size of a type in memory, as the element of an array.
    pub(crate) fn stride(&self, ty: TypeId) -> u64 {
        let row = self.get(ty);
        row.size.next_multiple_of(u64::from(row.align.max(1)))
    }

    /// Returns the type and offset of part `index` of a composite or vector.
    pub(crate) fn part(&self, ty: TypeId, index: u64) -> Option<(TypeId, u64)> {
        match self.form(ty) {
            TypeForm::Vector { element, lanes } => {
                (index < u64::from(*lanes)).then(|| (*element, index * self.get(*element).size))
            }
            TypeForm::Array { element, length } => {
                (index < *length).then(|| (*element, index.saturating_mul(self.stride(*element))))
            }
            TypeForm::Struct { members } => members.get(usize::try_from(index).ok()?).copied(),
            _ => None,
        }
    }

    /// Returns the number of parts of a composite or vector; 0 for other types.
    pub(crate) fn parts(&self, ty: TypeId) -> u64 {
        match self.form(ty) {
            TypeForm::Vector { lanes, .. } => u64::from(*lanes),
            TypeForm::Array { length, .. } => *length,
            TypeForm::Struct { members } => members.len() as u64,
            _ => 0,
        }
    }

    /// Returns the leaves of a value in the order of its members, or `None` if there are too many.
    pub(crate) fn leaves(&self, ty: TypeId) -> Option<SmallVec<[Leaf; 4]>> {
        let mut found = SmallVec::new();
        // Parts that are still to be visited, the next one last.
        let mut work: SmallVec<[(TypeId, u64); 8]> = SmallVec::from_elem((ty, 0), 1);
        let mut visited = 0;
        while let Some((ty, offset)) = work.pop() {
            if let Some(ty) = self.value(ty) {
                found.push(Leaf { offset, ty });
            } else if matches!(self.form(ty), TypeForm::SampledImage { .. }) {
                found.push(Leaf { offset, ty: ValueType::exact(Type::CONSTANT) });
                found.push(Leaf { offset: offset + u64::from(WORD), ty: ValueType::exact(Type::I32) });
            } else {
                let count = self.parts(ty);
                // Empty structures and arrays take no leaf, but time.
                visited += count;
                if count > MAX_LEAVES as u64 || visited > MAX_VISITED {
                    return None;
                }
                for index in (0..count).rev() {
                    let (part, at) = self.part(ty, index).expect("the index is below the number of parts");
                    work.push((part, offset + at));
                }
            }
            if found.len() > MAX_LEAVES {
                return None;
            }
        }
        Some(found)
    }

    /// Returns the number of leaves in front of part `index`, and those of the part.
    pub(crate) fn leaf_range(&self, ty: TypeId, index: u64) -> Option<(usize, usize)> {
        let mut before = 0;
        for earlier in 0..index {
            before += self.leaves(self.part(ty, earlier)?.0)?.len();
        }
        let count = self.leaves(self.part(ty, index)?.0)?.len();
        Some((before, count))
    }

    /// Returns a text for messages, as OpenCL C writes the type where it has it.
    pub(crate) fn describe(&self, ty: TypeId) -> String {
        match self.form(ty) {
            TypeForm::Void => "void".into(),
            TypeForm::Bool => "bool".into(),
            TypeForm::Int { bits } => format!("an integer of {bits} bits"),
            TypeForm::Float { bits } => format!("a float of {bits} bits"),
            TypeForm::Vector { element, lanes } => {
                format!("a vector of {lanes} times {}", self.describe(*element))
            }
            TypeForm::Array { length, .. } => format!("an array of {length} elements"),
            TypeForm::Struct { members } => format!("a structure of {} members", members.len()),
            TypeForm::Pointer { space, .. } => format!("a pointer to {} memory", space.name()),
            TypeForm::Function { .. } => "a function".into(),
            TypeForm::Image(_) => "an image".into(),
            TypeForm::Sampler => "a sampler".into(),
            TypeForm::SampledImage { .. } => "a sampled image".into(),
            TypeForm::Event => "an event".into(),
            TypeForm::DeviceEvent => "a device event".into(),
            TypeForm::ReserveId => "a reservation id".into(),
            TypeForm::Queue => "a queue".into(),
            TypeForm::Pipe { access } if *access == access_qualifier::WriteOnly => "a pipe to write".into(),
            TypeForm::Pipe { .. } => "a pipe to read".into(),
            TypeForm::Opaque => "an opaque structure".into(),
        }
    }
}

/// Returns the width of the integer that holds one of so many bits.
pub(crate) fn container(bits: u32) -> u32 {
    bits.next_power_of_two().max(8)
}

/// Returns the kind of floats of a width.
pub(crate) fn float_kind(bits: u32) -> Kind {
    match bits {
        16 => Kind::F16,
        32 => Kind::F32,
        _ => Kind::F64,
    }
}
