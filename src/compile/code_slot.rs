//! Storage for the code of a kernel, which is generated at first use.

use std::sync::{Arc, OnceLock};

use super::CodeError;
use super::artifact::Generated;
use grus_exec::ProfiledKernel;
use grus_support::sync::Mutex;

/// Code of a kernel once it has been generated, or the error. Lack of memory is not stored: a later attempt may
/// succeed.
#[derive(Debug, Default)]
pub(super) struct CodeSlot {
    code: OnceLock<Generated>,
    /// Held by the thread that generates the code. A `OnceLock` alone would also store an error for lack of memory.
    making: Mutex<()>,
}

impl CodeSlot {
    /// Returns the code or the error, if there is one already.
    pub fn get(&self) -> Option<&Generated> {
        self.code.get()
    }

    /// Returns the code. The first caller generates it with `make`; concurrent callers wait.
    ///
    /// # Errors
    /// The error of this or an earlier call of `make`.
    pub fn get_or_make(&self, make: impl FnOnce() -> Generated) -> Result<&Arc<ProfiledKernel>, CodeError> {
        let kept = || self.code.get().map(|kept| kept.as_ref().map_err(CodeError::clone));
        if let Some(kept) = kept() {
            return kept;
        }
        let _making = self.making.lock();
        if let Some(kept) = kept() {
            return kept;
        }
        match make() {
            Err(CodeError::Memory) => Err(CodeError::Memory),
            made => self.code.get_or_init(|| made).as_ref().map_err(CodeError::clone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_are_kept_and_want_of_memory_is_not() {
        let slot = CodeSlot::default();
        let say = |why: CodeError| slot.get_or_make(|| Err(why)).err();
        assert!(matches!(say(CodeError::Memory), Some(CodeError::Memory)));
        assert!(slot.get().is_none());
        assert!(matches!(say(CodeError::MissingFunction), Some(CodeError::MissingFunction)));
        let again = slot.get_or_make(|| panic!("it is not made again")).err();
        assert!(matches!(again, Some(CodeError::MissingFunction)));
    }
}
