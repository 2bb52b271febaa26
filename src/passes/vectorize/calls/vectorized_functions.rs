//! Vectorized versions of functions that are not inlined.
//!
//! A version is specialized for the vector shapes of its arguments, on which the calls of a function mostly
//! agree. After a few versions, a generic one is created in which every argument varies. A function that cannot
//! be vectorized, or gains nothing from it, is called lane by lane: by the caller itself, or by a thunk
//! (`scalar_thunk`) if there are many lanes or the call is rare.

use super::super::cost::estimate::total_cost;
use super::super::inst::MAX_UNROLLED_LANES;
use super::super::plan::{self, widen_bounded};
use super::super::widen::BlockFrequencies;
use super::super::{Refusal, WidenOptions, forward_progress};
use super::scalar_thunk::thunk;
use super::vector_abi::{self, ArgFrame, ParamShape, vector_form};
use crate::gather::table_lookup::ConstantTables;
use crate::pass_manager::{Debugging, after};
use crate::scalar::inline;
use grus_ir::group_code::{FirstItem, ItemIds, Tracked};
use grus_ir::{FuncId, Function, Inst, Op};
use grus_support::target::Backend;
use grus_support::{FastMap, Id, post_order, timing};

/// Limit of versions of a function for one number of lanes, besides the generic one.
// Arbitrary.
const MAX_VERSIONS: usize = 4;

/// Limit of instructions of all functions that are widened for a kernel; each number of lanes counts again.
// Arbitrary.
const MAX_WIDENED_SIZE: usize = 20_000;

/// Limit of instructions of all functions whose cost is estimated; beyond it, the size is the cost.
// Arbitrary.
const MAX_ESTIMATED_SIZE: usize = 100_000;

/// Limit of nested calls between functions that are being widened: each level takes compiler stack.
// Arbitrary.
const MAX_NESTING: usize = 12;

/// Limit of the cost of a call, which leaves room for a factor for its execution frequency (`plan`).
// Arbitrary.
const MAX_COST: u64 = 1 << 40;

/// Functions that are not inlined, and their vectorized versions.
pub struct Callees {
    /// Scalar functions, followed by the vectorized ones. Function 0 is the group function, which is not in
    /// this list.
    functions: Vec<Function>,
    /// Cost of a call of each function.
    costs: Vec<u64>,
    /// True for functions that may wait for other work-items, or read what those have written meanwhile.
    may_wait: Vec<bool>,
    /// Versions, which are the functions from `scalar_count` on.
    versions: Vec<Version>,
    scalar_count: usize,
    versions_by_key: FastMap<VersionKey, Option<usize>>,
    version_counts: FastMap<(FuncId, u16), usize>,
    widened_size: usize,
    nesting: usize,
    /// Constant variables of the functions and of the group function that may become `permute`.
    tables: ConstantTables,
    debugging: Debugging,
}

/// A vectorized version of a function.
#[derive(Clone, Debug)]
pub(in crate::vectorize) struct Version {
    pub id: FuncId,
    pub frame: ArgFrame,
    /// Work-items that one call runs.
    items: ItemIds,
    /// Bytes of stack for private objects of this function and of its callees.
    private_size: u64,
}

/// Key of a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::vectorize) struct VersionKey {
    pub callee: FuncId,
    pub lanes: u16,
    /// Vector shapes of the arguments, component by component.
    pub params: Vec<ParamShape>,
    pub is_masked: bool,
    pub has_linear_ids: bool,
}

impl Callees {
    /// Creates the list from functions in the order of their ids, from 1 on: function 0 is the group function.
    pub fn new(functions: Vec<Function>, tables: ConstantTables, debugging: Debugging) -> Callees {
        Callees {
            tables,
            costs: Vec::new(),
            may_wait: Vec::new(),
            scalar_count: functions.len(),
            functions,
            versions: Vec::new(),
            versions_by_key: FastMap::default(),
            version_counts: FastMap::default(),
            widened_size: 0,
            nesting: 0,
            debugging,
        }
    }

    /// Estimates the cost of all functions at the first call. This is done only for kernels that are widened.
    pub(in crate::vectorize) fn estimate_costs(&mut self, backend: Backend) {
        if self.costs.len() == self.scalar_count {
            return;
        }
        (self.costs, self.may_wait) = (vec![1; self.scalar_count], vec![false; self.scalar_count]);
        let mut estimated_size = 0;
        let first = (1..=self.scalar_count).map(FuncId::new);
        let called = |id| inline::callees(&self.functions[index_of(id)]);
        for id in post_order(first, 1 + self.scalar_count, called) {
            let index = index_of(id);
            let func = &self.functions[index];
            let reads_others = |inst: &Inst| {
                forward_progress::reads_others_writes(inst)
                    || inst.op == Op::Call && self.may_wait(inst.callee())
            };
            self.may_wait[index] = func.instructions().any(reads_others);
            if func.is_rare {
                continue;
            }
            estimated_size += func.size();
            let cost = if estimated_size > MAX_ESTIMATED_SIZE {
                func.size() as u64
            } else {
                total_cost(func, &BlockFrequencies::default(), backend, self)
            };
            self.costs[index] = cost.min(MAX_COST);
        }
    }

    /// Returns the scalar functions and the versions with the work-items that each runs.
    pub fn into_parts(self) -> Vec<(Function, Tracked)> {
        let none = (0..self.scalar_count).map(|_| Tracked::new());
        let widened = self.versions.into_iter().map(|version| vec![version.items]);
        self.functions.into_iter().zip(none.chain(widened)).collect()
    }

    /// Returns the constant variables that may be looked up in registers.
    pub(in crate::vectorize) fn tables(&self) -> &ConstantTables {
        &self.tables
    }

    /// Returns the estimated cost of a call.
    pub(in crate::vectorize) fn cost(&self, id: FuncId) -> u64 {
        self.costs.get(index_of(id)).copied().unwrap_or(1)
    }

    /// Checks whether a function may wait for other work-items, or read what those have written meanwhile.
    pub(in crate::vectorize) fn may_wait(&self, id: FuncId) -> bool {
        self.may_wait.get(index_of(id)).is_some_and(|&is| is)
    }

    /// Checks whether an attempt is made to vectorize a function.
    pub(in crate::vectorize) fn may_be_widened(&self, id: FuncId) -> bool {
        let may_be =
            |func: &Function| !func.is_rare && !func.is_deferred && func.size() <= plan::MAX_BODY_SIZE;
        self.functions[..self.scalar_count].get(index_of(id)).is_some_and(may_be)
    }

    /// Checks whether all lanes share one call of a thunk if a function is not vectorized.
    fn uses_thunk(&self, id: FuncId, lanes: u16) -> bool {
        lanes > MAX_UNROLLED_LANES
            || self.functions[..self.scalar_count].get(index_of(id)).is_some_and(|func| func.is_rare)
    }

    /// Checks whether calls of a function are small enough to be duplicated.
    pub(in crate::vectorize) fn may_duplicate_calls(&self, id: FuncId, lanes: u16) -> bool {
        self.may_be_widened(id) || self.uses_thunk(id, lanes)
    }

    /// Returns the bytes of stack for private objects of a version and of its callees.
    pub(in crate::vectorize) fn private_size(&self, id: FuncId) -> u64 {
        index_of(id).checked_sub(self.scalar_count).map_or(0, |at| self.versions[at].private_size)
    }

    /// Returns the version for a call; none if the call is repeated lane by lane.
    pub(in crate::vectorize) fn version(
        &mut self,
        mut key: VersionKey,
        options: WidenOptions,
    ) -> Option<Version> {
        let by_thunk = self.uses_thunk(key.callee, key.lanes);
        if !self.may_be_widened(key.callee) && !by_thunk {
            return None;
        }
        if !self.versions_by_key.contains_key(&key)
            && self.version_counts.get(&(key.callee, key.lanes)).is_some_and(|&count| count >= MAX_VERSIONS)
        {
            key.params.fill(ParamShape::Varying);
            key.is_masked = true;
        }
        if let Some(&version) = self.versions_by_key.get(&key) {
            return version.map(|at| self.versions[at].clone());
        }
        let widened = self.widen_version(&key, options);
        let may_wait = self.may_wait(key.callee) && !options.may_wait;
        let has_thunk = widened.is_err() && by_thunk && !may_wait;
        timing::note("callees", || {
            let VersionKey { callee, lanes, .. } = key;
            let name = &self.functions[index_of(callee)].name;
            match &widened {
                Ok(_) => format!("{name}: {lanes} lanes"),
                Err(why) if has_thunk => format!("{name}: {lanes} lanes, one after the other ({why})"),
                Err(why) => format!("{name}: lane by lane ({why})"),
            }
        });
        let at = if has_thunk { Some(self.make_thunk(&key)) } else { widened.ok() };
        *self.version_counts.entry((key.callee, key.lanes)).or_default() += 1;
        self.versions_by_key.insert(key, at);
        at.map(|at| self.versions[at].clone())
    }

    /// Creates a function that calls a scalar function for each lane.
    fn make_thunk(&mut self, key: &VersionKey) -> usize {
        let callee = &self.functions[index_of(key.callee)];
        let (func, frame) = thunk(callee, key);
        let one = self.costs[index_of(key.callee)];
        // A rare call counts as next to nothing.
        let call_overhead = if callee.is_rare { 0 } else { frame.params.len() as u64 + 8 };
        let cost = (one + call_overhead).saturating_mul(key.lanes.into()).min(MAX_COST);
        self.add_version(key, func, frame, cost, 0)
    }

    fn widen_version(&mut self, key: &VersionKey, options: WidenOptions) -> Result<usize, Refusal> {
        if !self.may_be_widened(key.callee) {
            let is_rare = self.functions[index_of(key.callee)].is_rare;
            return Err(if is_rare { Refusal::Unprofitable } else { Refusal::Size });
        }
        let index = index_of(key.callee);
        let source = &self.functions[index];
        let size = source.size();
        if self.nesting >= MAX_NESTING || self.widened_size + size > MAX_WIDENED_SIZE {
            return Err(Refusal::Size);
        }
        self.widened_size += size;
        let vector_form = vector_form(source, key).ok_or(Refusal::GroupOps)?;
        let options = WidenOptions {
            lanes: key.lanes,
            record: Some(vector_form.record),
            segment_lanes: None,
            ..options
        };
        self.nesting += 1;
        let widened = widen_bounded(&vector_form.func, options, self);
        self.nesting -= 1;
        let (mut func, frequencies) = widened?;
        let cost = total_cost(&func, &frequencies, options.backend, self).min(MAX_COST);
        if !options.is_forced && !plan::is_profitable(cost, self.costs[index], key.lanes) {
            return Err(Refusal::Unprofitable);
        }
        let private_size = private_size(&func, self);
        if private_size > MAX_PRIVATE_BYTES {
            return Err(Refusal::PrivateMemory);
        }
        vector_abi::load_params(&mut func, &vector_form.frame);
        Ok(self.add_version(key, func, vector_form.frame, cost, private_size))
    }

    fn add_version(
        &mut self,
        key: &VersionKey,
        mut func: Function,
        frame: ArgFrame,
        cost: u64,
        private_size: u64,
    ) -> usize {
        func.name = format!("{}.{}", func.name, self.functions.len());
        after("vectorize", &func, None, self.debugging);
        let id = FuncId::new(1 + self.functions.len());
        self.functions.push(func);
        self.costs.push(cost);
        let first = FirstItem::InMemory { is_linear: key.has_linear_ids };
        let items = ItemIds { first, lanes: key.lanes, rows: 1, covers_all_items: false };
        self.versions.push(Version { id, frame, items, private_size });
        self.versions.len() - 1
    }
}

/// Limit of the bytes of private objects on the stack of a version and of its callees, which is below the part
/// of its pages that a spare stack keeps (`support::stack`).
// Arbitrary within that limit.
const MAX_PRIVATE_BYTES: u64 = 64 << 10;

fn private_size(func: &Function, callees: &Callees) -> u64 {
    let own = |inst: &Inst| if inst.op == Op::Alloca { inst.size_align().0 } else { 0 };
    let called = |inst: &Inst| {
        if inst.op == Op::Call { callees.private_size(inst.callee()) } else { 0 }
    };
    let own = func.instructions().map(own).sum::<u64>();
    own + func.instructions().map(called).max().unwrap_or(0)
}

/// Returns the index of a function in `Callees::functions`.
fn index_of(id: FuncId) -> usize {
    id.index().wrapping_sub(1)
}
