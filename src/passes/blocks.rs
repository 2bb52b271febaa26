//! Defines dispatchers: a chain of comparisons of the closure's identity with those of all
//! literals of the signature. A closure of none, which no program can make, gives zero.

use crate::ir::{
    Attr, Builder, Dispatcher, FuncId, Function, IntCond, Linkage, Mem, Module, Op, Type, Value,
};
use crate::support::IdMap;

use super::scalar::inline::callees;

/// Gives a body to every dispatcher that is called. The module must be whole.
pub fn define_dispatchers(module: &mut Module) {
    let dispatchers = std::mem::take(&mut module.dispatchers);
    if dispatchers.is_empty() {
        return;
    }
    let mut called = IdMap::with_len(false, module.funcs.len());
    for func in module.funcs.values() {
        callees(func).into_iter().for_each(|callee| called[callee] = true);
    }
    for dispatcher in dispatchers.iter().filter(|d| called[d.func]) {
        let declared = &module.funcs[dispatcher.func];
        let body = define(dispatcher, declared);
        module.funcs[dispatcher.func] = body;
    }
}

fn define(dispatcher: &Dispatcher, declared: &Function) -> Function {
    let mut func = Function::new(declared.name.clone(), declared.ret);
    func.linkage = Linkage::Internal;
    let entry = func.add_block();
    let params: Vec<Value> = dispatcher.params.iter().map(|&ty| func.add_param(entry, ty)).collect();
    let mut b = Builder::new(&mut func, entry);
    let identity =
        b.load(Type::CONSTANT, params[usize::from(dispatcher.block)], Mem { align: 8, volatile: false });
    for &(global, invoke) in &dispatcher.blocks {
        let (found, other) = (b.func.add_block(), b.func.add_block());
        let candidate = b.value(Op::GlobalAddr, Type::CONSTANT, &[], Attr::Global(global));
        let same = b.icmp(IntCond::Eq, identity, candidate);
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

/// Calls, and returns what comes back.
fn call(b: &mut Builder<'_>, callee: FuncId, args: &[Value]) {
    let ret = b.func.ret;
    let inst = b.inst(Op::Call, ret, args, Attr::Func(callee), Vec::new());
    let result: Vec<Value> = b.func.insts[inst].result.into_iter().collect();
    b.ret(&result);
}
