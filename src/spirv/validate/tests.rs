//! Each row of the table with operands of every type: those that fit are accepted, others are named in the message.

use super::classes::Class;
use super::table::{ROWS, Relation, Row};
use super::validate;
use crate::error::Messages;
use crate::globals::Globals;
use crate::module::Module;
use crate::specialize::SpecValues;

/// Type of a parameter of the function that has the instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Type {
    kind: Kind,
    bits: u32,
    lanes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bool,
    Int,
    Float,
    /// Structure of two times the type at a position.
    Pair(usize),
    /// Pointer to the type at a position, with its storage class.
    Pointer(usize, &'static str),
    Handle(&'static str),
}

/// Types by the text that declares them; elements are named by their positions.
fn types() -> Vec<(Type, String)> {
    let number = |kind, bits| Type { kind, bits, lanes: 1 };
    let mut list = vec![(number(Kind::Bool, 1), "OpTypeBool".to_owned())];
    for bits in [8, 16, 32, 64] {
        list.push((number(Kind::Int, bits), format!("OpTypeInt {bits} 0")));
    }
    for bits in [16, 32, 64] {
        list.push((number(Kind::Float, bits), format!("OpTypeFloat {bits}")));
    }
    list.push((number(Kind::Int, 24), "OpTypeInt 24 0".to_owned()));
    for element in 0..list.len() {
        for lanes in [2, 4] {
            let ty = Type { lanes, ..list[element].0 };
            list.push((ty, format!("OpTypeVector %{} {lanes}", type_id(element))));
        }
    }
    let other = |kind| Type { kind, bits: 0, lanes: 1 };
    let numbers = list.len();
    for element in [3, 4, 6, 8, 10, 13] {
        let of = type_id(element);
        list.push((other(Kind::Pair(element)), format!("OpTypeStruct %{of} %{of}")));
    }
    for class in ["Function", "Workgroup", "CrossWorkgroup", "Generic", "UniformConstant"] {
        let pointees = if class == "CrossWorkgroup" { (0..numbers).collect() } else { vec![3, 4, 6] };
        for pointee in pointees {
            let ty = Type { bits: 64, ..other(Kind::Pointer(pointee, class)) };
            list.push((ty, format!("OpTypePointer {class} %{}", type_id(pointee))));
        }
    }
    let image = list.len();
    let handles: &[(&str, &str)] = &[
        ("image", "OpTypeImage %1 2D 0 0 0 0 Unknown ReadOnly"),
        ("write image", "OpTypeImage %1 2D 0 0 0 0 Unknown WriteOnly"),
        ("sampler", "OpTypeSampler"),
        ("sampled image", "OpTypeSampledImage %IMAGE"),
        ("event", "OpTypeEvent"),
        ("device event", "OpTypeDeviceEvent"),
        ("queue", "OpTypeQueue"),
        ("reserve id", "OpTypeReserveId"),
        ("read pipe", "OpTypePipe ReadOnly"),
        ("write pipe", "OpTypePipe WriteOnly"),
    ];
    for &(name, text) in handles {
        let text = text.replace("%IMAGE", &format!("%{}", type_id(image)));
        list.push((other(Kind::Handle(name)), text));
    }
    list
}

/// Ids: void, the function, its type, its label, and the constants; types and parameters follow.
const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const CONSTANTS: u32 = 5;
const COUNT: u32 = 10;
const TYPES: u32 = CONSTANTS + COUNT;

fn type_id(at: usize) -> u32 {
    TYPES + at as u32
}

struct Samples {
    types: Vec<Type>,
    /// Words of a module up to the label of the function.
    words: Vec<u32>,
}

impl Samples {
    fn new() -> Samples {
        let list = types();
        let capabilities = super::environment::names_of_capabilities();
        let mut text: String = capabilities.iter().map(|name| format!("OpCapability {name}\n")).collect();
        text += "OpMemoryModel Physical64 OpenCL\n%1 = OpTypeVoid\n";
        for (at, (_, declaration)) in list.iter().enumerate() {
            text += &format!("%{} = {declaration}\n", type_id(at));
        }
        for number in 0..COUNT {
            text += &format!("%{} = OpConstant %{} {number}\n", CONSTANTS + number, type_id(3));
        }
        let ids = (0..list.len()).map(type_id);
        let params: String = ids.clone().map(|id| format!(" %{id}")).collect();
        text += &format!("%3 = OpTypeFunction %{VOID}{params}\n%{FUNCTION} = OpFunction %{VOID} None %3\n");
        for id in ids {
            text += &format!("%{} = OpFunctionParameter %{id}\n", id + list.len() as u32);
        }
        text += "%4 = OpLabel\n";
        let bytes = grus_assembler::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let words =
            bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Samples { types: list.into_iter().map(|(ty, _)| ty).collect(), words: words.collect() }
    }

    fn value(&self, at: usize) -> u32 {
        type_id(at) + self.types.len() as u32
    }

    fn find(&self, ty: Type) -> Option<usize> {
        self.types.iter().position(|&found| found == ty)
    }

    /// Checks whether a class has a type, by the words of the class alone.
    fn belongs(&self, class: Class, ty: Type) -> bool {
        let is_number = matches!(ty.kind, Kind::Int | Kind::Float);
        let is = |name| ty.kind == Kind::Handle(name);
        let space = match ty.kind {
            Kind::Pointer(_, space) => space,
            _ => "",
        };
        match class {
            Class::Any => true,
            Class::Bool => ty.kind == Kind::Bool && ty.lanes == 1,
            Class::Bools => ty.kind == Kind::Bool,
            Class::Int => ty.kind == Kind::Int && ty.lanes == 1,
            Class::Int32 => ty == Type { kind: Kind::Int, bits: 32, lanes: 1 },
            Class::Ints => ty.kind == Kind::Int,
            Class::Float => ty.kind == Kind::Float && ty.lanes == 1,
            Class::Floats => ty.kind == Kind::Float,
            Class::FloatVector => ty.kind == Kind::Float && ty.lanes > 1,
            Class::Number => is_number && ty.lanes == 1,
            Class::Numbers => is_number,
            Class::Scalar => (is_number || ty.kind == Kind::Bool) && ty.lanes == 1,
            Class::Vector => ty.lanes > 1,
            Class::BoolsOrInts => matches!(ty.kind, Kind::Bool | Kind::Int),
            Class::Ballot => ty == Type { kind: Kind::Int, bits: 32, lanes: 4 },
            Class::Struct => matches!(ty.kind, Kind::Pair(_)),
            Class::Pointer => !space.is_empty(),
            Class::WritablePointer => !space.is_empty() && space != "UniformConstant",
            Class::NamedPointer => matches!(space, "Function" | "Workgroup" | "CrossWorkgroup"),
            Class::GenericPointer => space == "Generic",
            Class::Image => is("image") || is("write image"),
            Class::Sampler => is("sampler"),
            Class::SampledImage => is("sampled image"),
            Class::Event => is("event"),
            Class::DeviceEvent => is("device event"),
            Class::Queue => is("queue"),
            Class::ReserveId => is("reserve id"),
            Class::Pipe => is("read pipe") || is("write pipe"),
            Class::ReadPipe => is("read pipe"),
            Class::WritePipe => is("write pipe"),
            _ => unreachable!("operands without a type"),
        }
    }

    /// Checks whether the types of result and operands have a relation. `values` are positions of types.
    fn are_related(&self, row: &Row, result: Option<usize>, values: &[usize]) -> bool {
        let ty = |at: usize| self.types[at];
        let element = |at: usize| Type { lanes: 1, ..ty(at) };
        let lanes =
            |of: &[usize]| of.iter().all(|&at| result.is_none_or(|result| ty(at).lanes == ty(result).lanes));
        let same = |of: &[usize], wanted: usize| of.iter().all(|&at| at == wanted);
        let result_is = |wanted: Type| result.is_some_and(|result| ty(result) == wanted);
        let pointee = |at: usize| match ty(at).kind {
            Kind::Pointer(to, _) => to,
            _ => unreachable!("classes were checked"),
        };
        let space = |at: usize| match ty(at).kind {
            Kind::Pointer(_, space) => space,
            _ => unreachable!("classes were checked"),
        };
        match (row.relation, values) {
            (Relation::Free, _) => true,
            (Relation::Same, _) => result.is_some_and(|result| same(values, result)),
            (Relation::First, _) => result == Some(values[0]),
            (Relation::FirstTwo, _) => result.is_some_and(|result| same(&values[..2], result)),
            (Relation::Lanes, _) => lanes(values),
            (Relation::Shift, _) => result == Some(values[0]) && lanes(values),
            (Relation::Compare, _) => same(values, values[0]) && lanes(values),
            (Relation::Scaled, _) => result == Some(values[0]) && ty(values[1]) == element(values[0]),
            (Relation::Dot, _) => same(values, values[0]) && result_is(element(values[0])),
            (Relation::Extract, _) => result_is(element(values[0])),
            (Relation::Pair, _) => {
                same(values, values[0]) && result.is_some_and(|at| ty(at).kind == Kind::Pair(values[0]))
            }
            (Relation::Spaces, _) => space(values[0]) == space(values[1]),
            (Relation::Atomic, [pointer, rest @ ..]) => {
                let value = result.or(rest.first().copied()).expect("there is a value");
                let is_wide = ty(value).bits >= 32 || ty(value).kind == Kind::Float;
                is_wide && pointee(*pointer) == value && same(rest, value)
            }
            (Relation::Flag, _) => self.belongs(Class::Int32, ty(pointee(values[0]))),
            (Relation::Block, _) => {
                let value = result.unwrap_or_else(|| values[1]);
                ty(pointee(values[0])) == element(value)
            }
            (Relation::Products, [a, b, rest @ ..]) => {
                let is_packed = ty(*a).lanes == 1;
                a == b && (!is_packed || ty(*a).bits == 32) && rest.iter().all(|&at| Some(at) == result)
            }
            (Relation::Texel, [image, coordinate, ..]) => {
                let wrong = if result.is_none() { "image" } else { "write image" };
                let coordinate = ty(*coordinate);
                ty(*image).kind != Kind::Handle(wrong) && coordinate.lanes > 1 && coordinate.bits == 32
            }
            _ => unreachable!("the row has operands"),
        }
    }

    /// Returns the words of an instruction; `values` are the ids of operands that have types.
    fn instruction(
        &self,
        row: &Row,
        id: u32,
        result: Option<usize>,
        values: &[u32],
        scope: Option<u32>,
    ) -> Vec<u32> {
        let mut words = vec![0];
        words.extend(result.iter().flat_map(|&ty| [type_id(ty), id]));
        let mut values = values.iter().copied();
        let is_packed = row.operands.contains(&Class::PackedFormat);
        for &class in row.operands {
            match class {
                Class::Execution | Class::WorkGroup => words.push(scope.unwrap_or(CONSTANTS + 2)),
                Class::SubGroup => words.push(scope.unwrap_or(CONSTANTS + 3)),
                Class::MemoryScope | Class::Clock => words.push(scope.unwrap_or(CONSTANTS + 1)),
                Class::Semantics | Class::LoadOrder => words.push(CONSTANTS),
                // Reduce, or ClusteredReduce if the size of a cluster follows.
                Class::GroupOperation => words.push(if row.operands.len() > 3 { 3 } else { 0 }),
                Class::ImageOperands => words.push(0),
                Class::Function => words.push(FUNCTION),
                Class::PackedFormat => {}
                _ => words.extend(values.next()),
            }
        }
        if is_packed && self.types[(words[3] - self.value(0)) as usize].lanes == 1 {
            words.push(0);
        }
        words[0] = (words.len() as u32) << 16 | row.opcode as u32;
        words
    }

    /// Returns the messages about each of these instructions.
    fn messages(&self, instructions: &[Vec<u32>]) -> Vec<Option<String>> {
        let mut words = self.words.clone();
        words[3] += 1 + instructions.len() as u32;
        let mut places = Vec::new();
        for instruction in instructions {
            places.push(words.len() as u32);
            words.extend(instruction);
        }
        words.push(1 << 16 | crate::Opcode::Return as u32);
        words.push(1 << 16 | crate::Opcode::FunctionEnd as u32);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let module = Module::read(&bytes).expect("the form is right");
        let mut messages = Messages::default();
        let globals = Globals::read(&module, &SpecValues::default(), &mut messages);
        assert!(messages.is_empty(), "{messages}");
        validate(&module, &globals, &mut messages);
        assert_eq!(messages.more, 0);
        let find = |&place: &u32| {
            let end = place + (words[place as usize] >> 16);
            let found = messages.list.iter().find(|message| (place..end).contains(&message.word));
            found.map(|message| message.text.clone())
        };
        places.iter().map(find).collect()
    }
}

/// Instruction with what is to be said of it.
struct Case {
    words: Vec<u32>,
    is_right: bool,
    /// Texts, one of which the message contains.
    named: Vec<String>,
    about: String,
}

/// Returns the combinations of types that a row allows, as result and operands: a few for each type of the result.
fn right(samples: &Samples, row: &Row, classes: &[Class]) -> Vec<(Option<usize>, Vec<usize>)> {
    let all = 0..samples.types.len();
    let of = |class: Class| -> Vec<usize> {
        all.clone().filter(|&at| samples.belongs(class, samples.types[at])).collect()
    };
    let results: Vec<Option<usize>> = match row.result {
        Class::Nothing => vec![None],
        class => of(class).into_iter().map(Some).collect(),
    };
    let mut found = Vec::new();
    for result in results {
        // Candidates that matter: the result's type, and the others in a rotating choice.
        let mut of_result = 0;
        let lists: Vec<Vec<usize>> = classes.iter().map(|&class| of(class)).collect();
        let firsts = lists.first().cloned().unwrap_or_default();
        let mut tries: Vec<Vec<usize>> =
            if firsts.is_empty() { vec![vec![]] } else { firsts.into_iter().map(|at| vec![at]).collect() };
        for list in lists.iter().skip(1) {
            let longer = tries.iter().flat_map(|tried| {
                let first = tried[0];
                let result = result.unwrap_or(first);
                let element = Type { lanes: 1, ..samples.types[result] };
                let wanted = [Some(first), Some(result), samples.find(element), list.first().copied()];
                let mut wanted: Vec<usize> =
                    wanted.into_iter().flatten().filter(|at| list.contains(at)).collect();
                // A pointer in front decides about a value behind.
                if let Kind::Pointer(to, _) = samples.types[first].kind {
                    wanted.extend(list.iter().copied().filter(|&at| at == to));
                }
                wanted.extend(list.iter().copied().filter(|_| row.relation == Relation::Texel));
                wanted.extend(
                    list.iter().copied().find(|&at| samples.types[at].lanes == samples.types[result].lanes),
                );
                wanted.sort_unstable();
                wanted.dedup();
                wanted.into_iter().map(|at| [tried.as_slice(), &[at]].concat()).collect::<Vec<_>>()
            });
            tries = longer.collect();
        }
        for values in tries {
            if of_result < 6 && samples.are_related(row, result, &values) {
                of_result += 1;
                found.push((result, values));
            }
        }
    }
    found
}

/// Adds the ways to break an instruction: another type of each operand, and of the result.
fn broken(
    samples: &Samples,
    row: &Row,
    classes: &[Class],
    right: &(Option<usize>, Vec<usize>),
    id: &mut u32,
) -> Vec<Case> {
    let (result, values) = right;
    let number_of = |k: usize| {
        let typed = row.operands.iter().enumerate().filter(|(_, class)| class.flags() != 0);
        typed.map(|(at, _)| at + 1).nth(k).expect("there are as many operands")
    };
    let ids = |values: &[usize]| values.iter().map(|&at| samples.value(at)).collect::<Vec<u32>>();
    let mut cases = Vec::new();
    for k in 0..values.len() {
        for other in 0..samples.types.len() {
            let mut values = values.clone();
            values[k] = other;
            let is_of_class = samples.belongs(classes[k], samples.types[other]);
            let is_right = is_of_class && samples.are_related(row, *result, &values);
            *id += 1;
            let mut named = vec![format!("operand {} is %{}", number_of(k), samples.value(other))];
            if is_of_class {
                // The fault is one of two types that do not agree: either may be named.
                named.extend((0..values.len()).map(|k| format!("operand {} is", number_of(k))));
                named.push("the result's type is".into());
                named.push("the access".into());
            }
            let words = samples.instruction(row, *id, *result, &ids(&values), None);
            let about = format!("{} {result:?} {values:?}", row.opcode.instruction().name());
            cases.push(Case { words, is_right, named, about });
        }
    }
    if result.is_some() {
        for other in 0..samples.types.len() {
            let is_of_class = samples.belongs(row.result, samples.types[other]);
            let is_right = is_of_class && samples.are_related(row, Some(other), values);
            *id += 1;
            let words = samples.instruction(row, *id, Some(other), &ids(values), None);
            let mut named = vec!["the result's type is".to_owned()];
            if is_of_class {
                named.extend(["operand".into(), "the access".into()]);
            }
            let about = format!("{} result {other} {values:?}", row.opcode.instruction().name());
            cases.push(Case { words, is_right, named, about });
        }
    }
    cases
}

#[test]
fn every_row_with_operands_of_every_type() {
    let samples = Samples::new();
    let (mut accepted, mut refused) = (0, 0);
    for row in ROWS {
        let classes: Vec<Class> = row.operands.iter().copied().filter(|class| class.flags() != 0).collect();
        let right = right(&samples, row, &classes);
        let name = row.opcode.instruction().name();
        assert!(!right.is_empty(), "{name} takes nothing");
        // What is wrong is tried for a few of the right ones: the first, the last, and some between.
        let step = right.len().div_ceil(4).max(1);
        let first_id = samples.value(samples.types.len());
        let mut id = first_id;
        let mut cases = Vec::new();
        for (at, case) in right.iter().enumerate() {
            id += 1;
            let ids: Vec<u32> = case.1.iter().map(|&at| samples.value(at)).collect();
            let words = samples.instruction(row, id, case.0, &ids, None);
            cases.push(Case { words, is_right: true, named: vec![], about: format!("{name} {case:?}") });
            if at % step == 0 {
                cases.extend(broken(&samples, row, &classes, case, &mut id));
            }
        }
        // As many as one log holds.
        for cases in cases.chunks_mut(20) {
            for (at, case) in cases.iter_mut().enumerate() {
                // Ids are to be below the bound.
                if row.result != Class::Nothing {
                    case.words[2] = first_id + at as u32;
                }
            }
            let words: Vec<Vec<u32>> = cases.iter().map(|case| case.words.clone()).collect();
            for (case, message) in cases.iter().zip(samples.messages(&words)) {
                match message {
                    None => assert!(case.is_right, "{} is accepted", case.about),
                    Some(text) => {
                        assert!(!case.is_right, "{}: {text}", case.about);
                        assert!(case.named.iter().any(|name| text.contains(name)), "{}: {text}", case.about);
                    }
                }
                (accepted, refused) =
                    (accepted + usize::from(case.is_right), refused + usize::from(!case.is_right));
            }
        }
    }
    assert!(accepted > 2000 && refused > 50_000, "{accepted} {refused}");
}

/// Puts a scope that no instruction takes into each that has one, and one that is not constant.
#[test]
fn scopes_of_every_row() {
    let samples = Samples::new();
    let int = samples.value(3);
    for row in ROWS {
        let scope = |class: &Class| {
            use Class::{Clock, Execution, MemoryScope, SubGroup, WorkGroup};
            matches!(class, Clock | Execution | MemoryScope | SubGroup | WorkGroup)
        };
        let Some(at) = row.operands.iter().position(scope) else { continue };
        let classes: Vec<Class> = row.operands.iter().copied().filter(|class| class.flags() != 0).collect();
        let case = right(&samples, row, &classes).swap_remove(0);
        let ids: Vec<u32> = case.1.iter().map(|&at| samples.value(at)).collect();
        let id = samples.value(samples.types.len());
        let name = row.opcode.instruction().name();
        for scope in [CONSTANTS + 9, int, samples.value(4)] {
            let words = samples.instruction(row, id, case.0, &ids, Some(scope));
            let message = samples.messages(&[words]).swap_remove(0);
            let is_memory = row.operands[at] == Class::MemoryScope;
            // Kernels may compute a scope of memory.
            if scope == int && is_memory {
                assert_eq!(message, None, "{name}");
                continue;
            }
            let message = message.unwrap_or_else(|| panic!("{name} is accepted with %{scope}"));
            assert!(message.contains(&format!("operand {} is %{scope}", at + 1)), "{name}: {message}");
        }
    }
}

/// Compares the capabilities of each row with the grammar, without any and with all that the device has.
#[test]
fn capabilities_of_every_row() {
    let names = super::environment::names_of_capabilities();
    let environment = |names: &[&str]| {
        let text: String = names.iter().map(|name| format!("OpCapability {name}\n")).collect();
        let bytes = grus_assembler::assemble(&format!("{text}OpMemoryModel Physical64 OpenCL\n"));
        super::environment::Environment::of(
            &Module::read(&bytes.expect("SPIR-V")).expect("the form is right"),
        )
    };
    let (none, all) = (environment(&[]), environment(&names));
    let hints = ["OpAssumeTrueKHR", "OpExpectKHR", "OpArithmeticFenceEXT"];
    for row in ROWS {
        let instruction = row.opcode.instruction();
        let name = instruction.name();
        assert!(all.check_opcode(instruction).is_ok(), "{name}");
        let is_free = instruction.conditions.capabilities().is_empty() || hints.contains(&name);
        assert_eq!(none.check_opcode(instruction).is_ok(), is_free, "{name}");
    }
}
