//! Generation of atomic operations whose outcome does not depend on the order of work-items.
//!
//! - Counters: work-items apply operations that commute with one another, those of one [`Class`], to a shared
//!   counter. The operations have the form of 1.x, of 2.0 with every memory order, or of a compare-and-exchange
//!   loop.
//! - Own words: a work-item operates on a word that no other work-item accesses, and uses the old value.
//! - Tickets: each work-item draws a number. Their assignment is unspecified, but each number is drawn once, so a
//!   sum over all of them reveals a lost or doubled one.

use super::Flow;
use crate::types::{Kind, Ty};
use crate::writer::Generator;

/// Class of operations that commute with one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Sum,
    And,
    Or,
    Xor,
    Min,
    Max,
    SignedMin,
    SignedMax,
}

pub const CLASSES: [Class; 8] = [
    Class::Sum,
    Class::Or,
    Class::Xor,
    Class::Min,
    Class::Max,
    Class::And,
    Class::SignedMin,
    Class::SignedMax,
];

/// 32-bit word that all work-items change.
#[derive(Clone, Debug)]
pub struct Counter {
    pub place: String,
    /// Address space: `local` or `global`.
    pub space: &'static str,
    pub class: Class,
}

const UINT: Ty = Ty { kind: Kind::UInt, lanes: 1 };

impl Class {
    fn is_signed(self) -> bool {
        matches!(self, Self::SignedMin | Self::SignedMax)
    }

    /// Returns the suffixes of the function names after `atomic_` and `atomic_fetch_`.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sum => &["add", "sub"],
            Self::And => &["and"],
            Self::Or => &["or"],
            Self::Xor => &["xor"],
            Self::Min | Self::SignedMin => &["min"],
            Self::Max | Self::SignedMax => &["max"],
        }
    }

    /// Returns an expression for the new value of `old`.
    fn applied(self, old: &str, value: &str) -> String {
        match self {
            Self::Sum => format!("{old} + ({value})"),
            Self::And => format!("{old} & ({value})"),
            Self::Or => format!("{old} | ({value})"),
            Self::Xor => format!("{old} ^ ({value})"),
            Self::Min => format!("min({old}, ({value}))"),
            Self::Max => format!("max({old}, ({value}))"),
            Self::SignedMin => format!("(uint)min((int){old}, (int)({value}))"),
            Self::SignedMax => format!("(uint)max((int){old}, (int)({value}))"),
        }
    }
}

impl Generator {
    pub fn counter_class(&mut self) -> Class {
        self.random.pick(&CLASSES)
    }

    /// Writes an operation on a shared counter, or one on the work-item's own word.
    pub fn atomic(&mut self, flow: &Flow) {
        if let Some(counter) = flow.counter.clone().filter(|_| self.random.chance(70)) {
            return self.update(&counter);
        }
        if flow.in_kernel && self.random.chance(50) {
            return self.own_word();
        }
        if !flow.has_cells {
            return self.assignment();
        }
        let at = self.random.below(CLASSES.len() as u32) as usize;
        let class = CLASSES[at];
        self.update(&Counter { place: format!("cells[{at}]"), space: "global", class });
    }

    /// Writes one operation of the counter's class.
    pub fn update(&mut self, counter: &Counter) {
        let Counter { place, space, class } = counter;
        let value = self.expression(UINT, 2);
        let name = self.random.pick(class.names());
        let signed = class.is_signed();
        let (kind, atomic) = if signed { ("int", "atomic_int") } else { ("uint", "atomic_uint") };
        let line = match self.random.below(if self.is_20() { 8 } else { 5 }) {
            0 if *class == Class::Sum => {
                format!("{}(&{place});", self.random.pick(&["atomic_inc", "atomic_dec"]))
            }
            1 => return self.update_by_exchange(counter, &value),
            0..=4 if signed => format!("atomic_{name}((volatile {space} int *)&{place}, (int)({value}));"),
            0..=4 => format!("atomic_{name}(&{place}, {value});"),
            5 => format!("atomic_fetch_{name}((volatile {space} {atomic} *)&{place}, ({kind})({value}));"),
            _ => {
                let order =
                    self.order(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"], *space == "local");
                format!(
                    "atomic_fetch_{name}_explicit((volatile {space} {atomic} *)&{place}, ({kind})({value}), {order});"
                )
            }
        };
        self.line(&line);
    }

    /// Picks a memory order of `orders`, perhaps followed by a memory scope.
    fn order(&mut self, orders: &[&'static str], in_group: bool) -> String {
        let order = self.random.pick(orders);
        match self.random.below(3) {
            0 => format!("memory_order_{order}"),
            1 if in_group => format!("memory_order_{order}, memory_scope_work_group"),
            _ => format!("memory_order_{order}, memory_scope_device"),
        }
    }

    /// Writes an update as a loop that retries the compare-and-exchange until no other work-item has intervened.
    fn update_by_exchange(&mut self, Counter { place, space, class }: &Counter, value: &str) {
        let (old, seen) = (self.name("old"), self.name("seen"));
        let next = class.applied(&seen, value);
        if self.is_20() && self.random.chance(50) {
            let object = format!("(volatile {space} atomic_uint *)&{place}");
            let strength = self.random.pick(&["weak", "strong"]);
            let next = class.applied(&old, value);
            self.line(&format!("uint {old} = atomic_load({object});"));
            return self
                .line(&format!("while (!atomic_compare_exchange_{strength}({object}, &{old}, {next}));"));
        }
        self.line(&format!("uint {old} = 0, {seen};"));
        self.line(&format!("do {{ {seen} = {old}; {old} = atomic_cmpxchg(&{place}, {seen}, {next}); }} while ({old} != {seen});"));
    }

    /// Writes an operation on a word that no other work-item accesses and declares a variable for the old value.
    fn own_word(&mut self) {
        let (space, place) = if self.random.chance(60) {
            ("local", format!("scratch[{} + l]", self.options.sizes.items() + crate::launch::COUNTERS))
        } else {
            ("global", "((volatile global uint *)out)[2 * gid]".into())
        };
        let (value, other) = (self.expression(UINT, 2), self.expression(UINT, 1));
        if self.is_20() && self.random.chance(60) {
            return self.own_object(
                &format!("(volatile {space} atomic_uint *)&{place}"),
                space,
                &value,
                &other,
            );
        }
        let place = format!("&{place}");
        let text = match self.random.below(6) {
            0 => format!("atomic_xchg({place}, {value})"),
            1 => format!("atomic_cmpxchg({place}, {other}, {value})"),
            2 => format!("atomic_cmpxchg({place}, *{place}, {value})"),
            3 => format!("{}({place})", self.random.pick(&["atomic_inc", "atomic_dec"])),
            4 => format!(
                "(uint)atomic_{}((volatile {space} int *){place}, (int)({value}))",
                self.random.pick(&["min", "max", "add", "sub"])
            ),
            _ => format!(
                "atomic_{}({place}, {value})",
                self.random.pick(&["add", "sub", "and", "or", "xor", "min", "max"])
            ),
        };
        self.declare_value(UINT, &text);
    }

    fn own_object(&mut self, object: &str, space: &str, value: &str, other: &str) {
        const ALL: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
        let local = space == "local";
        match self.random.below(5) {
            0 => {
                let (store, load) = (
                    self.order(&["relaxed", "release", "seq_cst"], local),
                    self.order(&["relaxed", "acquire", "seq_cst"], local),
                );
                self.line(&format!("atomic_store_explicit({object}, {value}, {store});"));
                self.declare_value(UINT, &format!("atomic_load_explicit({object}, {load})"));
            }
            1 => {
                let order = self.order(&ALL, local);
                self.declare_value(UINT, &format!("atomic_exchange_explicit({object}, {value}, {order})"));
            }
            2 => {
                let first =
                    if self.random.chance(50) { format!("atomic_load({object})") } else { other.into() };
                let expected = self.declare_value(UINT, &first);
                let call = match self.random.pick(&[
                    "",
                    "memory_order_relaxed, memory_order_relaxed",
                    "memory_order_acq_rel, memory_order_acquire",
                    "memory_order_seq_cst, memory_order_relaxed, memory_scope_device",
                ]) {
                    "" => format!("atomic_compare_exchange_strong({object}, &{expected}, {value})"),
                    orders => format!(
                        "atomic_compare_exchange_strong_explicit({object}, &{expected}, {value}, {orders})"
                    ),
                };
                self.declare_value(Ty::scalar(Kind::Int), &call);
            }
            _ => {
                let name = self.random.pick(&["add", "sub", "and", "or", "xor", "min", "max"]);
                let order = self.order(&ALL, local);
                self.declare_value(
                    UINT,
                    &format!("atomic_fetch_{name}_explicit({object}, {value}, {order})"),
                );
            }
        }
    }

    /// Writes code in which each work-item draws a unique number, stores a value at that index, and sums up all
    /// stored values.
    pub fn tickets(&mut self) {
        let items = self.options.sizes.items();
        let at = items as u32 + self.random.below(crate::launch::COUNTERS as u32);
        let counter = format!("scratch[{at}]");
        let from = self.random.below(3);
        let start = self.random.pick(&["0", "m"]);
        let first = self.random.below(items as u32);
        self.line(&format!("if (l == {first} % m) {counter} = {start} + {from};"));
        self.barrier();
        let (draw, number) = if start == "m" {
            (
                self.random.pick(&["atomic_dec(&X)", "atomic_sub(&X, 1)", "atomic_add(&X, -1)"]),
                format!("- 1 - {from}"),
            )
        } else {
            let draws = [
                "atomic_inc(&X)",
                "atomic_add(&X, 1)",
                "atomic_fetch_add(Y, 1)",
                "atomic_fetch_add_explicit(Y, 1, memory_order_relaxed, memory_scope_work_group)",
            ];
            (self.random.pick(&draws[..if self.is_20() { 4 } else { 2 }]), format!("- {from}"))
        };
        let object = format!("(volatile local atomic_uint *)&{counter}");
        let draw = draw.replace('X', &counter).replace('Y', &object);
        let ticket = self.name("ticket");
        let value = self.expression(UINT, 2);
        self.line(&format!("const uint {ticket} = {draw} {number};"));
        self.line(&format!("scratch[{ticket}] = {value};"));
        self.barrier();
        let sum = self.declare_value(UINT, &counter);
        self.cost += self.weight * 2;
        self.line(&format!("for (uint j = 0; j < m; j++) {sum} += scratch[j] * (scratch[j] | 1);"));
        self.barrier();
    }
}
