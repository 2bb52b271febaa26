//! Verifier: checks functions against the op table. A failure is a bug of the pass that ran before, except
//! for text that came from outside.

use super::analysis::{Cfg, DomTree};
use super::function::{
    Attr, Block, ClosureSwitch, Consistency, Def, Function, Global, GlobalSpace, Inst, InstId, Linkage,
    MAX_OBJECT_SIZE, Module, NoWrap, Value,
};
use super::op::{Arity, AttrKind, Op, Rule};
use super::types::{Kind, Type};
use grus_support::IdMap;

/// Violation of a rule of the IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A variable whose size, alignment, contents or linkage cannot be.
    #[error("variable {0}: malformed")]
    Variable(String),
    /// A closure switch whose function, block parameter or cases do not fit each other.
    #[error("a closure_switch is malformed")]
    ClosureSwitch,
    /// An error in the function of this name.
    #[error("{function}: {error}")]
    Function { function: String, error: FunctionError },
}

/// Violation of a rule within a function, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    #[error("a kernel with internal linkage")]
    InternalKernel,
    #[error("{0}: has no terminator")]
    NoTerminator(Block),
    /// A block parameter with a number of lanes that no vector has.
    #[error("{0}: a parameter of so many lanes as nothing makes")]
    ParamLanes(Block),
    /// A use that the definition of its value does not dominate.
    #[error("{inst} in {block} uses {value}, which does not dominate it")]
    Dominance { block: Block, inst: InstId, value: Value },
    /// An invalid instruction.
    #[error("{block}: {inst} {}: {error}", .op.name())]
    Inst { block: Block, inst: InstId, op: Op, error: InstError },
}

/// Rule that an instruction violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstError {
    /// A terminator before the end of its block, or another op at the end.
    #[error("terminator in the wrong place")]
    Terminator,
    /// A result with a number of lanes that no vector has.
    #[error("so many lanes as nothing makes")]
    Lanes,
    #[error("wrong number of operands")]
    OperandCount,
    #[error("wrong attribute")]
    Attr,
    /// A memory order that the op does not support.
    #[error("an order that it cannot have")]
    Order,
    /// A memory order as attribute and one as operand.
    #[error("two orders")]
    TwoOrders,
    #[error("wrong number of targets")]
    TargetCount,
    #[error("wrong number of block arguments")]
    BlockArgCount,
    #[error("block argument of another type")]
    BlockArgType,
    #[error("the entry block has a predecessor")]
    EntryPredecessor,
    /// A call of a function that the module does not have.
    #[error("unknown function")]
    UnknownFunction,
    #[error("operand or result of a wrong type")]
    Type,
}

/// Checks a module: variables, closure switches and all functions.
pub fn verify_module(module: &Module) -> Result<(), VerifyError> {
    for (_, global) in module.globals.iter() {
        let relocs_fit = global.relocs.iter().all(|&(offset, target, _)| {
            offset.checked_add(8).is_some_and(|end| end <= global.size)
                && module.globals.get(target).is_some()
        });
        let init_fits = global.init.is_empty() || global.init.len() as u64 == global.size;
        if !relocs_fit
            || !init_fits
            || !linkage_fits(global)
            || !global.align.is_power_of_two()
            || global.size > 1 << 40
        {
            return Err(VerifyError::Variable(global.name.clone()));
        }
    }
    if !module.closure_switches.iter().all(|d| closure_switch_fits(module, d)) {
        return Err(VerifyError::ClosureSwitch);
    }
    module.funcs.values().try_for_each(|func| verify(func, Some(module)))
}

/// Checks that a closure switch has no body, that its block parameter is a private pointer, and that its
/// cases are descriptors with functions of its signature.
fn closure_switch_fits(module: &Module, closure_switch: &ClosureSwitch) -> bool {
    let Some(func) = module.funcs.get(closure_switch.func) else { return false };
    let fits = |invoke: &Function| {
        let params = invoke.params().iter().map(|&p| invoke.ty(p));
        invoke.ret == func.ret && (!invoke.is_defined() || params.eq(closure_switch.params.iter().copied()))
    };
    !func.is_defined()
        && closure_switch.params.get(usize::from(closure_switch.block)) == Some(&Type::PRIVATE)
        && closure_switch.blocks.iter().all(|&(descriptor, invoke)| {
            let variable = module.globals.get(descriptor);
            variable.is_some_and(|g| g.is_defined && g.space == GlobalSpace::Constant && g.size >= 8)
                && module.funcs.get(invoke).is_some_and(fits)
        })
}

/// Checks that a variable that is only declared has external linkage, not for several definitions, and no
/// contents.
fn linkage_fits(global: &Global) -> bool {
    global.is_defined
        || (global.linkage == Linkage::EXTERNAL && global.init.is_empty() && global.relocs.is_empty())
}

/// Checks one function. Calls and variables are checked only if its module is given.
pub fn verify(func: &Function, module: Option<&Module>) -> Result<(), VerifyError> {
    let verifier = Verifier { func, module };
    verifier.function().map_err(|error| VerifyError::Function { function: func.name.clone(), error })
}

struct Verifier<'a> {
    func: &'a Function,
    module: Option<&'a Module>,
}

fn ensure<E>(condition: bool, error: E) -> Result<(), E> {
    if condition { Ok(()) } else { Err(error) }
}

impl Verifier<'_> {
    fn function(&self) -> Result<(), FunctionError> {
        let func = self.func;
        ensure(!func.is_kernel || func.linkage != Linkage::Internal, FunctionError::InternalKernel)?;
        if !func.is_defined() {
            return Ok(());
        }
        func.layout.iter().try_for_each(|&block| self.block(block))?;
        self.dominance()
    }

    fn block(&self, block: Block) -> Result<(), FunctionError> {
        let insts = &self.func.blocks[block].insts;
        ensure(!insts.is_empty(), FunctionError::NoTerminator(block))?;
        let are_valid =
            self.func.blocks[block].params.iter().all(|&param| is_valid_lane_count(self.func.ty(param)));
        ensure(are_valid, FunctionError::ParamLanes(block))?;
        for (i, &id) in insts.iter().enumerate() {
            let inst = &self.func.insts[id];
            let last = i + 1 == insts.len();
            let checked = ensure(inst.op.is_terminator() == last, InstError::Terminator)
                .and_then(|()| ensure(is_valid_lane_count(inst.ty), InstError::Lanes))
                .and_then(|()| self.structure(inst))
                .and_then(|()| self.types(inst));
            checked.map_err(|error| FunctionError::Inst { block, inst: id, op: inst.op, error })?;
        }
        Ok(())
    }

    /// Checks the arity, attribute and targets of an instruction.
    fn structure(&self, inst: &Inst) -> Result<(), InstError> {
        match inst.op.arity() {
            Arity::Exactly(n) => ensure(inst.args.len() == usize::from(n), InstError::OperandCount)?,
            Arity::Ordered(n) => {
                let extra = inst.args.len().checked_sub(usize::from(n));
                ensure(matches!(extra, Some(0 | 2)), InstError::OperandCount)?;
            }
            Arity::Any => {}
        }
        ensure(attr_matches(inst.op.attr_kind(), &inst.attr), InstError::Attr)?;
        if let Attr::Rmw(_, consistency) | Attr::Consistency(consistency) = inst.attr {
            ensure(consistency.order.suits(inst.op), InstError::Order)?;
            let is_given_twice = inst.pending().is_some() && consistency != Consistency::STRONGEST;
            ensure(!is_given_twice, InstError::TwoOrders)?;
        }
        let targets = match (inst.op, &inst.attr) {
            (Op::Jump, _) => 1,
            (Op::BrIf, _) => 2,
            (Op::Switch, Attr::Cases(cases)) => cases.len() + 1,
            _ => 0,
        };
        ensure(inst.targets.len() == targets, InstError::TargetCount)?;
        for target in &inst.targets {
            let params = &self.func.blocks[target.block].params;
            ensure(params.len() == target.args.len(), InstError::BlockArgCount)?;
            for (&param, &arg) in params.iter().zip(&target.args) {
                ensure(self.func.ty(param) == self.func.ty(arg), InstError::BlockArgType)?;
            }
            ensure(target.block != self.func.entry(), InstError::EntryPredecessor)?;
        }
        Ok(())
    }

    fn types(&self, inst: &Inst) -> Result<(), InstError> {
        let ty = |i: usize| self.func.ty(inst.args[i]);
        let all = |t: Type| inst.args.iter().all(|&a| self.func.ty(a) == t);
        let scalar = inst.ty.lanes == 1;
        let is_valid = match inst.op.rule() {
            Rule::IntConst => scalar && (inst.ty.kind.is_int() || inst.ty.kind.is_ptr()),
            Rule::FloatConst => scalar && inst.ty.kind.is_float(),
            Rule::Int => {
                let of_masks = matches!(inst.op, Op::And | Op::Or | Op::Xor);
                inst.ty.kind.is_int() && all(inst.ty) && (!inst.ty.is_mask() || of_masks)
            }
            Rule::Float => inst.ty.kind.is_float() && all(inst.ty),
            Rule::IntCompare => !ty(0).kind.is_float() && ty(0) == ty(1) && inst.ty == ty(0).compared(),
            Rule::FloatCompare => ty(0).kind.is_float() && ty(0) == ty(1) && inst.ty == ty(0).compared(),
            Rule::Convert => convert_is_valid(inst.op, ty(0), inst.ty),
            Rule::Bits => ty(0).bits() == inst.ty.bits() && ty(0).kind != Kind::I1,
            Rule::Splat => inst.ty.is_vector() && ty(0) == inst.ty.lane(),
            Rule::Extract => ty(0).lane() == inst.ty && inst.int() < u64::from(ty(0).lanes),
            Rule::Movemask => {
                ty(0).is_mask()
                    && (inst.ty == Type::I32 || inst.ty == Type::I64)
                    && u32::from(ty(0).lanes) <= inst.ty.kind.bits()
            }
            Rule::MaskTest => ty(0).is_mask() && inst.ty == Type::I1,
            Rule::MaskFirst => ty(0).is_mask() && ty(0).lanes <= 64 && inst.ty == Type::I32,
            Rule::Iota => inst.ty.is_vector() && inst.ty.kind.is_int() && inst.ty.kind != Kind::I1,
            Rule::ExtractAt => ty(0).is_vector() && ty(0).lane() == inst.ty && ty(1) == Type::I32,
            Rule::InsertAt => {
                inst.ty.is_vector() && ty(0) == inst.ty && ty(1) == Type::I32 && ty(2) == inst.ty.lane()
            }
            Rule::Permute => {
                let lanes = inst.ty.lanes;
                let is_vector_of_kind =
                    ty(0).is_vector() && ty(0).kind == inst.ty.kind && ty(0).kind != Kind::I1;
                let is_number = matches!(ty(1).kind, Kind::I32 | Kind::I64);
                is_vector_of_kind && lanes > 1 && is_number && ty(1).lanes == lanes
            }
            Rule::MaskedLoad => {
                ty(0).kind.is_ptr() && is_mask_for(inst.ty, ty(1)) && ty(2) == inst.ty && !ty(0).is_vector()
            }
            Rule::MaskedStore => ty(0).kind.is_ptr() && is_mask_for(ty(1), ty(2)) && !ty(0).is_vector(),
            Rule::Gather => {
                are_pointers_for(ty(0), inst.ty) && is_mask_for(inst.ty, ty(1)) && ty(2) == inst.ty
            }
            Rule::Scatter => are_pointers_for(ty(0), ty(1)) && is_mask_for(ty(1), ty(2)),
            Rule::GatherAt => {
                are_offsets_for(ty(0), ty(1), inst.ty) && is_mask_for(inst.ty, ty(2)) && ty(3) == inst.ty
            }
            Rule::ScatterAt => are_offsets_for(ty(0), ty(1), ty(2)) && is_mask_for(ty(2), ty(3)),
            Rule::LaneAtomic => {
                let last = inst.args.len() - 1;
                are_pointers_for(ty(0), inst.ty)
                    && (1..last).all(|i| ty(i) == inst.ty)
                    && is_mask_for(inst.ty, ty(last))
                    && inst.ty.kind.is_int()
                    && rmw_suits(inst)
            }
            Rule::Insert => {
                ty(0) == inst.ty && ty(1) == inst.ty.lane() && inst.int() < u64::from(inst.ty.lanes)
            }
            Rule::Shuffle => self.shuffle(inst),
            Rule::BuildVector => inst.args.len() == usize::from(inst.ty.lanes) && all(inst.ty.lane()),
            Rule::Select => {
                (ty(0) == Type::I1 || ty(0) == inst.ty.compared()) && ty(1) == inst.ty && ty(2) == inst.ty
            }
            Rule::Address => scalar && inst.ty.kind.is_ptr() && self.address(inst),
            Rule::PtrAdd => inst.ty.kind.is_ptr() && ty(0) == inst.ty && ty(1) == Type::I64,
            Rule::Load => ty(0).kind.is_ptr() && inst.ty != Type::VOID,
            Rule::Store => ty(0).kind.is_ptr(),
            Rule::Copy => ty(0).kind.is_ptr() && ty(1).kind.is_ptr(),
            Rule::Fill => ty(0).kind.is_ptr(),
            Rule::Atomic => {
                let end = inst.args.len() - 2 * usize::from(inst.pending().is_some());
                ty(0).kind.is_ptr()
                    && scalar
                    && (1..end).all(|i| ty(i) == inst.ty)
                    && rmw_suits(inst)
                    && self.pending(inst)
            }
            Rule::AtomicStore => ty(0).kind.is_ptr() && !ty(1).is_vector() && self.pending(inst),
            Rule::Fence => self.pending(inst),
            Rule::Call => self.call(inst)?,
            Rule::ImageQuery => {
                ty(0) == Type::CONSTANT && matches!(inst.attr, Attr::Field(field) if field.ty() == inst.ty)
            }
            Rule::ImageLoad => ty(0) == Type::CONSTANT && ty(1) == Type::I64 && is_texel(inst.ty),
            Rule::ImageStore => ty(0) == Type::CONSTANT && ty(1) == Type::I64 && is_texel(ty(2)),
            Rule::WorkItem => self.query(inst),
            Rule::Group => !inst.op.is_async_copy() || self.async_copy(inst),
            Rule::Collective => {
                let suits = match inst.attr {
                    Attr::Reduction(how) => how.suits(inst.ty.kind),
                    _ => ty(1) == Type::I64,
                };
                scalar && ty(0) == inst.ty && suits
            }
            Rule::SubGroup => scalar && self.sub_group(inst),
            Rule::Terminator => self.terminator(inst),
        };
        ensure(is_valid, InstError::Type)
    }

    /// Checks that the operands for order and scope are `i32`, if there are any.
    fn pending(&self, inst: &Inst) -> bool {
        inst.pending().is_none_or(|numbers| numbers.iter().all(|&n| self.func.ty(n) == Type::I32))
    }

    fn shuffle(&self, inst: &Inst) -> bool {
        let Attr::Lanes(lanes) = &inst.attr else { return false };
        let [a, b] = [self.func.ty(inst.args[0]), self.func.ty(inst.args[1])];
        a.kind == b.kind
            && a.kind == inst.ty.kind
            && lanes.len() == usize::from(inst.ty.lanes)
            && inst.ty.is_vector()
            && lanes.iter().all(|&l| u32::from(l) < u32::from(a.lanes) + u32::from(b.lanes))
    }

    fn address(&self, inst: &Inst) -> bool {
        match (&inst.attr, self.module) {
            (Attr::Global(global), Some(module)) => module.globals.get(*global).is_some(),
            (Attr::SizeAlign(_, align), _) => align.is_power_of_two(),
            _ => true,
        }
    }

    fn async_copy(&self, inst: &Inst) -> bool {
        let ty = |i: usize| self.func.ty(inst.args[i]);
        ty(0).kind.is_ptr() && ty(1).kind.is_ptr() && (2..inst.args.len()).all(|i| ty(i) == Type::I64)
    }

    fn query(&self, inst: &Inst) -> bool {
        match inst.attr {
            Attr::Query(super::op::Query::WorkDim, 0) => inst.ty == Type::I32,
            Attr::Query(_, dim) => dim < 3 && inst.ty == Type::I64,
            _ => false,
        }
    }

    fn sub_group(&self, inst: &Inst) -> bool {
        let ty = |i: usize| self.func.ty(inst.args[i]);
        let suits = match inst.attr {
            Attr::Reduction(how) => how.suits(inst.ty.kind),
            _ => true,
        };
        suits
            && match inst.op {
                Op::SubGroupLane | Op::SubGroupSize => inst.ty == Type::I32,
                Op::SubGroupBallot => ty(0) == Type::I1 && inst.ty == Type::I64,
                Op::SubGroupShuffle | Op::SubGroupCluster => ty(0) == inst.ty && ty(1) == Type::I32,
                Op::SubGroupFirst | Op::SubGroupReduce | Op::SubGroupScan | Op::SubGroupExclusiveScan => {
                    ty(0) == inst.ty
                }
                _ => true,
            }
    }

    fn call(&self, inst: &Inst) -> Result<bool, InstError> {
        let (Attr::Func(callee), Some(module)) = (&inst.attr, self.module) else { return Ok(true) };
        let Some(callee) = module.funcs.get(*callee) else { return Err(InstError::UnknownFunction) };
        if !callee.is_defined() {
            return Ok(true);
        }
        let params = callee.params();
        Ok(callee.ret == inst.ty
            && params.len() == inst.args.len()
            && params.iter().zip(&inst.args).all(|(&p, &a)| callee.ty(p) == self.func.ty(a)))
    }

    fn terminator(&self, inst: &Inst) -> bool {
        let ty = |i: usize| self.func.ty(inst.args[i]);
        match inst.op {
            Op::BrIf => ty(0) == Type::I1,
            Op::Switch => ty(0).kind.is_int() && !ty(0).is_vector(),
            Op::Ret if self.func.ret == Type::VOID => inst.args.is_empty(),
            Op::Ret => inst.args.len() == 1 && ty(0) == self.func.ret,
            _ => true,
        }
    }

    /// Checks that every use is dominated by its definition. Unreachable blocks are ignored.
    fn dominance(&self) -> Result<(), FunctionError> {
        let func = self.func;
        let cfg = Cfg::new(func);
        let dom = DomTree::new(func, &cfg);
        let mut definition: IdMap<Value, Option<(Block, usize)>> = IdMap::with_len(None, func.values.len());
        for &block in &func.layout {
            for &param in &func.blocks[block].params {
                definition[param] = Some((block, 0));
            }
            for (i, &inst) in func.blocks[block].insts.iter().enumerate() {
                if let Some(result) = func.insts[inst].result {
                    definition[result] = Some((block, i + 1));
                }
            }
        }
        for &block in cfg.rpo() {
            for (i, &id) in func.blocks[block].insts.iter().enumerate() {
                let inst = &func.insts[id];
                for arg in inst.uses() {
                    let dominates = definition[arg].is_some_and(|(def, at)| {
                        if def == block { at <= i } else { dom.dominates(def, block) }
                    });
                    if !dominates {
                        return Err(FunctionError::Dominance { block, inst: id, value: arg });
                    }
                }
            }
        }
        Ok(())
    }
}

fn attr_matches(kind: AttrKind, attr: &Attr) -> bool {
    match attr {
        Attr::None => matches!(kind, AttrKind::None | AttrKind::Wrap),
        Attr::NoWrap(no_wrap) => kind == AttrKind::Wrap && *no_wrap != NoWrap::default(),
        Attr::Int(_) => kind == AttrKind::Int,
        Attr::Mem(mem) => kind == AttrKind::Mem && mem.align.is_power_of_two(),
        Attr::ScaledMem(mem, _) => kind == AttrKind::ScaledMem && mem.align.is_power_of_two(),
        Attr::SizeAlign(size, _) => kind == AttrKind::SizeAlign && *size <= MAX_OBJECT_SIZE,
        Attr::IntCond(_) => kind == AttrKind::IntCond,
        Attr::FloatCond(_) => kind == AttrKind::FloatCond,
        Attr::Lanes(_) => kind == AttrKind::Lanes,
        Attr::Func(_) => kind == AttrKind::Func,
        Attr::Global(_) => kind == AttrKind::Global,
        Attr::Rmw(..) => kind == AttrKind::Rmw,
        Attr::Consistency(_) => kind == AttrKind::Consistency,
        Attr::Reduction(_) => kind == AttrKind::Reduction,
        Attr::Helper(_) => kind == AttrKind::Helper,
        Attr::Query(..) => kind == AttrKind::Query,
        Attr::Cases(_) => kind == AttrKind::Cases,
        Attr::Field(_) => kind == AttrKind::Field,
        Attr::Format(_) => kind == AttrKind::Format,
    }
}

/// Checks whether the operation of an atomic op, if it has one, applies to values of its type.
fn rmw_suits(inst: &Inst) -> bool {
    !matches!(inst.attr, Attr::Rmw(rmw, _) if !rmw.suits(inst.ty.kind))
}

/// Checks whether the number of lanes occurs: vectors of OpenCL C and of work-items have a power of two,
/// except for vectors of three.
fn is_valid_lane_count(ty: Type) -> bool {
    ty.lanes.is_power_of_two() || ty.lanes == 3
}

/// Checks whether this is the type of a texel's components.
fn is_texel(ty: Type) -> bool {
    ty.lanes == 4 && matches!(ty.kind, Kind::F32 | Kind::I32)
}

fn convert_is_valid(op: Op, from: Type, to: Type) -> bool {
    let (f, t) = (from.kind, to.kind);
    let kinds = match op {
        Op::Zext | Op::Sext => f.is_int() && t.is_int() && f.bits() < t.bits(),
        Op::Trunc => f.is_int() && t.is_int() && f.bits() > t.bits(),
        Op::Fpext => f.is_float() && t.is_float() && f.bits() < t.bits(),
        Op::Fptrunc => f.is_float() && t.is_float() && f.bits() > t.bits(),
        Op::Sitofp | Op::Uitofp => f.is_int() && f != Kind::I1 && t.is_float(),
        _ => f.is_float() && t.is_int() && t != Kind::I1,
    };
    kinds && from.lanes == to.lanes
}

/// Checks whether `mask` has a bit for each lane of `value`.
fn is_mask_for(value: Type, mask: Type) -> bool {
    value.is_vector() && !value.is_mask() && mask == value.compared()
}

/// Checks for a vector of as many pointers as `value` has lanes.
fn are_pointers_for(ty: Type, value: Type) -> bool {
    ty.kind.is_ptr() && ty.lanes == value.lanes
}

/// Checks for a pointer and as many offsets as `value` has lanes.
fn are_offsets_for(base: Type, offsets: Type, value: Type) -> bool {
    base.kind.is_ptr()
        && !base.is_vector()
        && matches!(offsets.kind, Kind::I32 | Kind::I64)
        && offsets.lanes == value.lanes
}

impl Def {
    /// Returns the block of a parameter; none for the result of an instruction.
    pub fn param_block(self) -> Option<Block> {
        match self {
            Def::Param(block, _) => Some(block),
            Def::Inst(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_module;

    /// Returns the error in a function with these lines, and its text.
    fn error(lines: &str) -> (FunctionError, String) {
        let text = format!("func f0 \"f\" i32 {{\nb0(v0: i32):\n{lines}}}\n");
        match verify_module(&parse_module(&text).expect("it is IR")) {
            Err(error) => match &error {
                VerifyError::Function { function, error: inner } if function == "f" => {
                    (inner.clone(), error.to_string())
                }
                other => panic!("{other}"),
            },
            Ok(()) => panic!("it is valid"),
        }
    }

    #[test]
    fn an_error_names_rule_and_place() {
        let (found, text) = error("    v1 = iadd.i32 v0\n    ret v1\n");
        let (block, inst) = (Block(0), InstId(0));
        let rule = InstError::OperandCount;
        assert_eq!(found, FunctionError::Inst { block, inst, op: Op::Iadd, error: rule });
        assert_eq!(text, format!("f: b0: {inst} iadd: wrong number of operands"));
        let (found, text) = error("    v1 = iadd.i32 v0, v2\n    v2 = iadd.i32 v0, v0\n    ret v1\n");
        assert!(matches!(found, FunctionError::Dominance { block: Block(0), inst: InstId(0), .. }));
        assert!(text.starts_with("f: ") && text.ends_with(", which does not dominate it"), "{text}");
    }

    #[test]
    fn guarantees_are_for_sums_products_and_shifts() {
        let text = "func f0 \"f\" i32 {\nb0(v0: i32):\n    v1 = iadd.i32 nsw nuw v0, v0\n    ret v1\n}\n";
        let module = parse_module(text).expect("it is IR");
        assert_eq!(module.to_string(), text);
        for op in [Op::Iadd, Op::Isub, Op::Imul, Op::Shl, Op::And, Op::Udiv] {
            let mut module = module.clone();
            let func = module.funcs.values_mut().next().expect("a function");
            func.insts.values_mut().next().expect("an instruction").op = op;
            let has_guarantee = matches!(op, Op::Iadd | Op::Isub | Op::Imul | Op::Shl);
            assert_eq!(verify_module(&module).is_ok(), has_guarantee, "{}", op.name());
        }
        let mut func = module.funcs.values().next().expect("a function").clone();
        func.insts.values_mut().next().expect("an instruction").attr = Attr::NoWrap(NoWrap::default());
        assert!(verify(&func, None).is_err());
    }

    #[test]
    fn atomic_operations_suit_the_kind() {
        let is_valid = |what: &str| {
            let text = format!("func f0 \"f\" void {{\nb0(v0: ptr.global, v1: {what} v0, v1\n    ret\n}}\n");
            verify_module(&parse_module(&text).expect("it is IR")).is_ok()
        };
        assert!(is_valid("f32):\n    v2 = atomic_rmw.f32 fmin"));
        assert!(is_valid("f16):\n    v2 = atomic_rmw.f16 fadd relaxed device"));
        assert!(!is_valid("f32):\n    v2 = atomic_rmw.f32 add"));
        assert!(!is_valid("f32):\n    v2 = atomic_rmw.f32 xchg"));
        assert!(!is_valid("i32):\n    v2 = atomic_rmw.i32 fadd"));
    }
}
