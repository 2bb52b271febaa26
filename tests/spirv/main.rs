//! Tests of reading and printing SPIR-V: fixtures of the form, damaged modules, and every row of the grammar.

use std::fs;
use std::path::{Path, PathBuf};

use grus_assembler::assemble;

use grus_spirv::grammar::{
    self, Category, ExtendedSet, Operand, OperandKind, Quantifier, Section, decoration,
};
use grus_spirv::{FormError, HEADER, Id, MAGIC, MAX_BOUND, Module, Opcode, Rule, Style};

const PLAIN: Style = Style { has_header: false, is_indented: false };
const FULL: Style = Style { has_header: true, is_indented: true };

/// Returns the words of bytes in little-endian order.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the example in the documentation of the crate.
fn example() -> String {
    let lines =
        include_str!("../../src/spirv/lib.rs").lines().map(|line| line.strip_prefix("//! ").unwrap_or(line));
    let lines = lines.skip_while(|line| *line != "```text").skip(1).take_while(|line| *line != "```");
    lines.map(|line| format!("{line}\n")).collect()
}

fn example_words() -> Vec<u32> {
    words(&assemble(&example()).expect("the example is SPIR-V"))
}

fn read(words: &[u32]) -> Result<Module, Box<FormError>> {
    Module::read(&bytes(words))
}

#[test]
fn the_example_in_the_documentation_is_a_module() {
    let bytes = assemble(&example()).expect("the example is SPIR-V");
    let module = Module::read(&bytes).expect("the example is valid");
    let style = Style { has_header: false, is_indented: true };
    assert_eq!(module.disassemble(style).to_string(), example());
    assert_eq!(module.name(Id(8)).as_deref(), Some("x"));
    assert_eq!(module.name(Id(7)), None);
    assert_eq!(module.extended_set(Id(1)), Some(ExtendedSet::OpenclStd));
    assert_eq!(module.type_of(Id(11)), Some(Id(3)));
    let decorations = module.decorations(Id(8));
    assert_eq!(decorations.len(), 1);
    let (row, words) = module.instruction(decorations[0].place);
    assert_eq!((row.opcode, words[2]), (Opcode::Decorate, decoration::FuncParamAttr));
    let function = module.functions()[0];
    assert_eq!(function.id, Id(7));
    assert_eq!(module.instruction(function.body).0.opcode, Opcode::Label);
    assert_eq!(function.end as usize, module.words().len());
    assert_eq!((module.entry_points().len(), module.capabilities(), module.bound()), (1, &[4, 6][..], 12));
}

#[test]
fn either_byte_order_is_read() {
    let own = example_words();
    let other: Vec<u8> = own.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert_eq!(Module::read(&other).expect("valid").words()[..], own[..]);
}

/// Compares the error of words that no text can describe.
#[track_caller]
fn refused(words: &[u32], expected: Rule, word: u32) {
    let error = read(words).expect_err("the module is invalid");
    assert_eq!((&error.rule, error.word), (&expected, word), "{error}");
}

#[test]
fn rules_of_the_header() {
    let good = example_words();
    let with = |at: usize, word: u32| {
        let mut words = good.clone();
        words[at] = word;
        words
    };
    let error = Module::read(&bytes(&good)[..21]).expect_err("no multiple of 4");
    assert_eq!(error.rule, Rule::Length(21));
    assert_eq!(Module::read(&[]).expect_err("no header").rule, Rule::Words(0));
    refused(&good[..4], Rule::Words(4), 0);
    refused(&with(0, 0x0723_0302), Rule::Magic(0x0723_0302), 0);
    for version in [0, 0x0001_0700, 0x0002_0000, 0x0101_0000, 0x0001_0001] {
        refused(&with(1, version), Rule::Version(version), 1);
    }
    for minor in 0..=6 {
        assert!(read(&with(1, 0x0001_0000 | minor << 8)).is_ok());
    }
    refused(&with(3, 0), Rule::Bound(0), 3);
    refused(&with(3, MAX_BOUND + 1), Rule::Bound(MAX_BOUND + 1), 3);
    let count = good.len() as u32;
    refused(&with(3, count + 1), Rule::BoundOfWords { bound: count + 1, words: count }, 3);
    assert!(read(&with(3, count)).is_ok());
}

#[test]
fn rules_of_word_counts() {
    let mut words = example_words();
    let end = words.len() as u32;
    words.push(5 << 16 | Opcode::Nop as u32);
    refused(&words, Rule::WordCount { count: 5, left: 1 }, end);
    words[end as usize] = Opcode::Nop as u32;
    refused(&words, Rule::WordCount { count: 0, left: 1 }, end);
    words[end as usize] = 1 << 16 | 9;
    refused(&words, Rule::Opcode(9), end);
    words[end as usize] = 2 << 16 | Opcode::Nop as u32;
    words.push(0);
    refused(&words, Rule::Excess(1), end + 1);
}

#[test]
fn words_that_are_not_utf8_are_replaced() {
    let mut words = example_words();
    let x = words.iter().position(|&word| word == 3 << 16 | Opcode::Name as u32).expect("a name");
    words[x + 2] = u32::from_le_bytes([b'a', 0xff, 0, 0]);
    assert_eq!(read(&words).expect("valid").name(Id(8)).as_deref(), Some("a\u{fffd}"));
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv/form");
    let entries = fs::read_dir(&folder).expect("the fixtures are there").flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "spvasm"));
    found.sort();
    assert!(found.len() > 30, "{} fixtures", found.len());
    found
}

/// Checks each fixture: the first line is `; ok` or `; error: ` and the error. `BLESS=1` writes that line.
#[test]
fn fixtures_of_the_form() {
    let mut wrong = Vec::new();
    for path in fixtures() {
        let text = fs::read_to_string(&path).expect("readable");
        let (expected, rest) = text.split_once('\n').expect("more than a line");
        let module = assemble(rest).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = match Module::read(&module) {
            Ok(module) => {
                assert_round_trip(&module);
                "; ok".to_owned()
            }
            Err(error) => format!("; error: {error}"),
        };
        if found != expected {
            wrong.push(format!("{}:\n  {expected}\n  {found}", path.display()));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, format!("{found}\n{rest}")).expect("writable");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Checks that the text of a module is assembled to the same words, except for the generator's.
#[track_caller]
fn assert_round_trip(module: &Module) {
    for style in [FULL, Style { is_indented: false, ..FULL }] {
        let text = module.disassemble(style).to_string();
        let again = words(&assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
        assert_eq!(again.len(), module.words().len(), "{text}");
        let differs =
            again.iter().zip(module.words().iter()).enumerate().find(|(at, (a, b))| *at != 2 && a != b);
        assert_eq!(differs, None, "{text}");
    }
}

#[test]
fn every_prefix_of_a_module_is_refused_or_read() {
    let mut read_well = 0;
    for path in fixtures() {
        let text = fs::read_to_string(&path).expect("readable");
        let module = assemble(&text).expect("SPIR-V");
        for length in 0..=module.len() {
            read_well += usize::from(Module::read(&module[..length]).is_ok());
        }
    }
    assert!(read_well > 0);
}

/// Changes each word of small modules to values that are special: counts and opcodes, ids, limits, single bits.
/// Memory is at most a multiple of the module's size.
#[test]
fn every_changed_word_is_refused_or_read() {
    let mut all = vec![assemble(&example()).expect("SPIR-V")];
    all.extend(
        fixtures().iter().map(|path| assemble(&fs::read_to_string(path).expect("readable")).expect("SPIR-V")),
    );
    let special = [0, 1, 2, 3, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, u32::MAX, MAX_BOUND];
    for module in all {
        let good = words(&module);
        let mut words = good.clone();
        let mut start = HEADER;
        for at in 0..good.len() {
            let (count, opcode) = (good[at] & 0xffff_0000, good[at] & 0xffff);
            let counts = (0..6).map(|count| count << 16 | opcode);
            let is_start = at == start;
            if is_start {
                start += (count >> 16) as usize;
            }
            let rows = if is_start { grammar::instructions() } else { &[] };
            let opcodes = rows.iter().map(|row| count | row.opcode as u32);
            let flips = (0..u32::BITS).map(|bit| good[at] ^ 1 << bit);
            let neighbors = [good[at].wrapping_add(1), good[at].wrapping_sub(1)];
            for word in special.into_iter().chain(counts).chain(opcodes).chain(flips).chain(neighbors) {
                words[at] = word;
                match read(&words) {
                    Ok(module) => {
                        let text = module.disassemble(FULL).to_string();
                        assert!(text.len() < 1000 * words.len());
                        let ids = (0..module.bound()).map(Id);
                        let tables: usize = ids.map(|id| 1 + module.decorations(id).len()).sum();
                        assert!(tables <= 2 * words.len());
                    }
                    Err(error) => assert!(error.to_string().len() < 1000, "{error}"),
                }
            }
            words[at] = good[at];
        }
    }
}

/// Source of numbers that depend on nothing else (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

/// Writer of modules with random operands.
struct Generator {
    numbers: Numbers,
    next: u32,
}

/// Ids that every generated module defines: sets, types, and a value of 64 bits.
const PRELUDE: &str = "\
    OpCapability Kernel\nOpCapability Addresses\n%1 = OpExtInstImport \"OpenCL.std\"\n\
    %2 = OpExtInstImport \"OpenCL.DebugInfo.100\"\n%3 = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n\
    OpMemoryModel Physical64 OpenCL\n";
const TYPES: &str = "\
    %4 = OpTypeVoid\n%5 = OpTypeInt 8 1\n%6 = OpTypeInt 32 0\n%7 = OpTypeInt 64 1\n%8 = OpTypeFloat 16\n\
    %9 = OpTypeFloat 32\n%10 = OpTypeFloat 64\n%11 = OpTypeFunction %4\n%12 = OpConstantNull %7\n";
const FIRST_FREE: u32 = 13;

impl Generator {
    fn operands(&mut self, of: Opcode, operands: &[Operand], words: &mut Vec<u32>) {
        for operand in operands {
            let count = match operand.quantifier {
                Quantifier::One => 1,
                Quantifier::Optional => self.numbers.below(2),
                Quantifier::Any => self.numbers.below(4),
            };
            if count == 0 && operand.quantifier == Quantifier::Optional {
                // What follows an optional operand would take its place.
                return;
            }
            for _ in 0..count {
                self.operand(of, operand.kind, words);
            }
        }
    }

    fn operand(&mut self, of: Opcode, kind: OperandKind, words: &mut Vec<u32>) {
        match kind.category() {
            Category::Id if kind == OperandKind::IdResult => {
                words.push(self.next);
                self.next += 1;
            }
            Category::Id => words.push(self.numbers.below(20) as u32 + 1),
            Category::Literal => self.literal(of, kind, words),
            Category::Value => {
                let rows: Vec<_> = kind.enumerants().iter().filter(|row| !row.is_foreign).collect();
                let row = rows[self.numbers.below(rows.len())];
                words.push(row.value);
                self.operands(of, row.parameters(), words);
            }
            Category::Mask => {
                let at = words.len();
                words.push(0);
                for row in kind.enumerants().iter().filter(|row| row.value.is_power_of_two()) {
                    if self.numbers.below(3) == 0 {
                        words[at] |= row.value;
                        self.operands(of, row.parameters(), words);
                    }
                }
            }
            Category::Pair if of == Opcode::Switch => {
                words.extend([self.numbers.next(), self.numbers.next(), self.numbers.below(20) as u32 + 1]);
            }
            Category::Pair => kind.parts().iter().for_each(|part| self.operand(of, part.kind, words)),
        }
    }

    fn literal(&mut self, of: Opcode, kind: OperandKind, words: &mut Vec<u32>) {
        match kind {
            OperandKind::LiteralString => {
                let text = ["", "abc", "a \"quoted\" \\ name;", "line\nline", "Größe"][self.numbers.below(5)];
                let mut bytes = text.as_bytes().to_vec();
                bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
                words.extend(self::words(&bytes));
            }
            OperandKind::LiteralContextDependentNumber => {
                let (of, bits) = (5 + self.numbers.below(6) as u32, self.numbers.next());
                words[1] = of;
                words.push(match of {
                    5 => bits as i8 as u32,
                    8 => bits & 0xffff,
                    _ => bits,
                });
                if matches!(of, 7 | 10) {
                    words.push(self.numbers.next());
                }
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let rows: Vec<_> =
                    grammar::instructions().iter().filter(|row| row.opcode.is_for_spec_constants()).collect();
                let row = rows[self.numbers.below(rows.len())];
                words.push(row.opcode as u32);
                self.operands(of, &row.operands()[row.result_operands()..], words);
            }
            _ => words.push(self.numbers.next()),
        }
    }

    /// Returns a module with one instruction of random operands; of extended instructions with this one.
    fn module(&mut self, opcode: Opcode, extended: Option<(u32, &grammar::Extended)>) -> Vec<u32> {
        self.next = FIRST_FREE;
        let row = opcode.instruction();
        let mut own = vec![0];
        match extended {
            Some((set, row)) => {
                own.extend([4, self.next, set, row.number]);
                self.next += 1;
                self.operands(opcode, row.operands(), &mut own);
            }
            None => self.operands(opcode, row.operands(), &mut own),
        }
        if opcode == Opcode::Switch {
            own[1] = 12;
        }
        own[0] = (own.len() as u32) << 16 | opcode as u32;
        let instructions = |text: &str| words(&assemble(text).expect("SPIR-V"))[HEADER..].to_vec();
        let function = |body: &[u32]| {
            let begin = instructions("%40 = OpFunction %4 None %11\n%41 = OpLabel\n");
            [&begin, body, &instructions("OpReturn\nOpFunctionEnd\n")].concat()
        };
        let (prelude, types) = (instructions(PRELUDE), instructions(TYPES));
        let body = match (row.section, opcode) {
            (_, Opcode::Function | Opcode::FunctionParameter | Opcode::FunctionEnd) => return Vec::new(),
            (Section::Capability, _) => [&own, &prelude, &types[..]].concat(),
            (Section::Extension | Section::Import, _) => return Vec::new(),
            (Section::Model, _) => return Vec::new(),
            (Section::Entry | Section::Mode | Section::Debug | Section::Annotation, _) => {
                [&prelude, &own, &types[..]].concat()
            }
            (Section::Global, _) => [&prelude, &types, &own[..]].concat(),
            _ => [&prelude, &types, &function(&own)[..]].concat(),
        };
        // Behind the bound's own words, so that small modules may have any of its ids.
        let mut words = vec![MAGIC, 0x0001_0600, 0, 42, 0];
        words.extend(body);
        words
    }
}

#[test]
fn every_instruction_is_printed_and_assembled_again() {
    let mut generator = Generator { numbers: Numbers(0x1234_5678_9abc_def1), next: FIRST_FREE };
    let mut check = |opcode: Opcode, extended: Option<(u32, &grammar::Extended)>| {
        for _ in 0..20 {
            let words = generator.module(opcode, extended);
            if words.is_empty() {
                return;
            }
            match read(&words) {
                Ok(module) => assert_round_trip(&module),
                Err(error) => panic!("{error}"),
            }
        }
    };
    for row in grammar::instructions() {
        if !matches!(row.opcode, Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR) {
            check(row.opcode, None);
        }
    }
    let sets =
        [(1, ExtendedSet::OpenclStd), (2, ExtendedSet::OpenclDebugInfo), (3, ExtendedSet::ShaderDebugInfo)];
    for (id, set) in sets {
        for row in set.instructions() {
            check(Opcode::ExtInst, Some((id, row)));
        }
    }
    check(Opcode::ExtInstWithForwardRefsKHR, ExtendedSet::ShaderDebugInfo.instruction(1).map(|row| (3, row)));
}

#[test]
fn texts_are_those_of_spirv_dis() {
    let source = "\
        OpCapability Kernel\n\
        OpMemoryModel Physical64 OpenCL\n\
        OpName %20 \"a \\\"b\\\" \\\\\"\n\
        %1 = OpTypeInt 64 1\n\
        %2 = OpConstant %1 -5000000000\n\
        %3 = OpTypeFloat 16\n\
        %20 = OpConstant %3 0x1.8p+1\n\
        %1234567 = OpSpecConstantOp %1 SNegate %2\n";
    let source = source.replace("%1234567", "%30");
    let module = Module::read(&assemble(&format!("; Bound: 31\n{source}")).expect("SPIR-V")).expect("valid");
    assert_eq!(module.disassemble(PLAIN).to_string(), source);
}
