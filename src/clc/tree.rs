//! Typed tree: the meaning of a translation unit, with all implicit conversions made explicit, names resolved, and
//! constants folded to bytes. It is the output of the front end and contains no errors.
//!
//! Values ([`Expr`]) and lvalues ([`Lvalue`]) are different types, so that consumers need not test whether an
//! expression is an lvalue.

use super::types::{QualType, TypeId, TypeTable};

pub use super::types::AccessQualifier;
use grus_support::IdVec;
use grus_support::diag::Span;

grus_support::define_id! {
    /// Function of the unit.
    FunctionId, "f"
}
grus_support::define_id! {
    /// Variable with static storage.
    GlobalId, "g"
}
grus_support::define_id! {
    /// Parameter or automatic variable of one function.
    LocalId, "l"
}
grus_support::define_id! {
    /// Target of a `goto` or `case` inside one function.
    LabelId, "L"
}

/// Translation unit. It contains only reachable builtins: those that its own text calls, directly or indirectly.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub types: TypeTable,
    pub globals: IdVec<GlobalId, Global>,
    pub functions: IdVec<FunctionId, Function>,
    /// Block literals of the unit. Nested literals precede the literals that contain them.
    pub blocks: Vec<BlockLiteral>,
}

/// Block literal (s6.12). The value of a block is the address of a closure object:
///
/// | offset | contents |
/// |---|---|
/// | 0 | address of `descriptor`, the block descriptor, which identifies the literal |
/// | 8 | size of the closure object in bytes, a `ulong` |
/// | 16 | captured variables, each at its alignment |
///
/// The closure object is a private object of the function that evaluates the literal. A literal without captures
/// uses its `descriptor` as the closure object.
#[derive(Clone, Copy, Debug)]
pub struct BlockLiteral {
    /// Constant with the first 16 bytes of the closure object: the descriptor's own address and the size.
    pub descriptor: GlobalId,
    /// Body of the block. Its first parameter is a pointer to the closure object; the parameters of the literal
    /// follow.
    pub invoke: FunctionId,
    pub ty: TypeId,
    /// True if the block may be called: a function calls it or passes it to another function. Otherwise it is at
    /// most enqueued.
    pub is_called: bool,
}

/// Variable with static storage: at program scope, `static`, `constant` inside a function, a string literal, or a
/// `local` variable of a kernel.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name in the program. Names of string literals and function-scope variables need not be unique.
    pub name: String,
    /// Type; its address space is `Global`, `Constant` or `Local`.
    pub ty: QualType,
    /// Initial contents; `None` means zero. `Local` variables never have any: they are undefined at the start.
    pub init: Option<ConstData>,
    /// Function that declares a `Local` variable. Only kernels that reach it need memory for the variable.
    pub owner: Option<FunctionId>,
    /// True if the variable is declared `extern` and not defined in this unit.
    pub is_extern: bool,
    /// True for internal linkage: other units cannot refer to the name.
    pub is_static: bool,
    pub span: Span,
}

/// Constant bytes, with relocations for addresses.
#[derive(Clone, Debug, Default)]
pub struct ConstData {
    /// Initial bytes, exactly as many as the size of the variable's type.
    pub bytes: Vec<u8>,
    /// 8-byte addresses: each stores the address of `target` plus `addend` at `offset`.
    pub relocs: Vec<Reloc>,
}

/// Address of a global inside constant data.
#[derive(Clone, Copy, Debug)]
pub struct Reloc {
    pub offset: u64,
    pub target: GlobalId,
    pub addend: i64,
}

/// Function of the program, or builtin of the library.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in the program. Instances of a builtin with generic types have a mangled name, unique by signature,
    /// e.g. `clamp$float4,float4,float4`.
    pub name: String,
    pub ret: TypeId,
    /// Number of parameters, which are the first entries of `locals`, in order.
    pub params: u32,
    pub locals: IdVec<LocalId, Local>,
    pub body: FunctionBody,
    /// True for internal linkage: `static`, `inline`, or an instance of a library function.
    pub is_static: bool,
    /// True if the function is `noinline`, or is a rare path of the library (`__outlined`).
    pub no_inline: bool,
    /// True if the function is declared to never return.
    pub no_return: bool,
    /// True for a library function whose calls are inlined only when the formats of images and samplers are known.
    pub is_deferred: bool,
    /// True for a library function that is rarely called (`__outlined`).
    pub is_rare: bool,
    /// Attributes of a kernel; `None` for other functions.
    pub kernel: Option<KernelAttributes>,
    /// Number of labels in the body.
    pub labels: u32,
    pub span: Span,
}

/// Parameter or automatic variable. It is in private memory unless a later pass promotes it to a register.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: QualType,
    /// Alignment in bytes: at least that of the type, more with the attribute `aligned`.
    pub align: u64,
    pub span: Span,
}

/// Body of a function.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// Statements of the definition.
    Block(Vec<Stmt>),
    /// Prototype only. A call is a link error unless another unit defines the function.
    Declared,
    /// Builtin that is a single operation, with the name written in `__op(name)`. The lowering defines the meaning
    /// of the name.
    Op(String),
    /// Elementwise builtin: calls the function for each lane of its vector arguments and collects the results.
    /// Scalar arguments are passed unchanged; pointers to vectors become pointers to the lane.
    Elementwise(FunctionId),
}

/// Attributes of a kernel function.
#[derive(Clone, Debug, Default)]
pub struct KernelAttributes {
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    /// Type as written, e.g. `float4`.
    pub vec_type_hint: Option<String>,
    /// Sub-group size from `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u16>,
    /// Text of CL_KERNEL_ATTRIBUTES: the attributes, separated by blanks.
    pub text: String,
    /// Results of clGetKernelArgInfo, one per parameter.
    pub args: Vec<KernelArg>,
}

/// Information that clGetKernelArgInfo reports on a parameter.
#[derive(Clone, Debug)]
pub struct KernelArg {
    pub name: String,
    /// Type name in the format of the specification: without blanks and qualifiers, e.g. `float4*`.
    pub type_name: String,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub is_pipe: bool,
    /// Access qualifier: `read_only`, `write_only`, `read_write` or none.
    pub access: AccessQualifier,
}

/// Statement and its source range.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// Kind of a statement. Conditions are scalars or pointers that are compared with zero.
#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// Start of a variable's lifetime. Without an initializer its value is undefined.
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
    /// Switch; the body contains the `Label` statements of the cases, and `break` leaves it.
    Switch {
        value: Expr,
        cases: Vec<Case>,
        default: Option<LabelId>,
        body: Box<Stmt>,
    },
    /// Position of a `case`, `default` or named label.
    Label(LabelId),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<Expr>),
    /// Unroll count of the next loop: 0 for full unrolling, 1 for none.
    Unroll(u32),
}

/// Inclusive range of values of a `case`. The ranges of a switch are disjoint.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Lowest value, as the bits of the switch value's type, zero-extended.
    pub first: u64,
    pub last: u64,
    pub label: LabelId,
}

/// Initial value of an automatic variable.
#[derive(Clone, Debug)]
pub enum Init {
    /// Value of the variable's type.
    Value(Expr),
    /// Aggregate: all bytes are zeroed, then each value is stored at its byte offset, in order.
    Parts(Vec<(u64, Expr)>),
}

/// Value with its type and source range.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// Indices of vector components, in order; at most 16.
pub type Components = smallvec::SmallVec<[u8; 16]>;

/// Kind of a value.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Integer or bool constant: the bit pattern, zero-extended to 64 bits.
    Int(u64),
    /// Floating constant, already rounded to the type.
    Float(f64),
    /// Value with all bytes zero: null pointers, null events, zero vectors and aggregates.
    Zero,
    /// Value stored in an lvalue (scalars, vectors, pointers, structs).
    Load(Lvalue),
    /// Address of an lvalue. Array decay is expressed by it: the type is then a pointer to the element. A block is
    /// the address of its closure object.
    AddressOf(Lvalue),
    Unary(UnaryOp, Box<Expr>),
    /// Binary operation. Both operands have the same type, except the right operand of a shift, which is a scalar
    /// or vector of any integer type with as many lanes as the left one. Comparisons yield `int` 0/1 for scalars
    /// and pointers, and a signed vector of -1/0 with the operand's element size for vectors. `And` and `Or` are
    /// the vector forms of `&&` and `||`: both operands are evaluated, and lanes are -1/0.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Scalar `&&` or `||`, an `int` 0/1. The right operand is evaluated only if it is needed.
    Logical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `ptr + index` in elements; `index` is a `long`.
    PtrAdd(Box<Expr>, Box<Expr>),
    /// `a - b` in elements, a `long`.
    PtrDiff(Box<Expr>, Box<Expr>),
    /// Scalar `?:`; only one of the two operands is evaluated. The type may be void.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Vector `c ? a : b`, selected by the top bit of each lane of `c`.
    Blend(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to `ty`: between scalars, bool, pointers and integers; from a scalar to a vector by converting it
    /// to the element type and filling all lanes (bool true becomes -1); between vectors with the same number of
    /// lanes; between pointers to different address spaces; to void, which drops the value.
    Convert(Box<Expr>),
    /// Reinterpretation of the bits as another type of the same size (`as_type`). Vectors of 3 and 4 lanes have the
    /// same size.
    Bitcast(Box<Expr>),
    /// `(float4)(a, b.xy, c)`: concatenation of the operands' lanes, whose total number is that of the type.
    VectorLiteral(Vec<Expr>),
    /// Components of a vector value. A single component is a scalar.
    Swizzle(Box<Expr>, Components),
    /// Store to an lvalue; the value is the stored value.
    Assign(Lvalue, Box<Expr>),
    /// `lvalue = (type of lvalue)((compute)lvalue op rhs)`. `compute` is the type of the operation and of `rhs`
    /// (except for shifts, where `rhs` has any integer type). For pointers `op` is `Add` or `Sub`, `compute` is the
    /// pointer type, and `rhs` is a `long` number of elements.
    CompoundAssign {
        lvalue: Lvalue,
        op: BinaryOp,
        rhs: Box<Expr>,
        compute: TypeId,
    },
    /// `++` or `--` on scalars, vectors and pointers.
    IncDec {
        lvalue: Lvalue,
        increment: bool,
        prefix: bool,
    },
    /// Call. Arguments have the parameter types; structs are passed by value. Variadic arguments (printf) follow
    /// after the default promotions.
    Call(FunctionId, Vec<Expr>),
    /// Call of a block. Arguments have the parameter types.
    CallBlock(Box<Expr>, Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// Statement expression `({ ... })` of GNU C: statements, then the value, which is void (`Zero`) unless the
    /// last statement is an expression.
    Statements(Vec<Stmt>, Box<Expr>),
}

/// Unary operator; elementwise on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// Logical negation: `int` 0/1 for scalars and pointers, lanes of -1/0 for vectors.
    LogicalNot,
}

/// Binary operator. Signedness and floating or integer class follow from the operand type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Floating product that need not be rounded if it is an operand of `Add` or `Sub`, or the right operand of the
    /// corresponding compound assignment.
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

/// Expression that designates an object (or components of a vector object).
#[derive(Clone, Debug)]
pub struct Lvalue {
    pub kind: LvalueKind,
    pub ty: QualType,
    pub span: Span,
}

/// Kind of an lvalue.
#[derive(Clone, Debug)]
pub enum LvalueKind {
    Local(LocalId),
    Global(GlobalId),
    /// Target of a pointer value; `p[i]` is `Deref(PtrAdd(p, i))`.
    Deref(Box<Expr>),
    /// Member of a struct or union lvalue, by its index in the definition.
    Field(Box<Lvalue>, u32),
    /// Components of a vector lvalue. An lvalue that is written has no duplicate components.
    Swizzle(Box<Lvalue>, Components),
    /// Unnamed object that holds a value, such as the struct in `f().x`.
    Temporary(Box<Expr>),
    /// Compound literal: the variable is initialized each time the expression is evaluated.
    CompoundLiteral(LocalId, Box<Init>),
}
