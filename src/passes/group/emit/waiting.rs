//! Which region an item goes on with.
//!
//! Between barriers that all items reach it is the same for all: the last item's answer is everyone's, and only who has
//! returned is noted, a byte for each item. Where regions begin without a barrier (`Cut::apart`) each item has the number
//! of the region that it waits for; the smallest of all runs next, for those who wait for it. Numbers of regions behind
//! barriers are the larger ones, so they run when everyone who is left has arrived.

use super::{Emitter, RegionCopy, natural};
use crate::ir::{Attr, IntCond, Op, Target, Type, Value};
use crate::passes::group::context::Array;
use crate::passes::group::cut::{Cut, Region};
use crate::passes::group::items::Item;

/// Region number that means: the kernel is over. The largest there is.
pub(super) const OVER: u64 = 0xffff_ffff;

/// What is kept for each item.
#[derive(Clone, Copy, Default)]
pub(super) enum Waiting {
    /// Nothing: no item returns before others do.
    #[default]
    Nothing,
    /// One byte: it has returned.
    Returned(Array),
    /// The number of the region it waits for.
    Region(Array),
}

impl Emitter<'_, '_> {
    pub(super) fn make_room_for_waiting(&mut self) {
        if self.cut.apart {
            self.waiting = Waiting::Region(self.arrays.add(4));
        } else if self.cut.regions.len() > 1 && self.cut.regions.iter().any(|r| returns(self.cut, r)) {
            self.waiting = Waiting::Returned(self.arrays.add(1));
        }
    }

    /// Items that returned, or wait for another region, take no part.
    pub(super) fn skip_waiting(&mut self, number: usize, item: Item) {
        if number == 0 {
            return;
        }
        let (skip, next) = match self.waiting {
            Waiting::Nothing => return,
            Waiting::Returned(flags) => {
                let flag = self.element(flags, item.index);
                let gone = self.b.load(Type::I8, flag, natural(Type::I8));
                let zero = self.b.iconst(Type::I8, 0);
                (self.b.icmp(IntCond::Ne, gone, zero), item.next)
            }
            Waiting::Region(numbers) => {
                let at = self.element(numbers, item.index);
                let wanted = self.b.load(Type::I32, at, natural(Type::I32));
                let this = self.b.iconst(Type::I32, number as u64);
                let other = self.b.icmp(IntCond::Ne, wanted, this);
                (other, self.sooner(item.next, wanted))
            }
        };
        let live = self.b.func.add_block();
        let targets = vec![Target::new(item.latch, &[next]), Target::new(live, &[])];
        self.b.inst(Op::BrIf, Type::VOID, &[skip], Attr::None, targets);
        self.b.switch_to(live);
    }

    fn sooner(&mut self, a: Value, b: Value) -> Value {
        let is_less = self.b.icmp(IntCond::Ult, a, b);
        self.b.select(is_less, a, b)
    }

    /// Ends the item in this region; it goes on with another.
    pub(super) fn wait_for(&mut self, copy: &RegionCopy<'_>, next: usize) {
        let mut number = self.b.iconst(Type::I32, next as u64);
        match self.waiting {
            Waiting::Nothing => {}
            // In the first region everyone notes that it has not.
            Waiting::Returned(_) if copy.number > 0 => {}
            Waiting::Returned(_) => self.mark_returned(copy, 0),
            Waiting::Region(numbers) => {
                let at = self.element(numbers, copy.item.index);
                self.b.store(number, at, natural(Type::I32));
                number = self.sooner(copy.item.next, number);
            }
        }
        self.b.jump(copy.item.latch, &[number]);
    }

    /// Ends the item.
    pub(super) fn leave_kernel(&mut self, copy: &RegionCopy<'_>) {
        match self.waiting {
            Waiting::Nothing => {}
            Waiting::Returned(_) => self.mark_returned(copy, 1),
            Waiting::Region(numbers) => {
                let at = self.element(numbers, copy.item.index);
                let over = self.b.iconst(Type::I32, OVER);
                self.b.store(over, at, natural(Type::I32));
            }
        }
        self.b.jump(copy.item.latch, &[copy.item.next]);
    }

    fn mark_returned(&mut self, copy: &RegionCopy<'_>, flag: u64) {
        let Waiting::Returned(flags) = self.waiting else { return };
        let at = self.element(flags, copy.item.index);
        let flag = self.b.iconst(Type::I8, flag);
        self.b.store(flag, at, natural(Type::I8));
    }

    /// After all items: on to the region they named.
    pub(super) fn dispatch(&mut self, region: &Region, next: Value) {
        let mut followers: Vec<usize> = Vec::new();
        for &block in &region.blocks {
            followers.extend(self.cut.func.successors(block).filter_map(|b| self.region_of_head.get(&b)));
        }
        followers.sort_unstable();
        followers.dedup();
        if self.cut.apart {
            return self.dispatch_apart(&followers, next);
        }
        let mut over = None;
        if returns(self.cut, region) || followers.is_empty() {
            over = Some(self.return_block());
        }
        let default = over.unwrap_or_else(|| self.starts[followers[0]]);
        if over.is_none() && followers.len() == 1 || followers.is_empty() {
            return self.b.jump(default, &[]);
        }
        let cases: Box<[u64]> = followers.iter().map(|&f| f as u64).collect();
        let mut targets = vec![Target::new(default, &[])];
        targets.extend(followers.iter().map(|&f| Target::new(self.starts[f], &[])));
        self.b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
    }

    fn return_block(&mut self) -> crate::ir::Block {
        let here = self.b.block;
        let block = self.b.func.add_block();
        self.b.switch_to(block);
        self.b.ret(&[]);
        self.b.switch_to(here);
        block
    }

    /// The items that this region left behind may wait for any other: one switch for all regions.
    fn dispatch_apart(&mut self, followers: &[usize], next: Value) {
        let all = match self.dispatcher {
            Some(all) => all,
            None => {
                let here = self.b.block;
                let all = self.b.func.add_block();
                let next = self.b.func.add_param(all, Type::I32);
                let over = self.return_block();
                self.b.switch_to(all);
                let cases = (0..self.starts.len() as u64).collect();
                let mut targets = vec![Target::new(over, &[])];
                targets.extend(self.starts.iter().map(|&start| Target::new(start, &[])));
                self.b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
                self.b.switch_to(here);
                self.dispatcher = Some(all);
                all
            }
        };
        let cases: Box<[u64]> = followers.iter().take(2).map(|&f| f as u64).collect();
        let mut targets = vec![Target::new(all, &[next])];
        targets.extend(followers.iter().take(2).map(|&f| Target::new(self.starts[f], &[])));
        if cases.is_empty() {
            return self.b.jump(all, &[next]);
        }
        self.b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
    }
}

/// Whether an item can return inside a region.
fn returns(cut: &Cut, region: &Region) -> bool {
    region.blocks.iter().any(|&b| cut.func.terminator(b).op == Op::Ret)
}
