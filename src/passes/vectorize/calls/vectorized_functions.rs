//! Vectorized versions of functions that are not inlined.
//!
//! A version is specialized for the vector shapes of its arguments, on which the calls of a function mostly
//! agree. After a few versions, a generic one is created in which every argument varies. A function that cannot
//! be vectorized, or gains nothing from it, is called lane by lane: by the caller itself, or by a thunk
//! (`scalar_thunk`) if there are many lanes or the call is rare.

use super::super::inst::MOST_CALLS;
use super::super::plan::{self, bounded};
use super::super::widen::Frequencies;
use super::super::{Asked, Refusal, forward_progress};
use super::scalar_thunk::thunk;
use super::vector_abi::{self, ArgFrame, ParamShape, form};
use crate::ir::{FuncId, Function, Inst, Op};
use crate::passes::pass_manager::after;
use crate::passes::scalar::inline;
use crate::passes::workgroup::{First, ItemIds, Tracked};
use crate::support::target::Backend;
use crate::support::{FastMap, Id, post_order, timing};

/// Limit of versions of a function for one number of lanes, besides the generic one.
// Arbitrary.
const MOST_VERSIONS: usize = 4;

/// Limit of instructions of all functions that are widened for a kernel; each number of lanes counts again.
// Arbitrary.
const MOST_WIDENED: usize = 20_000;

/// Limit of instructions of all functions whose cost is estimated; beyond it, the size is the cost.
// Arbitrary.
const MOST_LOOKED_AT: usize = 100_000;

/// Limit of nested calls between functions that are being widened: each level takes compiler stack.
// Arbitrary.
const MOST_DEPTH: usize = 12;

/// Limit of the cost of a call, which leaves room for a factor for its execution frequency (`plan`).
const MOST_TIME: u64 = 1 << 40;

/// Functions that are not inlined, and their vectorized versions.
pub struct Callees {
    /// Scalar functions, followed by the vectorized ones. Function 0 is the group function, which is not in
    /// this list.
    functions: Vec<Function>,
    /// Cost of a call of each function.
    times: Vec<u64>,
    /// True for functions that may wait for other work-items, or read what those have written meanwhile.
    waiting: Vec<bool>,
    /// Versions, which are the functions from `scalar_count` on.
    versions: Vec<Version>,
    of_one: usize,
    known: FastMap<VersionKey, Option<usize>>,
    counts: FastMap<(FuncId, u16), usize>,
    widened: usize,
    depth: usize,
}

/// A vectorized version of a function.
#[derive(Clone, Debug)]
pub(in crate::passes::vectorize) struct Version {
    pub id: FuncId,
    pub frame: ArgFrame,
    /// Work-items that one call runs.
    items: ItemIds,
    /// Bytes of stack for private objects of this function and of its callees.
    private_size: u64,
}

/// Key of a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::passes::vectorize) struct VersionKey {
    pub callee: FuncId,
    pub lanes: u16,
    /// Vector shapes of the arguments, component by component.
    pub given: Vec<ParamShape>,
    pub is_masked: bool,
    pub is_folded: bool,
}

impl Callees {
    /// Creates the list from functions in the order of their ids, from 1 on: function 0 is the group function.
    pub fn new(functions: Vec<Function>) -> Callees {
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
        }
    }

    /// Estimates the cost of all functions at the first call. This is done only for kernels that are widened.
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

    /// Returns the scalar functions and the versions with the work-items that each runs.
    pub fn into_parts(self) -> Vec<(Function, Tracked)> {
        let none = (0..self.of_one).map(|_| Tracked::new());
        let made = self.versions.into_iter().map(|version| vec![version.items]);
        self.functions.into_iter().zip(none.chain(made)).collect()
    }

    /// Returns the estimated cost of a call.
    pub(in crate::passes::vectorize) fn time(&self, id: FuncId) -> u64 {
        self.times.get(place_of(id)).copied().unwrap_or(1)
    }

    /// Checks whether a function may wait for other work-items, or read what those have written meanwhile.
    pub(in crate::passes::vectorize) fn may_wait(&self, id: FuncId) -> bool {
        self.waiting.get(place_of(id)).is_some_and(|&is| is)
    }

    /// Checks whether an attempt is made to vectorize a function.
    pub(in crate::passes::vectorize) fn may_be_wide(&self, id: FuncId) -> bool {
        let may_be = |func: &Function| !func.is_rare && !func.is_deferred && func.size() <= plan::MOST_SIZE;
        self.functions[..self.of_one].get(place_of(id)).is_some_and(may_be)
    }

    /// Checks whether all lanes share one call of a thunk if a function is not vectorized.
    fn is_called_once(&self, id: FuncId, lanes: u16) -> bool {
        lanes > MOST_CALLS || self.functions[..self.of_one].get(place_of(id)).is_some_and(|func| func.is_rare)
    }

    /// Checks whether calls of a function are small enough to be duplicated.
    pub(in crate::passes::vectorize) fn is_little(&self, id: FuncId, lanes: u16) -> bool {
        self.may_be_wide(id) || self.is_called_once(id, lanes)
    }

    /// Returns the bytes of stack for private objects of a version and of its callees.
    pub(in crate::passes::vectorize) fn private_size(&self, id: FuncId) -> u64 {
        place_of(id).checked_sub(self.of_one).map_or(0, |at| self.versions[at].private_size)
    }

    /// Returns the version for a call; none if the call is repeated lane by lane.
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

    /// Creates a function that calls a scalar function for each lane.
    fn make_thunk(&mut self, key: &VersionKey) -> usize {
        let callee = &self.functions[place_of(key.callee)];
        let (func, frame) = thunk(callee, key);
        let one = self.times[place_of(key.callee)];
        // A rare call counts as next to nothing.
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
        after("vectorize", &func, None);
        let id = FuncId::new(1 + self.functions.len());
        self.functions.push(func);
        self.times.push(time);
        let first = First::Noted { is_number: key.is_folded };
        let items = ItemIds { first, lanes: key.lanes, are_all: false };
        self.versions.push(Version { id, frame, items, private_size });
        self.versions.len() - 1
    }
}

/// Limit of the bytes of private objects on the stack of a version and of its callees, which is below the part
/// of its pages that a spare stack keeps (`support::stack`).
// Arbitrary within that limit.
const MOST_PRIVATE: u64 = 64 << 10;

fn private_size(func: &Function, callees: &Callees) -> u64 {
    let own = |inst: &Inst| if inst.op == Op::Alloca { inst.size_align().0 } else { 0 };
    let called = |inst: &Inst| {
        if inst.op == Op::Call { callees.private_size(inst.callee()) } else { 0 }
    };
    let own = func.instructions().map(own).sum::<u64>();
    own + func.instructions().map(called).max().unwrap_or(0)
}

/// Returns the index of a function in `Callees::functions`.
fn place_of(id: FuncId) -> usize {
    id.index().wrapping_sub(1)
}
