//! Reachability of the end of a function: a walk of the structured control flow, repeated until no further `goto`
//! target becomes reachable. Constant conditions are evaluated.

use crate::session::Session;
use crate::tree::{Expr, ExprKind, LabelId, Stmt, StmtKind};
use grus_support::Id;

/// Maximum number of walks; after it the end is assumed to be unreachable, so that nothing is reported.
// Arbitrary.
const MAX_WALKS: usize = 6;

struct ReachabilityWalk<'s> {
    session: &'s Session<'s>,
    /// True for each label that is reachable.
    reachable_labels: Vec<bool>,
    /// True if a jump reached a label for the first time during this walk.
    changed: bool,
    /// True, for each enclosing loop or `switch`, if a reachable `break` leaves it.
    breaks: Vec<bool>,
    /// True, for each enclosing loop, if a reachable `continue` belongs to it.
    continues: Vec<bool>,
}

/// Checks whether the end of `body` is reachable.
pub(super) fn reaches_end(session: &Session<'_>, body: &[Stmt], labels: u32) -> bool {
    let mut flow = ReachabilityWalk {
        session,
        reachable_labels: vec![false; labels as usize],
        changed: false,
        breaks: Vec::new(),
        continues: Vec::new(),
    };
    for _ in 0..MAX_WALKS {
        flow.changed = false;
        let end = flow.list(body, true);
        if !flow.changed || end {
            return end;
        }
    }
    false
}

impl ReachabilityWalk<'_> {
    fn list(&mut self, list: &[Stmt], is_reachable: bool) -> bool {
        list.iter().fold(is_reachable, |is_reachable, statement| self.statement(statement, is_reachable))
    }

    /// Checks whether the end of `statement` is reachable; `live` says so of its beginning.
    fn statement(&mut self, statement: &Stmt, is_reachable: bool) -> bool {
        match &statement.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Call(callee, _), .. }) => {
                is_reachable && !self.session.unit.functions[*callee].no_return
            }
            StmtKind::Empty | StmtKind::Unroll(_) | StmtKind::Expr(_) | StmtKind::Decl(..) => is_reachable,
            StmtKind::Block(list) => self.list(list, is_reachable),
            StmtKind::If(condition, then, or) => {
                let known = self.session.known_truth(condition);
                let then = self.statement(then, is_reachable && known != Some(false));
                let or_live = is_reachable && known != Some(true);
                let or = or.as_ref().map_or(or_live, |or| self.statement(or, or_live));
                then || or
            }
            StmtKind::While(condition, body) => self.looped(Some(condition), body, is_reachable),
            StmtKind::For { cond, body, .. } => self.looped(cond.as_ref(), body, is_reachable),
            StmtKind::DoWhile(body, condition) => {
                let (end, continued, left) = self.body(body, is_reachable);
                left || (end || continued) && self.session.known_truth(condition) != Some(true)
            }
            StmtKind::Switch { cases, default, body, .. } => {
                if is_reachable {
                    let labels = cases.iter().map(|c| c.label).chain(*default);
                    labels.for_each(|label| self.reachable_labels[label.index()] = true);
                }
                self.breaks.push(false);
                let end = self.statement(body, false);
                let left = self.breaks.pop() == Some(true);
                end || left || is_reachable && default.is_none()
            }
            StmtKind::Label(label) => is_reachable || self.reachable_labels[label.index()],
            StmtKind::Goto(label) => {
                self.jump(*label, is_reachable);
                false
            }
            StmtKind::Break => mark(&mut self.breaks, is_reachable),
            StmtKind::Continue => mark(&mut self.continues, is_reachable),
            StmtKind::Return(_) => false,
        }
    }

    fn looped(&mut self, condition: Option<&Expr>, body: &Stmt, is_reachable: bool) -> bool {
        let known = condition.map_or(Some(true), |c| self.session.known_truth(c));
        let (end, continued, left) = self.body(body, is_reachable && known != Some(false));
        left || known != Some(true) && (is_reachable || end || continued)
    }

    /// Visits a loop body, and returns `true` for each of: its end is reachable, it is continued, it is left by
    /// `break`.
    fn body(&mut self, body: &Stmt, is_reachable: bool) -> (bool, bool, bool) {
        self.breaks.push(false);
        self.continues.push(false);
        let end = self.statement(body, is_reachable);
        (end, self.continues.pop() == Some(true), self.breaks.pop() == Some(true))
    }

    fn jump(&mut self, label: LabelId, is_reachable: bool) {
        if is_reachable && !std::mem::replace(&mut self.reachable_labels[label.index()], true) {
            self.changed = true;
        }
    }
}

/// Records a `break` or `continue`; the end of such a statement is unreachable.
fn mark(ways: &mut [bool], is_reachable: bool) -> bool {
    if let Some(way) = ways.last_mut() {
        *way |= is_reachable;
    }
    false
}
