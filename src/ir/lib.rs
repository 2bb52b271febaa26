//! Intermediate representation (IR) of kernels: typed SSA with block parameters, between the OpenCL C front
//! end and the code generators. `lower` creates it, `passes` transform it, `codegen` and the interpreter
//! consume it. It knows nothing of OpenCL C.
//!
//! # Structure
//!
//! - A [`Module`] is a linked program: functions ([`Function`]) and variables with static storage
//!   ([`Global`]), each with a [`Linkage`]. Its [`LineTable`] maps the positions of instructions to source lines.
//! - A function has a list of blocks, its *layout*, the first of which is the entry. The function's
//!   parameters are those of the entry, which has no predecessors. [`ParamFacts`] are hints about parameters.
//!   A function without blocks is a declaration. Kernels are marked; how their parameters lie in memory is in
//!   [`abi::Param`].
//! - A block ([`BlockData`]) has parameters and instructions. *Block parameters* take the place of phi
//!   instructions: each branch to the block passes one argument for each parameter. The last instruction, and
//!   no other, is a terminator.
//! - An instruction ([`Inst`]) has an op, operands, at most one result, and an attribute ([`Attr`]) for
//!   everything static, such as the bits of a constant, the alignment of an access, the condition of a
//!   comparison or the guarantee that a sum does not wrap ([`NoWrap`]). Terminators have targets ([`Target`]).
//! - A [`Value`] is the result of an instruction or a block parameter ([`Def`]). It has one type and one
//!   definition, which dominates every use.
//! - Entities are numbers (`Block`, `Value`, `InstId`, `FuncId`, `GlobalId`) that index the tables of their
//!   function or module. Instructions and values outside the layout are ignored; [`Function::compacted`]
//!   removes them.
//!
//! [`Builder`] appends instructions to a block and folds constants. [`verify_module`] checks every rule on
//! this page; it runs after each pass. [`analysis`] has control-flow graph, dominators, loops and liveness.
//!
//! # Types
//!
//! A [`Type`] is a scalar kind times a number of lanes: `i1`, `i8` to `i64`, `f16`, `f32`, `f64` and five
//! pointer kinds, as in `f32x4`. Lanes are the components of an OpenCL vector, or after vectorization one or
//! more work-items. There are no signed types; ops state the signedness. A *mask* is a vector of `i1`, and
//! comparisons of vectors compute one. Aggregates exist in memory only.
//!
//! # Memory
//!
//! A pointer has 64 bits and an address space: `ptr.private`, `ptr.global`, `ptr.local`, `ptr.constant` or
//! `ptr.generic` (s6.7). The space serves alias analysis, and accesses of all spaces use the same ops.
//! `alloca` allocates private memory until the function returns, `global_addr` and `local_addr` give the
//! addresses of variables. [`Mem`] holds the alignment and flags of an access. Masked ops (`masked_load`,
//! `scatter`, ...) access memory only for active lanes. Atomic ops carry an order and a scope
//! ([`Consistency`]).
//!
//! # Ops
//!
//! [`op`] declares each [`Op`] once with its arity, attribute kind, typing rule and effect; the builder,
//! printer, parser and verifier read that table. Every op belongs to one *op group* of ops that are handled
//! alike ([`Class`]: [`IntBinary`], [`Comparison`], [`MemoryOp`], ...). Code generators match on groups and
//! their members without a wildcard, so a new op is a compile error wherever it must be handled.
//!
//! Three groups relate work-items, and disappear in the course of compilation:
//!
//! - [`ItemOp`] queries the position of a work-item in its ND-range.
//! - [`GroupOp`] ops (`barrier`, `async_copy`, `group_reduce`, ...) are executed once by all work-items of a
//!   work-group together. `passes::workgroup` splits the kernel at them and forms the loops over work-items.
//! - [`SubGroupOp`] ops are executed by the work-items of a sub-group that reach them together: the active
//!   lanes of a vector after vectorization.
//!
//! # Text
//!
//! [`parse_module`] and `Display` convert between modules and text, for fixtures, dumps and program binaries.
//! An instruction is written `result = op.type attribute operands -> targets`, and `;` begins a comment. This
//! kernel stores xⁿ in place of each x:
//!
//! ```text
//! func f0 "power" void kernel {
//! b0(v0: ptr.global restrict align 4, v1: i32):
//!     v2 = workitem.i64 global_id 0
//!     v3 = iconst.i64 0x4
//!     v4 = imul.i64 v2, v3
//!     v5 = ptradd.ptr.global v0, v4
//!     v6 = load.f32 align 4 v5
//!     v7 = iconst.i32 0x0
//!     v8 = fconst.f32 0x3f800000
//!     v9 = iconst.i32 0x1
//!     jump -> b1(v7, v8)
//! b1(v10: i32, v11: f32):
//!     v12 = icmp.i1 slt v10, v1
//!     brif v12 -> b2, b3
//! b2():
//!     v13 = fmul.f32 v11, v6
//!     v14 = iadd.i32 nsw v10, v9
//!     jump -> b1(v14, v13)
//! b3():
//!     store align 4 v5, v11
//!     ret
//! }
//! ```
//!
//! [`interp`] runs IR directly. It defines the meaning of every op and is the reference that generated code
//! is tested against.

pub mod abi;
pub mod analysis;
mod compact;
mod conditions;
pub mod function;
pub mod group_code;
pub mod image;
pub mod interp;
pub mod lines;
pub mod op;
mod parse;
mod print;
mod reduction;
mod sequences;
pub mod types;
mod verify;

pub use function::{
    Args, Attr, Block, BlockData, Builder, ClosureSwitch, Consistency, Def, FuncId, Function, Global,
    GlobalId, GlobalSpace, Inst, InstId, Linkage, MAX_OBJECT_SIZE, Mem, Module, NoWrap, ParamFacts, Target,
    Value, ValueData, lane_align,
};
pub use lines::{LineTable, Loc};
pub use op::{
    Address, CallOp, Choice, Class, Comparison, Constant, Conversion, Effect, FloatBinary, FloatCond,
    FloatTernary, FloatUnary, GroupOp, Helper, ImageField, IntBinary, IntCond, IntUnary, ItemOp, LaneOp,
    MaskOp, MemoryOp, MemoryOrder, MemoryScope, Op, Query, Reduction, Rmw, SubGroupOp, Terminator,
};
pub use parse::{ParseError, parse_module};
pub use types::{Kind, Type};
pub use verify::{FunctionError, InstError, VerifyError, verify, verify_module};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_in_the_documentation_is_valid_ir() {
        let lines = include_str!("lib.rs").lines().map(|line| line.strip_prefix("//! ").unwrap_or(line));
        let lines = lines.skip_while(|line| *line != "```text").skip(1).take_while(|line| *line != "```");
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let module = parse_module(&text).expect("the example parses");
        assert_eq!(verify_module(&module), Ok(()));
        assert_eq!(module.to_string(), text);
    }
}
