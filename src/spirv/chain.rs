//! Forms of access chains, the instructions that compute addresses.

use crate::grammar::Opcode;

/// Form of an access chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    /// True if the type of the base's memory is an operand of its own.
    pub is_untyped: bool,
    /// True if the first index counts objects of the base's type.
    pub has_element: bool,
}

impl Chain {
    /// Returns the form of an access chain, or `None` if the instruction is another.
    pub(crate) fn of(opcode: Opcode) -> Option<Chain> {
        use Opcode::*;
        let (is_untyped, has_element) = match opcode {
            AccessChain | InBoundsAccessChain => (false, false),
            PtrAccessChain | InBoundsPtrAccessChain => (false, true),
            UntypedAccessChainKHR | UntypedInBoundsAccessChainKHR => (true, false),
            UntypedPtrAccessChainKHR | UntypedInBoundsPtrAccessChainKHR => (true, true),
            _ => return None,
        };
        Some(Chain { is_untyped, has_element })
    }
}
