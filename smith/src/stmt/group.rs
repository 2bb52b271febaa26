//! Generation of statements that all work-items of a group execute together: barriers, and statements that need
//! them.
//!
//! The layout of local memory is fixed. `scratch` holds a word of each work-item for exchange, eight counters, a
//! private word of each work-item, and the target of copies from global memory. Each statement ends with a barrier
//! after its last access to shared memory, so that the next statement may overwrite it. A work-group at the end of
//! the range may be smaller than the others: `m` is its actual size.

use super::Flow;
use super::atomic::Counter;
use crate::launch::COUNTERS;
use crate::types::{INTEGERS, Kind, Ty};
use crate::writer::Generator;

impl Generator {
    /// Writes statements of a function with barriers.
    pub fn group_statements(&mut self, count: u32) {
        self.together(count, 2, &Flow::default());
    }

    /// Writes statements that all work-items execute, with and without barriers.
    pub fn together(&mut self, count: u32, depth: u32, flow: &Flow) {
        for _ in 0..count {
            if self.cost >= self.budget {
                return;
            }
            if self.random.chance(45) {
                let alone = Flow { can_break: false, can_continue: false, ..flow.clone() };
                self.statements(1, depth, &alone);
            } else {
                self.cost += 2 * self.weight;
                self.joint(depth, flow);
            }
        }
    }

    fn joint(&mut self, depth: u32, flow: &Flow) {
        match self.random.below(if depth > 0 { 16 } else { 8 }) {
            0 | 1 => self.exchange(flow),
            2 => self.count_together(depth, flow),
            3 => self.copy_in(flow),
            4 => self.group_call(),
            5 | 6 if self.is_20() => self.group_function(),
            7 if flow.in_shared_loop => {
                let condition = self.shared_condition();
                let jump = self.random.pick(&["break", "continue"]);
                self.line(&format!("if ({condition}) {jump};"));
            }
            8 | 9 => self.joint_if(depth, flow),
            10..=12 => self.joint_loop(depth, flow),
            13 => self.joint_switch(depth, flow),
            14 if flow.in_kernel && self.random.chance(20) => {
                let condition = self.shared_condition();
                self.line(&format!("if ({condition}) {{ out[gid] = h; return; }}"));
            }
            15 if flow.in_kernel => self.strided(),
            _ => self.tickets(),
        }
    }

    /// Writes a loop whose step is the size of the work-group.
    fn strided(&mut self) {
        let inputs = self.options.sizes.inputs() as u32;
        let (name, ty) = (self.name("i"), self.random.pick(&["int", "uint", "long", "size_t", "ushort"]));
        let (first, last) = (self.random.below(5), self.random.below(inputs + 1));
        self.cost += inputs / self.options.sizes.items() as u32 * self.weight;
        let condition = self.random.pick(&["if (h & 1) ", ""]);
        self.line(&format!("for ({ty} {name} = l + {first}; {name} < {last}; {name} += m)"));
        self.line(&format!("    {condition}h = mix(h, (ulong)in[{name}]);"));
    }

    pub fn barrier(&mut self) {
        let flags = self.random.pick(&[
            "CLK_LOCAL_MEM_FENCE",
            "CLK_LOCAL_MEM_FENCE",
            "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        ]);
        let name = if self.is_20() && self.random.chance(40) { "work_group_barrier" } else { "barrier" };
        self.line(&format!("{name}({flags});"));
    }

    /// Generates the local id of another work-item of the group.
    fn other(&mut self) -> String {
        let k = 1 + self.random.below(7);
        match self.random.below(4) {
            0 => format!("(l + {k}) % m"),
            1 => format!("(l ^ {k}) % m"),
            2 => "m - 1 - l".into(),
            _ => format!("(l * 3 + {k}) % m"),
        }
    }

    /// Writes code in which each work-item stores a word and reads that of another work-item.
    fn exchange(&mut self, flow: &Flow) {
        let tiles = self.tiles.clone();
        let other = self.other();
        if flow.in_kernel && self.random.chance(20) {
            let value = self.expression(Ty::scalar(Kind::ULong), 2);
            self.line(&format!("out[gid] = {value};"));
            self.line("barrier(CLK_GLOBAL_MEM_FENCE);");
            self.declare_value(Ty::scalar(Kind::ULong), &format!("out[gid - l + ({other})]"));
            return self.line("barrier(CLK_GLOBAL_MEM_FENCE);");
        }
        let (memory, ty) = if flow.in_kernel && !tiles.is_empty() && self.random.chance(50) {
            tiles[self.random.below(tiles.len() as u32) as usize].clone()
        } else {
            ("scratch".into(), Ty::scalar(Kind::UInt))
        };
        let value = self.expression(ty, 2);
        self.line(&format!("{memory}[l] = {value};"));
        self.barrier();
        self.declare_value(ty, &format!("{memory}[{other}]"));
        self.barrier();
    }

    /// Writes code in which all work-items update one counter, each in its own control flow.
    fn count_together(&mut self, depth: u32, flow: &Flow) {
        let items = self.options.sizes.items() as u32;
        let at = items + self.random.below(COUNTERS as u32);
        let start = self.scalar_word();
        let first = self.random.below(items);
        self.line(&format!("if (l == {first} % m) scratch[{at}] = {start};"));
        self.barrier();
        let counter =
            Counter { place: format!("scratch[{at}]"), space: "local", class: self.counter_class() };
        self.update(&counter);
        let inside =
            Flow { counter: Some(counter), can_break: false, can_continue: false, ..flow.diverged() };
        self.statements(2, depth.min(1), &inside);
        self.barrier();
        self.declare_value(Ty::scalar(Kind::UInt), &format!("scratch[{at}]"));
        self.barrier();
    }

    fn scalar_word(&mut self) -> String {
        self.literal(Ty::scalar(Kind::UInt))
    }

    /// Writes an asynchronous copy from the input.
    fn copy_in(&mut self, flow: &Flow) {
        if !flow.in_kernel {
            return self.exchange(flow);
        }
        let (event, from) = (self.name("e"), self.random.below(9));
        let at = 2 * self.options.sizes.items() + COUNTERS;
        let call = if self.random.chance(70) {
            format!("async_work_group_copy((local int *)(scratch + {at}), in + {from}, m, 0)")
        } else {
            let stride = 1 + self.random.below(2);
            format!(
                "async_work_group_strided_copy((local int *)(scratch + {at}), in + {from}, m, {stride}, 0)"
            )
        };
        self.line(&format!("event_t {event} = {call};"));
        self.line(&format!("wait_group_events(1, &{event});"));
        let other = self.other();
        self.declare_value(Ty::scalar(Kind::UInt), &format!("scratch[{at} + ({other})]"));
        self.barrier();
    }

    /// Writes a call of a function that has barriers.
    fn group_call(&mut self) {
        let room = self.budget.saturating_sub(self.cost) / self.weight;
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|&i| self.functions[i].is_group && self.functions[i].cost <= room)
            .collect();
        if fitting.is_empty() {
            return self.assignment();
        }
        let function = self.functions[self.random.pick(&fitting)].clone();
        self.cost += function.cost * self.weight;
        let mut args: Vec<String> = function.params.iter().map(|param| self.argument(param, 1)).collect();
        args.extend(["scratch".into(), "n".into()]);
        self.call_into(&function.name, &args, &function.result);
    }

    /// Writes a call of a work-group function of 2.0. Sums are unsigned because they may overflow.
    fn group_function(&mut self) {
        let kind = self.random.pick(&INTEGERS[4..]);

        let (ty, unsigned) = (Ty::scalar(kind), Ty::scalar(kind.unsigned()));
        let what = self.random.pick(&["reduce", "scan_inclusive", "scan_exclusive"]);
        match self.random.below(4) {
            0 => {
                let name = self.random.pick(&["all", "any"]);
                let condition = self.condition(2);
                self.declare_value(Ty::scalar(Kind::Int), &format!("work_group_{name}({condition}) != 0"));
            }
            1 => {
                let (value, from) = (self.expression(ty, 2), self.random.below(8));
                let at = (0..self.options.sizes.dimensions)
                    .map(|d| format!(", {from} % get_local_size({d})"))
                    .collect::<String>();
                self.declare_value(ty, &format!("work_group_broadcast({value}{at})"));
            }
            2 => {
                let value = self.expression(unsigned, 2);
                self.declare_value(unsigned, &format!("work_group_{what}_add({value})"));
            }
            _ => {
                let (value, end) = (self.expression(ty, 2), self.random.pick(&["min", "max"]));
                self.declare_value(ty, &format!("work_group_{what}_{end}({value})"));
            }
        }
    }

    fn joint_body(&mut self, head: &str, tail: &str, depth: u32, flow: &Flow) {
        let mark = self.open(head);
        let count = 1 + self.random.below(3);
        self.together(count, depth, flow);
        self.hash_scope(mark, 1);
        self.close(mark, tail);
    }

    fn joint_if(&mut self, depth: u32, flow: &Flow) {
        let condition = self.shared_condition();
        self.joint_body(&format!("if ({condition})"), "", depth - 1, flow);
        if self.random.chance(40) {
            self.joint_body("else", "", depth - 1, flow);
        }
    }

    fn joint_loop(&mut self, depth: u32, flow: &Flow) {
        let flow = Flow { in_shared_loop: true, ..flow.clone() };
        let (name, times) = (self.name("i"), 1 + self.random.below(3));
        let before = self.scope.mark();
        let value = self.shared_value();
        self.repeated(times.max(2), |g| match g.random.below(4) {
            0 => {
                g.line(&format!("int {name} = {times};"));
                g.joint_body(&format!("while ({name}-- > 0)"), "", depth - 1, &flow);
            }
            1 => {
                g.line(&format!("int {name} = {times};"));
                g.joint_body("do", &format!(" while (--{name} > 0);"), depth - 1, &flow);
            }
            _ => {
                g.scope.counters.push((name.clone(), times.max(4)));
                g.scope.shared.push(name.clone());
                let head = format!("for (int {name} = 0; {name} < {times} && {name} <= {value}; {name}++)");
                g.joint_body(&head, "", depth - 1, &flow);
            }
        });
        self.scope.reset(before);
    }

    fn joint_switch(&mut self, depth: u32, flow: &Flow) {
        // Inside the switch, `break` would leave the switch and `continue` the loop. Neither is generated here.
        let flow = Flow { in_shared_loop: false, ..flow.clone() };
        let value = self.shared_value();
        let mark = self.open(&format!("switch ({value} & 3)"));
        for label in ["case 1:", "case 0:", "default:"] {
            self.indent -= 1;
            self.line(label);
            self.indent += 1;
            self.joint_body("", "", depth - 1, &flow);
            if self.random.chance(60) {
                self.line("break;");
            }
        }
        self.close(mark, "");
    }
}
