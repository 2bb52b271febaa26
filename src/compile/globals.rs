//! Program-scope variables: one block of memory for each artifact, alive as long as
//! it, written by kernels, persisting between launches (s6.7.6).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::ir::{Global, GlobalId, GlobalSpace, Module};
use crate::support::{IdMap, memory};

/// Alignment of the block; no variable wants more.
const ALIGN: u64 = 128;

/// Why variables have no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoGlobals {
    /// They are larger than any memory.
    TooLarge,
    /// There is not enough memory. There may be later.
    Memory,
}

impl std::fmt::Display for NoGlobals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoGlobals::TooLarge => "program-scope variables are too large",
            NoGlobals::Memory => "no memory for program-scope variables",
        })
    }
}

/// Static variables in memory.
#[derive(Debug)]
pub struct GlobalMemory {
    block: NonNull<u8>,
    layout: Layout,
    addresses: IdMap<GlobalId, u64>,
    variable_size: u64,
}

// SAFETY: the block is only touched by kernels, whose races are the program's business.
unsafe impl Send for GlobalMemory {}
// SAFETY: as above.
unsafe impl Sync for GlobalMemory {}

impl GlobalMemory {
    /// Places and initialises the variables of a module.
    ///
    /// # Errors
    /// If they take more memory than there is, now or ever.
    pub fn new(module: &Module) -> Result<GlobalMemory, NoGlobals> {
        let mut offsets = IdMap::with_len(0, module.globals.len());
        let (mut end, mut variable_size) = (0u64, 0u64);
        for (id, global) in module.globals.iter().filter(|(_, g)| has_place(g)) {
            let start = end.next_multiple_of(global.align.clamp(1, ALIGN));
            end = start.checked_add(global.size).ok_or(NoGlobals::TooLarge)?;
            offsets[id] = start;
            if global.space == GlobalSpace::Global {
                variable_size += global.size;
            }
        }
        let size = usize::try_from(end.max(1)).map_err(|_| NoGlobals::TooLarge)?;
        let layout = Layout::from_size_align(size, ALIGN as usize).map_err(|_| NoGlobals::TooLarge)?;
        memory::expect(size);
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(NoGlobals::Memory)?;
        let base = block.as_ptr() as u64;
        let mut addresses = offsets;
        for (id, global) in module.globals.iter() {
            if has_place(global) {
                addresses[id] += base;
            }
        }
        let memory = GlobalMemory { block, layout, addresses, variable_size };
        memory.initialise(module);
        Ok(memory)
    }

    fn initialise(&self, module: &Module) {
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
            // SAFETY: within the block, as just checked; nobody else has it yet.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block.as_ptr().add(start), bytes.len())
            };
        }
    }

    /// Host address of each variable that is not `local`.
    pub fn addresses(&self) -> &IdMap<GlobalId, u64> {
        &self.addresses
    }

    /// Bytes of variables in the global address space.
    pub fn variable_size(&self) -> u64 {
        self.variable_size
    }
}

/// Whether a variable lies in the block. One that is declared only is not used either.
fn has_place(global: &Global) -> bool {
    global.space != GlobalSpace::Local && global.is_defined
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}
