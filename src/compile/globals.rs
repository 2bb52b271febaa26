//! Program-scope variables: one allocation for each artifact, which lives as long as it. Kernels write the
//! variables, and their contents persist between launches (s6.7.6).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use grus_ir::{Global, GlobalId, GlobalSpace, Module};
use grus_support::{IdMap, memory};

/// Alignment of the allocation.
// Source: the largest alignment that the language has, that of `long16` and `double16` (s6.1.5).
const ALIGN: u64 = 128;

/// Reason why the variables could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobalsError {
    /// The variables are larger than the address space.
    #[error("program-scope variables are too large")]
    TooLarge,
    /// Not enough memory; a later attempt may succeed.
    #[error("no memory for program-scope variables")]
    Memory,
}

/// Program-scope variables in memory.
#[derive(Debug)]
pub struct GlobalMemory {
    block: NonNull<u8>,
    layout: Layout,
    addresses: IdMap<GlobalId, u64>,
    variable_size: u64,
}

// SAFETY: `block` is freed only by `drop`. Its contents are accessed by kernels through raw addresses, and their
// data races are the program's responsibility.
unsafe impl Send for GlobalMemory {}
// SAFETY: once `new` has returned, methods with `&self` only read `addresses` and sizes, which never change; none
// of them accesses the block.
unsafe impl Sync for GlobalMemory {}

impl GlobalMemory {
    /// Allocates and initializes the variables of a module.
    ///
    /// # Errors
    /// If there is not enough memory, or the variables are larger than the address space.
    pub fn new(module: &Module) -> Result<GlobalMemory, GlobalsError> {
        let mut offsets = IdMap::with_len(0, module.globals.len());
        let (mut end, mut variable_size) = (0u64, 0u64);
        for (id, global) in module.globals.iter().filter(|(_, g)| has_place(g)) {
            let start = end.next_multiple_of(global.align.clamp(1, ALIGN));
            end = start.checked_add(global.size).ok_or(GlobalsError::TooLarge)?;
            offsets[id] = start;
            if global.space == GlobalSpace::Global {
                variable_size += global.size;
            }
        }
        let size = usize::try_from(end.max(1)).map_err(|_| GlobalsError::TooLarge)?;
        let layout = Layout::from_size_align(size, ALIGN as usize).map_err(|_| GlobalsError::TooLarge)?;
        memory::expect(size);
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(GlobalsError::Memory)?;
        let base = block.as_ptr() as u64;
        let mut addresses = offsets;
        for (id, global) in module.globals.iter() {
            if has_place(global) {
                addresses[id] += base;
            }
        }
        let memory = GlobalMemory { block, layout, addresses, variable_size };
        memory.initialize(module);
        Ok(memory)
    }

    fn initialize(&self, module: &Module) {
        for (id, global) in module.globals.iter().filter(|(_, g)| has_place(g)) {
            memory::expect(global.init.len().max(global.relocs.len() * 8));
            let mut bytes = global.init.clone();
            if !global.relocs.is_empty() {
                bytes.resize(global.size as usize, 0);
            }
            for &(offset, target, addend) in &global.relocs {
                let address = self.addresses[target].wrapping_add_signed(addend);
                bytes[offset as usize..offset as usize + 8].copy_from_slice(&address.to_le_bytes());
            }
            let start = (self.addresses[id] - self.block.as_ptr() as u64) as usize;
            assert!(
                start + bytes.len() <= self.layout.size(),
                "an initial value is not larger than its variable"
            );
            // SAFETY: the range is within the block, as just checked; no other thread has access to the block yet.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block.as_ptr().add(start), bytes.len())
            };
        }
    }

    /// Returns the host address of each variable that is not `local`.
    pub fn addresses(&self) -> &IdMap<GlobalId, u64> {
        &self.addresses
    }

    /// Returns the size of the variables in the global address space, in bytes.
    pub fn variable_size(&self) -> u64 {
        self.variable_size
    }
}

/// Checks whether a variable is stored in the block. A variable that is only declared is not used either.
fn has_place(global: &Global) -> bool {
    global.space != GlobalSpace::Local && global.is_defined
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}
