//! Runs kernels of fixtures by the interpreter (before any pass) and as machine code
//! (after all of them), and interprets what the passes made, compares all memory, and checks what the fixture expects.
//!
//! Directives, in comments of the fixture:
//!
//! ```text
//! run: NAME global=X[,Y[,Z]] local=X[,Y[,Z]] [offset=X,..] args: ARG; ARG; ...
//! then: ...          the same, on the memory that the run before left
//! expect: N = VALUE VALUE ...     contents of argument N after the run before; `_` is anything
//! expect: N within T = VALUE ...  numbers may be off by T, relatively if they are above 1
//! options: BUILD OPTIONS
//! ```
//! ARG is `int[16] = iota`, `int[4] = 1 2 3 4`, `float[8] = 0` (last value repeats),
//! `int = 5`, `float4 = 1 2 3 4`, `local 64`, `null`, `pipe 16x8` (bytes of a packet, packets), or
//! `image RGBA UNORM_INT8 4x2x1 [pitch 32] = 1 2 3 ...` (channels of all texels; a sampler is a `uint`).
//! Kernels with images run twice as machine code: made for their formats and samplers, and for any.

pub mod directive;

use std::alloc::Layout;

use self::directive::{Arg, Elem, Fixture, Run};
use grus_core::compile::{ArgKind, Artifact, GlobalMemory, SpecializationKey};
use grus_core::exec::{self, Launch, NdRange};
use grus_core::image::{ArgumentKey, Descriptor};
use grus_core::ir::abi::{AREA_ALIGN, GroupContext, NonTemporal, Param, RangeFacts, interchanged};
use grus_core::ir::interp::{Group, Interp, LaneBits};
use grus_core::ir::{FuncId, Function, GlobalSpace, Kind, Module, Op, Type};
use grus_core::passes::{Forced, has_sub_group_ops, interchange};
use grus_core::support::target::{Allocator, Backend, Overrides};

/// Memory aligned for any type.
pub struct Block {
    start: *mut u8,
    layout: Layout,
    pub len: usize,
    /// Of an image.
    descriptor: Option<Box<Descriptor>>,
}

impl Block {
    fn new(bytes: &[u8]) -> Block {
        let layout = Layout::from_size_align(bytes.len().max(1), 128).expect("small");
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        assert!(!start.is_null());
        // SAFETY: as large as the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
        Block { start, layout, len: bytes.len(), descriptor: None }
    }
    /// What a kernel gets for it.
    fn argument(&self) -> u64 {
        self.descriptor.as_deref().map_or(self.start as u64, |image| std::ptr::from_ref(image) as u64)
    }
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: ours, and no kernel runs while the slice is alive.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.start, self.layout) };
    }
}

fn blocks(run: &Run) -> Vec<Block> {
    let block = |arg: &Arg| match arg {
        Arg::Buffer(_, bytes) | Arg::Value(bytes) | Arg::Pipe(bytes) => Block::new(bytes),
        Arg::Local(size) => Block::new(&vec![0; *size as usize]),
        Arg::Null => Block::new(&[]),
        Arg::Image(image) => {
            let mut block = Block::new(&image.bytes);
            let (row, slice) = (image.row_pitch as u64, image.slice_pitch as u64);
            block.descriptor =
                Some(Box::new(Descriptor::new(block.start, image.format, image.size, row, slice)));
            block
        }
    };
    run.args.iter().map(block).collect()
}

/// The first seed of random programs and the one behind the last: those that a variable names as `FROM..TO`, or the usual ones.
pub fn seeds(variable: &str, usual: u64) -> (u64, u64) {
    let wanted = std::env::var(variable).unwrap_or_default();
    let bounds = wanted.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    bounds.unwrap_or((1, usual))
}

/// Checks a fixture; a message for the first thing that is wrong.
pub fn check(fixture: &Fixture, oracle: &Module, artifact: &Artifact) -> Result<(), String> {
    check_sections(fixture, oracle, artifact, &[])
}

/// Checks that groups may run in any order: what one reads of what another wrote would make a test fail now and then.
#[allow(dead_code, reason = "only fixtures are written by hand")]
pub fn check_order(fixture: &Fixture, oracle: &Module) -> Result<(), String> {
    // What a program keeps would be changed twice.
    if oracle.globals.iter().any(|(_, global)| global.space == GlobalSpace::Global) {
        return Ok(());
    }
    let globals = GlobalMemory::new(oracle).map_err(|why| why.to_string())?;
    for run in fixture.runs.iter().filter(|run| !run.continues) {
        let (forwards, backwards) = (blocks(run), blocks(run));
        interpret(run, oracle, &globals, &forwards, 1, false)?;
        interpret(run, oracle, &globals, &backwards, 1, true)?;
        compare(run, &forwards, &backwards).map_err(|e| format!("the last group first: {e}"))?;
    }
    Ok(())
}

/// A buffer whose sections of sixteen elements, made with these numbers of lanes, must hold the
/// same; the last elements of a section are not written if the lanes do not divide sixteen.
/// The list of numbers may repeat.
pub struct Section {
    kernel: String,
    argument: usize,
    lanes: Vec<usize>,
}

impl Section {
    /// What `// lanes: KERNEL ARGUMENT N,N,...` lines say.
    pub fn of(text: &str) -> Vec<Section> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("// lanes: "));
        lines
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                Section {
                    kernel: words[0].to_owned(),
                    argument: words[1].parse().expect("a number"),
                    lanes: words[2].split(',').map(|n| n.parse().expect("a number")).collect(),
                }
            })
            .collect()
    }

    fn check(&self, elem: Elem, bytes: &[u8]) -> Result<(), String> {
        let size = 16 * elem.size();
        for (number, section) in bytes.chunks(size).enumerate() {
            let lanes = self.lanes[number % self.lanes.len()];
            let len = 16 / lanes * lanes * elem.size();
            if let Some(at) = difference(elem, &bytes[..len], &section[..len]) {
                let shown = |b: &[u8]| elem.show(&b[at * elem.size()..]);
                let (scalar, vector) = (shown(bytes), shown(section));
                return Err(format!(
                    "argument {}, element {at} is {scalar}, but {vector} with {lanes} lanes (section {number})",
                    self.argument
                ));
            }
        }
        Ok(())
    }
}

/// Work-items side by side that every fixture is run with; sub-groups may be larger.
const WIDTHS: [u16; 4] = [2, 4, 8, 16];
const SUB_GROUPS: [u16; 6] = [2, 4, 8, 16, 32, 64];

/// How a run is repeated, side by side with these numbers of lanes: item by item in rows, and with rows folded into one,
/// as long as there are several.
fn forms(run: &Run, widths: &[u16]) -> Vec<Forced> {
    if run.continues || widths.is_empty() {
        return Vec::new();
    }
    let wide = |linear_ids: bool| {
        widths.iter().map(move |&lanes| Forced { lanes: Some(lanes), linear_ids, ..any_launch().forced })
    };
    let has_rows = run.local[1] * run.local[2] > 1;
    let linear_ids = wide(true).filter(|forced| has_rows || forced.lanes == Some(8));
    let one = Forced { lanes: Some(1), linear_ids: true, ..any_launch().forced };
    let by_turns = Forced { lanes: Some(1), interleaved: true, ..any_launch().forced };
    let one = [one].into_iter().filter(|_| has_rows);
    wide(false).chain(linear_ids).chain(one).chain([by_turns]).collect()
}

/// The backends besides Cranelift that this machine has; with AVX-512 all that it has of it and what all have take turns.
fn wide_backends(turn: usize) -> impl Iterator<Item = Backend> {
    let with_masks = if turn.is_multiple_of(2) { Backend::Avx512Base } else { Backend::Avx512 };
    [Backend::Avx2, with_masks].into_iter().filter(|backend| backend.is_here())
}

/// Both register allocators, and both ways to gather, whatever the machine is.
fn overrides(turn: usize) -> Overrides {
    Overrides {
        allocator: turn.is_multiple_of(4).then_some(Allocator::Regalloc2),
        slow_gathers: [None, Some(false), Some(true)][turn % 3],
        ..Overrides::default()
    }
}

/// What goes past the caches.
fn nontemporal(turn: usize) -> NonTemporal {
    [NonTemporal::None, NonTemporal::PerItem, NonTemporal::PerIteration][turn % 3]
}

/// Runs as the wide backends compile it, with as many items side by side as it is the turn of.
fn check_wide(
    run: &Run,
    artifact: &Artifact,
    index: usize,
    key: &SpecializationKey,
    expected: &[Block],
    of_lanes: impl Fn(u16) -> Result<Option<Vec<Block>>, String>,
) -> Result<(), String> {
    let has_sub_groups = has_sub_group_ops(&artifact.module().funcs[artifact.entries()[index].func]);
    let turn = run.line + artifact.module().funcs.len();
    for backend in wide_backends(turn) {
        // What is done lane by lane is not done for 32, but for sub-groups, which are of one size.
        let widths: &[u16] = match backend {
            Backend::Avx2 if has_sub_groups => &[1, 64, 8, 32, 16],
            Backend::Avx2 => &[1, 8, 16],
            _ if has_sub_groups => &[16, 32, 1, 64, 8],
            _ => &[32, 1, 16],
        };
        let lanes = widths[turn % widths.len()];
        let anew = of_lanes(lanes)?;
        let expected = anew.as_deref().unwrap_or(expected);
        let say = |what: String| format!("line {}: {backend:?}, {lanes} lanes: {what}", run.line);
        let interleaved = lanes == 1 && turn.is_multiple_of(2);
        let overrides = overrides(turn);
        let forced = Forced {
            lanes: Some(lanes),
            interleaved,
            backend: Some(backend),
            overrides,
            ..Forced::default()
        };
        let range = RangeFacts { nontemporal: nontemporal(turn / 2), ..key.range };
        let key = SpecializationKey { range, forced, ..key.clone() };
        let ran = blocks(run);
        execute(run, artifact, index, &ran, &key).map_err(say)?;
        compare(run, expected, &ran).map_err(say)?;
    }
    let has_calls =
        artifact.module().funcs.values().any(|func| func.instructions().any(|i| i.op == Op::Call));
    if has_calls && !has_sub_groups {
        // Nobody asks for a backend: functions of one call those of the other.
        let ran = blocks(run);
        execute(run, artifact, index, &ran, &SpecializationKey { forced: Forced::default(), ..key.clone() })?;
        compare(run, expected, &ran).map_err(|e| format!("both backends: {e}"))?;
    }
    Ok(())
}

/// Whether there are several rows.
fn has_rows(run: &Run) -> bool {
    run.local[1] * run.local[2] > 1 || run.global[1] > 1
}

/// Runs with the first two dimensions in each other's place, if the kernel lets them.
fn check_interchanged(
    run: &Run,
    artifact: &Artifact,
    index: usize,
    key: &SpecializationKey,
    globals: &GlobalMemory,
    expected: &[Block],
) -> Result<(), String> {
    if !interchange::can(&artifact.module().funcs[artifact.entries()[index].func]) {
        return Ok(());
    }
    let local_size = key.range.local_size.filter(|_| !key.range.is_interchanged).map(interchanged);
    let range = RangeFacts { is_interchanged: true, local_size, is_plain: false, ..key.range };
    for lanes in [1, 4] {
        let forced = Forced { lanes: Some(lanes), ..any_launch().forced };
        let say = |what: String| format!("line {}: interchanged, {lanes} lanes: {what}", run.line);
        let (ran, formed) = (blocks(run), blocks(run));
        let of_range = SpecializationKey { range, forced, unit_strides: key.unit_strides, ..any_launch() };
        interpret_group_code(run, artifact, index, &of_range, globals, &formed).map_err(say)?;
        compare(run, expected, &formed).map_err(|e| say(format!("interpreted: {e}")))?;
        execute(run, artifact, index, &ran, &SpecializationKey { range, forced, ..key.clone() })
            .map_err(say)?;
        compare(run, expected, &ran).map_err(say)?;
    }
    Ok(())
}

/// The same, with sections that must agree.
pub fn check_sections(
    fixture: &Fixture,
    oracle: &Module,
    artifact: &Artifact,
    sections: &[Section],
) -> Result<(), String> {
    let oracle_globals = GlobalMemory::new(oracle).map_err(|why| why.to_string())?;
    let formed_globals = GlobalMemory::new(artifact.module()).map_err(|why| why.to_string())?;
    let mut memory: Option<[Vec<Block>; 4]> = None;
    // What a program keeps would be changed again and again; tables of builtins take turns.
    let widths: &[u16] = match sections.len() {
        _ if artifact.global_variable_size > 0 => &[],
        0 => &WIDTHS,
        _ => &WIDTHS[artifact.module().funcs.len() % WIDTHS.len()..][..1],
    };
    for run in &fixture.runs {
        let [slow, fast, any, formed] = match memory.take() {
            Some(memory) if run.continues => memory,
            _ => [blocks(run), blocks(run), blocks(run), blocks(run)],
        };
        let say = |what: String| format!("line {}: {what}", run.line);
        let index = artifact.kernels.iter().position(|kernel| kernel.name == run.kernel);
        let index = index.ok_or_else(|| say(format!("no kernel `{}` in the artifact", run.kernel)))?;
        let sub_group = artifact.sub_group_size(index).map_err(|why| say(why.to_string()))?;
        interpret(run, oracle, &oracle_globals, &slow, sub_group, false).map_err(say)?;
        let has_sub_groups = has_sub_group_ops(&artifact.module().funcs[artifact.entries()[index].func]);
        let key = key_of(run, artifact, index);
        execute(run, artifact, index, &fast, &key).map_err(say)?;
        compare(run, &slow, &fast)?;
        let of_range = SpecializationKey { range: key.range, unit_strides: key.unit_strides, ..any_launch() };
        interpret_group_code(run, artifact, index, &of_range, &formed_globals, &formed).map_err(say)?;
        compare(run, &slow, &formed).map_err(|e| format!("group code, interpreted: {e}"))?;
        // Of kernels that ask for sub-groups the result depends on their size.
        let of_lanes = |lanes: u16| -> Result<Option<Vec<Block>>, String> {
            if !has_sub_groups {
                return Ok(None);
            }
            let anew = blocks(run);
            interpret(run, oracle, &oracle_globals, &anew, lanes, false)?;
            Ok(Some(anew))
        };
        let widths = if has_sub_groups { &SUB_GROUPS } else { widths };
        for forced in forms(run, widths) {
            let wide = SpecializationKey { forced, ..key.clone() };
            let say = |what: String| format!("line {}: {forced:?}: {what}", run.line);
            let (ran, formed) = (blocks(run), blocks(run));
            let anew = of_lanes(forced.lanes.unwrap_or(sub_group)).map_err(say)?;
            let slow = anew.as_ref().unwrap_or(&slow);
            let of_range = SpecializationKey { forced, ..of_range.clone() };
            interpret_group_code(run, artifact, index, &of_range, &formed_globals, &formed).map_err(say)?;
            compare(run, slow, &formed).map_err(|e| say(format!("interpreted: {e}")))?;
            execute(run, artifact, index, &ran, &wide).map_err(say)?;
            compare(run, slow, &ran).map_err(say)?;
        }
        if artifact.global_variable_size == 0 && !run.continues && has_rows(run) {
            check_interchanged(run, artifact, index, &key, &formed_globals, &slow)?;
        }
        if artifact.global_variable_size == 0 && !run.continues {
            check_wide(run, artifact, index, &key, &slow, of_lanes)?;
        }
        // What a program keeps would be changed twice.
        if key != any_launch() && artifact.global_variable_size == 0 {
            execute(run, artifact, index, &any, &any_launch()).map_err(say)?;
            compare(run, &slow, &any).map_err(|e| format!("made for any launch: {e}"))?;
        }
        for section in sections.iter().filter(|s| s.kernel == run.kernel) {
            let Arg::Buffer(elem, _) = run.args[section.argument] else { return Err("no buffer".into()) };
            section.check(elem, fast[section.argument].bytes()).map_err(say)?;
        }
        for expected in &run.expects {
            let (line, index) = (expected.line, expected.argument);
            let Some(elem) = run.args.get(index).and_then(Arg::elem) else {
                return Err(format!("line {line}: not a buffer"));
            };
            if let Some(failure) = expected.failure(elem, fast[index].bytes())? {
                return Err(format!("line {line}: argument {index}, {failure}"));
            }
        }
        memory = Some([slow, fast, any, formed]);
    }
    Ok(())
}

/// A form for each turn: a backend, how many items are side by side, of one row or of several, along which dimension.
fn form_of(run: &Run, func: &Function, range: RangeFacts, turn: u64) -> (Forced, RangeFacts) {
    let backends: Vec<Backend> =
        [Backend::Cranelift].into_iter().chain(wide_backends(turn as usize / 2)).collect();
    let backend = backends[turn as usize % backends.len()];
    let widths: &[u16] = match backend {
        Backend::Cranelift => &[1, 2, 4, 8, 16],
        Backend::Avx2 => &[1, 4, 8, 16, 32],
        Backend::Avx512 | Backend::Avx512Base => &[1, 8, 16, 32, 64],
    };
    // What is left is for whoever chooses.
    let lanes = widths.get(turn as usize / 3 % (widths.len() + 1)).copied();
    let mut range = RangeFacts { nontemporal: nontemporal(turn as usize / 5), ..range };
    if turn % 5 == 3 && has_rows(run) && interchange::can(func) {
        let local_size = range.local_size.map(interchanged);
        range = RangeFacts { is_interchanged: true, local_size, is_plain: false, ..range };
    }
    let linear_ids = lanes.is_some() && turn % 4 < 2;
    let (interleaved, overrides) = (lanes == Some(1), overrides(turn as usize));
    (Forced { lanes, linear_ids, interleaved, backend: Some(backend), overrides, ..Forced::default() }, range)
}

/// Checks a fixture in one form, which it is the turn of: interpreted before and after the passes, and as machine code.
pub fn check_in_turn(
    fixture: &Fixture,
    oracle: &Module,
    artifact: &Artifact,
    turn: u64,
) -> Result<(), String> {
    let oracle_globals = GlobalMemory::new(oracle).map_err(|why| why.to_string())?;
    let formed_globals = GlobalMemory::new(artifact.module()).map_err(|why| why.to_string())?;
    for run in &fixture.runs {
        let [slow, formed, fast] = [(); 3].map(|()| blocks(run));
        let index = artifact.kernels.iter().position(|kernel| kernel.name == run.kernel);
        let index = index.ok_or_else(|| format!("no kernel `{}` in the artifact", run.kernel))?;
        let key = key_of(run, artifact, index);
        let func = &artifact.module().funcs[artifact.entries()[index].func];
        let (forced, range) = form_of(run, func, key.range, turn);
        let say = |what: String| format!("line {}: {forced:?}, {range:?}: {what}", run.line);
        interpret(run, oracle, &oracle_globals, &slow, 1, false).map_err(say)?;
        let of_range = SpecializationKey { range, forced, unit_strides: key.unit_strides, ..any_launch() };
        interpret_group_code(run, artifact, index, &of_range, &formed_globals, &formed).map_err(say)?;
        compare(run, &slow, &formed).map_err(|e| say(format!("interpreted: {e}")))?;
        execute(run, artifact, index, &fast, &SpecializationKey { range, forced, ..key }).map_err(say)?;
        compare(run, &slow, &fast).map_err(say)?;
    }
    Ok(())
}

/// Index of the first element that differs; NaNs are equal.
fn difference(elem: Elem, a: &[u8], b: &[u8]) -> Option<usize> {
    let size = elem.size();
    a.chunks(size).zip(b.chunks(size)).position(|(a, b)| a != b && !(elem.is_nan(a) && elem.is_nan(b)))
}

fn compare(run: &Run, slow: &[Block], fast: &[Block]) -> Result<(), String> {
    for (i, arg) in run.args.iter().enumerate() {
        let Some(elem) = arg.elem() else { continue };
        if let Some(at) = difference(elem, slow[i].bytes(), fast[i].bytes()) {
            let shown = |b: &Block| elem.show(&b.bytes()[at * elem.size()..]);
            return Err(format!(
                "line {}: argument {i}, element {at}: interpreter {}, machine code {}",
                run.line,
                shown(&slow[i]),
                shown(&fast[i])
            ));
        }
    }
    Ok(())
}

/// Runs the kernel as it was lowered, with so many items in a sub-group; `is_backwards`: the last group first.
fn interpret(
    run: &Run,
    module: &Module,
    globals: &GlobalMemory,
    memory: &[Block],
    sub_group: u16,
    is_backwards: bool,
) -> Result<(), String> {
    let found = module.funcs.iter().find(|(_, f)| f.is_kernel && f.name == run.kernel);
    let (id, func) = found.ok_or_else(|| format!("no kernel `{}`", run.kernel))?;
    if func.params().len() != run.args.len() {
        return Err(format!("the kernel has {} parameters", func.params().len()));
    }
    let args: Vec<LaneBits> =
        (0..run.args.len()).map(|i| lanes(&run.args[i], func.ty(func.params()[i]), &memory[i])).collect();
    let locals = run.args.iter().zip(memory).filter(|(arg, _)| matches!(arg, Arg::Local(_)));
    let local_args =
        locals.map(|(_, block)| block.start as u64..block.start as u64 + block.bytes().len() as u64);
    let interp = Interp {
        module,
        globals: globals.addresses().clone(),
        local_args: local_args.collect(),
        sub_group: sub_group.into(),
    };
    let groups = [0, 1, 2].map(|d| run.global[d].div_ceil(run.local[d]));
    let count = groups.iter().product::<u64>();
    for turn in 0..count {
        let index = if is_backwards { count - 1 - turn } else { turn };
        let group_id = [index % groups[0], index / groups[0] % groups[1], index / groups[0] / groups[1]];
        let size = [0, 1, 2].map(|d| run.local[d].min(run.global[d] - group_id[d] * run.local[d]));
        let group = Group {
            work_dim: run.work_dim,
            group_id,
            num_groups: groups,
            size,
            enqueued_size: run.local,
            global_size: run.global,
            global_offset: run.offset,
        };
        // SAFETY: the fixture's kernels stay inside the memory they are given.
        unsafe { interp.run_group(id, &args, &group)? };
    }
    Ok(())
}

/// A parameter's value for the interpreter.
fn lanes(arg: &Arg, ty: Type, block: &Block) -> LaneBits {
    match arg {
        Arg::Null => LaneBits::from_elem(0, 1),
        Arg::Value(..) if ty.kind != Kind::PtrPrivate => {
            let size = ty.kind.bytes() as usize;
            let lane = |chunk: &[u8]| chunk.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b));
            block.bytes().chunks(size).take(usize::from(ty.lanes)).map(lane).collect()
        }
        _ => LaneBits::from_elem(block.argument(), 1),
    }
}

/// The argument block of a launch, without what local memory is; and where that wants to be: the places of offsets, and
/// sizes.
fn argument_block(run: &Run, params: &[Param], memory: &[Block]) -> (Vec<u8>, Vec<(u32, u64)>) {
    let mut args = vec![0; 4096];
    let mut local_args = Vec::new();
    for ((arg, param), block) in run.args.iter().zip(params).zip(memory) {
        let (Param::Value(at) | Param::Struct(at) | Param::Local(at)) = *param;
        let bytes = match arg {
            Arg::Value(bytes) => bytes.clone(),
            Arg::Buffer(..) | Arg::Image(_) | Arg::Pipe(_) => block.argument().to_le_bytes().to_vec(),
            Arg::Local(size) => {
                local_args.push((at, *size));
                continue;
            }
            Arg::Null => vec![0; 8],
        };
        args[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
    }
    (args, local_args)
}

/// Runs what all passes made, group by group, by the interpreter.
fn interpret_group_code(
    run: &Run,
    artifact: &Artifact,
    index: usize,
    key: &SpecializationKey,
    globals: &GlobalMemory,
    memory: &[Block],
) -> Result<(), String> {
    let entry = &artifact.entries()[index];
    let code = artifact.group_code(index, key)?;
    let mut module = Module { globals: artifact.module().globals.clone(), ..Module::default() };
    for func in code.functions {
        module.funcs.push(func);
    }
    let (mut args, local_args) = argument_block(run, &entry.params, memory);
    let mut local_size = code.local_size;
    for (at, size) in local_args {
        args[at as usize..at as usize + 8].copy_from_slice(&local_size.to_le_bytes());
        local_size += size.next_multiple_of(AREA_ALIGN);
    }
    let items: u64 = run.local.iter().product();
    let private = code.private_size + code.context.bytes(items) + code.frame_size;
    let area = Block::new(&vec![0; (local_size + private) as usize]);
    let interp = Interp {
        module: &module,
        globals: globals.addresses().clone(),
        local_args: Vec::new(),
        sub_group: 1,
    };
    let laid = |sizes: [u64; 3]| if key.range.is_interchanged { interchanged(sizes) } else { sizes };
    let [global, local, offset] = [run.global, run.local, run.offset].map(laid);
    let groups = [0, 1, 2].map(|d| global[d].div_ceil(local[d]));
    for index in 0..groups.iter().product::<u64>() {
        let group_id = [index % groups[0], index / groups[0] % groups[1], index / groups[0] / groups[1]];
        let context = GroupContext {
            args: args.as_ptr(),
            local: area.start,
            private: area.start.wrapping_add(local_size as usize),
            end: area.start.wrapping_add((local_size + private) as usize),
            group_id,
            num_groups: groups,
            local_size: [0, 1, 2].map(|d| local[d].min(global[d] - group_id[d] * local[d])),
            enqueued_local_size: local,
            global_size: global,
            global_offset: offset,
            base: [0, 1, 2].map(|d| offset[d] + group_id[d] * local[d]),
            work_dim: run.work_dim,
            printed: std::ptr::null(),
            parent: std::ptr::null(),
            item: std::ptr::null(),
        };
        let argument = LaneBits::from_elem(std::ptr::from_ref(&context) as u64, 1);
        // SAFETY: the fixture's kernels stay inside the memory they are given; the context describes a group.
        unsafe { interp.call(FuncId(0), &[argument])? };
    }
    Ok(())
}

/// What the launch says of itself.
fn key_of(run: &Run, artifact: &Artifact, index: usize) -> SpecializationKey {
    let kinds = artifact.kernels[index].args.iter().map(|arg| arg.kind);
    let known = run.args.iter().zip(kinds).filter_map(|(arg, kind)| match (arg, kind) {
        (Arg::Image(image), _) => Some(ArgumentKey::Image(image.format)),
        (Arg::Value(bytes), ArgKind::Sampler) => {
            Some(ArgumentKey::Sampler(u32::from_le_bytes(bytes[..4].try_into().expect("four"))))
        }
        _ => None,
    });
    let range = artifact.range_facts(index, run.offset, run.global, run.local);
    let is_one = |at: usize| matches!(&run.args[at], Arg::Value(bytes) if is_one(bytes));
    let unit_strides = artifact.unit_strides(index, is_one);
    SpecializationKey { images: known.collect(), range, unit_strides, ..any_launch() }
}

/// Whether this is the number one.
fn is_one(bytes: &[u8]) -> bool {
    bytes.len() <= 8 && bytes.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte)) == 1
}

/// What Cranelift makes for any launch.
fn any_launch() -> SpecializationKey {
    let forced = Forced { backend: Some(Backend::Cranelift), ..Forced::default() };
    SpecializationKey { forced, ..SpecializationKey::default() }
}

fn execute(
    run: &Run,
    artifact: &Artifact,
    index: usize,
    memory: &[Block],
    key: &SpecializationKey,
) -> Result<(), String> {
    let kernel = artifact.compiled_for(index, key).map_err(|why| why.to_string())?;
    let (args, local_args) = argument_block(run, &artifact.entries()[index].params, memory);
    let range = NdRange { work_dim: run.work_dim, offset: run.offset, global: run.global, local: run.local };
    exec::run(&kernel, &Launch::new(&kernel, range, (&args[..]).into(), local_args), None)
        .map_err(|fault| fault.message)
}
