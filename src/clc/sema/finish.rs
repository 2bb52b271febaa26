//! What can only be said of the whole program: calls of functions without a body,
//! recursion (s6.9), unresolved variables.

use crate::clc::session::Session;
use crate::clc::tree::{Body, FunctionId};
use crate::diag::Span;
use crate::support::{Id, IdMap};

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Session<'_> {
    /// Checks after everything was read.
    pub fn check_program(&mut self) {
        self.join_blocks();
        self.check_recursion();
        self.check_undefined();
    }

    /// Depth-first over calls, with a stack of its own.
    fn check_recursion(&mut self) {
        let mut marks = IdMap::new(Mark::New);
        for root in self.functions.ids() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut path: Vec<(FunctionId, usize)> = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let Some(&(callee, at)) = self.infos[*function].calls.get(*next) else {
                    marks[*function] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[callee] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[callee] = Mark::Open;
                        path.push((callee, 0));
                    }
                    Mark::Open => self.report_recursion(callee, at),
                }
            }
        }
    }

    fn report_recursion(&mut self, callee: FunctionId, at: Span) {
        let name = self.functions[callee].name.clone();
        let message = format!("recursion is not supported: '{name}' calls itself");
        self.error(at, message);
    }

    /// What is used must be defined here, unless it can be in another unit.
    fn check_undefined(&mut self) {
        let elsewhere = self.options.allow_unresolved;
        let mut missing = Vec::new();
        for caller in self.functions.ids() {
            for &(callee, at) in &self.infos[caller].calls {
                let declared = matches!(self.functions[callee].body, Body::Declared);
                let elsewhere = elsewhere && !self.functions[callee].is_static;
                if declared && !self.infos[callee].defined && !elsewhere {
                    missing.push((at, callee));
                }
            }
        }
        for (id, at) in std::mem::take(&mut self.extern_uses) {
            if self.globals[id].is_extern && !elsewhere {
                let name = self.globals[id].name.clone();
                self.error(at, format!("undefined reference to variable '{name}'"));
            }
        }
        missing.sort_by_key(|(at, callee)| (at.lo, callee.index()));
        for (at, callee) in missing {
            let name = self.functions[callee].name.clone();
            let message = format!("undefined reference to function '{name}'");
            self.error(at, message);
        }
    }
}
