//! The result of a build: kernels, static variables, and machine code as it is generated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::code_slot::CodeSlot;
use super::enqueued_blocks;
use super::precompilation::Precompilation;
use super::specialize::{SpecializationKey, Variants};
use super::{
    CodeError, GlobalMemory, GlobalsError, KernelEntry, KernelInfo, Settings, Variable, environment_settings,
    generate, panic_text,
};
use grus_codegen::jit;
use grus_codegen::jit::{CodeMode, CompiledKernel};
use grus_exec::{NdRange, ProfiledKernel};
use grus_ir::abi::{NonTemporal, Param, RangeFacts};
use grus_ir::group_code::GroupCode;
use grus_ir::image::ArgumentKey;
use grus_ir::{Global, GlobalSpace, Module};
use grus_passes as passes;
use grus_passes::scalar::register_promotion;
use grus_passes::specialize::private_updates;
use grus_passes::{Forced, GroupCodeError};
use grus_support::environment::environment;
use grus_support::memory::{Building, NoMemory};
use grus_support::stack::{NoStack, on_stack};
use grus_support::target::BackendChoice;
use grus_support::{FastMap, timing};

/// Result of a successful build: kernels and program-scope variables. Its machine code and memory are freed with
/// the last `Arc`.
#[derive(Debug)]
pub struct Artifact {
    /// Kernels in the order of their definition. Their entries precede those of blocks.
    pub kernels: Vec<Arc<KernelInfo>>,
    /// Size in bytes of program-scope variables (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub global_variable_size: u64,
    pub(super) settings: Settings,
    pub(super) module: Module,
    pub(super) entries: Vec<KernelEntry>,
    /// Indices of block entries, by the addresses of their descriptors.
    pub(super) blocks: FastMap<u64, usize>,
    pub(super) globals: GlobalMemory,
    /// Generic code of each kernel.
    pub(super) generic: Vec<CodeSlot>,
    /// Specialized code of each kernel.
    pub(super) variants: Vec<Variants>,
    /// Sub-group size of each kernel, once it was computed.
    pub(super) sub_groups: Vec<OnceLock<u16>>,
    pub(super) precompilation: Precompilation,
}

/// Code of a kernel, or the error.
pub(super) type Generated = Result<Arc<ProfiledKernel>, CodeError>;

/// Runs `work` on a separate, large stack; a panic becomes an error.
pub(super) fn guarded_code<T>(work: impl FnOnce() -> Result<T, CodeError>) -> Result<T, CodeError> {
    let _building = Building::enter();
    let caught = on_stack(grus_clc::STACK_SIZE, || catch_unwind(AssertUnwindSafe(work)));
    match caught.map_err(|NoStack| CodeError::Memory)? {
        Ok(result) => result,
        Err(panic) if panic.is::<NoMemory>() => Err(CodeError::Memory),
        Err(panic) => Err(CodeError::Panic(panic_text(&*panic))),
    }
}

impl Artifact {
    pub(super) fn new(
        module: Module,
        settings: Settings,
        kernels: Vec<Arc<KernelInfo>>,
        entries: Vec<KernelEntry>,
    ) -> Result<Artifact, GlobalsError> {
        let globals = GlobalMemory::new(&module)?;
        let blocks = enqueued_blocks::by_descriptor(&entries, &globals);
        let generic = entries.iter().map(|_| CodeSlot::default()).collect();
        let variants = entries.iter().map(|_| Variants::default()).collect();
        let sub_groups = entries.iter().map(|_| OnceLock::new()).collect();
        let precompilation = Precompilation::new(&kernels);
        let global_variable_size = globals.variable_size();
        Ok(Artifact {
            kernels,
            global_variable_size,
            settings,
            module,
            entries,
            blocks,
            globals,
            generic,
            variants,
            sub_groups,
            precompilation,
        })
    }

    /// Returns the generic machine code of kernel `index`, which is generated at first use and kept.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn compiled(&self, index: usize) -> Result<Arc<ProfiledKernel>, CodeError> {
        self.generic_code(index).cloned()
    }

    /// Returns a reference to the generic code of kernel `index`.
    pub(super) fn generic_code(&self, index: usize) -> Result<&Arc<ProfiledKernel>, CodeError> {
        let slot = self.generic.get(index).ok_or(CodeError::UnknownKernel)?;
        self.once(slot, index, &SpecializationKey::default())
    }

    /// Generates code at first use; it is kept unless memory ran out.
    pub(super) fn once<'s>(
        &self,
        slot: &'s CodeSlot,
        index: usize,
        key: &SpecializationKey,
    ) -> Result<&'s Arc<ProfiledKernel>, CodeError> {
        slot.get_or_make(|| guarded_code(|| self.generate(index, key)))
    }

    /// Returns the facts about a range that the code of a kernel can be specialized for.
    pub fn range_facts(
        &self,
        index: usize,
        offset: [u64; 3],
        global: [u64; 3],
        local: [u64; 3],
    ) -> RangeFacts {
        let range = NdRange { work_dim: 3, offset, global, local };
        self.specialization_profile(index).range_facts(&range)
    }

    /// Returns code of a kernel that is valid for launches with this key: a specialized variant or the generic
    /// code.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn compiled_for(
        &self,
        index: usize,
        key: &SpecializationKey,
    ) -> Result<Arc<ProfiledKernel>, CodeError> {
        let Some(variants) = self.variants.get(index) else { return self.compiled(index) };
        let Some((variant, is_mine)) = variants.find(key) else { return self.compiled(index) };
        if let Some(code) = variant.code.get() {
            return code.clone();
        }
        // Another thread is generating this variant: the generic code is used if there is some.
        if !is_mine && let Some(Ok(code)) = self.generic.get(index).and_then(CodeSlot::get) {
            return Ok(Arc::clone(code));
        }
        let code = self.once(&variant.code, index, &variant.key).cloned();
        if matches!(code, Err(CodeError::Memory)) {
            variant.give_up();
        }
        code
    }

    /// Generates the code of a kernel for a key.
    pub(super) fn generate(&self, index: usize, key: &SpecializationKey) -> Generated {
        let begin = Instant::now();
        let code = Arc::new(self.group_code(index, key)?);
        let placed = self.place_code(index, key, &code)?;
        Ok(Arc::new(ProfiledKernel::new(placed, begin.elapsed())))
    }

    /// Makes machine code of what [`Artifact::group_code`] has returned for this key. Nobody keeps it: for tests, which look at
    /// both.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn machine_code(
        &self,
        index: usize,
        key: &SpecializationKey,
        code: &Arc<GroupCode>,
    ) -> Result<Arc<ProfiledKernel>, CodeError> {
        let placed = guarded_code(|| self.place_code(index, key, code))?;
        Ok(Arc::new(ProfiledKernel::new(placed, Duration::ZERO)))
    }

    /// Makes machine code and places it in executable memory.
    pub(super) fn place_code(
        &self,
        index: usize,
        key: &SpecializationKey,
        code: &Arc<GroupCode>,
    ) -> Result<CompiledKernel, CodeError> {
        let name = || self.entries[index].name.to_string();
        let _timed = timing::span("code generation", name);
        let functions = generate::functions(code, self.globals.addresses(), self.choice(key.forced))?;
        let mode = CodeMode {
            flush_denormals: self.settings.flush_denormals,
            is_interchanged: key.range.is_interchanged,
            is_nontemporal: key.range.nontemporal != NonTemporal::None,
        };
        Ok(jit::place(code, &functions, mode, &|loc| self.source_line(loc))?)
    }

    /// Returns the backend and its settings.
    pub(super) fn choice(&self, forced: Forced) -> BackendChoice {
        environment_settings::choice(forced, self.settings.opt_disable)
    }

    /// Runs the passes that specialize a kernel for a key.
    ///
    /// # Errors
    /// If a function is called that has no body, or calls itself.
    pub fn group_code(&self, index: usize, key: &SpecializationKey) -> Result<GroupCode, GroupCodeError> {
        if !self.has_sub_group_ops(index) {
            let lanes = if self.settings.opt_disable { Some(1) } else { environment().lanes };
            let lanes = key.forced.lanes.or(lanes);
            return self.formed(index, key, Forced { lanes, ..key.forced });
        }
        // All variants of a kernel have the same sub-group size.
        let lanes = match key.forced.lanes {
            Some(lanes) => lanes,
            None => self.sub_group_size_here(index)?,
        };
        let forced = Forced { lanes: Some(lanes), ..key.forced };
        self.formed(index, key, forced).or_else(|why| {
            timing::note("sub-groups", || format!("not for this launch: {why}"));
            // If the generic code has no sub-groups either, the first reason is the more detailed one.
            self.formed(index, &SpecializationKey::default(), forced).map_err(|_| why)
        })
    }

    /// Runs the passes for a key, with the backend chosen.
    pub(super) fn formed(
        &self,
        index: usize,
        key: &SpecializationKey,
        forced: Forced,
    ) -> Result<GroupCode, GroupCodeError> {
        let forced =
            Forced { backend: Some(self.choice(forced).backend), ..environment_settings::filled(forced) };
        let entry = &self.entries[index];
        let _timed = timing::span("group passes", || entry.name.to_string());
        let func = &self.module.funcs[entry.func];
        if !key.changes_kernel() {
            return passes::form_group_code(&self.module, func, &entry.params, key.range, forced);
        }
        let mut known: Vec<(usize, ArgumentKey)> = Vec::new();
        if !key.images.is_empty() {
            let args = self.kernels[index].args.iter().enumerate();
            let places = args.filter(|(_, arg)| arg.kind.is_of_images());
            known.extend(places.map(|(place, _)| place).zip(key.images.iter().copied()));
        }
        let mut func = func.clone();
        if key.no_alias {
            register_promotion::set_no_alias(
                &mut func,
                self.specialization_profile(index).no_alias_params(key.range),
            );
        }
        let updated = if key.private_updates { private_updates::find(&func) } else { Vec::new() };
        private_updates::make_private(&mut func, &updated);
        let (range, debugging) = (key.range, forced.debugging);
        passes::specialize_kernel(
            &mut func,
            entry.func,
            &self.module,
            &known,
            range,
            key.unit_strides,
            debugging,
        );
        let mut code = passes::form_group_code(&self.module, &func, &entry.params, key.range, forced)?;
        code.private_updates = updated
            .into_iter()
            .filter_map(|param| match entry.params[param.position] {
                Param::Value(place) => Some(param.at(place)),
                Param::Struct(_) | Param::Local(_) => None,
            })
            .collect();
        Ok(code)
    }

    /// Returns the program-scope variables that kernels can write.
    pub fn variables(&self) -> Vec<Variable> {
        let globals = self.module.globals.iter();
        let written = globals.filter(|(_, global)| global.space == GlobalSpace::Global && global.is_defined);
        let variable = |(id, global): (_, &Global)| Variable {
            name: global.name.clone(),
            address: self.globals.addresses()[id] as usize,
            size: global.size as usize,
            has_pointers: !global.relocs.is_empty(),
        };
        written.map(variable).collect()
    }

    /// Checks whether all work-groups of a launch must have one size.
    pub fn wants_uniform_groups(&self) -> bool {
        self.settings.uniform_groups
    }

    /// Checks whether some of the program was in SPIR-V.
    pub fn has_il(&self) -> bool {
        self.settings.has_il
    }

    /// Returns the file and line of a position in a report of a fault.
    pub fn source_line(&self, loc: u32) -> Option<(&str, u32)> {
        self.module.lines.get(loc)
    }

    /// Returns the optimized IR.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the entries: those of kernels in the order of `kernels`, then those of blocks.
    pub fn entries(&self) -> &[KernelEntry] {
        &self.entries
    }
}
