//! Blocks as kernels (s6.13.17): every block literal that may be enqueued is a kernel entry, which is found by the
//! address of its descriptor.

use serde::{Deserialize, Serialize};

use super::{Artifact, GlobalMemory, KernelDescription, KernelEntry, KernelInfo};
use grus_clc::tree::{LocalId, Unit};
use grus_clc::types::Type;
use grus_exec::{EnqueuedBlock, Program};
use grus_ir::abi::Param;
use grus_ir::{Attr, FuncId, Global, GlobalId, Helper, Module};
use grus_spirv::EnqueuedFunction;
use grus_support::{FastMap, Id, IdMap};

/// Additional data of a kernel entry that is the body of a block.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BlockEntry {
    /// Variable that is the block's descriptor.
    descriptor: u32,
    /// Size of its closure object in bytes.
    closure_size: u32,
}

impl BlockEntry {
    fn descriptor(&self) -> GlobalId {
        GlobalId::new(self.descriptor as usize)
    }

    /// Returns the entry for a module in which variables have other ids.
    pub(super) fn moved(&self, globals: &IdMap<GlobalId, GlobalId>) -> BlockEntry {
        BlockEntry { descriptor: globals[self.descriptor()].index() as u32, ..*self }
    }

    /// Checks whether the entry is valid in this module, with these parameters.
    pub(super) fn fits(&self, module: &Module, params: &[Param]) -> bool {
        let is_descriptor = |global: &Global| {
            global.is_defined
                && global.init.get(8..16) == Some(&u64::from(self.closure_size).to_le_bytes()[..])
        };
        let locals = params.len().saturating_sub(1);
        module.globals.get(self.descriptor()).is_some_and(is_descriptor) && params == self.params(locals)
    }

    /// Returns the offsets of the parameters in the argument block.
    fn params(&self, locals: usize) -> Vec<Param> {
        let first = self.closure_size.next_multiple_of(8);
        let locals = (0..locals as u32).map(|i| Param::Local(first + 8 * i));
        std::iter::once(Param::Struct(0)).chain(locals).collect()
    }
}

/// Describes the blocks of a unit that can be enqueued: those that return nothing and whose parameters are all
/// pointers to local memory. `bodies` are the functions of the unit's blocks. The closure object is at the
/// beginning of the argument block.
pub(super) fn describe(unit: &Unit, bodies: &[FuncId]) -> Vec<KernelDescription> {
    let mut found = Vec::new();
    for (block, &func) in unit.blocks.iter().zip(bodies) {
        let Type::Block(ty) = unit.types.get(block.ty) else { continue };
        let is_local =
            |ty| matches!(unit.types.get(ty), Type::Pointer(to) if to.space == grus_clc::types::Space::Local);
        let returns = !matches!(unit.types.get(ty.ret), Type::Void);
        if returns || !ty.params.iter().all(|&param| is_local(param)) {
            continue;
        }
        let body = &unit.functions[block.invoke];
        let Type::Pointer(closure) = unit.types.get(body.locals[LocalId::new(0)].ty.ty) else { continue };
        let Ok(closure_size) = u32::try_from(unit.types.size_of(closure.ty)) else { continue };
        let info = KernelInfo { name: body.name.clone(), ..KernelInfo::default() };
        let block = BlockEntry { descriptor: block.descriptor.index() as u32, closure_size };
        found.push(KernelDescription {
            func,
            info,
            params: block.params(ty.params.len()),
            block: Some(block),
        });
    }
    found
}

/// Describes a function of a module in SPIR-V that kernels enqueue.
pub(super) fn describe_function(function: &EnqueuedFunction) -> KernelDescription {
    let descriptor = function.descriptor.index() as u32;
    let block = BlockEntry { descriptor, closure_size: function.closure_size };
    KernelDescription {
        func: function.func,
        info: KernelInfo { name: function.name.clone(), ..KernelInfo::default() },
        params: block.params(function.locals),
        block: Some(block),
    }
}

/// Removes the entries of blocks if no function of the program enqueues.
pub(super) fn retain_enqueued(module: &Module, kernels: &mut Vec<KernelDescription>) {
    let has_blocks = kernels.iter().any(|kernel| kernel.block.is_some());
    let enqueues = || {
        let mut all = module.funcs.values().flat_map(|func| func.instructions());
        all.any(|inst| inst.attr == Attr::Helper(Helper::Enqueue))
    };
    if has_blocks && !enqueues() {
        kernels.retain(|kernel| kernel.block.is_none());
    }
}

/// Returns the indices of block entries, by the addresses of their descriptors.
pub(super) fn by_descriptor(entries: &[KernelEntry], globals: &GlobalMemory) -> FastMap<u64, usize> {
    let blocks = entries.iter().enumerate().filter_map(|(i, entry)| Some((i, entry.block?)));
    blocks.map(|(i, block)| (globals.addresses()[block.descriptor()], i)).collect()
}

impl Program for Artifact {
    fn block(&self, descriptor: u64) -> Option<EnqueuedBlock<'_>> {
        let index = *self.blocks.get(&descriptor)?;
        let entry = &self.entries[index];
        Some(EnqueuedBlock {
            name: &entry.name,
            kernel: self.generic_code(index).ok(),
            closure_size: entry.block?.closure_size as usize,
            locals: entry.params.len() - 1,
            sub_group: self.sub_group_size(index).ok()?,
        })
    }

    fn is_debugged(&self) -> bool {
        self.settings.debug
    }
}
