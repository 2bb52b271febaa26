//! Code and arguments of a kernel's launches, which do not depend on the range.
//!
//! All launches between two changes of a kernel's arguments share one [`BoundLaunch`]. It holds no memory object,
//! so the kernel can keep it. Its memory is reused: by the kernel, if no launch uses it any more when an argument
//! changes; otherwise by the next kernel whose arguments are bound on the thread that ran the last launch.

use std::cell::RefCell;
use std::sync::Arc;

use crate::compile::KernelCode;
use grus_exec::{ArgBlock, Inputs};

/// Code and arguments of a launch.
#[derive(Default)]
pub(super) struct BoundLaunch {
    /// Code to run; none while this waits for reuse.
    code: Option<KernelCode>,
    inputs: Inputs,
}

/// Maximum number of unused `BoundLaunch`es that a thread keeps.
// Arbitrary.
const MAX_SPARES: usize = 1024;

thread_local! {
    static SPARES: RefCell<Vec<Arc<BoundLaunch>>> = const { RefCell::new(Vec::new()) };
}

/// Prepares the thread, see [`super::first_call`].
pub(super) fn init_thread_locals() {
    let _ = SPARES.try_with(|_| ());
}

impl BoundLaunch {
    /// Binds `code` to the arguments in `block`. `local` is the same as for [`Inputs::prepare`]; `before` is the
    /// kernel's previous `BoundLaunch`, whose memory is reused if possible; `updated_size` the one for
    /// [`Inputs::set_updated_sizes`].
    pub fn new(
        before: Option<Arc<BoundLaunch>>,
        code: &KernelCode,
        block: &ArgBlock,
        local: impl IntoIterator<Item = (u32, u64)>,
        updated_size: impl Fn(u32) -> u64,
    ) -> Arc<BoundLaunch> {
        let spare = || SPARES.try_with(|spares| spares.borrow_mut().pop()).ok().flatten();
        let own = before.filter(|before| Arc::strong_count(before) == 1);
        let mut prepared = own.or_else(spare).unwrap_or_default();
        if Arc::get_mut(&mut prepared).is_none() {
            prepared = Arc::default();
        }
        if let Some(prepared) = Arc::get_mut(&mut prepared) {
            prepared.fill(code, block, local);
            prepared.inputs.set_updated_sizes(&code.kernel, updated_size);
        }
        prepared
    }

    fn fill(&mut self, code: &KernelCode, block: &ArgBlock, local: impl IntoIterator<Item = (u32, u64)>) {
        if self.code.as_ref().is_none_or(|mine| !Arc::ptr_eq(&mine.kernel, &code.kernel)) {
            self.code = Some(code.clone());
        }
        self.inputs.args().copy_from(block);
        self.inputs.prepare(&code.kernel, local);
    }

    /// Returns the code and its inputs; none while this waits for reuse.
    pub fn parts(&self) -> Option<(&KernelCode, &Inputs)> {
        self.code.as_ref().map(|code| (code, &self.inputs))
    }

    /// Keeps the memory for reuse if no other launch uses it.
    pub fn recycle(mut self: Arc<BoundLaunch>) {
        if Arc::strong_count(&self) != 1 {
            return;
        }
        let Some(inner) = Arc::get_mut(&mut self) else { return };
        inner.code = None;
        // The list of a thread that is ending is gone already.
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < MAX_SPARES {
                spares.push(self);
            }
        });
    }
}
