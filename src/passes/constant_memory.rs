//! Contents of constant variables that are known when a kernel is compiled.

use std::borrow::Cow;

use grus_ir::{Function, Global, GlobalId, GlobalSpace, Module, Op, Value};

/// Returns the contents of a variable that nothing can change, and that holds no addresses.
pub(crate) fn contents(variable: &Global) -> Option<Cow<'_, [u8]>> {
    let is_constant = variable.space == GlobalSpace::Constant && variable.is_defined;
    (is_constant && variable.relocs.is_empty()).then(|| {
        if variable.init.is_empty() {
            Cow::Owned(vec![0; variable.size as usize])
        } else {
            Cow::Borrowed(&variable.init[..])
        }
    })
}

/// Returns the bytes that lie at an address, if they are known.
pub(crate) fn bytes_at(func: &Function, module: &Module, address: Value, size: u64) -> Option<Vec<u8>> {
    let (variable, offset) = variable_address(func, address)?;
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    contents(&module.globals[variable])?.get(start..end).map(<[u8]>::to_vec)
}

/// Returns the bits of a number of at most 8 bytes.
pub(crate) fn bits_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// Returns the variable in which an address lies, and its offset there, if that is constant.
pub(crate) fn variable_address(func: &Function, mut address: Value) -> Option<(GlobalId, i64)> {
    let mut offset = 0i64;
    loop {
        let inst = func.def_inst(address)?;
        match inst.op {
            Op::PtrAdd if !inst.ty.is_vector() => {
                offset = offset.checked_add(func.as_const(inst.args[1])? as i64)?;
                address = inst.args[0];
            }
            Op::GlobalAddr => return Some((inst.global(), offset)),
            _ => return None,
        }
    }
}
