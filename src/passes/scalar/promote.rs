//! Private memory to SSA values: scalar replacement and mem2reg in one.
//!
//! An alloca is split into parts when every access to it is a load or store at a
//! constant offset and no two accesses overlap without covering the same bytes.
//! Each part becomes a variable; variables become values with block parameters at
//! the iterated dominance frontier of their stores, where they are live (Cytron et
//! al., Efficiently Computing Static Single Assignment Form, 1991).

use crate::ir::analysis::{Cfg, DomTree, dominance_frontiers, prune_unreachable};
use crate::ir::{Attr, Block, Builder, Function, InstId, Op, Type, Value};
use crate::passes::pipeline::Context;
use crate::support::{FastMap, IdMap, IdVec};

crate::define_id! {
    /// A promoted part of private memory.
    Var, "var"
}

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut Context<'_>) -> bool {
    prune_unreachable(func);
    let mut plan = Plan::default();
    plan.find(func);
    if plan.vars.is_empty() {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let dom = context.analyses.dominators(func);
    let params = place_params(func, &plan, &cfg, &dom);
    Renamer::new(func, &plan, &dom, params).run();
    true
}

/// What each access to promoted memory does.
#[derive(Clone, Debug)]
enum Access {
    Load(Var),
    Store(Var),
    /// Zeroes these variables.
    Zero(Vec<Var>),
    /// An address nobody needs any more.
    Drop,
}

#[derive(Default)]
struct Plan {
    vars: IdVec<Var, Type>,
    access: FastMap<InstId, Access>,
}

/// Uses of one alloca: the access, its offset, its type.
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

impl Plan {
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

    /// Makes variables of an alloca's parts, unless they overlap.
    fn split(&mut self, alloca: InstId, list: Vec<Use>) {
        let mut parts: Vec<(u64, Type)> = Vec::new();
        for access in &list {
            if let UseKind::Load(ty) | UseKind::Store(ty) = access.kind {
                parts.push((access.offset, ty));
            }
        }
        parts.sort_by_key(|&(offset, ty)| (offset, ty.bytes()));
        parts.dedup_by_key(|&mut (offset, ty)| (offset, ty.bytes()));
        let overlap = parts.windows(2).any(|w| w[0].0 + u64::from(w[0].1.bytes()) > w[1].0);
        let zero_fits = list.iter().all(|u| match u.kind {
            UseKind::Zero(size) => parts.iter().all(|&(at, ty)| {
                let end = at + u64::from(ty.bytes());
                end <= u.offset || at >= u.offset + size || (at >= u.offset && end <= u.offset + size)
            }),
            _ => true,
        });
        if overlap || !zero_fits {
            return;
        }
        let vars: Vec<(u64, u64, Var)> =
            parts.iter().map(|&(at, ty)| (at, at + u64::from(ty.bytes()), self.vars.push(ty))).collect();
        let var_at = |offset: u64| {
            let index = vars.binary_search_by_key(&offset, |v| v.0).expect("every access has its part");
            vars[index].2
        };
        self.access.insert(alloca, Access::Drop);
        for access in list {
            let what = match access.kind {
                UseKind::Load(_) => Access::Load(var_at(access.offset)),
                UseKind::Store(_) => Access::Store(var_at(access.offset)),
                UseKind::Zero(size) => {
                    let inside = vars.iter().filter(|v| v.0 >= access.offset && v.1 <= access.offset + size);
                    Access::Zero(inside.map(|v| v.2).collect())
                }
                UseKind::Address => Access::Drop,
            };
            self.access.insert(access.inst, what);
        }
    }
}

/// For each pointer that is derived from an alloca, the instructions that use it. A use
/// by a branch target is listed as the terminator.
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

/// All uses of an alloca, or none if its address gets away.
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
            // An access outside the object is undefined; leave such memory alone.
            if offset.checked_add(size)? > room {
                return None;
            }
            list.push(Use { inst: id, offset, kind });
        }
    }
    Some(list)
}

/// Adds block parameters; for each block, the variables that its last parameters hold.
fn place_params(func: &mut Function, plan: &Plan, cfg: &Cfg, dom: &DomTree) -> IdMap<Block, Vec<Var>> {
    let frontiers = dominance_frontiers(func, cfg, dom);
    let (defs, uses) = def_and_use_blocks(func, plan, cfg);
    let preds_of = |block: Block| cfg.preds(block);
    let mut params: IdMap<Block, Vec<Var>> = IdMap::with_len(Vec::new(), func.blocks.len());
    // Stamps instead of clearing a set for each variable.
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

/// For each variable: blocks that define it, and blocks that read it before defining it.
fn def_and_use_blocks(func: &Function, plan: &Plan, cfg: &Cfg) -> (VarBlocks, VarBlocks) {
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
                Some(Access::Load(var)) => {
                    if defs[*var].last() != Some(&block) && uses[*var].last() != Some(&block) {
                        uses[*var].push(block);
                    }
                }
                Some(Access::Store(var)) => define(*var),
                Some(Access::Zero(vars)) => vars.iter().copied().for_each(define),
                Some(Access::Drop) | None => {}
            }
        }
    }
    (defs, uses)
}

/// Walks the dominator tree with the current value of each variable.
struct Renamer<'a> {
    func: &'a mut Function,
    plan: &'a Plan,
    dom: &'a DomTree,
    params: IdMap<Block, Vec<Var>>,
    current: IdMap<Var, Option<Value>>,
    /// What a removed load's result is now.
    alias: IdMap<Value, Option<Value>>,
    zeros: FastMap<Type, Value>,
}

enum Step {
    Enter(Block),
    /// Restores variables on the way up.
    Leave(Vec<(Var, Option<Value>)>),
}

impl<'a> Renamer<'a> {
    fn new(func: &'a mut Function, plan: &'a Plan, dom: &'a DomTree, params: IdMap<Block, Vec<Var>>) -> Self {
        let alias = IdMap::with_len(None, func.values.len());
        let current = IdMap::with_len(None, plan.vars.len());
        Renamer { func, plan, dom, params, current, alias, zeros: FastMap::default() }
    }

    fn run(mut self) {
        let mut stack = vec![Step::Enter(self.func.entry())];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(undo) => {
                    for (var, old) in undo.into_iter().rev() {
                        self.current[var] = old;
                    }
                }
                Step::Enter(block) => {
                    let undo = self.block(block);
                    stack.push(Step::Leave(undo));
                    stack.extend(self.dom.children(block).iter().map(|&c| Step::Enter(c)));
                }
            }
        }
        // Undefined variables read as zero; the constants stand at the very start.
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
                Some(Access::Drop) => {}
                Some(Access::Load(var)) => {
                    let value = self.get(*var);
                    let inst = &self.func.insts[id];
                    let (ty, loc, result) = (inst.ty, inst.loc, inst.result.expect("a load has a result"));
                    let value = self.cast(block, value, ty, loc);
                    self.alias[result] = Some(value);
                }
                Some(Access::Store(var)) => {
                    let inst = &self.func.insts[id];
                    let (value, loc) = (inst.args[1], inst.loc);
                    let value = self.cast(block, value, self.plan.vars[*var], loc);
                    self.set(*var, value, &mut undo);
                }
                Some(Access::Zero(vars)) => {
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
            // Its definition follows at the end of the walk.
            let def = crate::ir::Def::Param(func.entry(), u32::MAX);
            func.values.push(crate::ir::ValueData { ty, def })
        })
    }

    fn cast(&mut self, block: Block, value: Value, ty: Type, loc: u32) -> Value {
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        b.convert(Op::Bitcast, ty, value)
    }

    fn resolve_operands(&mut self, id: InstId) {
        let alias = &self.alias;
        let inst = &mut self.func.insts[id];
        for arg in inst.uses_mut() {
            if let Some(value) = alias[*arg] {
                *arg = value;
            }
        }
    }

    /// Hands the current values to the parameters of the successors.
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

/// Copies the instructions that make a zero; the last one defines `value`.
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
            func.values[value].def = crate::ir::Def::Inst(new);
            value
        } else {
            func.values.push(crate::ir::ValueData { ty: inst.ty, def: crate::ir::Def::Inst(new) })
        };
        inst.result = Some(result);
        func.insts.push(inst);
        out.push(new);
        previous = Some(result);
    }
}
