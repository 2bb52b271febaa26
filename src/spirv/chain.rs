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
    /// Returns the form of an instruction that is an access chain.
    pub(crate) fn of(opcode: Opcode) -> Chain {
        use Opcode::*;
        let is_untyped = matches!(
            opcode,
            UntypedAccessChainKHR
                | UntypedInBoundsAccessChainKHR
                | UntypedPtrAccessChainKHR
                | UntypedInBoundsPtrAccessChainKHR
        );
        let has_element = matches!(
            opcode,
            PtrAccessChain
                | InBoundsPtrAccessChain
                | UntypedPtrAccessChainKHR
                | UntypedInBoundsPtrAccessChainKHR
        );
        Chain { is_untyped, has_element }
    }
}
