//! State of the generator: the text written so far, the objects in scope, and the cost of running the program.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::Options;
use crate::data::Struct;
use crate::function::Function;
use crate::random::Random;
use crate::scope::{Mark, Path, Scope, Step};
use crate::types::{INTEGERS, Kind, Ty};

pub struct Generator {
    pub random: Random,
    pub options: Options,
    pub text: String,
    pub indent: usize,
    pub scope: Scope,
    pub structs: Vec<Struct>,
    pub functions: Vec<Function>,
    /// Functions that apply a block, each with the type of its operand.
    pub appliers: Vec<(String, Ty)>,
    /// Tables in constant memory, each with its element type and length.
    pub tables: Vec<(String, Ty, u32)>,
    /// Vector types that need a hash function, as kind and number of lanes.
    pub hashed: BTreeSet<(u32, u32)>,
    /// Arrays in local memory with one element for each work-item, each with its element type.
    pub tiles: Vec<(String, Ty)>,
    /// Maximum number of executions of the next statement.
    pub weight: u32,
    /// Maximum number of statements executed since the start of the function.
    pub cost: u32,
    /// Maximum of `cost`.
    pub budget: u32,
    /// Number of declarations so far. Names end with it, so that they are unique.
    names: u32,
}

impl Generator {
    pub fn new(options: Options) -> Self {
        Self {
            random: Random::new(options.seed),
            options,
            text: String::new(),
            indent: 0,
            scope: Scope::default(),
            structs: Vec::new(),
            functions: Vec::new(),
            appliers: Vec::new(),
            hashed: BTreeSet::new(),
            tables: Vec::new(),
            tiles: Vec::new(),
            weight: 1,
            cost: 0,
            budget: 0,
            names: 0,
        }
    }

    /// Checks whether the program is OpenCL C 2.0.
    pub fn is_20(&self) -> bool {
        self.options.version == crate::Version::V20
    }

    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.indent);
    }

    /// Writes a label, one level to the left of statements.
    pub fn label(&mut self, name: &str) {
        self.indent -= 1;
        self.line(&format!("{name}:;"));
        self.indent += 1;
    }

    /// Begins a compound statement.
    pub fn open(&mut self, head: &str) -> Mark {
        self.line(format!("{head} {{").trim_start());
        self.indent += 1;
        self.scope.mark()
    }

    /// Ends a compound statement and removes everything declared in it from the scope.
    pub fn close(&mut self, mark: Mark, tail: &str) {
        self.scope.reset(mark);
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    /// Returns the text that `write` writes, without appending it to the program.
    pub fn write_to_string(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.text);
        let indent = std::mem::replace(&mut self.indent, 0);
        write(self);
        self.indent = indent;
        std::mem::replace(&mut self.text, before)
    }

    pub fn integer_kind(&mut self) -> Kind {
        self.random.pick(&INTEGERS)
    }

    pub fn lanes(&mut self) -> u32 {
        self.random.weighted(&[(10, 1), (3, 2), (2, 3), (4, 4), (2, 8), (1, 16)])
    }

    /// Picks an integer type.
    pub fn integer_type(&mut self) -> Ty {
        Ty { kind: self.integer_kind(), lanes: self.lanes() }
    }

    /// Picks an arithmetic type.
    pub fn any_type(&mut self) -> Ty {
        if !self.random.chance(12) {
            return self.integer_type();
        }
        let kind = if self.random.chance(40) { Kind::Double } else { Kind::Float };
        Ty { kind, lanes: self.lanes() }
    }

    /// Returns the text of a path. Indices are generated.
    pub fn path(&mut self, path: &Path, depth: u32) -> String {
        let mut text = path.name.clone();
        let mut steps = &path.steps[..];
        // Half of the accesses to members through a pointer use `->`.
        if let (Some(pointer), Some((Step::Text(member), rest))) =
            (text.strip_prefix("(*").and_then(|t| t.strip_suffix(')')), steps.split_first())
            && self.random.chance(50)
        {
            text = format!("{pointer}->{}", &member[1..]);
            steps = rest;
        }
        for step in steps {
            match step {
                Step::Text(member) => text += member,
                Step::Index { from, len } => {
                    let index = self.index(*from, *len, depth);
                    let _ = write!(text, "[{index}]");
                }
            }
        }
        text
    }

    /// Generates an index into an array whose `len` elements begin at index `from`.
    fn index(&mut self, from: i32, len: u32, depth: u32) -> String {
        if from == 0 {
            let counters: Vec<String> = self
                .scope
                .counters
                .iter()
                .filter(|(_, most)| *most <= len)
                .map(|(name, _)| name.clone())
                .collect();
            if !counters.is_empty() && self.random.chance(50) {
                return counters[self.random.below(counters.len() as u32) as usize].clone();
            }
        }
        if depth == 0 || self.random.chance(40) {
            return (from + self.random.below(len) as i32).to_string();
        }
        let any = self.expression(Ty::scalar(Kind::UInt), depth.min(2) - 1);
        let below =
            if len.is_power_of_two() { format!("{any} & {}", len - 1) } else { format!("{any} % {len}u") };
        if from == 0 { below } else { format!("(int)({below}) - {}", -from) }
    }

    /// Picks an object that `wanted` accepts and returns its text.
    pub fn leaf(&mut self, depth: u32, wanted: impl Fn(&Path, Ty) -> bool) -> Option<(String, Ty)> {
        let found: Vec<usize> = (0..self.scope.leaves.len())
            .filter(|&i| wanted(&self.scope.leaves[i].0, self.scope.leaves[i].1))
            .collect();
        if found.is_empty() {
            return None;
        }
        let (path, ty) = self.scope.leaves[self.random.pick(&found)].clone();
        Some((self.path(&path, depth), ty))
    }
}
