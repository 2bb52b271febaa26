//! Promotion of private memory to SSA values: scalar replacement of aggregates and mem2reg in one pass.
//!
//! An alloca is split into components if every access to it is a load or store at a constant offset. Each component
//! becomes a variable, and variables become SSA values with block parameters at the iterated dominance frontier of
//! their stores, where they are live (Cytron et al., Efficiently Computing Static Single Assignment Form, 1991).
//!
//! Accesses may overlap without covering the same bytes, as those of unions do. If all of them access lanes of one
//! vector, that vector is the variable. Other overlaps of at most eight bytes are split into integers, one variable
//! each: a stored value is split and a loaded value is reassembled. Other allocas stay in memory.

use super::super::pass_manager::PassContext;
use grus_ir::analysis::{Cfg, DomTree, dominance_frontiers};
use grus_ir::{Attr, Block, Builder, Function, InstId, Kind, Op, Type, Value};
use grus_support::{FastMap, IdMap, IdVec};

grus_support::define_id! {
    /// Promoted component of an alloca.
    Var, "var"
}

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    if !func.instructions().any(|inst| inst.op == Op::Alloca) {
        return false;
    }
    let cfg = context.analyses.pruned(func);
    let mut plan = SplitPlan::default();
    plan.find(func);
    if plan.vars.is_empty() {
        return false;
    }
    let dom = context.analyses.dominators(func);
    let params = place_params(func, &plan, &cfg, &dom);
    Renamer::new(func, &plan, &dom, params).run();
    true
}

/// Effect of an access to a promoted alloca.
#[derive(Clone, Debug)]
enum PromotedAccess {
    Load(Var),
    Store(Var),
    /// Access to several adjacent variables.
    LoadComponents(Vec<IntegerComponent>),
    StoreComponents(Vec<IntegerComponent>),
    /// Access to lanes of a vector, and the first lane.
    LoadLanes(Var, u16),
    StoreLanes(Var, u16),
    /// Write of zeros to these variables.
    Zero(Vec<Var>),
    /// Unused address computation.
    Drop,
}

/// Integer variable that holds a component of an accessed value.
#[derive(Clone, Copy, Debug)]
struct IntegerComponent {
    var: Var,
    /// Offset in bytes from the start of the access.
    at: u64,
    bytes: u64,
}

/// Maximum number of bytes that are split into integers; larger regions stay in memory.
// Arbitrary.
const MAX_SPLIT_BYTES: u64 = 8;

/// Variables that an access covers.
enum AccessedVars {
    One(Var),
    Components(Vec<IntegerComponent>),
    /// Lanes of a vector variable, and the first lane.
    Lanes(Var, u16),
}

#[derive(Default)]
struct SplitPlan {
    vars: IdVec<Var, Type>,
    access: FastMap<InstId, PromotedAccess>,
}

/// Access to an alloca.
struct Use {
    inst: InstId,
    offset: u64,
    kind: UseKind,
}

#[derive(Clone, Copy, PartialEq)]
enum UseKind {
    Load(Type),
    Store(Type),
    Zero(u64),
    Address,
}

impl SplitPlan {
    fn find(&mut self, func: &Function) {
        let uses = pointer_uses(func);
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                if func.insts[inst].op == Op::Alloca
                    && let Some(list) = accesses(func, inst, &uses)
                {
                    self.split(inst, list);
                }
            }
        }
    }

    /// Creates variables for the components of an alloca.
    fn split(&mut self, alloca: InstId, list: Vec<Use>) {
        let mut accessed: Vec<(u64, Type)> = Vec::new();
        for access in &list {
            if let UseKind::Load(ty) | UseKind::Store(ty) = access.kind {
                accessed.push((access.offset, ty));
            }
        }
        accessed.sort_by_key(|&(offset, ty)| (offset, ty.bytes()));
        accessed.dedup();
        let Some(components) = components_of(&accessed) else { return };
        let zero_fits = list.iter().all(|u| match u.kind {
            UseKind::Zero(size) => components.iter().all(|&(at, ty)| {
                let end = at + u64::from(ty.bytes());
                end <= u.offset || at >= u.offset + size || (at >= u.offset && end <= u.offset + size)
            }),
            _ => true,
        });
        if !zero_fits {
            return;
        }
        let vars: Vec<(u64, u64, Var)> =
            components.iter().map(|&(at, ty)| (at, at + u64::from(ty.bytes()), self.vars.push(ty))).collect();
        let vars_of = |offset: u64, ty: Type| {
            let end = offset + u64::from(ty.bytes());
            let after = vars.partition_point(|var| var.0 <= offset);
            let &(start, to, around) = &vars[after - 1];
            if start < offset || to > end {
                let lane = u64::from(self.vars[around].lane().bytes());
                return AccessedVars::Lanes(around, ((offset - start) / lane) as u16);
            }
            let inside = vars[after - 1..].iter().take_while(|var| var.1 <= end);
            let component = |&(from, to, var): &(u64, u64, Var)| IntegerComponent {
                var,
                at: from - offset,
                bytes: to - from,
            };
            match inside.map(component).collect::<Vec<_>>() {
                components if components.len() > 1 => AccessedVars::Components(components),
                one => AccessedVars::One(one[0].var),
            }
        };
        self.access.insert(alloca, PromotedAccess::Drop);
        for access in list {
            let what = match access.kind {
                UseKind::Load(ty) => match vars_of(access.offset, ty) {
                    AccessedVars::One(var) => PromotedAccess::Load(var),
                    AccessedVars::Components(components) => PromotedAccess::LoadComponents(components),
                    AccessedVars::Lanes(var, first) => PromotedAccess::LoadLanes(var, first),
                },
                UseKind::Store(ty) => match vars_of(access.offset, ty) {
                    AccessedVars::One(var) => PromotedAccess::Store(var),
                    AccessedVars::Components(components) => PromotedAccess::StoreComponents(components),
                    AccessedVars::Lanes(var, first) => PromotedAccess::StoreLanes(var, first),
                },
                UseKind::Zero(size) => {
                    let inside = vars.iter().filter(|v| v.0 >= access.offset && v.1 <= access.offset + size);
                    PromotedAccess::Zero(inside.map(|v| v.2).collect())
                }
                UseKind::Address => PromotedAccess::Drop,
            };
            self.access.insert(access.inst, what);
        }
    }
}

/// Returns the components that a sorted list of accesses needs. An access that overlaps no other one is one
/// component. Returns `None` if the alloca has to stay in memory.
fn components_of(accessed: &[(u64, Type)]) -> Option<Vec<(u64, Type)>> {
    let end_of = |&(at, ty): &(u64, Type)| at + u64::from(ty.bytes());
    let mut components = Vec::new();
    let mut rest = accessed;
    while let Some(first) = rest.first() {
        let mut end = end_of(first);
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.0 < end) {
            end = end.max(end_of(next));
            count += 1;
        }
        let (overlapping, others) = rest.split_at(count);
        rest = others;
        if overlapping.iter().all(|other| (other.0, end_of(other)) == (first.0, end)) {
            components.push(*first);
        } else if let Some(vector) = vector_around(overlapping, end) {
            components.push((first.0, vector));
        } else {
            components.extend(integer_components(overlapping, end)?);
        }
    }
    Some(components)
}

/// Returns the vector type of which all accesses are lanes.
fn vector_around(overlapping: &[(u64, Type)], end: u64) -> Option<Type> {
    let start = overlapping[0].0;
    let is_all = |&&(at, ty): &&(u64, Type)| at == start && at + u64::from(ty.bytes()) == end;
    let vector = overlapping.iter().filter(is_all).map(|&(_, ty)| ty).find(|ty| ty.is_vector())?;
    let lane = vector.lane().bytes();
    let fits = |&(at, ty): &(u64, Type)| {
        ty.lane().bytes() == lane && ty.kind != Kind::I1 && (at - start).is_multiple_of(lane.into())
    };
    overlapping.iter().all(fits).then_some(vector)
}

/// Returns integer components for overlapping accesses, as large as possible so that no access covers a component
/// partially.
fn integer_components(overlapping: &[(u64, Type)], end: u64) -> Option<Vec<(u64, Type)>> {
    let start = overlapping[0].0;
    if end - start > MAX_SPLIT_BYTES || overlapping.iter().any(|&(_, ty)| ty.kind == Kind::I1) {
        return None;
    }
    let mut cuts: Vec<u64> = Vec::new();
    for &(at, ty) in overlapping {
        let size = u64::from(ty.lane().bytes());
        cuts.extend((0..=u64::from(ty.lanes)).map(|lane| at + lane * size));
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut components = Vec::new();
    for pair in cuts.windows(2) {
        let mut at = pair[0];
        while at < pair[1] {
            let bytes = 1u64 << (pair[1] - at).ilog2();
            components.push((at, Type::scalar(Kind::int_of_bits(8 * bytes as u32))));
            at += bytes;
        }
    }
    Some(components)
}

/// Returns for each pointer derived from an alloca the instructions that use it. A use as a branch argument is
/// listed as the terminator.
fn pointer_uses(func: &Function) -> IdMap<Value, Vec<InstId>> {
    let mut derived = IdMap::with_len(false, func.values.len());
    let mut uses = IdMap::with_len(Vec::new(), func.values.len());
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for arg in inst.uses() {
                if derived[arg] {
                    let list: &mut Vec<InstId> = &mut uses[arg];
                    if list.last() != Some(&id) {
                        list.push(id);
                    }
                }
            }
            let follows = match inst.op {
                Op::Alloca => true,
                Op::PtrAdd | Op::Bitcast => derived[inst.args[0]],
                _ => false,
            };
            if let (true, Some(result)) = (follows, inst.result) {
                derived[result] = true;
            }
        }
    }
    uses
}

/// Returns all uses of an alloca, or `None` if its address escapes.
fn accesses(func: &Function, alloca: InstId, uses: &IdMap<Value, Vec<InstId>>) -> Option<Vec<Use>> {
    let Attr::SizeAlign(room, _) = func.insts[alloca].attr else { return None };
    let mut list = Vec::new();
    let mut work = vec![(func.insts[alloca].result?, 0u64)];
    while let Some((pointer, offset)) = work.pop() {
        for &id in &uses[pointer] {
            let inst = &func.insts[id];
            let kind = match inst.op {
                Op::Load if !inst.mem().volatile => UseKind::Load(inst.ty),
                Op::Store if !inst.mem().volatile && inst.args[1] != pointer => {
                    UseKind::Store(func.ty(inst.args[1]))
                }
                Op::MemZero => match inst.attr {
                    Attr::SizeAlign(size, _) => UseKind::Zero(size),
                    _ => return None,
                },
                Op::PtrAdd if inst.args[0] == pointer => {
                    let step = func.as_const(inst.args[1])?;
                    work.push((inst.result?, offset.wrapping_add(step)));
                    UseKind::Address
                }
                Op::Bitcast if inst.ty.kind.is_ptr() => {
                    work.push((inst.result?, offset));
                    UseKind::Address
                }
                _ => return None,
            };
            let size = match kind {
                UseKind::Load(ty) | UseKind::Store(ty) => u64::from(ty.bytes()),
                UseKind::Zero(size) => size,
                UseKind::Address => 0,
            };
            // An access out of bounds is undefined behavior; such an alloca is left alone.
            if offset.checked_add(size)? > room {
                return None;
            }
            list.push(Use { inst: id, offset, kind });
        }
    }
    Some(list)
}

/// Adds block parameters. Returns for each block the variables of its last parameters.
fn place_params(func: &mut Function, plan: &SplitPlan, cfg: &Cfg, dom: &DomTree) -> IdMap<Block, Vec<Var>> {
    let frontiers = dominance_frontiers(func, cfg, dom);
    let (defs, uses) = def_and_use_blocks(func, plan, cfg);
    let preds_of = |block: Block| cfg.preds(block);
    let mut params: IdMap<Block, Vec<Var>> = IdMap::with_len(Vec::new(), func.blocks.len());
    // A block is in the set of a variable if its stamp is that of the variable, so no set has to be cleared.
    let mut live_stamp: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
    let mut def_stamp = live_stamp.clone();
    let mut phi_stamp = live_stamp.clone();
    for (number, var) in plan.vars.ids().enumerate() {
        let stamp = number as u32 + 1;
        for &block in &defs[var] {
            def_stamp[block] = stamp;
        }
        let mut work: Vec<Block> = uses[var].clone();
        while let Some(block) = work.pop() {
            if live_stamp[block] == stamp {
                continue;
            }
            live_stamp[block] = stamp;
            work.extend(preds_of(block).iter().filter(|&&p| def_stamp[p] != stamp));
        }
        let mut work = defs[var].clone();
        while let Some(block) = work.pop() {
            for &join in &frontiers[block] {
                if phi_stamp[join] != stamp && live_stamp[join] == stamp {
                    phi_stamp[join] = stamp;
                    params[join].push(var);
                    func.add_param(join, plan.vars[var]);
                    work.push(join);
                }
            }
        }
    }
    params
}

type VarBlocks = IdMap<Var, Vec<Block>>;

/// Returns for each variable the blocks that define it, and the blocks that read it before they define it.
fn def_and_use_blocks(func: &Function, plan: &SplitPlan, cfg: &Cfg) -> (VarBlocks, VarBlocks) {
    let mut defs: VarBlocks = IdMap::with_len(Vec::new(), plan.vars.len());
    let mut uses: VarBlocks = IdMap::with_len(Vec::new(), plan.vars.len());
    for &block in cfg.rpo() {
        for inst in &func.blocks[block].insts {
            let mut define = |var: Var| {
                if defs[var].last() != Some(&block) {
                    defs[var].push(block);
                }
            };
            match plan.access.get(inst) {
                Some(PromotedAccess::Load(var) | PromotedAccess::LoadLanes(var, _)) => {
                    if defs[*var].last() != Some(&block) && uses[*var].last() != Some(&block) {
                        uses[*var].push(block);
                    }
                }
                Some(PromotedAccess::LoadComponents(components)) => {
                    for &IntegerComponent { var, .. } in components {
                        if defs[var].last() != Some(&block) && uses[var].last() != Some(&block) {
                            uses[var].push(block);
                        }
                    }
                }
                Some(PromotedAccess::StoreLanes(var, _)) => {
                    if defs[*var].last() != Some(&block) {
                        if uses[*var].last() != Some(&block) {
                            uses[*var].push(block);
                        }
                        defs[*var].push(block);
                    }
                }
                Some(PromotedAccess::Store(var)) => define(*var),
                Some(PromotedAccess::StoreComponents(components)) => {
                    components.iter().for_each(|component| define(component.var))
                }
                Some(PromotedAccess::Zero(vars)) => vars.iter().copied().for_each(define),
                Some(PromotedAccess::Drop) | None => {}
            }
        }
    }
    (defs, uses)
}

/// Walk of the dominator tree with the current value of each variable.
struct Renamer<'a> {
    func: &'a mut Function,
    plan: &'a SplitPlan,
    dom: &'a DomTree,
    params: IdMap<Block, Vec<Var>>,
    current: IdMap<Var, Option<Value>>,
    /// Replacement of each removed load.
    replacement: IdMap<Value, Option<Value>>,
    zeros: FastMap<Type, Value>,
    /// Stored value that each component comes from, and the byte offset in it.
    origin: FastMap<Value, (Value, u64)>,
}

enum WalkStep {
    Enter(Block),
    /// Restoring of variables when the walk leaves a subtree.
    Leave(Vec<(Var, Option<Value>)>),
}

impl<'a> Renamer<'a> {
    fn new(
        func: &'a mut Function,
        plan: &'a SplitPlan,
        dom: &'a DomTree,
        params: IdMap<Block, Vec<Var>>,
    ) -> Self {
        let replacement = IdMap::with_len(None, func.values.len());
        let current = IdMap::with_len(None, plan.vars.len());
        Renamer {
            func,
            plan,
            dom,
            params,
            current,
            replacement,
            zeros: FastMap::default(),
            origin: FastMap::default(),
        }
    }

    fn run(mut self) {
        let mut stack = vec![WalkStep::Enter(self.func.entry())];
        while let Some(step) = stack.pop() {
            match step {
                WalkStep::Leave(undo) => {
                    for (var, old) in undo.into_iter().rev() {
                        self.current[var] = old;
                    }
                }
                WalkStep::Enter(block) => {
                    let undo = self.block(block);
                    stack.push(WalkStep::Leave(undo));
                    stack.extend(self.dom.children(block).iter().map(|&c| WalkStep::Enter(c)));
                }
            }
        }
        // Undefined variables read as zero. The constants are inserted at the start of the entry block.
        let entry = self.func.entry();
        let mut first: Vec<InstId> = Vec::new();
        let mut zeros: Vec<(Type, Value)> = self.zeros.into_iter().collect();
        zeros.sort_by_key(|&(_, value)| value);
        for (ty, value) in zeros {
            let mut scratch = Function::new("", Type::VOID);
            let block = scratch.add_block();
            Builder::new(&mut scratch, block).zero(ty);
            copy_zero(self.func, &scratch, value, &mut first);
        }
        first.append(&mut self.func.blocks[entry].insts);
        self.func.blocks[entry].insts = first;
    }

    fn block(&mut self, block: Block) -> Vec<(Var, Option<Value>)> {
        let mut undo = Vec::new();
        let vars = self.params[block].clone();
        let first = self.func.blocks[block].params.len() - vars.len();
        for (i, &var) in vars.iter().enumerate() {
            let param = self.func.blocks[block].params[first + i];
            self.set(var, param, &mut undo);
        }
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        for id in insts {
            self.resolve_operands(id);
            match self.plan.access.get(&id) {
                None => self.func.blocks[block].insts.push(id),
                Some(PromotedAccess::Drop) => {}
                Some(PromotedAccess::Load(var)) => {
                    let value = self.get(*var);
                    let inst = &self.func.insts[id];
                    let (ty, loc, result) = (inst.ty, inst.loc, inst.result.expect("a load has a result"));
                    let value = self.cast(block, value, ty, loc);
                    self.replacement[result] = Some(value);
                }
                Some(PromotedAccess::Store(var)) => {
                    let inst = &self.func.insts[id];
                    let (value, loc) = (inst.args[1], inst.loc);
                    let value = self.cast(block, value, self.plan.vars[*var], loc);
                    self.set(*var, value, &mut undo);
                }
                Some(&PromotedAccess::LoadLanes(var, first)) => {
                    let inst = &self.func.insts[id];
                    let (ty, loc, result) = (inst.ty, inst.loc, inst.result.expect("a load has a result"));
                    let whole = self.get(var);
                    let mut b = Builder::new(self.func, block);
                    b.loc = loc;
                    let lanes = if ty.is_vector() {
                        b.shuffle(whole, whole, &(first..first + ty.lanes).collect::<Vec<u16>>())
                    } else {
                        b.extract(whole, first)
                    };
                    self.replacement[result] = Some(self.cast(block, lanes, ty, loc));
                }
                Some(&PromotedAccess::StoreLanes(var, first)) => {
                    let inst = &self.func.insts[id];
                    let (value, loc) = (inst.args[1], inst.loc);
                    let whole = self.with_lanes(block, var, first, value, loc);
                    self.set(var, whole, &mut undo);
                }
                Some(PromotedAccess::LoadComponents(components)) => {
                    let inst = &self.func.insts[id];
                    let (ty, loc, result) = (inst.ty, inst.loc, inst.result.expect("a load has a result"));
                    let value = self.reassemble(block, components, ty, loc);
                    self.replacement[result] = Some(value);
                }
                Some(PromotedAccess::StoreComponents(components)) => {
                    let inst = &self.func.insts[id];
                    let (value, loc) = (inst.args[1], inst.loc);
                    self.split_value(block, components, value, loc, &mut undo);
                }
                Some(PromotedAccess::Zero(vars)) => {
                    for &var in vars {
                        let zero = self.zero(self.plan.vars[var]);
                        self.set(var, zero, &mut undo);
                    }
                }
            }
        }
        self.pass_arguments(block);
        undo
    }

    /// Returns a vector variable with the lanes from `first` on replaced.
    fn with_lanes(&mut self, block: Block, var: Var, first: u16, value: Value, loc: u32) -> Value {
        let mut whole = self.get(var);
        let vector = self.plan.vars[var];
        let ty = self.func.ty(value);
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        for lane in 0..ty.lanes {
            let new = if ty.is_vector() { b.extract(value, lane) } else { value };
            let new = b.convert(Op::Bitcast, vector.lane(), new);
            whole = b.value(Op::Insert, vector, &[whole, new], Attr::Int(u64::from(first + lane)));
        }
        whole
    }

    /// Reassembles a value from several variables.
    fn reassemble(&mut self, block: Block, components: &[IntegerComponent], ty: Type, loc: u32) -> Value {
        let values: Vec<Value> = components.iter().map(|component| self.get(component.var)).collect();
        if let Some(&(whole, _)) = self.origin.get(&values[0])
            && self.func.ty(whole).bytes() == ty.bytes()
            && values
                .iter()
                .zip(components)
                .all(|(value, component)| self.origin.get(value) == Some(&(whole, component.at)))
        {
            return self.cast(block, whole, ty, loc);
        }
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        let size = u64::from(ty.lane().bytes());
        let number = Type::scalar(Kind::int_of_bits(8 * size as u32));
        let mut numbers: Vec<Value> = Vec::new();
        for lane in 0..u64::from(ty.lanes) {
            let mut sum: Option<Value> = None;
            for (&value, component) in
                values.iter().zip(components).filter(|(_, component)| component.at / size == lane)
            {
                let mut part = b.convert(Op::Zext, number, value);
                if component.at % size != 0 {
                    let by = b.iconst(number, 8 * (component.at % size));
                    part = b.same(Op::Shl, &[part, by]);
                }
                sum = Some(sum.map_or(part, |sum| b.same(Op::Or, &[sum, part])));
            }
            let sum = sum.expect("each byte is held");
            numbers.push(b.convert(Op::Bitcast, ty.lane(), sum));
        }
        if ty.is_vector() { b.value(Op::BuildVector, ty, &numbers, Attr::None) } else { numbers[0] }
    }

    /// Assigns the components of a value to several variables.
    fn split_value(
        &mut self,
        block: Block,
        components: &[IntegerComponent],
        value: Value,
        loc: u32,
        undo: &mut Vec<(Var, Option<Value>)>,
    ) {
        let ty = self.func.ty(value);
        let size = u64::from(ty.lane().bytes());
        let number = Type::scalar(Kind::int_of_bits(8 * size as u32));
        for component in components {
            let mut b = Builder::new(self.func, block);
            b.loc = loc;
            let lane = if ty.is_vector() { b.extract(value, (component.at / size) as u16) } else { value };
            let mut part = b.convert(Op::Bitcast, number, lane);
            if component.at % size != 0 {
                let by = b.iconst(number, 8 * (component.at % size));
                part = b.same(Op::Lshr, &[part, by]);
            }
            let part =
                b.convert(Op::Trunc, Type::scalar(Kind::int_of_bits(8 * component.bytes as u32)), part);
            self.origin.insert(part, (value, component.at));
            self.set(component.var, part, undo);
        }
    }

    fn set(&mut self, var: Var, value: Value, undo: &mut Vec<(Var, Option<Value>)>) {
        undo.push((var, self.current[var]));
        self.current[var] = Some(value);
    }

    fn get(&mut self, var: Var) -> Value {
        match self.current[var] {
            Some(value) => value,
            None => self.zero(self.plan.vars[var]),
        }
    }

    fn zero(&mut self, ty: Type) -> Value {
        let func = &mut *self.func;
        *self.zeros.entry(ty).or_insert_with(|| {
            // The definition is inserted at the end of the walk.
            let def = grus_ir::Def::Param(func.entry(), u32::MAX);
            func.values.push(grus_ir::ValueData { ty, def })
        })
    }

    fn cast(&mut self, block: Block, value: Value, ty: Type, loc: u32) -> Value {
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        b.convert(Op::Bitcast, ty, value)
    }

    fn resolve_operands(&mut self, id: InstId) {
        let replacement = &self.replacement;
        let inst = &mut self.func.insts[id];
        for arg in inst.uses_mut() {
            if let Some(value) = replacement[*arg] {
                *arg = value;
            }
        }
    }

    /// Passes the current values as arguments to the parameters of the successors.
    fn pass_arguments(&mut self, block: Block) {
        let last = *self.func.blocks[block].insts.last().expect("a block ends in a terminator");
        for i in 0..self.func.insts[last].targets.len() {
            let successor = self.func.insts[last].targets[i].block;
            for var in self.params[successor].clone() {
                let value = self.get(var);
                self.func.insts[last].targets[i].args.push(value);
            }
        }
    }
}

/// Copies the instructions that compute a zero; the last one defines `value`.
fn copy_zero(func: &mut Function, scratch: &Function, value: Value, out: &mut Vec<InstId>) {
    let insts = &scratch.blocks[scratch.entry()].insts;
    let mut previous = None;
    for (i, &id) in insts.iter().enumerate() {
        let mut inst = scratch.insts[id].clone();
        if let Some(previous) = previous {
            inst.args = [previous].as_slice().into();
        }
        let new = func.insts.next_id();
        let result = if i + 1 == insts.len() {
            func.values[value].def = grus_ir::Def::Inst(new);
            value
        } else {
            func.values.push(grus_ir::ValueData { ty: inst.ty, def: grus_ir::Def::Inst(new) })
        };
        inst.result = Some(result);
        func.insts.push(inst);
        out.push(new);
        previous = Some(result);
    }
}
