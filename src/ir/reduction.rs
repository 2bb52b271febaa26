//! Reductions that combine the operands of atomic operations.

use super::{Reduction, Rmw};

impl Rmw {
    /// Returns the reduction that combines operands; none if they cannot be combined as integers. A sequence of
    /// subtractions subtracts the sum.
    pub fn reduction(self) -> Option<Reduction> {
        Some(match self {
            Rmw::Add | Rmw::Sub => Reduction::Add,
            Rmw::And => Reduction::And,
            Rmw::Or => Reduction::Or,
            Rmw::Xor => Reduction::Xor,
            Rmw::Smin => Reduction::Smin,
            Rmw::Smax => Reduction::Smax,
            Rmw::Umin => Reduction::Umin,
            Rmw::Umax => Reduction::Umax,
            Rmw::Xchg | Rmw::Fadd | Rmw::Fmin | Rmw::Fmax => return None,
        })
    }
}
