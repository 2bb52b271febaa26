//! Generic type names of library mode (docs/builtins.md): names of types that differ between instances. This file
//! is part of the crate and of its build script, so it uses nothing of either. Scalars are numbered as in
//! `Scalar::ALL`.

/// Source of the element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// The scalar with this number.
    Fixed(u8),
    /// The element type of the instance.
    Generic,
    /// The signed integer of the width of E.
    Signed,
    /// The unsigned integer of the width of E.
    Unsigned,
    /// The integer of E's signedness and twice its width.
    Wide,
    /// The unsigned integer of twice the width of E.
    WideUnsigned,
    /// The type in the builtin's own name.
    Dst,
    /// The atomic type over E.
    Atomic,
    Void,
    Bool,
    Event,
    Sampler,
    Queue,
    ClkEvent,
    ReserveId,
    NdRange,
    /// The image type [`IMAGES`]`[i]`, with the access that the signature allows.
    Image(u8),
    /// A pipe with packets of any type.
    Pipe,
    /// A packet of the signature's pipe.
    Packet,
    /// Any type; the pointee of a pointer.
    AnyType,
    /// A block without parameters and result.
    Block,
    /// A block whose parameters are all `local void *`, at least one. The call has a size argument for each of
    /// them.
    LocalBlock,
}

/// Source of the number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    Fixed(u8),
    /// The lanes of the instance.
    N,
    /// A second, independent number of lanes.
    M,
}

/// Type in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureType {
    pub elem: Elem,
    pub lanes: Lanes,
}

/// Word, with the types of E (or D) and the numbers of lanes N that it allows: bit i of `elems` is
/// `Scalar::ALL[i]`, bit i of `lanes` is [`LANES`]`[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureTypeSet {
    pub ty: SignatureType,
    pub elems: u16,
    pub lanes: u8,
}

/// Numbers of lanes, by bit.
pub const LANES: [u8; 6] = [1, 2, 3, 4, 8, 16];
/// Scalars by number.
pub const SCALARS: [&str; 11] =
    ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

/// Image types by number.
pub const IMAGES: [&str; 8] = [
    "image1d_t",
    "image1d_buffer_t",
    "image1d_array_t",
    "image2d_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image2d_array_depth_t",
    "image3d_t",
];

/// All scalars.
pub const ALL_SCALARS: u16 = 0x7ff;
const INTEGERS: u16 = 0x0ff;
const SIGNED: u16 = 0x055;
const UNSIGNED: u16 = 0x0aa;
const FLOATS: u16 = 0x700;
/// Any number of lanes.
pub const ANY_LANES: u8 = 0x3f;
const VECTORS: u8 = 0x3e;

/// Returns the number of the scalar named `name`.
pub fn scalar(name: &str) -> Option<u8> {
    let index = SCALARS.iter().position(|s| *s == name)?;
    Some(index as u8)
}

/// Returns the meaning of `name` as a type in a library signature or body.
pub fn signature_type(name: &str) -> Option<SignatureTypeSet> {
    generic_type(name).or_else(|| fixed_type(name))
}

/// Returns the meaning of a generic type name.
pub fn generic_type(name: &str) -> Option<SignatureTypeSet> {
    if name == "__packet" {
        let ty = SignatureType { elem: Elem::Packet, lanes: Lanes::Fixed(1) };
        return Some(SignatureTypeSet { ty, elems: ALL_SCALARS, lanes: ANY_LANES });
    }
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (base, lanes) = match (name.strip_suffix('m'), digits) {
        (Some(base), _) => (base, Lanes::M),
        (None, "") => (name, Lanes::N),
        (None, digits) => {
            let lanes = digits.parse().ok().filter(|n| LANES[1..].contains(n))?;
            (&name[..name.len() - digits.len()], Lanes::Fixed(lanes))
        }
    };
    let with =
        |elem, elems| Some(SignatureTypeSet { ty: SignatureType { elem, lanes }, elems, lanes: ANY_LANES });
    match base {
        "gentype" => with(Elem::Generic, ALL_SCALARS),
        "gentypef" => with(Elem::Generic, FLOATS),
        "gentypei" => with(Elem::Generic, INTEGERS),
        "igentype" => with(Elem::Generic, SIGNED),
        "ugentype" => with(Elem::Generic, UNSIGNED),
        "inttype" => with(Elem::Signed, ALL_SCALARS),
        "uinttype" => with(Elem::Unsigned, ALL_SCALARS),
        "widetype" => with(Elem::Wide, ALL_SCALARS),
        "uwidetype" => with(Elem::WideUnsigned, ALL_SCALARS),
        "dst" => with(Elem::Dst, ALL_SCALARS),
        "dsti" => with(Elem::Dst, INTEGERS),
        "dstf" => with(Elem::Dst, FLOATS),
        "atomictype" => with(Elem::Atomic, ALL_SCALARS),
        _ => None,
    }
    .or_else(|| fixed_elem_type(base, lanes))
    .or_else(|| prefixed_type(name))
}

/// Parses `intn`, `floatn`, …: this element type, and the lanes of the instance.
fn fixed_elem_type(base: &str, lanes: Lanes) -> Option<SignatureTypeSet> {
    let elem = match lanes {
        Lanes::N => scalar(base.strip_suffix('n')?)?,
        _ => return None,
    };
    Some(SignatureTypeSet {
        ty: SignatureType { elem: Elem::Fixed(elem), lanes },
        elems: ALL_SCALARS,
        lanes: ANY_LANES,
    })
}

/// Parses a prefix: `s…` is one lane, `v…` at least two lanes.
fn prefixed_type(name: &str) -> Option<SignatureTypeSet> {
    if let Some(rest) = name.strip_prefix('s')
        && let Some(mut found) = generic_type(rest)
    {
        found.ty.lanes = Lanes::Fixed(1);
        return Some(found);
    }
    let mut found = generic_type(name.strip_prefix('v')?)?;
    found.lanes &= VECTORS;
    Some(found)
}

/// Parses an ordinary type name.
fn fixed_type(name: &str) -> Option<SignatureTypeSet> {
    let elem = match name {
        "void" => Elem::Void,
        "bool" => Elem::Bool,
        "event_t" => Elem::Event,
        "sampler_t" => Elem::Sampler,
        "queue_t" => Elem::Queue,
        "clk_event_t" => Elem::ClkEvent,
        "reserve_id_t" => Elem::ReserveId,
        "ndrange_t" => Elem::NdRange,
        "pipe" => Elem::Pipe,
        "__anytype" => Elem::AnyType,
        "__block" => Elem::Block,
        "__local_block" => Elem::LocalBlock,
        _ if IMAGES.contains(&name) => Elem::Image(IMAGES.iter().position(|image| *image == name)? as u8),
        "size_t" => Elem::Fixed(7),
        "ptrdiff_t" => Elem::Fixed(6),
        _ => {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            let base = &name[..name.len() - digits.len()];
            let lanes = match digits {
                "" => 1,
                _ => digits.parse().ok().filter(|n| LANES[1..].contains(n))?,
            };
            return Some(SignatureTypeSet {
                ty: SignatureType { elem: Elem::Fixed(scalar(base)?), lanes: Lanes::Fixed(lanes) },
                elems: ALL_SCALARS,
                lanes: ANY_LANES,
            });
        }
    };
    Some(SignatureTypeSet {
        ty: SignatureType { elem, lanes: Lanes::Fixed(1) },
        elems: ALL_SCALARS,
        lanes: ANY_LANES,
    })
}
