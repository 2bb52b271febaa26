//! What launches of a kernel run and read, besides their range.
//!
//! The launches between two changes of a kernel's arguments share it, and it holds no memory object, so the kernel can
//! keep it. Its memory is used again: by the kernel, if no launch has it any more when an argument changes, else by
//! whatever kernel's arguments are prepared next on the thread that ran the last launch.

use std::cell::RefCell;
use std::sync::Arc;

use crate::compile::Artifact;
use crate::exec::{ArgBlock, CompiledKernel, Inputs};

/// Code and arguments of a kernel.
#[derive(Default)]
pub(super) struct BoundLaunch {
    /// None while this waits to be used again.
    code: Option<KernelCode>,
    inputs: Inputs,
}

/// What a launch runs.
#[derive(Clone)]
pub(super) struct KernelCode {
    /// The program, with its variables, and the kernel's place in it.
    pub program: Arc<Artifact>,
    pub index: usize,
    pub kernel: Arc<CompiledKernel>,
}

/// So many a thread keeps the memory of.
const SPARE: usize = 1024;

thread_local! {
    static SPARES: RefCell<Vec<Arc<BoundLaunch>>> = const { RefCell::new(Vec::new()) };
}

/// See [`super::first_call`].
pub(super) fn note_thread() {
    let _ = SPARES.try_with(|_| ());
}

impl BoundLaunch {
    /// `code` with the arguments of `block`; `local` as for [`Inputs::prepare`]. `before` is what the kernel had prepared
    /// last.
    pub fn new(
        before: Option<Arc<BoundLaunch>>,
        code: &KernelCode,
        block: &ArgBlock,
        local: impl IntoIterator<Item = (u32, u64)>,
    ) -> Arc<BoundLaunch> {
        let spare = || SPARES.try_with(|spares| spares.borrow_mut().pop()).ok().flatten();
        let own = before.filter(|before| Arc::strong_count(before) == 1);
        let mut prepared = own.or_else(spare).unwrap_or_default();
        if Arc::get_mut(&mut prepared).is_none() {
            prepared = Arc::default();
        }
        if let Some(prepared) = Arc::get_mut(&mut prepared) {
            prepared.fill(code, block, local);
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

    /// The code, and what it reads.
    pub fn parts(&self) -> Option<(&KernelCode, &Inputs)> {
        self.code.as_ref().map(|code| (code, &self.inputs))
    }

    /// A launch does not need it any more.
    pub fn let_go(mut self: Arc<BoundLaunch>) {
        if Arc::strong_count(&self) != 1 {
            return;
        }
        let Some(inner) = Arc::get_mut(&mut self) else { return };
        inner.code = None;
        // A thread that is ending has none any more.
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < SPARE {
                spares.push(self);
            }
        });
    }
}
