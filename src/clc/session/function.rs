//! State of the function that is being parsed.

use std::collections::BTreeMap;

use crate::names::Symbol;
use crate::sema::{BlockSource, BlockState};
use crate::tree::{Case, FunctionId, LabelId, Local, LocalId};
use crate::types::TypeId;
use grus_support::diag::Span;
use grus_support::{FastMap, FastSet, IdVec};

/// Label of the current function.
#[derive(Clone, Copy, Debug)]
pub struct LabelState {
    pub id: LabelId,
    pub is_defined: bool,
    pub span: Span,
}

/// Enclosing `switch` statement.
#[derive(Debug)]
pub struct SwitchState {
    pub ty: TypeId,
    pub cases: Vec<Case>,
    /// First value of each case, mapped to its last value and its source range.
    pub case_ranges: BTreeMap<i128, (i128, Span)>,
    pub default: Option<(LabelId, Span)>,
}

/// State of the function being parsed.
#[derive(Debug)]
pub struct FunctionState {
    pub id: FunctionId,
    pub ret: TypeId,
    pub is_kernel: bool,
    pub name: Symbol,
    pub locals: IdVec<LocalId, Local>,
    pub labels: FastMap<Symbol, LabelState>,
    label_count: u32,
    loop_depth: u32,
    switches: Vec<SwitchState>,
    /// Number of enclosing loops and switches. `break` requires at least one, `continue` requires a loop.
    breakable_depth: u32,
    /// Block depth: 1 is the function's outermost scope.
    pub block_depth: u32,
    /// Values of const-qualified integer variables with constant initializers.
    pub constants: FastMap<LocalId, u64>,
    /// Scope depth at the start of the function. Names bound at this depth or less belong to enclosing scopes.
    pub enclosing_scopes: u32,
    /// State of the block literal, if the function is the body of one.
    pub block: Option<BlockState>,
    /// Block variable whose initializer is being parsed.
    pub initialized_block: Option<LocalId>,
    /// Sources of the values of the function's block variables.
    pub block_sources: FastMap<LocalId, BlockSource>,
    /// Variables that are used after their declaration.
    used_locals: FastSet<LocalId>,
}

impl FunctionState {
    /// Returns the state at the start of a body, in which `enclosing_scopes` scopes are open.
    pub fn new(id: FunctionId, name: Symbol, ret: TypeId, is_kernel: bool, enclosing_scopes: u32) -> Self {
        Self {
            id,
            ret,
            is_kernel,
            name,
            locals: IdVec::new(),
            labels: FastMap::default(),
            label_count: 0,
            loop_depth: 0,
            switches: Vec::new(),
            breakable_depth: 0,
            block_depth: 0,
            constants: FastMap::default(),
            enclosing_scopes,
            block: None,
            initialized_block: None,
            block_sources: FastMap::default(),
            used_locals: FastSet::default(),
        }
    }

    /// Returns the number of labels, named or not.
    pub fn label_count(&self) -> u32 {
        self.label_count
    }

    /// Creates a label without a name.
    pub fn new_label(&mut self) -> LabelId {
        self.label_count += 1;
        LabelId(self.label_count - 1)
    }

    /// Returns the label named `name`, which is created if it is new.
    pub fn find_label(&mut self, name: Symbol, span: Span) -> &mut LabelState {
        let count = &mut self.label_count;
        self.labels.entry(name).or_insert_with(|| {
            *count += 1;
            LabelState { id: LabelId(*count - 1), is_defined: false, span }
        })
    }

    /// Enters the body of a loop.
    pub fn enter_loop(&mut self) {
        self.loop_depth += 1;
        self.breakable_depth += 1;
    }

    /// Leaves the body of a loop.
    pub fn leave_loop(&mut self) {
        self.loop_depth -= 1;
        self.breakable_depth -= 1;
    }

    /// Enters the body of a `switch` on a value of type `ty`.
    pub fn enter_switch(&mut self, ty: TypeId) {
        self.breakable_depth += 1;
        self.switches.push(SwitchState {
            ty,
            cases: Vec::new(),
            case_ranges: BTreeMap::new(),
            default: None,
        });
    }

    /// Leaves the body of the innermost `switch`.
    pub fn leave_switch(&mut self) -> SwitchState {
        self.breakable_depth -= 1;
        self.switches.pop().expect("entered before")
    }

    /// Returns the innermost `switch`.
    pub fn innermost_switch(&mut self) -> Option<&mut SwitchState> {
        self.switches.last_mut()
    }

    /// Checks whether a loop or `switch` encloses the current statement.
    pub fn may_break(&self) -> bool {
        self.breakable_depth > 0
    }

    /// Checks whether a loop encloses the current statement.
    pub fn may_continue(&self) -> bool {
        self.loop_depth > 0
    }

    /// Records that a variable is used.
    pub fn mark_used(&mut self, id: LocalId) {
        self.used_locals.insert(id);
    }

    /// Checks whether a variable is used.
    pub fn is_used(&self, id: LocalId) -> bool {
        self.used_locals.contains(&id)
    }
}
