//! The op table: every operation is declared here once. Builder, printer, parser,
//! verifier and interpreter read the table; code generation matches on it without
//! a wildcard, so that a new op is a compile error exactly where it must be added.

use super::types::{Kind, Type};
use crate::image::{Descriptor, Format, texel};

/// How the result type follows from the operands; what the verifier checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No operand; an integer or pointer scalar.
    IntConst,
    /// No operand; a floating scalar.
    FloatConst,
    /// All operands and the result have one integer type.
    Int,
    /// All operands and the result have one floating type.
    Float,
    /// Two operands of one integer or pointer type; result is `Type::compared`.
    IntCompare,
    /// Two operands of one floating type; result is `Type::compared`.
    FloatCompare,
    /// One operand, same lanes, other kind.
    Convert,
    /// One operand, same bits in all.
    Bits,
    /// Scalar to all lanes.
    Splat,
    /// Vector to the lane that the attribute names.
    Extract,
    /// Vector and lane to vector.
    Insert,
    /// Two vectors of one kind, lanes picked by the attribute.
    Shuffle,
    /// One scalar per lane.
    BuildVector,
    /// `i1`, or one for each lane, then two values of the result's type.
    Select,
    /// A pointer out of nothing.
    Address,
    /// A pointer and an `i64`, a pointer of the same kind.
    PtrAdd,
    /// A pointer first; a value of any type comes out.
    Load,
    /// A pointer and a value of any type.
    Store,
    /// Two pointers.
    Copy,
    /// One pointer.
    Fill,
    /// A pointer, then values of the result's type.
    Atomic,
    /// A pointer and a value.
    AtomicStore,
    /// Nothing goes in or out.
    Fence,
    /// Operands and result as the callee says.
    Call,
    /// A mask of up to 64 lanes; `i32` or `i64`, with a bit for each.
    Movemask,
    /// A mask; `i1`.
    MaskTest,
    /// A mask of up to 64 lanes; `i32`.
    MaskFirst,
    /// No operand; a vector of integers.
    Iota,
    /// Vector and `i32`; a lane.
    ExtractAt,
    /// Vector, `i32`, lane; a vector.
    InsertAt,
    /// Vector, `i32` for each lane of the result; lanes.
    Permute,
    /// A pointer, a mask, a value of the result's type.
    MaskedLoad,
    /// A pointer, a value, a mask.
    MaskedStore,
    /// A vector of pointers, a mask, a value of the result's type.
    Gather,
    /// A vector of pointers, a value, a mask.
    Scatter,
    /// A pointer, a vector of `i32` or `i64`, a mask, a value of the result's type.
    GatherAt,
    /// A pointer, a vector of `i32` or `i64`, a value, a mask.
    ScatterAt,
    /// A vector of pointers, values of the result's type, a mask.
    LaneAtomic,
    /// A pointer to an image descriptor; `i64` or `i32`, as the field is.
    ImageQuery,
    /// A pointer to an image descriptor and an `i64`; four lanes of `f32` or `i32`.
    ImageLoad,
    /// A pointer to an image descriptor, an `i64`, four lanes of `f32` or `i32`.
    ImageStore,
    /// No operand, `i64` (`i32` for the number of dimensions).
    WorkItem,
    /// Group operations with operands of their own.
    Group,
    /// A value out of the values of all items: an operand of the result's type first, then `i64`s.
    Collective,
    /// What the work-items of a sub-group do together: of a scalar, and perhaps an `i32`.
    SubGroup,
    /// Ends a block.
    Terminator,
}

/// What an op does besides computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Same operands, same result: may be removed, repeated, moved.
    Pure,
    /// May be removed when unused, not moved across writes.
    Read,
    /// Must stay, once, in order.
    Write,
    /// Ends a block.
    End,
}

/// Number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    Exactly(u8),
    Any,
    /// So many, and behind them perhaps two `i32`: numbers of an order and a scope that are not known yet.
    Ordered(u8),
}

/// Which attribute an instruction carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    None,
    /// A number: constant bits, a lane, a size, an offset.
    Int,
    /// None, or that no signed result wraps.
    Wrap,
    /// Alignment and volatility.
    Mem,
    /// The same, and what offsets are multiplied by.
    ScaledMem,
    /// Size and alignment.
    SizeAlign,
    IntCond,
    FloatCond,
    /// Lane numbers.
    Lanes,
    Func,
    Global,
    /// What is done to memory, and the order and scope of it.
    Rmw,
    /// The order and scope of an atomic operation.
    Consistency,
    /// How the values of a group's items are combined.
    Reduction,
    /// Runtime function of `rtlib`.
    Helper,
    /// Work-item query and dimension.
    Query,
    /// Case values of a switch.
    Cases,
    /// Field of an image descriptor.
    Field,
    /// The image's format, where it is known.
    Format,
}

macro_rules! ops {
    ($($name:ident $text:literal $arity:expr, $attr:ident, $rule:ident, $effect:ident;)*) => {
        /// Operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $($name),* }

        impl Op {
            /// Every op, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            fn row(self) -> &'static (&'static str, Arity, AttrKind, Rule, Effect) {
                use Arity::{Any, Exactly, Ordered};
                // All spellings of an arity occur in the table.
                const _: [Arity; 3] = [Any, Exactly(0), Ordered(0)];
                const ROWS: &[(&str, Arity, AttrKind, Rule, Effect)] =
                    &[$(($text, $arity, AttrKind::$attr, Rule::$rule, Effect::$effect)),*];
                &ROWS[self as usize]
            }
        }
    };
}

ops! {
    // Constants. The attribute holds the bits, zero-extended.
    Iconst "iconst" Exactly(0), Int, IntConst, Pure;
    Fconst "fconst" Exactly(0), Int, FloatConst, Pure;
    // Integers; results wrap. `nsw` tells passes that the program lets no signed result do so; no result depends on it. Division never traps: x/0 is x, x%0 is 0, MIN/-1 is MIN.
    Iadd "iadd" Exactly(2), Wrap, Int, Pure;
    Isub "isub" Exactly(2), Wrap, Int, Pure;
    Imul "imul" Exactly(2), Wrap, Int, Pure;
    Udiv "udiv" Exactly(2), None, Int, Pure;
    Sdiv "sdiv" Exactly(2), None, Int, Pure;
    Urem "urem" Exactly(2), None, Int, Pure;
    Srem "srem" Exactly(2), None, Int, Pure;
    And "and" Exactly(2), None, Int, Pure;
    Or "or" Exactly(2), None, Int, Pure;
    Xor "xor" Exactly(2), None, Int, Pure;
    // Shift counts are taken modulo the lane width (s6.5.10).
    Shl "shl" Exactly(2), None, Int, Pure;
    Lshr "lshr" Exactly(2), None, Int, Pure;
    Ashr "ashr" Exactly(2), None, Int, Pure;
    Rotl "rotl" Exactly(2), None, Int, Pure;
    Smin "smin" Exactly(2), None, Int, Pure;
    Smax "smax" Exactly(2), None, Int, Pure;
    Umin "umin" Exactly(2), None, Int, Pure;
    Umax "umax" Exactly(2), None, Int, Pure;
    Smulhi "smulhi" Exactly(2), None, Int, Pure;
    Umulhi "umulhi" Exactly(2), None, Int, Pure;
    SaddSat "sadd_sat" Exactly(2), None, Int, Pure;
    UaddSat "uadd_sat" Exactly(2), None, Int, Pure;
    SsubSat "ssub_sat" Exactly(2), None, Int, Pure;
    UsubSat "usub_sat" Exactly(2), None, Int, Pure;
    // Of zero, clz and ctz give the width. abs of MIN is MIN.
    Clz "clz" Exactly(1), None, Int, Pure;
    Ctz "ctz" Exactly(1), None, Int, Pure;
    Popcnt "popcnt" Exactly(1), None, Int, Pure;
    Iabs "iabs" Exactly(1), None, Int, Pure;
    // Floats: IEEE 754, round to nearest even. A computed NaN is some quiet NaN.
    Fadd "fadd" Exactly(2), None, Float, Pure;
    Fsub "fsub" Exactly(2), None, Float, Pure;
    Fmul "fmul" Exactly(2), None, Float, Pure;
    Fdiv "fdiv" Exactly(2), None, Float, Pure;
    Fcopysign "fcopysign" Exactly(2), None, Float, Pure;
    Fma "fma" Exactly(3), None, Float, Pure;
    Fneg "fneg" Exactly(1), None, Float, Pure;
    Fabs "fabs" Exactly(1), None, Float, Pure;
    Fsqrt "fsqrt" Exactly(1), None, Float, Pure;
    Ffloor "ffloor" Exactly(1), None, Float, Pure;
    Fceil "fceil" Exactly(1), None, Float, Pure;
    Ftrunc "ftrunc" Exactly(1), None, Float, Pure;
    Fnearest "fnearest" Exactly(1), None, Float, Pure;
    Icmp "icmp" Exactly(2), IntCond, IntCompare, Pure;
    Fcmp "fcmp" Exactly(2), FloatCond, FloatCompare, Pure;
    Zext "zext" Exactly(1), None, Convert, Pure;
    Sext "sext" Exactly(1), None, Convert, Pure;
    Trunc "trunc" Exactly(1), None, Convert, Pure;
    Fpext "fpext" Exactly(1), None, Convert, Pure;
    Fptrunc "fptrunc" Exactly(1), None, Convert, Pure;
    Sitofp "sitofp" Exactly(1), None, Convert, Pure;
    Uitofp "uitofp" Exactly(1), None, Convert, Pure;
    // Towards zero, saturating, NaN to 0.
    Fptosi "fptosi" Exactly(1), None, Convert, Pure;
    Fptoui "fptoui" Exactly(1), None, Convert, Pure;
    Bitcast "bitcast" Exactly(1), None, Bits, Pure;
    Splat "splat" Exactly(1), None, Splat, Pure;
    Extract "extract" Exactly(1), Int, Extract, Pure;
    // Masks: a bit for each lane, that of the first one lowest; whether any lane is set, or all; the number of the first
    // that is, or of lanes if none is.
    Movemask "movemask" Exactly(1), None, Movemask, Pure;
    Any "any" Exactly(1), None, MaskTest, Pure;
    All "all" Exactly(1), None, MaskTest, Pure;
    MaskFirstSet "mask_first_set" Exactly(1), None, MaskFirst, Pure;
    // The number of each lane.
    Iota "iota" Exactly(0), None, Iota, Pure;
    // The lane of that number, which is unsigned and taken modulo the number of lanes.
    ExtractAt "extract_at" Exactly(2), None, ExtractAt, Pure;
    InsertAt "insert_at" Exactly(3), None, InsertAt, Pure;
    // The lanes of those numbers, as `extract_at` counts them.
    Permute "permute" Exactly(2), None, Permute, Pure;
    Insert "insert" Exactly(2), Int, Insert, Pure;
    Shuffle "shuffle" Exactly(2), Lanes, Shuffle, Pure;
    BuildVector "build_vector" Any, None, BuildVector, Pure;
    Select "select" Exactly(3), None, Select, Pure;
    // Memory.
    Alloca "alloca" Exactly(0), SizeAlign, Address, Write;
    GlobalAddr "global_addr" Exactly(0), Global, Address, Pure;
    LocalAddr "local_addr" Exactly(0), Global, Address, Pure;
    PtrAdd "ptradd" Exactly(2), None, PtrAdd, Pure;
    Load "load" Exactly(1), Mem, Load, Read;
    Store "store" Exactly(2), Mem, Store, Write;
    // Lanes whose mask is not set touch no memory; what is loaded for them is the last operand's lane. The lower ones of
    // those that are set come first. Offsets are signed and count so many bytes each.
    MaskedLoad "masked_load" Exactly(3), Mem, MaskedLoad, Read;
    MaskedStore "masked_store" Exactly(3), Mem, MaskedStore, Write;
    Gather "gather" Exactly(3), Mem, Gather, Read;
    Scatter "scatter" Exactly(3), Mem, Scatter, Write;
    GatherAt "gather_at" Exactly(4), ScaledMem, GatherAt, Read;
    ScatterAt "scatter_at" Exactly(4), ScaledMem, ScatterAt, Write;
    // One atomic operation for each lane that is set. Lanes that are not give 0.
    LaneRmw "lane_rmw" Exactly(3), Rmw, LaneAtomic, Write;
    LaneCas "lane_cas" Exactly(4), Consistency, LaneAtomic, Write;
    MemCopy "memcopy" Exactly(2), SizeAlign, Copy, Write;
    MemZero "memzero" Exactly(1), SizeAlign, Fill, Write;
    // Order and scope are in the attribute. Text leaves out the strongest, which an operation also has as long as operands
    // say what it will be, and for good if they never become constants. Of atomic_cas they are those of success and
    // failure together.
    AtomicRmw "atomic_rmw" Ordered(2), Rmw, Atomic, Write;
    AtomicCas "atomic_cas" Ordered(3), Consistency, Atomic, Write;
    AtomicLoad "atomic_load" Ordered(1), Consistency, Atomic, Write;
    AtomicStore "atomic_store" Ordered(2), Consistency, AtomicStore, Write;
    Fence "fence" Ordered(0), Consistency, Fence, Write;
    // A fault: what stands behind it is not reached.
    Trap "trap" Exactly(0), None, Group, Write;
    Call "call" Any, Func, Call, Write;
    CallHelper "call_helper" Any, Helper, Call, Write;
    // Images: a field of the descriptor; the components of the texel that many bytes after the first one, raw
    // (`image::texel`) if they are floats; their conversion to its bits. The texel is in the image.
    ImageQuery "image_query" Exactly(1), Field, ImageQuery, Pure;
    ImageLoad "image_load" Exactly(2), Format, ImageLoad, Read;
    ImageStore "image_store" Exactly(3), Format, ImageStore, Write;
    // What a work-item can ask about its range.
    WorkItem "workitem" Exactly(0), Query, WorkItem, Pure;
    // Work-group operations: all items arrive, then the effect happens once.
    Barrier "barrier" Exactly(0), None, Group, Write;
    // Operands: destination, source, count, destination stride, source stride (elements).
    // The attribute is the size of an element in bytes.
    AsyncCopy "async_copy" Exactly(5), Int, Group, Write;
    // Operands: destination, source, bytes of a line, lines of a plane, planes; bytes from line to line and from plane to
    // plane of the destination, then of the source.
    AsyncRect "async_rect" Exactly(9), None, Group, Write;
    // A scalar of each item; items count in the order of their linear local ids. All of them combined, for everyone, in the
    // order that `Reduction::PARTS` says; those up to the item; those before it, which for the first is
    // `Reduction::identity`; the one of the item whose linear id the second operand says, 0 if there is none.
    GroupReduce "group_reduce" Exactly(1), Reduction, Collective, Write;
    GroupScan "group_scan" Exactly(1), Reduction, Collective, Write;
    GroupExclusiveScan "group_exclusive_scan" Exactly(1), Reduction, Collective, Write;
    GroupBroadcast "group_broadcast" Exactly(2), None, Collective, Write;
    // Sub-groups: items whose linear local ids have one quotient by the kernel's sub-group size, which is a power of two. Of
    // an item, its place there and that size. What follows is done together by those items that come to it together
    // (`passes::spmd`: the lanes that are there); what the others have does not count. A bit for each that says so; the
    // value of the first; that of the one in a place, modulo the size; all of them combined, the first half with the second
    // and so on; those up to the item, and those before it, from neighbours to those far away; those of as many neighbours
    // as the operand says, a power of two, likewise. Where there is no value it is `Reduction::identity`.
    SubGroupLane "sub_group_lane" Exactly(0), None, SubGroup, Pure;
    SubGroupSize "sub_group_size" Exactly(0), None, SubGroup, Pure;
    SubGroupBallot "sub_group_ballot" Exactly(1), None, SubGroup, Write;
    SubGroupFirst "sub_group_first" Exactly(1), None, SubGroup, Write;
    SubGroupShuffle "sub_group_shuffle" Exactly(2), None, SubGroup, Write;
    SubGroupReduce "sub_group_reduce" Exactly(1), Reduction, SubGroup, Write;
    SubGroupScan "sub_group_scan" Exactly(1), Reduction, SubGroup, Write;
    SubGroupExclusiveScan "sub_group_exclusive_scan" Exactly(1), Reduction, SubGroup, Write;
    SubGroupCluster "sub_group_cluster" Exactly(2), Reduction, SubGroup, Write;
    // What they have done to memory is seen by the others afterwards.
    SubGroupBarrier "sub_group_barrier" Exactly(0), None, SubGroup, Write;
    // Terminators.
    Jump "jump" Exactly(0), None, Terminator, End;
    BrIf "brif" Exactly(1), None, Terminator, End;
    // The first target is the default, then one for each case value.
    Switch "switch" Exactly(1), Cases, Terminator, End;
    Ret "ret" Any, None, Terminator, End;
    Unreachable "unreachable" Exactly(0), None, Terminator, End;
}

impl Op {
    /// The spelling in text.
    pub fn name(self) -> &'static str {
        self.row().0
    }
    /// Number of operands.
    pub fn arity(self) -> Arity {
        self.row().1
    }
    /// Attribute it carries.
    pub fn attr_kind(self) -> AttrKind {
        self.row().2
    }
    /// Type rule.
    pub fn rule(self) -> Rule {
        self.row().3
    }
    /// Effect.
    pub fn effect(self) -> Effect {
        self.row().4
    }
    /// The op of that spelling.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }
    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.effect() == Effect::End
    }
    /// Whether the first two operands may change places.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::Iadd
                | Op::Imul
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Smin
                | Op::Smax
                | Op::Umin
                | Op::Umax
                | Op::Smulhi
                | Op::Umulhi
                | Op::SaddSat
                | Op::UaddSat
                | Op::Fadd
                | Op::Fmul
                | Op::Fma
        )
    }
    /// Whether every work-item of a group must arrive before any goes on.
    pub fn is_group_barrier(self) -> bool {
        self == Op::Barrier || self.is_async_copy() || self.is_collective()
    }
    /// Whether it copies memory once for the work-group.
    pub fn is_async_copy(self) -> bool {
        matches!(self, Op::AsyncCopy | Op::AsyncRect)
    }
    /// Whether it makes a value out of the values of all work-items of the group.
    pub fn is_collective(self) -> bool {
        self.rule() == Rule::Collective
    }
    /// Whether work-items do it together: of a group or of a sub-group. It may not be where it is known less well who comes.
    pub fn is_convergent(self) -> bool {
        self.is_group_barrier() || self.is_of_sub_group()
    }
    /// Whether it concerns a sub-group.
    pub fn is_of_sub_group(self) -> bool {
        self.rule() == Rule::SubGroup
    }
    /// Whether its result is the same for all work-items of the group, whatever the operands.
    pub fn is_collective_uniform(self) -> bool {
        matches!(self, Op::GroupReduce | Op::GroupBroadcast)
    }
}

/// Every op belongs to one group of ops that are done alike. Who handles ops matches on groups and their members
/// without a wildcard: an op that is in no group, or a member that nobody handles, is a compile error.
macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident: $($name:ident)*;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $group { $($name),* }
            impl $group {
                /// The op as one of the group, if it belongs to it.
                pub fn of(op: Op) -> Option<$group> {
                    if let Class::$group(member) = op.class() { Some(member) } else { None }
                }
            }
        )*
        /// An op as a member of its group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class { $($(#[$doc])* $group($group)),* }
        impl Op {
            /// The group that it belongs to.
            pub fn class(self) -> Class {
                match self {
                    $($(Op::$name => Class::$group($group::$name),)*)*
                }
            }
        }
    };
}

groups! {
    /// Constants.
    Constant: Iconst Fconst;
    /// `Rule::Int` with two operands.
    IntBinary: Iadd Isub Imul Udiv Sdiv Urem Srem And Or Xor Shl Lshr Ashr Rotl Smin Smax Umin Umax Smulhi Umulhi
        SaddSat UaddSat SsubSat UsubSat;
    /// `Rule::Int` with one operand.
    IntUnary: Clz Ctz Popcnt Iabs;
    /// `Rule::Float` with two operands.
    FloatBinary: Fadd Fsub Fmul Fdiv Fcopysign;
    /// `Rule::Float` with one operand.
    FloatUnary: Fneg Fabs Fsqrt Ffloor Fceil Ftrunc Fnearest;
    /// `Rule::Float` with three operands.
    FloatTernary: Fma;
    /// Comparisons.
    Comparison: Icmp Fcmp;
    /// `Rule::Convert`.
    Conversion: Zext Sext Trunc Fpext Fptrunc Sitofp Uitofp Fptosi Fptoui;
    /// What puts lanes elsewhere, or takes them together.
    LaneOp: Bitcast Splat Extract Insert Shuffle BuildVector Iota ExtractAt InsertAt Permute;
    /// What makes a scalar of a mask.
    MaskOp: Movemask Any All MaskFirstSet;
    /// One value or the other.
    Choice: Select;
    /// Pointers.
    Address: Alloca GlobalAddr LocalAddr PtrAdd;
    /// What reads or writes memory, or runs something else.
    MemoryOp: Load Store MaskedLoad MaskedStore Gather Scatter GatherAt ScatterAt LaneRmw LaneCas MemCopy MemZero AtomicRmw AtomicCas AtomicLoad AtomicStore Fence Trap CallHelper ImageQuery
        ImageLoad ImageStore;
    /// Calls of functions of the module.
    CallOp: Call;
    /// What a work-item asks.
    ItemOp: WorkItem;
    /// What all work-items of a group do together.
    GroupOp: Barrier AsyncCopy AsyncRect GroupReduce GroupScan GroupExclusiveScan GroupBroadcast;
    /// What the work-items of a sub-group do together.
    SubGroupOp: SubGroupLane SubGroupSize SubGroupBallot SubGroupFirst SubGroupShuffle SubGroupReduce SubGroupScan SubGroupExclusiveScan SubGroupCluster SubGroupBarrier;
    /// `Rule::Terminator`.
    Terminator: Jump BrIf Switch Ret Unreachable;
}

macro_rules! named {
    ($(#[$doc:meta])* $enum:ident { $($name:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $enum { $($name),* }
        impl $enum {
            /// All of them.
            pub const ALL: &'static [$enum] = &[$($enum::$name),*];
            /// The spelling in text.
            pub fn name(self) -> &'static str {
                [$($text),*][self as usize]
            }
            /// The one of that spelling.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|c| c.name() == name)
            }
        }
    };
}

named! {
    /// Integer comparisons.
    IntCond {
        Eq "eq", Ne "ne", Slt "slt", Sle "sle", Sgt "sgt", Sge "sge",
        Ult "ult", Ule "ule", Ugt "ugt", Uge "uge",
    }
}
named! {
    /// Floating comparisons; false when an operand is NaN, except `Une` and `Uno`.
    FloatCond { Oeq "oeq", Une "une", Olt "olt", Ole "ole", Ogt "ogt", Oge "oge", Ord "ord", Uno "uno" }
}
named! {
    /// Atomic read-modify-write operations.
    Rmw {
        Add "add", Sub "sub", And "and", Or "or", Xor "xor", Xchg "xchg",
        Smin "smin", Smax "smax", Umin "umin", Umax "umax",
    }
}
named! {
    /// How an atomic operation orders the other accesses of its work-item (s6.15.12.2), weakest first.
    MemoryOrder {
        Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", SeqCst "seq_cst",
    }
}
named! {
    /// For whom it does (s6.15.12.3), fewest first.
    MemoryScope {
        WorkItem "work_item", WorkGroup "work_group", Device "device", AllSvmDevices "all_svm_devices",
    }
}
named! {
    /// How group operations combine values (s6.15.16). The result of `Fmin` and `Fmax` with a NaN is open.
    Reduction {
        Add "add", Mul "mul", Smin "smin", Smax "smax", Umin "umin", Umax "umax", And "and", Or "or", Xor "xor",
        Fadd "fadd", Fmul "fmul", Fmin "fmin", Fmax "fmax",
    }
}
named! {
    /// Work-item queries (s6.15.1). The dimension is below 3, and 0 for `WorkDim`.
    /// `Context` is no question of programs: it is what `Helper::SpaceOf` looks at. Neither are the global id of the first
    /// item of the group that runs, and its size: groups that were coalesced count as one there. The linear id is the local one.
    Query {
        WorkDim "work_dim", GlobalId "global_id", LocalId "local_id", GroupId "group_id",
        GlobalSize "global_size", LocalSize "local_size",
        EnqueuedLocalSize "enqueued_local_size", NumGroups "num_groups",
        GlobalOffset "global_offset", Context "group_context", FirstId "first_id", Items "items",
        LinearId "linear_id",
    }
}
named! {
    /// What kernels ask an image: the fields of `image::Descriptor`.
    ImageField {
        Base "base", RowPitch "row_pitch", SlicePitch "slice_pitch", SrgbTable "srgb_table", Width "width",
        Height "height", Depth "depth", Order "order", ChannelType "channel_type", TexelSize "texel_size",
        Border "border", Scale "scale",
    }
}
named! {
    /// Runtime functions that kernels call; `rtlib` holds them.
    Helper {
        FmaF32 "fma_f32", FmaF64 "fma_f64",
        Printf "printf", SpaceOf "space_of", StridedCopy "strided_copy", RectCopy "rect_copy", MemCopy "mem_copy", MemZero "mem_zero",
        TexelLoad "texel_load", TexelStore "texel_store", Enqueue "enqueue",
    }
}

impl Rmw {
    /// The op that makes what is stored of what was there and the operand; none if the operand itself is stored.
    pub fn by(self) -> Option<IntBinary> {
        Some(match self {
            Rmw::Xchg => return None,
            Rmw::Add => IntBinary::Iadd,
            Rmw::Sub => IntBinary::Isub,
            Rmw::And => IntBinary::And,
            Rmw::Or => IntBinary::Or,
            Rmw::Xor => IntBinary::Xor,
            Rmw::Smin => IntBinary::Smin,
            Rmw::Smax => IntBinary::Smax,
            Rmw::Umin => IntBinary::Umin,
            Rmw::Umax => IntBinary::Umax,
        })
    }
}

impl IntCond {
    /// The same with the operands in the other order.
    pub fn swapped(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Eq,
            IntCond::Ne => IntCond::Ne,
            IntCond::Slt => IntCond::Sgt,
            IntCond::Sle => IntCond::Sge,
            IntCond::Sgt => IntCond::Slt,
            IntCond::Sge => IntCond::Sle,
            IntCond::Ult => IntCond::Ugt,
            IntCond::Ule => IntCond::Uge,
            IntCond::Ugt => IntCond::Ult,
            IntCond::Uge => IntCond::Ule,
        }
    }
}

impl FloatCond {
    /// The same with the operands in the other order.
    pub fn swapped(self) -> FloatCond {
        match self {
            FloatCond::Oeq | FloatCond::Une | FloatCond::Ord | FloatCond::Uno => self,
            FloatCond::Olt => FloatCond::Ogt,
            FloatCond::Ole => FloatCond::Oge,
            FloatCond::Ogt => FloatCond::Olt,
            FloatCond::Oge => FloatCond::Ole,
        }
    }
}

impl MemoryOrder {
    /// The order that an operand names by its number in C, where `op` can have it; else the strongest.
    pub fn from_number(number: u64, op: Op) -> MemoryOrder {
        let order = match number {
            0 => MemoryOrder::Relaxed,
            2 => MemoryOrder::Acquire,
            3 => MemoryOrder::Release,
            4 => MemoryOrder::AcqRel,
            _ => MemoryOrder::SeqCst,
        };
        if order.suits(op) { order } else { MemoryOrder::SeqCst }
    }
    /// Whether `op` can have it: what only reads releases nothing, what only writes acquires nothing.
    pub fn suits(self, op: Op) -> bool {
        match self {
            MemoryOrder::Relaxed | MemoryOrder::SeqCst => true,
            MemoryOrder::Acquire => op != Op::AtomicStore,
            MemoryOrder::Release => op != Op::AtomicLoad,
            MemoryOrder::AcqRel => op != Op::AtomicStore && op != Op::AtomicLoad,
        }
    }
}

impl MemoryScope {
    /// The scope that an operand names by its number in OpenCL C; else the widest. A sub-group is a part of its work-group.
    pub fn from_number(number: u64) -> MemoryScope {
        match number {
            0 => MemoryScope::WorkItem,
            1 | 4 => MemoryScope::WorkGroup,
            2 => MemoryScope::Device,
            _ => MemoryScope::AllSvmDevices,
        }
    }
}

impl ImageField {
    /// The type of the answer.
    pub fn ty(self) -> Type {
        match self {
            ImageField::Base => Type::GLOBAL,
            ImageField::SrgbTable => Type::CONSTANT,
            ImageField::RowPitch | ImageField::SlicePitch => Type::I64,
            _ => Type::I32,
        }
    }
    /// Where it is in the descriptor.
    pub fn offset(self) -> usize {
        use std::mem::offset_of;
        match self {
            ImageField::Base => offset_of!(Descriptor, base),
            ImageField::RowPitch => offset_of!(Descriptor, row_pitch),
            ImageField::SlicePitch => offset_of!(Descriptor, slice_pitch),
            ImageField::SrgbTable => offset_of!(Descriptor, srgb),
            ImageField::Width => offset_of!(Descriptor, width),
            ImageField::Height => offset_of!(Descriptor, height),
            ImageField::Depth => offset_of!(Descriptor, depth),
            ImageField::Order => offset_of!(Descriptor, order),
            ImageField::ChannelType => offset_of!(Descriptor, channel_type),
            ImageField::TexelSize => offset_of!(Descriptor, texel_size),
            ImageField::Border => offset_of!(Descriptor, border),
            ImageField::Scale => offset_of!(Descriptor, scale),
        }
    }
    /// The answer for every image of a format, if it has one.
    pub fn of_format(self, format: Format) -> Option<u32> {
        match self {
            ImageField::Order => Some(format.order() as u32),
            ImageField::ChannelType => Some(format.channel_type() as u32),
            ImageField::TexelSize => Some(format.texel_size() as u32),
            ImageField::Border => Some(texel::border_alpha(format)),
            ImageField::Scale => Some(texel::scale(format).to_bits()),
            _ => None,
        }
    }
}

impl Reduction {
    /// A reduction adds to so many partial results, each of the items whose number leaves the same remainder, and combines
    /// those at the end: the first half with the second, and so on. Sums of floats depend on it.
    pub const PARTS: u16 = 8;

    /// The bits of what changes nothing, for lanes of `kind`.
    pub fn identity(self, kind: Kind) -> u64 {
        let bits = kind.bits();
        let all = u64::MAX >> (64 - bits);
        let infinity = match kind {
            Kind::F16 => 0x7c00,
            Kind::F32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        match self {
            Reduction::Add | Reduction::Fadd | Reduction::Umax | Reduction::Or | Reduction::Xor => 0,
            Reduction::Mul => 1,
            Reduction::Fmul => match kind {
                Kind::F16 => 0x3c00,
                Kind::F32 => 0x3f80_0000,
                _ => 0x3ff0_0000_0000_0000,
            },
            Reduction::Umin | Reduction::And => all,
            Reduction::Smin => all >> 1,
            Reduction::Smax => 1 << (bits - 1),
            Reduction::Fmin => infinity,
            Reduction::Fmax => infinity | 1 << (bits - 1),
        }
    }
    /// The op that combines two values, or the comparison by which the newer one replaces the older.
    pub fn by(self) -> Result<Op, FloatCond> {
        Ok(match self {
            Reduction::Add => Op::Iadd,
            Reduction::Mul => Op::Imul,
            Reduction::And => Op::And,
            Reduction::Or => Op::Or,
            Reduction::Xor => Op::Xor,
            Reduction::Smin => Op::Smin,
            Reduction::Smax => Op::Smax,
            Reduction::Umin => Op::Umin,
            Reduction::Umax => Op::Umax,
            Reduction::Fadd => Op::Fadd,
            Reduction::Fmul => Op::Fmul,
            Reduction::Fmin => return Err(FloatCond::Olt),
            Reduction::Fmax => return Err(FloatCond::Ogt),
        })
    }
    /// Whether it is one for lanes of `kind`.
    pub fn suits(self, kind: Kind) -> bool {
        if matches!(self, Reduction::Fadd | Reduction::Fmul | Reduction::Fmin | Reduction::Fmax) {
            kind.is_float()
        } else {
            kind.is_int()
        }
    }
}
