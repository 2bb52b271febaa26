//! Definition of closure switches: a chain of comparisons of the closure's descriptor with those of all literals of
//! the signature. A closure of no literal returns zero; no program can create one.

use grus_ir::{
    Attr, Builder, ClosureSwitch, FuncId, Function, GlobalId, IntCond, Linkage, Mem, Module, Op, Type, Value,
};
use grus_support::{FastMap, FastSet, IdMap};

use super::scalar::inline::callees;

/// Defines every closure switch that is called, and returns the descriptors that they compare. The module must be
/// complete.
pub fn define_closure_switches(module: &mut Module) -> FastSet<GlobalId> {
    let mut descriptors = FastSet::default();
    let closure_switches = std::mem::take(&mut module.closure_switches);
    if closure_switches.is_empty() {
        return descriptors;
    }
    let mut called = IdMap::with_len(false, module.funcs.len());
    for func in module.funcs.values() {
        callees(func).into_iter().for_each(|callee| called[callee] = true);
    }
    for closure_switch in closure_switches.iter().filter(|d| called[d.func]) {
        let declared = &module.funcs[closure_switch.func];
        let body = define(closure_switch, declared);
        module.funcs[closure_switch.func] = body;
        descriptors.extend(closure_switch.blocks.iter().map(|b| b.0));
    }
    descriptors
}

/// Replaces loads of the descriptor from a known closure object: a constant, or one that this function creates.
/// Returns whether there were any. `promote` cannot remove these loads, because in the unreachable branches for
/// other closures the object is accessed as one of theirs.
pub fn fold_descriptors(func: &mut Function, descriptors: &FastSet<GlobalId>) -> bool {
    let closures = closures(func, descriptors);
    let mut changed = false;
    for id in func.insts.ids() {
        let inst = &func.insts[id];
        if inst.op != Op::Load || inst.ty != Type::CONSTANT {
            continue;
        }
        let pointer = without_casts(func, inst.args[0]);
        let known = closures.get(&pointer).copied().flatten();
        let constant = || global_addr(func, pointer).filter(|g| descriptors.contains(g));
        if let Some(descriptor) = known.or_else(constant) {
            let inst = &mut func.insts[id];
            (inst.op, inst.attr) = (Op::GlobalAddr, Attr::Global(descriptor));
            inst.args.clear();
            changed = true;
        }
    }
    changed
}

/// Returns the closure objects that are created here, with the descriptor that is stored to their first word, or
/// `None` if several are. Only the literal stores to that word.
fn closures(func: &Function, descriptors: &FastSet<GlobalId>) -> FastMap<Value, Option<GlobalId>> {
    let mut found = FastMap::default();
    for inst in func.instructions() {
        if inst.op != Op::Store || func.def_inst(inst.args[0]).is_none_or(|def| def.op != Op::Alloca) {
            continue;
        }
        let descriptor = global_addr(func, inst.args[1]).filter(|g| descriptors.contains(g));
        let known = found.entry(inst.args[0]).or_insert(descriptor);
        *known = known.filter(|known| descriptor == Some(*known));
    }
    found
}

fn without_casts(func: &Function, mut value: Value) -> Value {
    while let Some(def) = func.def_inst(value).filter(|def| def.op == Op::Bitcast) {
        value = def.args[0];
    }
    value
}

fn global_addr(func: &Function, value: Value) -> Option<GlobalId> {
    match func.def_inst(value)?.attr {
        Attr::Global(global) => Some(global),
        _ => None,
    }
}

fn define(closure_switch: &ClosureSwitch, declared: &Function) -> Function {
    let mut func = Function::new(declared.name.clone(), declared.ret);
    func.linkage = Linkage::Internal;
    let entry = func.add_block();
    let params: Vec<Value> = closure_switch.params.iter().map(|&ty| func.add_param(entry, ty)).collect();
    let mut b = Builder::new(&mut func, entry);
    let descriptor = b.load(Type::CONSTANT, params[usize::from(closure_switch.block)], Mem::aligned(8));
    for &(global, invoke) in &closure_switch.blocks {
        let (found, other) = (b.func.add_block(), b.func.add_block());
        let candidate = b.value(Op::GlobalAddr, Type::CONSTANT, &[], Attr::Global(global));
        let same = b.icmp(IntCond::Eq, descriptor, candidate);
        b.br_if(same, found, other);
        b.switch_to(found);
        call(&mut b, invoke, &params);
        b.switch_to(other);
    }
    if b.func.ret == Type::VOID {
        b.ret(&[]);
    } else {
        let zero = b.zero(b.func.ret);
        b.ret(&[zero]);
    }
    func
}

/// Emits a call and the return of its result.
fn call(b: &mut Builder<'_>, callee: FuncId, args: &[Value]) {
    let ret = b.func.ret;
    let inst = b.inst(Op::Call, ret, args, Attr::Func(callee), Vec::new());
    let result: Vec<Value> = b.func.insts[inst].result.into_iter().collect();
    b.ret(&result);
}
