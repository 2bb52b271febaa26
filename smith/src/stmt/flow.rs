//! Generation of branches, loops and jumps. A counter that nothing else changes bounds every loop.

use super::Flow;
use crate::types::{Kind, Ty};
use crate::writer::Generator;

impl Generator {
    pub fn if_statement(&mut self, depth: u32, flow: &Flow) {
        let condition = self.condition(2);
        let flow = flow.diverged();
        self.body(&format!("if ({condition})"), "", depth - 1, &flow);
        if self.random.chance(40) {
            self.body("else", "", depth - 1, &flow);
        }
    }

    /// Runs `write`, and counts the cost of the statements it writes `times` times.
    pub fn repeated(&mut self, times: u32, write: impl FnOnce(&mut Self)) {
        let weight = self.weight;
        self.weight *= times;
        write(self);
        self.weight = weight;
    }

    pub fn loop_statement(&mut self, depth: u32, flow: &Flow) {
        let flow = Flow { can_break: true, can_continue: true, ..flow.diverged() };
        match self.random.below(4) {
            0 => self.while_loop(depth, &flow),
            1 => self.do_loop(depth, &flow),
            _ => self.for_loop(depth, &flow),
        }
    }

    fn for_loop(&mut self, depth: u32, flow: &Flow) {
        let kind =
            self.random.pick(&[Kind::Int, Kind::UInt, Kind::Int, Kind::Short, Kind::UChar, Kind::Long]);
        let name = self.name("i");
        let times = 1 + self.random.below(5);
        let ty = kind.name();
        let (head, most) = match self.random.below(4) {
            0 => (format!("for ({ty} {name} = {times}; {name} > 0; {name}--)"), times + 1),
            1 => (format!("for ({ty} {name} = 0; {name} < {}; {name} += 2)", 2 * times), 2 * times),
            2 => {
                let bound = self.expression(Ty::scalar(Kind::UInt), 1);
                (format!("for ({ty} {name} = 0; {name} < ({ty})({bound} & 3); ++{name})"), 4)
            }
            _ => (format!("for ({ty} {name} = 0; {name} < {times}; {name}++)"), times),
        };
        let before = self.scope.mark();
        self.scope.counters.push((name, most));
        self.repeated(times.max(3), |g| g.body(&head, "", depth - 1, flow));
        self.scope.reset(before);
    }

    fn while_loop(&mut self, depth: u32, flow: &Flow) {
        let name = self.name("w");
        let times = 1 + self.random.below(5);
        let condition = self.condition(1);
        self.line(&format!("uint {name} = {times};"));
        self.repeated(times, |g| {
            g.body(&format!("while ({name}-- != 0 && ({condition}))"), "", depth - 1, flow);
        });
    }

    fn do_loop(&mut self, depth: u32, flow: &Flow) {
        let name = self.name("w");
        let times = 1 + self.random.below(4);
        let condition = self.condition(1);
        self.line(&format!("int {name} = {times};"));
        self.repeated(times, |g| {
            g.body("do", &format!(" while (--{name} != 0 && ({condition}));"), depth - 1, flow);
        });
    }

    pub fn switch_statement(&mut self, depth: u32, flow: &Flow) {
        let kind = self.integer_kind();
        let value = self.expression(Ty::scalar(kind), 2);
        // `% 4` of a negative value is negative or 0, so it may select `case -2`.
        let small = self.random.pick(&["& 7", "% 4"]);
        let mark = self.open(&format!("switch ({value} {small})"));
        let flow = Flow { can_break: true, ..flow.diverged() };
        let labels = ["case 0:", "case RED:", "default:", "case 5:", "case -2:", "case 1:"];
        let from = self.random.below(4) as usize;
        let count = 2 + self.random.below(3) as usize;
        for label in labels.iter().skip(from).take(count) {
            self.indent -= 1;
            self.line(label);
            self.indent += 1;
            if self.random.chance(15) {
                continue;
            }
            self.body("", "", depth - 1, &flow);
            if self.random.chance(65) {
                self.line("break;");
            }
        }
        // A label must be followed by a statement.
        self.line(";");
        self.close(mark, "");
    }

    /// Writes a `goto` that skips some statements.
    pub fn forward_goto(&mut self, depth: u32, flow: &Flow) {
        let (label, condition) = (self.name("skip"), self.condition(2));
        self.line(&format!("if ({condition}) goto {label};"));
        self.body("", "", depth - 1, &flow.diverged());
        self.label(&label);
    }

    /// Writes a loop with two entries. A counter bounds the number of iterations.
    pub fn tangle(&mut self, depth: u32, flow: &Flow) {
        let flow = Flow { can_break: false, can_continue: false, ..flow.diverged() };
        let (fuel, top, middle) = (self.name("fuel"), self.name("top"), self.name("middle"));
        let times = 1 + self.random.below(3);
        let (enter, again) = (self.condition(1), self.condition(1));
        self.line(&format!("uint {fuel} = {times};"));
        self.line(&format!("if ({enter}) goto {middle};"));
        self.repeated(times + 1, |g| {
            if g.random.chance(50) {
                g.label(&top);
                g.body("", "", depth - 1, &flow);
                g.label(&middle);
                g.body("", "", depth - 1, &flow);
                g.line(&format!("if ({fuel} != 0 && ({again})) {{ {fuel}--; goto {top}; }}"));
            } else {
                let mark = g.open(&format!("while ({fuel} != 0)"));
                g.line(&format!("{fuel}--;"));
                g.body("", "", depth - 1, &flow);
                g.label(&middle);
                g.body("", "", depth - 1, &flow);
                g.close(mark, "");
            }
        });
    }

    /// Writes a conditional `break`, `continue` or `return`, if the control flow allows one; else an assignment.
    pub fn leave(&mut self, flow: &Flow) {
        let mut ways = Vec::new();
        if flow.can_break {
            ways.push(0);
        }
        if flow.can_continue {
            ways.push(1);
        }
        if flow.returns.is_some() {
            ways.push(2);
        }
        if ways.is_empty() {
            return self.assignment();
        }
        let condition = self.condition(2);
        let way = match (self.random.pick(&ways), flow.returns.clone()) {
            (2, Some(result)) => self.returned(&result, false),
            (1, _) => "continue;".into(),
            _ => "break;".into(),
        };
        self.line(&format!("if ({condition}) {way}"));
    }
}
