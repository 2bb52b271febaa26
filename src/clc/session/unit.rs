//! Translation unit under construction.

use crate::tree::{Function, FunctionId, Global, GlobalId};
use crate::types::{QualType, TypeId};
use grus_support::diag::Span;
use grus_support::{FastMap, FastSet, IdVec};

/// Properties of a function that are not part of its tree.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub ty: TypeId,
    pub ret: TypeId,
    pub params: Vec<QualType>,
    pub is_defined: bool,
    pub is_kernel: bool,
    /// True if the function has the attribute `overloadable`.
    pub is_overloadable: bool,
    /// True for a library function whose result may differ between the work-items of a work-group (`__varies`).
    pub is_divergent: bool,
    /// True for a library function that all work-items of a work-group must call (`__gathers`).
    pub is_convergent: bool,
    /// Functions that this one calls, with the source range of the first call of each.
    pub callees: Vec<(FunctionId, Span)>,
}

impl FunctionInfo {
    /// Returns the information on an ordinary function that has no calls yet.
    pub fn new(ty: TypeId, ret: TypeId, params: Vec<QualType>, is_defined: bool) -> Self {
        Self {
            ty,
            ret,
            params,
            is_defined,
            is_kernel: false,
            is_overloadable: false,
            is_divergent: false,
            is_convergent: false,
            callees: Vec::new(),
        }
    }
}

/// Use of a variable that is declared `extern`.
#[derive(Clone, Copy, Debug)]
pub struct ExternUse {
    pub global: GlobalId,
    /// Function that contains the use, if one does.
    pub user: Option<FunctionId>,
    pub span: Span,
}

/// Translation unit under construction: its functions and variables, and the relations between them.
#[derive(Debug, Default)]
pub struct UnitBuilder {
    pub globals: IdVec<GlobalId, Global>,
    pub functions: IdVec<FunctionId, Function>,
    /// Properties of each of `functions`.
    pub infos: IdVec<FunctionId, FunctionInfo>,
    /// All functions of each overloaded name, by the first of them.
    overloads: FastMap<FunctionId, Vec<FunctionId>>,
    /// String literals by contents.
    strings: FastMap<Vec<u8>, GlobalId>,
    /// Uses of variables declared `extern`.
    extern_uses: Vec<ExternUse>,
    /// Caller and callee of each call recorded in `infos`.
    calls: FastSet<(FunctionId, FunctionId)>,
}

impl UnitBuilder {
    /// Adds a function.
    pub fn add_function(&mut self, function: Function, info: FunctionInfo) -> FunctionId {
        self.infos.push(info);
        self.functions.push(function)
    }

    /// Records a call. Only the first call of a callee by a caller is kept.
    pub fn add_call(&mut self, caller: FunctionId, callee: FunctionId, span: Span) {
        if self.calls.insert((caller, callee)) {
            self.infos[caller].callees.push((callee, span));
        }
    }

    /// Checks whether several functions have the name of `first`.
    pub fn is_overloaded(&self, first: FunctionId) -> bool {
        self.overloads.contains_key(&first)
    }

    /// Returns all functions with the name of `first`, which is the one that scopes refer to.
    pub fn overloads_of(&self, first: FunctionId) -> Vec<FunctionId> {
        self.overloads.get(&first).cloned().unwrap_or_else(|| vec![first])
    }

    /// Adds a function to the overloads of `first`.
    pub fn add_overload(&mut self, first: FunctionId, id: FunctionId) {
        self.overloads.entry(first).or_insert_with(|| vec![first]).push(id);
    }

    /// Returns the global of a string literal with these contents.
    pub fn find_string(&self, bytes: &[u8]) -> Option<GlobalId> {
        self.strings.get(bytes).copied()
    }

    /// Records the global of a string literal.
    pub fn add_string(&mut self, bytes: Vec<u8>, id: GlobalId) {
        self.strings.insert(bytes, id);
    }

    /// Records a use of a variable that is declared `extern`.
    pub fn add_extern_use(&mut self, use_: ExternUse) {
        self.extern_uses.push(use_);
    }

    /// Removes and returns all uses of variables that are declared `extern`.
    pub fn take_extern_uses(&mut self) -> Vec<ExternUse> {
        std::mem::take(&mut self.extern_uses)
    }
}
