//! Generation of statements that a single work-item may execute.
//!
//! Each statement has at most one side effect that its expressions could observe, and this side effect is the last:
//! the result of a call initializes a new variable, so that nothing else in the statement depends on what the call
//! changed.

mod atomic;
mod declare;
mod effect;
mod flow;
mod group;

use crate::data::Shape;
use crate::types::Ty;
use crate::writer::Generator;

/// Control flow context of a statement.
#[derive(Clone, Default)]
pub struct Flow {
    /// True if `break` is allowed: it leaves a statement without barriers.
    pub can_break: bool,
    /// True if `continue` is allowed: it continues a loop without barriers.
    pub can_continue: bool,
    /// True in a loop that all work-items execute together. They may only leave it together.
    pub in_shared_loop: bool,
    /// Return type, if `return` is allowed.
    pub returns: Option<Shape>,
    /// True if `cells`, the counters in global memory, is in scope.
    pub has_cells: bool,
    /// Counter in local memory to which all work-items apply operations of one class.
    pub counter: Option<atomic::Counter>,
    /// True if `in`, `out`, `gid` and the tiles are in scope.
    pub in_kernel: bool,
}

impl Flow {
    pub fn kernel() -> Self {
        Self { has_cells: true, in_kernel: true, ..Self::default() }
    }

    /// Returns the context of a statement that only some work-items execute.
    pub fn diverged(&self) -> Self {
        Self { in_shared_loop: false, ..self.clone() }
    }
}

/// Kinds of statements.
#[derive(Clone, Copy)]
enum StatementKind {
    Assign,
    Compound,
    Swizzle,
    Count,
    Declare,
    Observe,
    If,
    Loop,
    Switch,
    Goto,
    Tangle,
    Call,
    Sequence,
    Union,
    Copy,
    Pointer,
    Repoint,
    Store,
    Atomic,
    Leave,
    Block,
}

const STATEMENT_WEIGHTS: [(u32, StatementKind); 21] = [
    (14, StatementKind::Assign),
    (10, StatementKind::Compound),
    (8, StatementKind::Swizzle),
    (4, StatementKind::Count),
    (14, StatementKind::Declare),
    (8, StatementKind::Observe),
    (10, StatementKind::If),
    (10, StatementKind::Loop),
    (4, StatementKind::Switch),
    (3, StatementKind::Goto),
    (1, StatementKind::Tangle),
    (7, StatementKind::Call),
    (4, StatementKind::Sequence),
    (2, StatementKind::Union),
    (3, StatementKind::Copy),
    (4, StatementKind::Pointer),
    (3, StatementKind::Repoint),
    (2, StatementKind::Store),
    (9, StatementKind::Atomic),
    (4, StatementKind::Leave),
    (3, StatementKind::Block),
];

impl Generator {
    /// Writes up to `count` statements, as far as the budget allows.
    pub fn statements(&mut self, count: u32, depth: u32, flow: &Flow) {
        for _ in 0..count {
            if self.cost < self.budget {
                self.statement(depth, flow);
            }
        }
    }

    fn statement(&mut self, depth: u32, flow: &Flow) {
        self.cost += self.weight;
        match self.random.weighted(&STATEMENT_WEIGHTS) {
            StatementKind::Compound => self.compound(),
            StatementKind::Swizzle => self.swizzle_assignment(),
            StatementKind::Count => self.count_up(),
            StatementKind::Declare => self.declaration(),
            StatementKind::Observe => self.observe(),
            StatementKind::If if depth > 0 => self.if_statement(depth, flow),
            StatementKind::Loop if depth > 0 => self.loop_statement(depth, flow),
            StatementKind::Switch if depth > 0 => self.switch_statement(depth, flow),
            StatementKind::Goto if depth > 0 => self.forward_goto(depth, flow),
            StatementKind::Tangle if depth > 0 && self.options.disputed => self.tangle(depth, flow),
            StatementKind::Call => self.call_statement(),
            StatementKind::Sequence => self.sequence(),
            StatementKind::Union => self.union_statement(),
            StatementKind::Copy => self.copy_struct(),
            StatementKind::Pointer => self.pointer_declaration(),
            StatementKind::Repoint => self.repoint(),
            StatementKind::Store => self.store(),
            StatementKind::Atomic => self.atomic(flow),
            StatementKind::Leave => self.leave(flow),
            StatementKind::Block if self.is_20() => self.block_declaration(),
            _ => self.assignment(),
        }
    }

    /// Writes a compound statement of a few statements, and mixes some of its variables into the hash.
    fn body(&mut self, head: &str, tail: &str, depth: u32, flow: &Flow) {
        let mark = self.open(head);
        let count = 1 + self.random.below(3);
        self.statements(count, depth, flow);
        self.hash_scope(mark, 1);
        self.close(mark, tail);
    }

    /// Mixes up to `most` random objects that were declared since the mark into the hash.
    pub fn hash_scope(&mut self, crate::scope::Mark(lengths): crate::scope::Mark, most: u32) {
        let new: Vec<usize> = (lengths[0]..self.scope.leaves.len()).collect();
        for _ in 0..most.min(new.len() as u32) {
            let (path, ty) = self.scope.leaves[self.random.pick(&new)].clone();
            let text = self.path(&path, 1);
            self.hash(&text, ty);
        }
    }

    /// Mixes a value into the hash.
    pub fn hash(&mut self, text: &str, ty: Ty) {
        let line = if !ty.is_scalar() {
            self.hashed.insert((ty.kind as u32, ty.lanes));
            format!("h = mix_{ty}(h, {text});")
        } else if ty.kind.is_float() {
            format!("h = mix(h, (ulong)(long)({text}));")
        } else {
            format!("h = mix(h, (ulong)({text}));")
        };
        self.line(&line);
    }

    fn observe(&mut self) {
        let ty = self.any_type();
        let value = self.expression(ty, 2);
        self.hash(&value, ty);
    }
}
