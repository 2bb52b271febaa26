//! Blocks of a function: where they begin and end, which precede which, and the order of their translation.

use std::ops::Range;

use grus_support::post_order;
use grus_support::{FastMap, Id as _};

use crate::error::Fault;
use crate::grammar::Opcode;
use crate::module::{FunctionRange, Id, Module};

grus_support::define_id!(
    /// Block of a function.
    BlockId,
    "block"
);

/// Block of a function.
#[derive(Clone, Debug)]
pub(super) struct BlockRange {
    pub label: Id,
    /// Position behind OpLabel.
    pub start: u32,
    /// Position of the terminator.
    pub end: u32,
    /// Its φ, by their numbers in the list of all.
    phis: Range<usize>,
}

/// Control-flow graph of a function.
#[derive(Debug)]
pub(super) struct Flow {
    pub blocks: Vec<BlockRange>,
    pub labels: FastMap<Id, BlockId>,
    /// Reachable blocks in reverse postorder.
    pub order: Vec<BlockId>,
    /// Positions of all φ.
    phis: Vec<u32>,
}

/// Fault with the position of its instruction.
pub(super) type Placed = (u32, Fault);

impl Flow {
    /// Finds the blocks of a function that has a body.
    ///
    /// # Errors
    /// If a block has no terminator, or a terminator a target outside of the function.
    pub(super) fn of(module: &Module, range: FunctionRange) -> Result<Flow, Placed> {
        let (mut blocks, mut labels, mut phis) = (Vec::new(), FastMap::default(), Vec::new());
        let mut open: Option<BlockRange> = None;
        // Position behind the leading φ and lines of the open block.
        let mut body = 0;
        for place in module.instructions(range.body, range.end) {
            let words = module.raw(place as usize);
            let opcode = Opcode::from_number(words[0] as u16).expect("reading has checked it");
            let next = place + words.len() as u32;
            match (opcode, &mut open) {
                (Opcode::Label, None) => {
                    let label = Id(words[1]);
                    labels.insert(label, BlockId(blocks.len() as u32));
                    open = Some(BlockRange { label, start: next, end: next, phis: phis.len()..phis.len() });
                    body = next;
                }
                (Opcode::Label | Opcode::FunctionEnd, Some(_)) => {
                    return Err((place, Fault::new("the block in front has no terminator")));
                }
                (Opcode::FunctionEnd, None) => break,
                (_, None) if opcode.is_anywhere() => {}
                (_, None) => {
                    return Err((
                        place,
                        Fault::new("the instruction follows a terminator; OpLabel is wanted"),
                    ));
                }
                (Opcode::Phi, Some(block)) => {
                    if body < place {
                        return Err((place, Fault::new("a phi follows other instructions of its block")));
                    }
                    body = next;
                    phis.push(place);
                    block.phis.end = phis.len();
                }
                (_, Some(block)) if opcode.is_terminator() => {
                    block.end = place;
                    blocks.extend(open.take());
                }
                (_, Some(_)) if body == place && (opcode.is_anywhere() || opcode.is_flow_hint()) => {
                    body = next;
                }
                _ => {}
            }
        }
        let mut flow = Flow { blocks, labels, order: Vec::new(), phis };
        for block in &flow.blocks {
            flow.check_targets(module, block)?;
        }
        let count = flow.blocks.len();
        let next = |block: BlockId| flow.targets(module, block).rev().collect();
        let mut order = post_order((count > 0).then_some(BlockId(0)), count, next);
        order.reverse();
        flow.order = order;
        Ok(flow)
    }

    fn check_targets(&self, module: &Module, block: &BlockRange) -> Result<(), Placed> {
        for label in labels(module, block.end) {
            match self.labels.get(&label) {
                None => return Err((block.end, Fault::new(format!("{label} is no block of the function")))),
                Some(&BlockId(0)) => {
                    return Err((
                        block.end,
                        Fault::new(format!("{label} is the first block, which has no predecessors")),
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn has_phis(&self, block: BlockId) -> bool {
        !self.blocks[block.index()].phis.is_empty()
    }

    /// Returns the φ of a block: positions and words.
    pub(super) fn phis<'f>(
        &'f self,
        module: &'f Module,
        block: BlockId,
    ) -> impl Iterator<Item = (u32, &'f [u32])> + 'f {
        let places = &self.phis[self.blocks[block.index()].phis.clone()];
        places.iter().map(|&place| (place, module.raw(place as usize)))
    }

    /// Returns the blocks that a block's terminator names.
    pub(super) fn targets<'f>(
        &'f self,
        module: &'f Module,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = BlockId> + 'f {
        labels(module, self.blocks[block.index()].end).map(|label| self.labels[&label])
    }
}

/// Returns the labels that the terminator at a position names.
fn labels(module: &Module, terminator: u32) -> impl DoubleEndedIterator<Item = Id> + '_ {
    let (row, words) = module.instruction(terminator);
    module.targets(row.opcode, words).map(|at| Id(words[at]))
}
