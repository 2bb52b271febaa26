//! Text of a program: what it was created from, unless that is a binary.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::Context;
use super::error::{Error, Result};
use crate::compile::{self, IlError, IlModule};

/// Text of a program.
pub(super) enum ProgramText {
    Source(String),
    Il(IlText),
    /// A binary, or the result of a link.
    None,
}

/// Module in SPIR-V.
pub(super) struct IlText {
    pub module: Arc<IlModule>,
    /// True if the application's bytes are in the other byte order than the machine's.
    is_swapped: bool,
    /// Size in bytes of each specialization constant, by its SpecId.
    constants: BTreeMap<u32, u8>,
}

impl IlText {
    /// Reads a module. The context is told what is wrong with it.
    pub fn read(context: &Context, bytes: &[u8]) -> Result<IlText> {
        let module = compile::read_il(bytes).map_err(|error| match error {
            IlError::Form(_) => {
                context.report(&format!("the module is invalid: {error}"));
                Error::InvalidValue
            }
            IlError::Memory | IlError::Panic(_) => Error::OutOfHostMemory,
        })?;
        let constants = compile::spec_constants(&module);
        Ok(IlText { module, is_swapped: compile::is_il_swapped(bytes), constants })
    }

    /// Returns the bytes as the application passed them.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let words = self.module.words();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size_of_val(&words[..]))?;
        let in_order = |&word: &u32| if self.is_swapped { word.swap_bytes() } else { word };
        bytes.extend(words.iter().map(in_order).flat_map(u32::to_ne_bytes));
        Ok(bytes)
    }

    /// Returns the size in bytes of a specialization constant.
    pub fn size_of_constant(&self, spec_id: u32) -> Result<usize> {
        self.constants.get(&spec_id).map(|&size| size.into()).ok_or(Error::InvalidSpecId)
    }
}
