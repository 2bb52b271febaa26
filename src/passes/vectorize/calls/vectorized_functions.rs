//! Functions that stay calls, as wide as who calls them.
//!
//! A function is widened for what its arguments are in neighbouring lanes, which calls of it mostly agree on. After a few such
//! versions there is one for anything. What is not worth it, or cannot be widened, is called lane by lane; by a function that
//! does so (`thunk`) where lanes are many, or where that hardly ever happens.

use super::super::inst::MOST_CALLS;
use super::super::plan::{self, bounded};
use super::super::widen::Frequencies;
use super::super::{Asked, Refusal, forward_progress};
use super::scalar_thunk::thunk;
use super::vector_abi::{self, ArgFrame, ParamShape, form};
use crate::ir::group_code::{First, ItemIds, Tracked};
use crate::ir::{FuncId, Function, Inst, Op};
use crate::passes::pass_manager::{Debugging, after};
use crate::passes::scalar::inline;
use crate::support::target::Backend;
use crate::support::{FastMap, Id, post_order, timing};

/// Versions of a function for so many lanes, but for the one for anything.
const MOST_VERSIONS: usize = 4;

/// Instructions of functions that are widened for a kernel, all together: for other numbers of lanes once more.
const MOST_WIDENED: usize = 20_000;

/// Instructions of functions of which it is estimated how long they take, all together.
const MOST_LOOKED_AT: usize = 100_000;

/// How many functions that are being widened call each other: each takes some of the stack.
const MOST_DEPTH: usize = 12;

/// What a call takes at most: that has room for how often it is done (`choose`).
const MOST_TIME: u64 = 1 << 40;

/// Functions that stay calls, and what has been made of them.
pub struct Callees {
    /// As they are, and wide ones behind them. The group function comes before all.
    functions: Vec<Function>,
    /// What a call of each takes.
    times: Vec<u64>,
    /// Those that may wait for other items, or look what those have done by now.
    waiting: Vec<bool>,
    /// Those behind `of_one`.
    versions: Vec<Version>,
    of_one: usize,
    known: FastMap<VersionKey, Option<usize>>,
    counts: FastMap<(FuncId, u16), usize>,
    widened: usize,
    depth: usize,
    debugging: Debugging,
}

/// A function for all lanes.
#[derive(Clone, Debug)]
pub(in crate::passes::vectorize) struct Version {
    pub id: FuncId,
    pub frame: ArgFrame,
    /// Whom it is called for.
    items: ItemIds,
    /// Bytes of the stack for its private objects and those of what it calls.
    private_size: u64,
}

/// What a version is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::passes::vectorize) struct VersionKey {
    pub callee: FuncId,
    pub lanes: u16,
    /// Arguments, component by component.
    pub given: Vec<ParamShape>,
    pub is_masked: bool,
    pub is_folded: bool,
}

impl Callees {
    /// Of functions whose places are these, behind the group function.
    pub fn new(functions: Vec<Function>, debugging: Debugging) -> Callees {
        Callees {
            times: Vec::new(),
            waiting: Vec::new(),
            of_one: functions.len(),
            functions,
            versions: Vec::new(),
            known: FastMap::default(),
            counts: FastMap::default(),
            widened: 0,
            depth: 0,
            debugging,
        }
    }

    /// Looks at them, the first time that it is asked to: what is not widened, whatever it calls, does without.
    pub(in crate::passes::vectorize) fn look(&mut self, backend: Backend) {
        if self.times.len() == self.of_one {
            return;
        }
        (self.times, self.waiting) = (vec![1; self.of_one], vec![false; self.of_one]);
        let mut looked_at = 0;
        let first = (1..=self.of_one).map(FuncId::new);
        let called = |id| inline::callees(&self.functions[place_of(id)]);
        for id in post_order(first, 1 + self.of_one, called) {
            let place = place_of(id);
            let func = &self.functions[place];
            let looks = |inst: &Inst| {
                forward_progress::looks_at_others(inst) || inst.op == Op::Call && self.may_wait(inst.callee())
            };
            self.waiting[place] = func.instructions().any(looks);
            if func.is_rare {
                continue;
            }
            looked_at += func.size();
            let time = if looked_at > MOST_LOOKED_AT {
                func.size() as u64
            } else {
                plan::time(func, &Frequencies::default(), backend, self)
            };
            self.times[place] = time.min(MOST_TIME);
        }
    }

    /// Those that were there, and those that were made.
    pub fn into_parts(self) -> Vec<(Function, Tracked)> {
        let none = (0..self.of_one).map(|_| Tracked::new());
        let made = self.versions.into_iter().map(|version| vec![version.items]);
        self.functions.into_iter().zip(none.chain(made)).collect()
    }

    /// What a call takes, about.
    pub(in crate::passes::vectorize) fn time(&self, id: FuncId) -> u64 {
        self.times.get(place_of(id)).copied().unwrap_or(1)
    }

    /// Whether a function may wait for other items, or look what those have done by now.
    pub(in crate::passes::vectorize) fn may_wait(&self, id: FuncId) -> bool {
        self.waiting.get(place_of(id)).is_some_and(|&is| is)
    }

    /// Whether it is tried to call a function for all lanes.
    pub(in crate::passes::vectorize) fn may_be_wide(&self, id: FuncId) -> bool {
        let may_be = |func: &Function| !func.is_rare && !func.is_deferred && func.size() <= plan::MOST_SIZE;
        self.functions[..self.of_one].get(place_of(id)).is_some_and(may_be)
    }

    /// Whether there is one call of a function, whatever it does for so many lanes.
    fn is_called_once(&self, id: FuncId, lanes: u16) -> bool {
        lanes > MOST_CALLS || self.functions[..self.of_one].get(place_of(id)).is_some_and(|func| func.is_rare)
    }

    /// Whether calls of a function may be there twice.
    pub(in crate::passes::vectorize) fn is_little(&self, id: FuncId, lanes: u16) -> bool {
        self.may_be_wide(id) || self.is_called_once(id, lanes)
    }

    /// Bytes of the stack for private objects of a function that was made, and of what it calls.
    pub(in crate::passes::vectorize) fn private_size(&self, id: FuncId) -> u64 {
        place_of(id).checked_sub(self.of_one).map_or(0, |at| self.versions[at].private_size)
    }

    /// The function for such a call; none if it is done lane by lane.
    pub(in crate::passes::vectorize) fn version(
        &mut self,
        mut key: VersionKey,
        asked: Asked,
    ) -> Option<Version> {
        let by_thunk = self.is_called_once(key.callee, key.lanes);
        if !self.may_be_wide(key.callee) && !by_thunk {
            return None;
        }
        if !self.known.contains_key(&key)
            && self.counts.get(&(key.callee, key.lanes)).is_some_and(|&count| count >= MOST_VERSIONS)
        {
            key.given.fill(ParamShape::Varying);
            key.is_masked = true;
        }
        if let Some(&known) = self.known.get(&key) {
            return known.map(|at| self.versions[at].clone());
        }
        let made = self.make(&key, asked);
        let may_wait = self.may_wait(key.callee) && !asked.may_wait;
        let has_thunk = made.is_err() && by_thunk && !may_wait;
        timing::note("callees", || {
            let VersionKey { callee, lanes, .. } = key;
            let name = &self.functions[place_of(callee)].name;
            match &made {
                Ok(_) => format!("{name}: {lanes} lanes"),
                Err(why) if has_thunk => format!("{name}: {lanes} lanes, one after the other ({why})"),
                Err(why) => format!("{name}: lane by lane ({why})"),
            }
        });
        let at = if has_thunk { Some(self.make_thunk(&key)) } else { made.ok() };
        *self.counts.entry((key.callee, key.lanes)).or_default() += 1;
        self.known.insert(key, at);
        at.map(|at| self.versions[at].clone())
    }

    /// A function that calls another for each lane.
    fn make_thunk(&mut self, key: &VersionKey) -> usize {
        let callee = &self.functions[place_of(key.callee)];
        let (func, frame) = thunk(callee, key);
        let one = self.times[place_of(key.callee)];
        // What hardly ever happens takes next to nothing.
        let around = if callee.is_rare { 0 } else { frame.given.len() as u64 + 8 };
        let time = (one + around).saturating_mul(key.lanes.into()).min(MOST_TIME);
        self.add(key, func, frame, time, 0)
    }

    fn make(&mut self, key: &VersionKey, asked: Asked) -> Result<usize, Refusal> {
        if !self.may_be_wide(key.callee) {
            let is_rare = self.functions[place_of(key.callee)].is_rare;
            return Err(if is_rare { Refusal::Gain } else { Refusal::Size });
        }
        let place = place_of(key.callee);
        let source = &self.functions[place];
        let size = source.size();
        if self.depth >= MOST_DEPTH || self.widened + size > MOST_WIDENED {
            return Err(Refusal::Size);
        }
        self.widened += size;
        let form = form(source, key).ok_or(Refusal::Group)?;
        let asked = Asked { lanes: key.lanes, record: Some(form.record), piece: None, ..asked };
        self.depth += 1;
        let made = bounded(&form.func, asked, self);
        self.depth -= 1;
        let (mut func, frequencies) = made?;
        let time = plan::time(&func, &frequencies, asked.backend, self).min(MOST_TIME);
        if !asked.is_forced && !plan::gains(time, self.times[place], key.lanes) {
            return Err(Refusal::Gain);
        }
        let private_size = private_size(&func, self);
        if private_size > MOST_PRIVATE {
            return Err(Refusal::Private);
        }
        vector_abi::finish(&mut func, &form.frame);
        Ok(self.add(key, func, form.frame, time, private_size))
    }

    fn add(
        &mut self,
        key: &VersionKey,
        mut func: Function,
        frame: ArgFrame,
        time: u64,
        private_size: u64,
    ) -> usize {
        func.name = format!("{}.{}", func.name, self.functions.len());
        after("vectorize", &func, None, self.debugging);
        let id = FuncId::new(1 + self.functions.len());
        self.functions.push(func);
        self.times.push(time);
        let first = First::Noted { is_number: key.is_folded };
        let items = ItemIds { first, lanes: key.lanes, are_all: false };
        self.versions.push(Version { id, frame, items, private_size });
        self.versions.len() - 1
    }
}

/// Bytes of private objects on the stack of a function for all lanes, and of what it calls: less than what a spare stack keeps
/// of its pages (`support::stack`).
const MOST_PRIVATE: u64 = 64 << 10;

fn private_size(func: &Function, callees: &Callees) -> u64 {
    let own = |inst: &Inst| if inst.op == Op::Alloca { inst.size_align().0 } else { 0 };
    let called = |inst: &Inst| {
        if inst.op == Op::Call { callees.private_size(inst.callee()) } else { 0 }
    };
    let own = func.instructions().map(own).sum::<u64>();
    own + func.instructions().map(called).max().unwrap_or(0)
}

/// Where a function is, of those behind the group function.
fn place_of(id: FuncId) -> usize {
    id.index().wrapping_sub(1)
}
