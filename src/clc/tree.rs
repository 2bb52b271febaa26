//! The typed tree: what a translation unit means, every implicit conversion
//! spelled out, every name resolved, every constant folded to bytes. It is what
//! the front end hands over; nothing in it can still be wrong.
//!
//! Values ([`Expr`]) and places ([`Lvalue`]) are different types, so a consumer
//! never asks whether something is an lvalue.

use super::types::{QualType, TypeId, TypeTable};

pub use super::types::AccessQualifier;
use crate::diag::Span;
use crate::support::IdVec;

crate::define_id! {
    /// A function of the unit.
    FunctionId, "f"
}
crate::define_id! {
    /// A variable with static storage.
    GlobalId, "g"
}
crate::define_id! {
    /// A parameter or automatic variable of one function.
    LocalId, "l"
}
crate::define_id! {
    /// A `goto` or `case` target inside one function.
    LabelId, "L"
}

/// One translation unit. Holds only what is reachable from its own text: the
/// builtins that were called are in it, the others are not.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub types: TypeTable,
    pub globals: IdVec<GlobalId, Global>,
    pub functions: IdVec<FunctionId, Function>,
    /// Its block literals, inner ones before those they stand in.
    pub blocks: Vec<BlockLiteral>,
}

/// A block literal (s6.12). The value of a block is the address of a closure object:
///
/// | offset | what |
/// |---|---|
/// | 0 | address of `descriptor`, the block descriptor, which tells one literal from another |
/// | 8 | bytes of the closure object, a `ulong` |
/// | 16 | captured variables, each at its alignment |
///
/// Where a literal is evaluated its closure object is a private object of that function. One
/// that captures nothing has its `descriptor` for a closure object.
#[derive(Clone, Copy, Debug)]
pub struct BlockLiteral {
    /// A constant of the closure object's first 16 bytes, its own address and the size.
    pub descriptor: GlobalId,
    /// The body. Its first parameter is a pointer to the closure object, then come those of the literal.
    pub invoke: FunctionId,
    pub ty: TypeId,
    /// Whether it may be called: a function calls it, or gives it to another. Else it is enqueued, if anything.
    pub is_called: bool,
}

/// A variable with static storage: program scope, `static`, `constant` inside
/// a function, a string literal, or a `local` variable of a kernel.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name in the program; string literals and function-scope ones need not be unique.
    pub name: String,
    /// `space` is `Global`, `Constant` or `Local`.
    pub ty: QualType,
    /// Initial contents; `None` is zero (never for `Local`, which is undefined at start).
    pub init: Option<ConstData>,
    /// The function that declares it, for `Local` ones: sets which kernels need the room.
    pub owner: Option<FunctionId>,
    /// Declared `extern` and not defined here.
    pub is_extern: bool,
    /// Internal linkage: other units cannot mean it by its name.
    pub is_static: bool,
    pub span: Span,
}

/// Constant bytes with addresses to be filled in.
#[derive(Clone, Debug, Default)]
pub struct ConstData {
    /// Exactly `size_of` the variable's type.
    pub bytes: Vec<u8>,
    /// 8-byte addresses: at `offset`, the address of `target` plus `addend`.
    pub relocs: Vec<Reloc>,
}

/// The address of a global inside constant data.
#[derive(Clone, Copy, Debug)]
pub struct Reloc {
    pub offset: u64,
    pub target: GlobalId,
    pub addend: i64,
}

/// A function: the program's own, or a builtin of the library.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in the program. Instances of a builtin with generic types carry a mangled name,
    /// unique by signature, e.g. `clamp$float4,float4,float4`.
    pub name: String,
    pub ret: TypeId,
    /// The first `params` entries of `locals` are the parameters, in order.
    pub params: u32,
    pub locals: IdVec<LocalId, Local>,
    pub body: FunctionBody,
    /// Internal linkage: `static` or `inline`, or an instance of the library.
    pub is_static: bool,
    /// `noinline`, or a path of the library that is hardly ever taken.
    pub no_inline: bool,
    /// Says that it never returns.
    pub no_return: bool,
    /// Of the library: a call until formats of images and samplers are known.
    pub is_deferred: bool,
    /// Of the library: hardly ever called.
    pub is_rare: bool,
    /// Set for `kernel` functions.
    pub kernel: Option<KernelAttributes>,
    /// Number of labels used in the body.
    pub labels: u32,
    pub span: Span,
}

/// A parameter or automatic variable. Unpromoted ones live in private memory.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: QualType,
    /// Alignment in bytes; at least that of the type (`aligned` attribute).
    pub align: u64,
    pub span: Span,
}

/// What a function is made of.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// Statements of the definition.
    Block(Vec<Stmt>),
    /// A prototype only; a link error if it is called and never defined.
    Declared,
    /// A builtin that is one machine-independent operation, by the name written
    /// in `__op(name)`. What the name means is the lowering's business.
    Op(String),
    /// Lane by lane: calls the function on the lanes of its vector arguments and
    /// collects the results. Scalar arguments are passed on unchanged; pointers to
    /// vectors become pointers to the lane.
    Elementwise(FunctionId),
}

/// Attributes of a kernel function.
#[derive(Clone, Debug, Default)]
pub struct KernelAttributes {
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    /// The type as written, e.g. `float4`.
    pub vec_type_hint: Option<String>,
    /// `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u16>,
    /// As CL_KERNEL_ATTRIBUTES wants them: separated by blanks.
    pub text: String,
    /// As clGetKernelArgInfo wants them, one per parameter.
    pub args: Vec<KernelArg>,
}

/// What clGetKernelArgInfo reports of a parameter.
#[derive(Clone, Debug)]
pub struct KernelArg {
    pub name: String,
    /// Type name as the specification writes it: no blanks, no qualifiers, e.g. `float4*`.
    pub type_name: String,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub is_pipe: bool,
    /// `read_only`, `write_only`, `read_write` or none.
    pub access: AccessQualifier,
}

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// Statements. Conditions are scalars or pointers, compared with zero.
#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// The variable comes into being; without an initialiser its value is undefined.
    Decl(LocalId, Option<Init>),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For {
        init: Vec<Stmt>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    /// The body holds `Label` statements; `break` leaves it.
    Switch {
        value: Expr,
        cases: Vec<Case>,
        default: Option<LabelId>,
        body: Box<Stmt>,
    },
    /// A `case`, `default` or user label stands here.
    Label(LabelId),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<Expr>),
    /// How often the loop that follows is to be unrolled: 0 for all of it, 1 for not.
    Unroll(u32),
}

/// The values of a `case`: from the first to the last. No value has two cases.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Bit patterns of the switch value's type, zero-extended.
    pub first: u64,
    pub last: u64,
    pub label: LabelId,
}

/// Initial value of an automatic variable.
#[derive(Clone, Debug)]
pub enum Init {
    /// A value of the variable's type.
    Value(Expr),
    /// All bytes zero, then each value stored at its byte offset, in order.
    Parts(Vec<(u64, Expr)>),
}

/// A value, its type, where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// Components picked from a vector, in order; at most 16.
pub type Components = smallvec::SmallVec<[u8; 16]>;

/// Values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Integer or bool constant: bit pattern zero-extended to 64 bits.
    Int(u64),
    /// Floating constant, already rounded to the type.
    Float(f64),
    /// All bytes zero: null pointers, null events, zero vectors and aggregates.
    Zero,
    /// Contents of a place (scalars, vectors, pointers, structs).
    Load(Lvalue),
    /// Address of a place. Arrays decay through this: the type is then pointer to element.
    /// A block is the address of its closure object.
    AddressOf(Lvalue),
    Unary(UnaryOp, Box<Expr>),
    /// Both operands have one type, except the right side of a shift, which is a
    /// scalar or vector of any integer type with as many lanes as the left.
    /// Comparisons yield `int` 0/1 for scalars and pointers, a signed vector -1/0 of
    /// the operand's width for vectors. `And`/`Or` here are the vector forms of
    /// `&&` and `||`: both sides are evaluated, lanes are -1/0.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Scalar `&&` and `||`: the right side only when needed; `int` 0/1.
    Logical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `ptr + index` in elements; `index` is `long`.
    PtrAdd(Box<Expr>, Box<Expr>),
    /// `a - b` in elements, a `long`.
    PtrDiff(Box<Expr>, Box<Expr>),
    /// Scalar `?:`; only one side is evaluated. The type may be void.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Vector `c ? a : b` by the top bit of each lane of `c`.
    Blend(Box<Expr>, Box<Expr>, Box<Expr>),
    /// C conversion to `ty`: between scalars, bool, pointers and integers; scalar to
    /// vector converts to the element and then fills all lanes (bool true: -1); vectors to
    /// others of as many lanes.
    /// To void: the value is dropped. Pointers: between spaces.
    Convert(Box<Expr>),
    /// Same bits, other type, same size (`as_type`); 3 and 4 lanes may mix.
    Bitcast(Box<Expr>),
    /// `(float4)(a, b.xy, c)`: lanes of the parts in order; they add up exactly.
    VectorLiteral(Vec<Expr>),
    /// Components of a vector value; one lane gives a scalar.
    Swizzle(Box<Expr>, Components),
    /// Store; the value is what was stored.
    Assign(Lvalue, Box<Expr>),
    /// `place = (type of place)((compute)place op rhs)`. `compute` is the type of the
    /// operation; `rhs` has it already (any integer for shifts). For pointers `op` is
    /// `Add` or `Sub`, `compute` the pointer type, `rhs` a `long` count of elements.
    CompoundAssign {
        place: Lvalue,
        op: BinaryOp,
        rhs: Box<Expr>,
        compute: TypeId,
    },
    /// `++`/`--` on scalars, vectors, pointers.
    IncDec {
        place: Lvalue,
        increment: bool,
        prefix: bool,
    },
    /// Arguments have the parameter types; structs are passed by value. Variadic
    /// arguments (printf) follow after the default promotions.
    Call(FunctionId, Vec<Expr>),
    /// Calls a block. Arguments have the parameter types.
    CallBlock(Box<Expr>, Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// GNU's `({ ... })`: statements, then the value. It is void (`Zero`) unless the last
    /// one was an expression.
    Statements(Vec<Stmt>, Box<Expr>),
}

/// Unary operators; lane by lane on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// `int` 0/1 for scalars and pointers, -1/0 lanes for vectors.
    LogicalNot,
}

/// Binary operators; signedness and class follow from the operand type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// A floating product that need not be rounded where it is an operand of `Add` or
    /// `Sub`, or the right side of a compound one.
    MulUnrounded,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// Something with an address (or a vector component of such).
#[derive(Clone, Debug)]
pub struct Lvalue {
    pub kind: LvalueKind,
    pub ty: QualType,
    pub span: Span,
}

/// Places.
#[derive(Clone, Debug)]
pub enum LvalueKind {
    Local(LocalId),
    Global(GlobalId),
    /// What a pointer value points at; `p[i]` is `Deref(PtrAdd(p, i))`.
    Deref(Box<Expr>),
    /// Member of a struct or union place, by index in its definition.
    Field(Box<Lvalue>, u32),
    /// Components of a vector place; no lane occurs twice when it is written.
    Swizzle(Box<Lvalue>, Components),
    /// An unnamed object holding a value: `f().x`.
    Temporary(Box<Expr>),
    /// A compound literal: the variable is initialised each time control gets here.
    CompoundLiteral(LocalId, Box<Init>),
}
