//! Operation table: every op is declared here once. Builder, printer, parser, verifier and interpreter read
//! the table. Code generation matches on ops without a wildcard, so that a new op is a compile error at each
//! match that must handle it.

use super::types::{Kind, Type};
use crate::image::{Descriptor, Format, texel};

/// Typing rule of an op, checked by the verifier. Variants list the operands, then the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No operand → an integer or pointer scalar.
    IntConst,
    /// No operand → a floating-point scalar.
    FloatConst,
    /// Operands and result of one integer type.
    Int,
    /// Operands and result of one floating-point type.
    Float,
    /// Two operands of one integer or pointer type → `Type::compared`.
    IntCompare,
    /// Two operands of one floating-point type → `Type::compared`.
    FloatCompare,
    /// One operand → another kind, as many lanes.
    Convert,
    /// One operand → a type of as many bits.
    Bits,
    /// A scalar → a vector of that kind.
    Splat,
    /// A vector → the lane that the attribute names.
    Extract,
    /// A vector and a lane → a vector.
    Insert,
    /// Two vectors of one kind → the lanes that the attribute selects.
    Shuffle,
    /// One scalar for each lane → a vector.
    BuildVector,
    /// An `i1` or a mask of the result's lanes, then two values of the result's type → one of them.
    Select,
    /// No operand → a pointer.
    Address,
    /// A pointer and an `i64` → a pointer of the same kind.
    PtrAdd,
    /// A pointer → a value of any type.
    Load,
    /// A pointer and a value of any type.
    Store,
    /// Two pointers.
    Copy,
    /// One pointer.
    Fill,
    /// A pointer, then values of the result's type → the old value.
    Atomic,
    /// A pointer and a value.
    AtomicStore,
    /// No operand, no result.
    Fence,
    /// Operands and result of the callee.
    Call,
    /// A mask of up to 64 lanes → `i32` or `i64` with a bit for each lane.
    Movemask,
    /// A mask → `i1`.
    MaskTest,
    /// A mask of up to 64 lanes → `i32`.
    MaskFirst,
    /// No operand → a vector of integers.
    Iota,
    /// A vector and an `i32` → a lane.
    ExtractAt,
    /// A vector, an `i32`, a lane → a vector.
    InsertAt,
    /// A vector and an `i32` for each lane of the result → a vector.
    Permute,
    /// A pointer, a mask, a value of the result's type → a vector.
    MaskedLoad,
    /// A pointer, a value, a mask.
    MaskedStore,
    /// A vector of pointers, a mask, a value of the result's type → a vector.
    Gather,
    /// A vector of pointers, a value, a mask.
    Scatter,
    /// A pointer, a vector of `i32` or `i64`, a mask, a value of the result's type → a vector.
    GatherAt,
    /// A pointer, a vector of `i32` or `i64`, a value, a mask.
    ScatterAt,
    /// A vector of pointers, values of the result's type, a mask → the old values.
    LaneAtomic,
    /// A pointer to an image descriptor → the type of the field.
    ImageQuery,
    /// A pointer to an image descriptor and an `i64` → four lanes of `f32` or `i32`.
    ImageLoad,
    /// A pointer to an image descriptor, an `i64`, four lanes of `f32` or `i32`.
    ImageStore,
    /// No operand → `i64`, or `i32` for the number of dimensions.
    WorkItem,
    /// Group operations without a result; operands depend on the op.
    Group,
    /// A value of the result's type, then `i64`s → a value computed from those of all work-items.
    Collective,
    /// Sub-group operations: a scalar or nothing, then perhaps an `i32` → a scalar.
    SubGroup,
    /// Terminators.
    Terminator,
}

/// Side effects of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No effect; equal operands give equal results. May be removed, repeated and moved.
    Pure,
    /// Reads memory. May be removed if unused, but not moved across writes.
    Read,
    /// Writes memory or has another effect. Must stay where it is, and execute once.
    Write,
    /// Ends a block.
    End,
}

/// Number of operands of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    Exactly(u8),
    Any,
    /// This number of operands, then optionally two `i32`: the memory order and scope of an atomic operation,
    /// as long as they are not constant.
    Ordered(u8),
}

/// Kind of attribute that instructions of an op carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    None,
    /// A number: constant bits, a lane, a size or an offset.
    Int,
    /// None, or guarantees that the result does not wrap.
    Wrap,
    /// Alignment and flags of an access.
    Mem,
    /// Alignment and flags of an access, and the factor of its offsets.
    ScaledMem,
    /// Size and alignment.
    SizeAlign,
    IntCond,
    FloatCond,
    /// Numbers of lanes.
    Lanes,
    Func,
    Global,
    /// Operation on memory, its order and scope.
    Rmw,
    /// Order and scope of an atomic operation.
    Consistency,
    /// Operation that combines the values of work-items.
    Reduction,
    /// Runtime function of `rtlib`.
    Helper,
    /// Work-item query and its dimension.
    Query,
    /// Case values of a switch.
    Cases,
    /// Field of an image descriptor.
    Field,
    /// Image format, if it is known.
    Format,
}

macro_rules! ops {
    ($($name:ident $text:literal $arity:expr, $attr:ident, $rule:ident, $effect:ident;)*) => {
        /// Operation of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $($name),* }

        impl Op {
            /// Every op, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            fn row(self) -> &'static (&'static str, Arity, AttrKind, Rule, Effect) {
                use Arity::{Any, Exactly, Ordered};
                // Each constructor occurs here, so that none is an unused import if the table does not need
                // it.
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
    // Integer arithmetic; results wrap. `nsw` and `nuw` are hints to passes that the program guarantees the
    // signed or unsigned result not to wrap; no result depends on them. Division never traps: x/0 is x, x%0 is 0, MIN/-1 is MIN.
    // Programs must not divide by zero, and passes take x/0*0 + x%0 for x.
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
    // Shift counts are taken modulo the width of a lane (s6.5.10).
    Shl "shl" Exactly(2), Wrap, Int, Pure;
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
    // clz and ctz of 0 are the width. iabs of MIN is MIN.
    Clz "clz" Exactly(1), None, Int, Pure;
    Ctz "ctz" Exactly(1), None, Int, Pure;
    Popcnt "popcnt" Exactly(1), None, Int, Pure;
    Iabs "iabs" Exactly(1), None, Int, Pure;
    // Floating-point arithmetic: IEEE 754, rounding to nearest even. A computed NaN is an unspecified quiet
    // NaN.
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
    // fgetexp is floor(log2 |x|), also for subnormal x; -infinity for zeros, infinity for infinities. fgetmant is x
    // divided by the power of two that brings it to [1, 2); 1 for zeros and infinity, NaN for negative numbers. So are
    // x86's vgetexp and vgetmant. fscale multiplies by two to the power of the second
    // operand and rounds once; the result is unspecified unless the first operand is 0, NaN or from 2^-16 to 2^16, and
    // the second NaN or a whole number to ±220 (±1800 for double, ±24 for half).
    Fgetexp "fgetexp" Exactly(1), None, Float, Pure;
    Fgetmant "fgetmant" Exactly(1), None, Float, Pure;
    Fscale "fscale" Exactly(2), None, Float, Pure;
    Icmp "icmp" Exactly(2), IntCond, IntCompare, Pure;
    Fcmp "fcmp" Exactly(2), FloatCond, FloatCompare, Pure;
    Zext "zext" Exactly(1), None, Convert, Pure;
    Sext "sext" Exactly(1), None, Convert, Pure;
    Trunc "trunc" Exactly(1), None, Convert, Pure;
    Fpext "fpext" Exactly(1), None, Convert, Pure;
    Fptrunc "fptrunc" Exactly(1), None, Convert, Pure;
    Sitofp "sitofp" Exactly(1), None, Convert, Pure;
    Uitofp "uitofp" Exactly(1), None, Convert, Pure;
    // Conversions truncate towards zero and saturate; NaN gives 0.
    Fptosi "fptosi" Exactly(1), None, Convert, Pure;
    Fptoui "fptoui" Exactly(1), None, Convert, Pure;
    Bitcast "bitcast" Exactly(1), None, Bits, Pure;
    Splat "splat" Exactly(1), None, Splat, Pure;
    Extract "extract" Exactly(1), Int, Extract, Pure;
    // Masks. movemask has a bit for each lane, the first lane in the lowest bit. any and all test whether a
    // lane is set. mask_first_set is the number of the first lane that is set, or the number of lanes if none
    // is.
    Movemask "movemask" Exactly(1), None, Movemask, Pure;
    Any "any" Exactly(1), None, MaskTest, Pure;
    All "all" Exactly(1), None, MaskTest, Pure;
    MaskFirstSet "mask_first_set" Exactly(1), None, MaskFirst, Pure;
    // Each lane of the result is its own number.
    Iota "iota" Exactly(0), None, Iota, Pure;
    // The lane of a number that is a value. The number is unsigned and taken modulo the number of lanes.
    ExtractAt "extract_at" Exactly(2), None, ExtractAt, Pure;
    InsertAt "insert_at" Exactly(3), None, InsertAt, Pure;
    // Selection of lanes by a vector of numbers of 32 or 64 bits, which are interpreted as in `extract_at`.
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
    // Masked accesses. Lanes whose mask is not set do not access memory; a load gives them the lane of the
    // last operand. Active lanes take effect in ascending order. Offsets are signed and multiplied by the
    // scale of the attribute.
    MaskedLoad "masked_load" Exactly(3), Mem, MaskedLoad, Read;
    MaskedStore "masked_store" Exactly(3), Mem, MaskedStore, Write;
    Gather "gather" Exactly(3), Mem, Gather, Read;
    Scatter "scatter" Exactly(3), Mem, Scatter, Write;
    GatherAt "gather_at" Exactly(4), ScaledMem, GatherAt, Read;
    ScatterAt "scatter_at" Exactly(4), ScaledMem, ScatterAt, Write;
    // One atomic operation for each active lane. Inactive lanes give 0.
    LaneRmw "lane_rmw" Exactly(3), Rmw, LaneAtomic, Write;
    LaneCas "lane_cas" Exactly(4), Consistency, LaneAtomic, Write;
    MemCopy "memcopy" Exactly(2), SizeAlign, Copy, Write;
    MemZero "memzero" Exactly(1), SizeAlign, Fill, Write;
    // Atomic operations. The attribute holds order and scope; the text omits the strongest. While two
    // operands give order and scope, the attribute is the strongest, and it remains so if they never become
    // constants. The order and scope of atomic_cas apply to success and failure alike. Floating-point values
    // are exchanged as integers.
    AtomicRmw "atomic_rmw" Ordered(2), Rmw, Atomic, Write;
    AtomicCas "atomic_cas" Ordered(3), Consistency, Atomic, Write;
    AtomicLoad "atomic_load" Ordered(1), Consistency, Atomic, Write;
    AtomicStore "atomic_store" Ordered(2), Consistency, AtomicStore, Write;
    Fence "fence" Ordered(0), Consistency, Fence, Write;
    // A fault: control does not continue after it.
    Trap "trap" Exactly(0), None, Group, Write;
    Call "call" Any, Func, Call, Write;
    CallHelper "call_helper" Any, Helper, Call, Write;
    // Images. image_query reads a field of the descriptor. image_load reads the components of the texel at a
    // byte offset from the first one; floating-point components are raw (`image::texel`), to be converted by
    // the caller. image_store converts and writes components. The texel must lie in the image.
    ImageQuery "image_query" Exactly(1), Field, ImageQuery, Pure;
    ImageLoad "image_load" Exactly(2), Format, ImageLoad, Read;
    ImageStore "image_store" Exactly(3), Format, ImageStore, Write;
    // Query about the range or the work-item's position in it.
    WorkItem "workitem" Exactly(0), Query, WorkItem, Pure;
    // Work-group operations: once all work-items have arrived, the effect happens once.
    Barrier "barrier" Exactly(0), None, Group, Write;
    // Operands: destination, source, count, destination stride, source stride, in elements. The attribute is
    // the size of an element in bytes.
    AsyncCopy "async_copy" Exactly(5), Int, Group, Write;
    // Operands: destination, source, bytes of a line, lines of a plane, number of planes; then for the
    // destination and for the source the bytes from line to line and from plane to plane.
    AsyncRect "async_rect" Exactly(9), None, Group, Write;
    // Collective functions of one scalar of each work-item, ordered by linear local id. The reduction
    // combines all values in the order that `Reduction::PARTS` gives; the inclusive scan those up to the
    // work-item; the exclusive scan those before it, `Reduction::identity` for the first. The broadcast gives
    // the value of the work-item whose linear id is the second operand, 0 if there is none.
    GroupReduce "group_reduce" Exactly(1), Reduction, Collective, Write;
    GroupScan "group_scan" Exactly(1), Reduction, Collective, Write;
    GroupExclusiveScan "group_exclusive_scan" Exactly(1), Reduction, Collective, Write;
    GroupBroadcast "group_broadcast" Exactly(2), None, Collective, Write;
    // Sub-group operations. A sub-group consists of the work-items whose linear local ids have the same
    // quotient by the kernel's sub-group size, a power of two. sub_group_lane is the work-item's number in
    // its sub-group, and sub_group_size that size. The work-items that reach an operation together execute it
    // together (`passes::vectorize`: the active lanes); the values of others do not take part. The ballot has
    // a bit for each of them. first is the value of the first of them, shuffle that of the lane whose number
    // is the second operand modulo the size. The reduction combines first half and second half, and so on
    // recursively; the scans combine with neighbors first, then at doubled distances. The cluster reduces the
    // values of as many neighbors as its operand says, a power of two. `Reduction::identity` stands for the
    // values of lanes that do not take part.
    SubGroupLane "sub_group_lane" Exactly(0), None, SubGroup, Pure;
    SubGroupSize "sub_group_size" Exactly(0), None, SubGroup, Pure;
    SubGroupBallot "sub_group_ballot" Exactly(1), None, SubGroup, Write;
    SubGroupFirst "sub_group_first" Exactly(1), None, SubGroup, Write;
    SubGroupShuffle "sub_group_shuffle" Exactly(2), None, SubGroup, Write;
    SubGroupReduce "sub_group_reduce" Exactly(1), Reduction, SubGroup, Write;
    SubGroupScan "sub_group_scan" Exactly(1), Reduction, SubGroup, Write;
    SubGroupExclusiveScan "sub_group_exclusive_scan" Exactly(1), Reduction, SubGroup, Write;
    SubGroupCluster "sub_group_cluster" Exactly(2), Reduction, SubGroup, Write;
    // Memory effects of the work-items are visible to the others of the sub-group afterwards.
    SubGroupBarrier "sub_group_barrier" Exactly(0), None, SubGroup, Write;
    // Terminators.
    Jump "jump" Exactly(0), None, Terminator, End;
    BrIf "brif" Exactly(1), None, Terminator, End;
    // Targets: the default, then one for each case value.
    Switch "switch" Exactly(1), Cases, Terminator, End;
    Ret "ret" Any, None, Terminator, End;
    Unreachable "unreachable" Exactly(0), None, Terminator, End;
}

impl Op {
    /// Returns the spelling in IR text.
    pub fn name(self) -> &'static str {
        self.row().0
    }
    /// Returns the number of operands.
    pub fn arity(self) -> Arity {
        self.row().1
    }
    /// Returns the kind of attribute that its instructions carry.
    pub fn attr_kind(self) -> AttrKind {
        self.row().2
    }
    /// Returns the typing rule.
    pub fn rule(self) -> Rule {
        self.row().3
    }
    /// Returns the side effects.
    pub fn effect(self) -> Effect {
        self.row().4
    }
    /// Returns the op of a spelling.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }
    /// Checks whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.effect() == Effect::End
    }
    /// Checks whether the first two operands may be exchanged.
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
    /// Checks whether every work-item of a group must arrive before any may continue.
    pub fn is_group_barrier(self) -> bool {
        self == Op::Barrier || self.is_async_copy() || self.is_collective()
    }
    /// Checks whether it copies memory once for the work-group.
    pub fn is_async_copy(self) -> bool {
        matches!(self, Op::AsyncCopy | Op::AsyncRect)
    }
    /// Checks whether it computes a value from the values of all work-items of the group.
    pub fn is_collective(self) -> bool {
        self.rule() == Rule::Collective
    }
    /// Checks whether the work-items of a group or sub-group execute it together. Such an op must not be
    /// moved or duplicated to a place where fewer work-items may arrive together (LLVM's `convergent`).
    pub fn is_convergent(self) -> bool {
        self.is_group_barrier() || self.is_of_sub_group()
    }
    /// Checks whether it is an operation of a sub-group.
    pub fn is_of_sub_group(self) -> bool {
        self.rule() == Rule::SubGroup
    }
    /// Checks whether the result is uniform in the group whatever the operands are.
    pub fn has_uniform_result(self) -> bool {
        matches!(self, Op::GroupReduce | Op::GroupBroadcast)
    }
}

/// Declares the op groups: each op is a member of exactly one group of ops that are handled alike. Code that
/// handles ops matches on groups and their members without a wildcard, so that an op in no group, and a
/// member that a match omits, are compile errors.
macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident: $($name:ident)*;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $group { $($name),* }
            impl $group {
                /// Returns the op as a member of this group, if it is one.
                pub fn of(op: Op) -> Option<$group> {
                    if let Class::$group(member) = op.class() { Some(member) } else { None }
                }
            }
        )*
        /// An op as a member of its group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class { $($(#[$doc])* $group($group)),* }
        impl Op {
            /// Returns the group and the member of it that the op is.
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
    /// Integer arithmetic with two operands (`Rule::Int`).
    IntBinary: Iadd Isub Imul Udiv Sdiv Urem Srem And Or Xor Shl Lshr Ashr Rotl Smin Smax Umin Umax Smulhi Umulhi
        SaddSat UaddSat SsubSat UsubSat;
    /// Integer arithmetic with one operand (`Rule::Int`).
    IntUnary: Clz Ctz Popcnt Iabs;
    /// Floating-point arithmetic with two operands (`Rule::Float`).
    FloatBinary: Fadd Fsub Fmul Fdiv Fcopysign Fscale;
    /// Floating-point arithmetic with one operand (`Rule::Float`).
    FloatUnary: Fneg Fabs Fsqrt Ffloor Fceil Ftrunc Fnearest Fgetexp Fgetmant;
    /// Floating-point arithmetic with three operands (`Rule::Float`).
    FloatTernary: Fma;
    /// Comparisons.
    Comparison: Icmp Fcmp;
    /// Conversions between kinds (`Rule::Convert`).
    Conversion: Zext Sext Trunc Fpext Fptrunc Sitofp Uitofp Fptosi Fptoui;
    /// Ops that move lanes or change their number.
    LaneOp: Bitcast Splat Extract Insert Shuffle BuildVector Iota ExtractAt InsertAt Permute;
    /// Ops that reduce a mask to a scalar.
    MaskOp: Movemask Any All MaskFirstSet;
    /// Selection between two values.
    Choice: Select;
    /// Computation of addresses.
    Address: Alloca GlobalAddr LocalAddr PtrAdd;
    /// Ops that access memory or call the runtime.
    MemoryOp: Load Store MaskedLoad MaskedStore Gather Scatter GatherAt ScatterAt LaneRmw LaneCas
        MemCopy MemZero AtomicRmw AtomicCas AtomicLoad AtomicStore Fence Trap CallHelper ImageQuery
        ImageLoad ImageStore;
    /// Calls of functions of the module.
    CallOp: Call;
    /// Work-item queries.
    ItemOp: WorkItem;
    /// Ops that all work-items of a group execute together.
    GroupOp: Barrier AsyncCopy AsyncRect GroupReduce GroupScan GroupExclusiveScan GroupBroadcast;
    /// Sub-group operations.
    SubGroupOp: SubGroupLane SubGroupSize SubGroupBallot SubGroupFirst SubGroupShuffle
        SubGroupReduce SubGroupScan SubGroupExclusiveScan SubGroupCluster SubGroupBarrier;
    /// Terminators (`Rule::Terminator`).
    Terminator: Jump BrIf Switch Ret Unreachable;
}

macro_rules! named {
    ($(#[$doc:meta])* $enum:ident { $($name:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $enum { $($name),* }
        impl $enum {
            /// All of them, in order.
            pub const ALL: &'static [$enum] = &[$($enum::$name),*];
            /// Returns the spelling in IR text.
            pub fn name(self) -> &'static str {
                [$($text),*][self as usize]
            }
            /// Returns the one of a spelling.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|c| c.name() == name)
            }
        }
    };
}

named! {
    /// Conditions of integer comparisons.
    IntCond {
        Eq "eq", Ne "ne", Slt "slt", Sle "sle", Sgt "sgt", Sge "sge",
        Ult "ult", Ule "ule", Ugt "ugt", Uge "uge",
    }
}
named! {
    /// Conditions of floating-point comparisons. If an operand is NaN, the ordered ones are false and the
    /// unordered ones, whose names begin with u, are true.
    FloatCond {
        Oeq "oeq", One "one", Olt "olt", Ole "ole", Ogt "ogt", Oge "oge", Ord "ord",
        Ueq "ueq", Une "une", Ult "ult", Ule "ule", Ugt "ugt", Uge "uge", Uno "uno",
    }
}
named! {
    /// Operations of atomic read-modify-writes. `Fmin` and `Fmax` store the operand if it is smaller or larger
    /// than the old value, or if the old value is NaN and the operand is not; else the old value stays. So they
    /// give the number if one of both is NaN, and zeros of both signs are equal.
    Rmw {
        Add "add", Sub "sub", And "and", Or "or", Xor "xor", Xchg "xchg",
        Smin "smin", Smax "smax", Umin "umin", Umax "umax", Fadd "fadd", Fmin "fmin", Fmax "fmax",
    }
}
named! {
    /// Order that an atomic operation imposes on other accesses of its work-item (s6.15.12.2), weakest first.
    MemoryOrder {
        Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", SeqCst "seq_cst",
    }
}
named! {
    /// Set of work-items for which the order of an atomic operation holds (s6.15.12.3), smallest first.
    MemoryScope {
        WorkItem "work_item", WorkGroup "work_group", Device "device", AllSvmDevices "all_svm_devices",
    }
}
named! {
    /// Operations that combine the values of work-items (s6.15.16). The result of `Fmin` and `Fmax` with a
    /// NaN is unspecified.
    Reduction {
        Add "add", Mul "mul", Smin "smin", Smax "smax", Umin "umin", Umax "umax", And "and", Or "or", Xor "xor",
        Fadd "fadd", Fmul "fmul", Fmin "fmin", Fmax "fmax",
    }
}
named! {
    /// Work-item queries (s6.15.1). The dimension is below 3, and 0 for `WorkDim`. Three of them have no
    /// function in OpenCL C: `Context` is the group context that `Helper::SpaceOf` examines; `FirstId` is the
    /// global id of the first work-item of the group that runs, and `Items` its size, where merged groups
    /// count as one group. `LinearId` is the linear local id.
    Query {
        WorkDim "work_dim", GlobalId "global_id", LocalId "local_id", GroupId "group_id",
        GlobalSize "global_size", LocalSize "local_size",
        EnqueuedLocalSize "enqueued_local_size", NumGroups "num_groups",
        GlobalOffset "global_offset", Context "group_context", FirstId "first_id", Items "items",
        LinearId "linear_id",
    }
}
named! {
    /// Fields of an image descriptor (`image::Descriptor`) that kernels can query.
    ImageField {
        Base "base", RowPitch "row_pitch", SlicePitch "slice_pitch", SrgbTable "srgb_table", Width "width",
        Height "height", Depth "depth", Order "order", ChannelType "channel_type", TexelSize "texel_size",
        Border "border", Scale "scale",
    }
}
named! {
    /// Runtime functions that kernels call, defined in `rtlib`.
    Helper {
        FmaF32 "fma_f32", FmaF64 "fma_f64",
        Printf "printf", SpaceOf "space_of", StridedCopy "strided_copy", RectCopy "rect_copy",
        MemCopy "mem_copy", MemZero "mem_zero",
        TexelLoad "texel_load", TexelStore "texel_store", Enqueue "enqueue", Clock "clock",
    }
}

impl Rmw {
    /// Checks whether it computes with floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Rmw::Fadd | Rmw::Fmin | Rmw::Fmax)
    }
    /// Checks whether the operation applies to values of `kind`.
    pub fn suits(self, kind: Kind) -> bool {
        match self {
            Rmw::Xchg => !kind.is_float(),
            _ if self.is_float() => kind.is_float(),
            _ => kind.is_int() && kind != Kind::I1,
        }
    }
    /// Returns the condition under which `Fmin` or `Fmax` stores an operand that is not NaN, as a comparison of
    /// the old value with the operand.
    pub fn replaces(self) -> FloatCond {
        if self == Rmw::Fmin { FloatCond::Ugt } else { FloatCond::Ult }
    }
    /// Returns the op on integers that computes the stored value from the old value and the operand; none if
    /// the operand itself is stored or they are floating-point numbers.
    pub fn by(self) -> Option<IntBinary> {
        Some(match self {
            Rmw::Xchg | Rmw::Fadd | Rmw::Fmin | Rmw::Fmax => return None,
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

impl MemoryOrder {
    /// Returns the order of a `memory_order` number of OpenCL C if `op` may have it, else the strongest.
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
    /// Checks whether `op` may have this order: a load releases nothing, and a store acquires nothing.
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
    /// Returns the scope of a `memory_scope` number of OpenCL C, the widest for unknown numbers. The scope of
    /// a sub-group is widened to its work-group.
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
    /// Returns the type of the field.
    pub fn ty(self) -> Type {
        match self {
            ImageField::Base => Type::GLOBAL,
            ImageField::SrgbTable => Type::CONSTANT,
            ImageField::RowPitch | ImageField::SlicePitch => Type::I64,
            _ => Type::I32,
        }
    }
    /// Returns the offset of the field in the descriptor in bytes.
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
    /// Returns the value of the field in all images of a format, if it depends on the format only.
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
    /// Number of partial results of a work-group reduction. Partial result i combines the values of
    /// work-items whose linear id modulo this number is i; the first half of the partial results is combined
    /// with the second half, and so on recursively. The order is fixed because sums of floating-point values
    /// depend on it.
    pub const PARTS: u16 = 8;

    /// Returns the bits of the neutral element for lanes of `kind`.
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
    /// Returns the op that combines two values, or the comparison under which the new value replaces the old
    /// one.
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
    /// Checks whether the operation applies to lanes of `kind`.
    pub fn suits(self, kind: Kind) -> bool {
        if matches!(self, Reduction::Fadd | Reduction::Fmul | Reduction::Fmin | Reduction::Fmax) {
            kind.is_float()
        } else {
            kind.is_int()
        }
    }
}
