//! The intermediate representation: SSA with block parameters, typed u32 ids, one
//! op table ([`op`]) from which builder, printer, parser and verifier read.
//! Knows nothing of OpenCL C.

pub mod abi;
pub mod analysis;
mod compact;
pub mod function;
pub mod interp;
pub mod lines;
pub mod op;
mod parse;
mod print;
pub mod types;
mod verify;

pub use function::{
    Args, Attr, Block, BlockData, Builder, ClosureSwitch, Consistency, Def, FuncId, Function, Global,
    GlobalId, GlobalSpace, Inst, InstId, Linkage, Mem, Module, ParamFacts, Target, Value, ValueData,
    lane_align,
};
pub use lines::{LineTable, Loc};
pub use op::{
    Address, CallOp, Choice, Class, Comparison, Constant, Conversion, Effect, FloatBinary, FloatCond,
    FloatTernary, FloatUnary, GroupOp, Helper, ImageField, IntBinary, IntCond, IntUnary, ItemOp, LaneOp,
    MaskOp, MemoryOp, MemoryOrder, MemoryScope, Op, Query, Reduction, Rmw, SubGroupOp, Terminator,
};
pub use parse::{ParseError, parse_module};
pub use types::{Kind, Type};
pub use verify::{verify, verify_module};
