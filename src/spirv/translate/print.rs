//! `printf`, whose arguments are stored in memory for the runtime.

use grus_ir::Value;

use super::function::{FunctionTranslator, Result};
use crate::error::Fault;

impl FunctionTranslator<'_, '_> {
    /// Translates a call of printf.
    pub(super) fn printf(&mut self, words: &[u32]) -> Result<()> {
        let format = self.value(words, 5)?;
        if !self.b.func.ty(format).kind.is_ptr() {
            return Err(Fault::at(5, "the format is no pointer"));
        }
        let mut args = Vec::<Value>::new();
        for at in 6..words.len() {
            let value = self.value(words, at)?;
            args.push(self.widened(value));
        }
        let value = self.b.printf(self.entry, format, &args);
        self.result(words, value)
    }
}
