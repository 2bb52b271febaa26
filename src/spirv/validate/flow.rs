//! Control flow of a function: blocks and their ends, targets, predecessors, and dominators.

use super::dominators::{Dominators, Edges};
use super::ids::{Facts, Kind, decoded};
use crate::error::{Fault, Messages};
use crate::grammar::Opcode;
use crate::module::{FunctionRange, Id};

/// Block of a function, by positions in the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub label: Id,
    /// Position behind OpLabel.
    pub start: u32,
    /// Position behind the terminator, or behind the last instruction if there is none.
    pub end: u32,
}

/// Blocks of a function in the order of the module.
#[derive(Debug)]
pub(super) struct Blocks {
    pub list: Vec<Block>,
    predecessors: Edges,
    /// Dominators, unless there is but one block.
    dominators: Option<Dominators>,
}

impl Blocks {
    /// Finds the blocks of a function that has a body, and checks how they begin and end.
    pub(super) fn of(facts: &Facts<'_>, range: FunctionRange, messages: &mut Messages) -> Blocks {
        let mut finder =
            Finder { facts, function: facts.definition(range.id).function, messages, list: Vec::new() };
        let terminators = finder.find(range);
        if finder.list.len() == 1 && terminators[0].is_none() {
            let predecessors = Edges { starts: vec![0, 0], ends: Vec::new() };
            return Blocks { list: finder.list, predecessors, dominators: None };
        }
        let successors = finder.edges(&terminators);
        let predecessors = successors.reversed();
        let is_flow = finder.list.len() > 1;
        let dominators = is_flow.then(|| Dominators::of(&successors, &predecessors));
        Blocks { list: finder.list, predecessors, dominators }
    }

    /// Checks whether a block can be reached from the first.
    #[inline]
    pub(super) fn is_reachable(&self, block: u32) -> bool {
        self.dominators.as_ref().is_none_or(|dominators| dominators.is_reachable(block))
    }

    /// Checks whether all paths to `b`, which can be reached, pass through `a`.
    #[inline]
    pub(super) fn dominates(&self, a: u32, b: u32) -> bool {
        self.dominators.as_ref().is_none_or(|dominators| dominators.dominates(a, b))
    }

    /// Returns the blocks that lead to a block, each once.
    pub(super) fn predecessors(&self, block: u32) -> &[u32] {
        self.predecessors.of(block)
    }
}

struct Finder<'f, 'm> {
    facts: &'f Facts<'m>,
    function: u32,
    messages: &'f mut Messages,
    list: Vec<Block>,
}

impl Finder<'_, '_> {
    fn add(&mut self, place: u32, fault: Fault) {
        self.messages.add(self.facts.module, place, fault);
    }

    /// Finds the blocks; returns the positions of those terminators that have targets.
    fn find(&mut self, range: FunctionRange) -> Vec<Option<u32>> {
        let module = self.facts.module;
        let mut terminators = Vec::new();
        let (mut is_open, mut are_phis) = (false, false);
        for place in module.instructions(range.body, range.end) {
            let (row, words) = decoded(module, place);
            if is_open && matches!(row.opcode, Opcode::Label | Opcode::FunctionEnd) {
                self.add(place, Fault::new("the block in front of it has no terminator"));
            }
            let next = place + words.len() as u32;
            match row.opcode {
                Opcode::FunctionEnd => break,
                Opcode::Label => {
                    self.list.push(Block { label: Id(words[1]), start: next, end: next });
                    terminators.push(None);
                    (is_open, are_phis) = (true, true);
                    continue;
                }
                Opcode::Phi if is_open && !are_phis => {
                    self.add(place, Fault::new("the phi follows other instructions of its block"));
                }
                Opcode::Phi if self.list.len() == 1 => {
                    self.add(place, Fault::new("the phi is in the first block, which has no predecessors"));
                }
                Opcode::Phi => {}
                opcode if opcode.is_anywhere() => {}
                opcode if is_open && opcode.is_flow_hint() => {}
                _ if !is_open => {
                    self.add(place, Fault::new("the instruction follows a terminator; OpLabel is wanted"));
                }
                _ => are_phis = false,
            }
            if !is_open {
                continue;
            }
            let block = self.list.last_mut().expect("a block is open");
            block.end = next;
            if row.opcode.is_terminator() {
                is_open = false;
                *terminators.last_mut().expect("a block is open") = row.opcode.has_targets().then_some(place);
            }
        }
        terminators
    }

    /// Returns the blocks to which each block leads, each once; checks the targets.
    fn edges(&mut self, terminators: &[Option<u32>]) -> Edges {
        let module = self.facts.module;
        let mut edges = Edges { starts: vec![0], ends: Vec::new() };
        // Block that leads to each block, counted from 1.
        let mut from = vec![0; self.list.len()];
        for (block, terminator) in terminators.iter().enumerate() {
            if let &Some(place) = terminator {
                let (row, words) = decoded(module, place);
                for at in module.targets(row.opcode, words) {
                    match self.target(words, at) {
                        Ok(target) => {
                            let before = std::mem::replace(&mut from[target as usize], block + 1);
                            if before != block + 1 {
                                edges.ends.push(target);
                            }
                        }
                        Err(fault) => fault.into_iter().for_each(|fault| self.add(place, fault)),
                    }
                }
            }
            edges.starts.push(edges.ends.len() as u32);
        }
        edges
    }

    /// Returns the block of a target.
    fn target(&self, words: &[u32], at: usize) -> Result<u32, Option<Fault>> {
        let id = Id(words[at]);
        let definition = self.facts.definition(id);
        if definition.kind != Kind::Label {
            // The rule of the terminator says so.
            return Err(None);
        }
        let number = super::rules::number(words, at);
        if definition.function != self.function {
            let named = self.facts.named(id);
            let text = format!("operand {number} is {named}, a block of another function");
            return Err(Some(Fault::at(at, text)));
        }
        if definition.block == 0 {
            let named = self.facts.named(id);
            let text = format!("operand {number} is {named}, the first block, to which nothing leads");
            return Err(Some(Fault::at(at, text)));
        }
        Ok(definition.block)
    }
}

/// Numbers of blocks by which those that were seen are known.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Position of the φ that named each block last, and the value from there.
    named: Vec<(u32, Id)>,
    /// Number of the block, counted from 1, whose predecessor each block is known to be.
    before: Vec<u32>,
}

impl Seen {
    /// Checks that a φ names the predecessors of its block. Khronos' translator names a predecessor as often as it leads
    /// to the block, always with the same value.
    pub(super) fn check_phi(
        &mut self,
        facts: &Facts<'_>,
        blocks: &Blocks,
        block: u32,
        place: u32,
        words: &[u32],
    ) -> Result<(), Fault> {
        let predecessors = blocks.predecessors(block);
        self.named.resize(blocks.list.len(), (0, Id(0)));
        self.before.resize(blocks.list.len(), 0);
        // A block with φ has predecessors, unless that is the fault.
        let is_new = predecessors.first().is_some_and(|&first| self.before[first as usize] != block + 1);
        if is_new || predecessors.len() == 1 {
            predecessors.iter().for_each(|&before| self.before[before as usize] = block + 1);
        }
        let function = facts.definition(blocks.list[block as usize].label).function;
        for at in (4..words.len()).step_by(2) {
            let id = Id(words[at]);
            let of = facts.definition(id);
            let fault = |why: &str| {
                let number = super::rules::number(words, at);
                Err(Fault::at(at, format!("operand {number} is {}, {why}", facts.named(id))))
            };
            if of.kind != Kind::Label || of.function != function {
                return fault("which is no block of the function");
            }
            if self.before[of.block as usize] != block + 1 {
                return fault("which is no predecessor of the block");
            }
            let value = Id(words[at - 1]);
            let before = std::mem::replace(&mut self.named[of.block as usize], (place, value));
            if before.0 == place && before.1 != value {
                return fault("which is named before with another value");
            }
        }
        let missing = predecessors.iter().find(|&&before| self.named[before as usize].0 != place);
        match missing {
            Some(&missing) => {
                let label = facts.named(blocks.list[missing as usize].label);
                Err(Fault::new(format!("the phi has no operand for the predecessor {label}")))
            }
            None => Ok(()),
        }
    }
}
