//! Parser of IR text, the inverse of `print`. Entities are renumbered in order of appearance, so printed text
//! is unchanged by parsing and printing it again.
//!
//! Fixtures and program binaries are read with it. Every malformed input is therefore an error and never a
//! panic; the caller runs the verifier afterwards.

use smallvec::SmallVec;

use super::function::{
    Args, Attr, Block, ClosureSwitch, Consistency, Def, FuncId, Function, Global, GlobalId, GlobalSpace,
    Linkage, Mem, Module, NoWrap, ParamFacts, Target, Value, ValueData,
};
use super::op::{
    AttrKind, FloatCond, Helper, ImageField, IntCond, MemoryOrder, MemoryScope, Op, Query, Reduction, Rmw,
};
use super::types::Type;
use crate::image::{ChannelType, Format, Order};
use grus_support::{FastMap, Id};

/// Error in IR text and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub message: String,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a module.
pub fn parse_module(text: &str) -> Result<Module> {
    let mut parser = Parser { tokens: tokenize(text)?, at: 0 };
    let mut module = Module::default();
    while let Some(token) = parser.peek() {
        match token {
            "global" => parser.global(&mut module)?,
            "func" => parser.func(&mut module)?,
            "dispatch" => parser.closure_switch(&mut module)?,
            _ => return parser.fail("expected `global`, `func` or `dispatch`"),
        }
    }
    Ok(module)
}

struct Token<'t> {
    text: &'t str,
    line: u32,
}

const PUNCTUATION: &[u8] = b"(){}[],:=";

/// Splits text into words (which may contain dots and signs), strings with their quotes, `->`, and single
/// characters of punctuation.
fn tokenize(text: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number as u32 + 1;
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b' ' | b'\t' | b'\r' => {
                    at += 1;
                    continue;
                }
                b';' => break,
                b'"' => {
                    at = string_end(bytes, at).ok_or_else(|| error(line_number, "unterminated string"))?
                }
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 2,
                c if PUNCTUATION.contains(&c) => at += 1,
                _ => {
                    while at < bytes.len()
                        && !PUNCTUATION.contains(&bytes[at])
                        && !b" \t\r;\"".contains(&bytes[at])
                    {
                        at += 1;
                    }
                }
            }
            tokens.push(Token { text: &line[start..at], line: line_number });
        }
    }
    Ok(tokens)
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

fn error(line: u32, message: impl Into<String>) -> ParseError {
    ParseError { line, message: message.into() }
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
}

/// Blocks and values of one function by their numbers in the text.
#[derive(Default)]
struct EntityNames {
    blocks: FastMap<u32, Block>,
    values: FastMap<u32, Value>,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|t| t.text)
    }
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line)
    }
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(error(self.line(), message))
    }
    fn next(&mut self) -> Result<&'t str> {
        match self.peek() {
            Some(text) => {
                self.at += 1;
                Ok(text)
            }
            None => self.fail("unexpected end"),
        }
    }
    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        self.at += usize::from(found);
        found
    }
    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.fail(format!("expected `{text}`")) }
    }
    fn number<T: TryFrom<i128>>(&mut self) -> Result<T> {
        let text = self.next()?;
        let parsed = match text.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => text.parse::<i128>(),
        };
        parsed.ok().and_then(|n| T::try_from(n).ok()).map_or_else(|| self.fail("expected a number"), Ok)
    }
    fn entity(&mut self, prefix: &str) -> Result<u32> {
        let text = self.next()?;
        match text.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
            Some(n) => Ok(n),
            None => self.fail(format!("expected {prefix}N, found `{text}`")),
        }
    }
    fn string(&mut self) -> Result<String> {
        let text = self.next()?;
        let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else {
            return self.fail("expected a string");
        };
        let mut out = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push(match chars.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(c @ ('"' | '\\' | '\'')) => c,
                    _ => return self.fail("unknown escape"),
                }),
                c => out.push(c),
            }
        }
        Ok(out)
    }
    fn ty(&mut self) -> Result<Type> {
        let text = self.next()?;
        Type::parse(text).map_or_else(|| self.fail(format!("unknown type `{text}`")), Ok)
    }

    fn global(&mut self, module: &mut Module) -> Result<()> {
        self.expect("global")?;
        if self.entity("g")? as usize != module.globals.len() {
            return self.fail("variables are not numbered in order");
        }
        let name = self.string()?;
        let linkage = self.linkage();
        let is_defined = !self.eat("extern");
        let space = match self.next()? {
            "global" => GlobalSpace::Global,
            "constant" => GlobalSpace::Constant,
            "local" => GlobalSpace::Local,
            _ => return self.fail("unknown address space"),
        };
        let (size, align) = (self.number()?, self.number()?);
        let init = if self.eat("[") { self.hex_bytes()? } else { Vec::new() };
        let relocs = if self.eat("{") { self.relocs()? } else { Vec::new() };
        module.globals.push(Global { name, linkage, is_defined, space, size, align, init, relocs });
        Ok(())
    }

    /// Parses `internal`, or `odr` or nothing for external linkage.
    fn linkage(&mut self) -> Linkage {
        if self.eat("internal") {
            return Linkage::Internal;
        }
        Linkage::External { is_odr: self.eat("odr") }
    }

    fn hex_bytes(&mut self) -> Result<Vec<u8>> {
        let text = self.next()?;
        let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
        let bytes: Option<Vec<u8>> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?))
            .collect();
        self.expect("]")?;
        bytes.map_or_else(|| self.fail("expected hex digits"), Ok)
    }

    fn relocs(&mut self) -> Result<Vec<(u64, GlobalId, i64)>> {
        let mut relocs = Vec::new();
        while !self.eat("}") {
            let offset = self.number()?;
            self.expect(":")?;
            relocs.push((offset, GlobalId(self.entity("g")?), self.number()?));
            self.eat(",");
        }
        Ok(relocs)
    }

    fn closure_switch(&mut self, module: &mut Module) -> Result<()> {
        self.expect("dispatch")?;
        let (func, block) = (FuncId(self.entity("f")?), self.number()?);
        let (mut params, mut blocks) = (Vec::new(), Vec::new());
        self.expect("(")?;
        while !self.eat(")") {
            params.push(self.ty()?);
            self.eat(",");
        }
        self.expect("{")?;
        while !self.eat("}") {
            let descriptor = GlobalId(self.entity("g")?);
            self.expect(":")?;
            blocks.push((descriptor, FuncId(self.entity("f")?)));
            self.eat(",");
        }
        module.closure_switches.push(ClosureSwitch { func, params, block, blocks });
        Ok(())
    }

    fn func(&mut self, module: &mut Module) -> Result<()> {
        self.expect("func")?;
        if self.entity("f")? as usize != module.funcs.len() {
            return self.fail("functions are not numbered in order");
        }
        let name = self.string()?;
        let ret = self.ty()?;
        let mut func = Function::new(name, ret);
        func.linkage = self.linkage();
        func.is_kernel = self.eat("kernel");
        func.no_inline = self.eat("noinline");
        func.is_deferred = self.eat("deferred");
        func.is_rare = self.eat("rare");
        func.may_reassociate = self.eat("reassociate");
        self.expect("{")?;
        let mut names = EntityNames::default();
        let mut defined = 0;
        while !self.eat("}") {
            self.block(&mut func, &mut names)?;
            defined += 1;
        }
        if defined != func.blocks.len() || func.values.values().any(|v| v.ty == Type::VOID) {
            return self.fail("a block or value is used and not defined");
        }
        module.funcs.push(func);
        Ok(())
    }

    /// Parses `bN(vN: type, ...) [unroll N]:` and instructions up to the next block.
    fn block(&mut self, func: &mut Function, names: &mut EntityNames) -> Result<()> {
        let block = self.block_ref(func, names)?;
        if !func.blocks[block].insts.is_empty() {
            return self.fail("block defined twice");
        }
        func.layout.push(block);
        self.expect("(")?;
        while !self.eat(")") {
            let value = self.value_ref(func, names)?;
            self.expect(":")?;
            let ty = self.ty()?;
            let index = func.blocks[block].params.len() as u32;
            self.define(func, value, ty, Def::Param(block, index))?;
            func.blocks[block].params.push(value);
            let facts = self.facts()?;
            if block == func.entry() {
                func.param_facts.push(facts);
            } else if facts != ParamFacts::default() {
                return self.fail("only parameters of functions have facts");
            }
            self.eat(",");
        }
        if self.eat("unroll") {
            func.blocks[block].unroll = Some(self.number()?);
        }
        self.expect(":")?;
        while !self.inst(func, names, block)? {}
        Ok(())
    }

    /// Parses `[restrict] [const] [align N] [small | max N] [row] [stride N]`.
    fn facts(&mut self) -> Result<ParamFacts> {
        let (is_restrict, is_const) = (self.eat("restrict"), self.eat("const"));
        let align = if self.eat("align") { self.number()? } else { 0 };
        let max = if self.eat("small") {
            Some(ParamFacts::SMALL)
        } else if self.eat("max") {
            Some(self.number()?)
        } else {
            None
        };
        let is_aligned_to_lanes = self.eat("row");
        let stride = if self.eat("stride") { Some(self.number()?) } else { None };
        Ok(ParamFacts { is_restrict, is_const, align, max, is_aligned_to_lanes, stride })
    }

    fn block_ref(&mut self, func: &mut Function, names: &mut EntityNames) -> Result<Block> {
        let number = self.entity("b")?;
        Ok(*names.blocks.entry(number).or_insert_with(|| func.add_detached_block()))
    }

    /// Parses a value; creates it without a type if it is not defined yet.
    fn value_ref(&mut self, func: &mut Function, names: &mut EntityNames) -> Result<Value> {
        let number = self.entity("v")?;
        Ok(*names.values.entry(number).or_insert_with(|| {
            func.values.push(ValueData { ty: Type::VOID, def: Def::Param(Block(u32::MAX), 0) })
        }))
    }

    fn define(&self, func: &mut Function, value: Value, ty: Type, def: Def) -> Result<()> {
        if func.values[value].ty != Type::VOID || ty == Type::VOID {
            return self.fail("value defined twice, or void");
        }
        func.values[value] = ValueData { ty, def };
        Ok(())
    }

    /// Parses one instruction; returns true if it ends the block.
    fn inst(&mut self, func: &mut Function, names: &mut EntityNames, block: Block) -> Result<bool> {
        let is_result = self.tokens.get(self.at + 1).is_some_and(|t| t.text == "=");
        let result = if is_result { Some(self.value_ref(func, names)?) } else { None };
        if is_result {
            self.expect("=")?;
        }
        let text = self.next()?;
        let (name, ty) = text.split_once('.').unwrap_or((text, ""));
        let Some(op) = Op::from_name(name) else { return self.fail(format!("unknown op `{name}`")) };
        let ty = if ty.is_empty() { Some(Type::VOID) } else { Type::parse(ty) };
        let Some(ty) = ty else { return self.fail("unknown type") };
        if (ty != Type::VOID) != result.is_some() {
            return self.fail("a result needs a type, and a type a result");
        }
        let attr = self.attr(op)?;
        let mut args = Args::new();
        while self.peek().is_some_and(|t| t.starts_with('v') && t[1..].parse::<u32>().is_ok())
            && self.tokens.get(self.at + 1).is_none_or(|t| t.text != "=")
        {
            args.push(self.value_ref(func, names)?);
            if !self.eat(",") {
                break;
            }
        }
        let targets = self.targets(func, names)?;
        let id = func.insts.next_id();
        if let Some(value) = result {
            self.define(func, value, ty, Def::Inst(id))?;
        }
        let loc = match self.peek().and_then(|t| t.strip_prefix('@')) {
            Some(number) => {
                let number = number.parse();
                self.at += 1;
                number.or_else(|_| self.fail("expected a position"))?
            }
            None => 0,
        };
        let inst = super::function::Inst { op, ty, args, attr, targets, result, loc };
        func.insts.push(inst);
        func.blocks[block].insts.push(id);
        Ok(op.is_terminator())
    }

    fn targets(&mut self, func: &mut Function, names: &mut EntityNames) -> Result<Vec<Target>> {
        let mut targets = Vec::new();
        if !self.eat("->") {
            return Ok(targets);
        }
        loop {
            let block = self.block_ref(func, names)?;
            let mut args = SmallVec::new();
            if self.eat("(") {
                while !self.eat(")") {
                    args.push(self.value_ref(func, names)?);
                    self.eat(",");
                }
            }
            targets.push(Target { block, args });
            if !self.eat(",") {
                return Ok(targets);
            }
        }
    }

    fn attr(&mut self, op: Op) -> Result<Attr> {
        Ok(match op.attr_kind() {
            AttrKind::None => Attr::None,
            AttrKind::Wrap => NoWrap { signed: self.eat("nsw"), unsigned: self.eat("nuw") }.attr(),
            AttrKind::Int => Attr::Int(self.number()?),
            AttrKind::Mem => Attr::Mem(self.mem()?),
            AttrKind::ScaledMem => {
                let mem = self.mem()?;
                self.expect("scale")?;
                Attr::ScaledMem(mem, self.number()?)
            }
            AttrKind::SizeAlign => Attr::SizeAlign(self.number()?, self.number()?),
            AttrKind::IntCond => Attr::IntCond(self.named(IntCond::from_name)?),
            AttrKind::FloatCond => Attr::FloatCond(self.named(FloatCond::from_name)?),
            AttrKind::Lanes => Attr::Lanes(self.list()?.into()),
            AttrKind::Func => Attr::Func(FuncId::new(self.entity("f")? as usize)),
            AttrKind::Global => Attr::Global(GlobalId::new(self.entity("g")? as usize)),
            AttrKind::Rmw => Attr::Rmw(self.named(Rmw::from_name)?, self.consistency()?),
            AttrKind::Consistency => Attr::Consistency(self.consistency()?),
            AttrKind::Reduction => Attr::Reduction(self.named(Reduction::from_name)?),
            AttrKind::Helper => Attr::Helper(self.named(Helper::from_name)?),
            AttrKind::Query => Attr::Query(self.named(Query::from_name)?, self.number()?),
            AttrKind::Cases => Attr::Cases(self.list()?.into()),
            AttrKind::Field => Attr::Field(self.named(ImageField::from_name)?),
            AttrKind::Format => Attr::Format(self.format()?),
        })
    }

    /// Parses the alignment and flags of an access.
    fn mem(&mut self) -> Result<Mem> {
        self.expect("align")?;
        let align: u32 = self.number()?;
        Ok(Mem { align, volatile: self.eat("volatile"), nontemporal: self.eat("nontemporal") })
    }

    /// Parses an order and a scope; nothing stands for the strongest.
    fn consistency(&mut self) -> Result<Consistency> {
        let Some(order) = self.peek().and_then(MemoryOrder::from_name) else {
            return Ok(Consistency::STRONGEST);
        };
        self.next()?;
        Ok(Consistency { order, scope: self.named(MemoryScope::from_name)? })
    }

    /// Parses an image format, or `any` for an unknown one.
    fn format(&mut self) -> Result<Option<Format>> {
        if self.eat("any") {
            return Ok(None);
        }
        let order = self.named(Order::from_name)?;
        let ty = self.named(ChannelType::from_name)?;
        let format = Format::new(order, ty);
        format.map_or_else(|| self.fail("no such image format"), |format| Ok(Some(format)))
    }

    fn named<T>(&mut self, find: fn(&str) -> Option<T>) -> Result<T> {
        let text = self.next()?;
        find(text).map_or_else(|| self.fail(format!("unknown word `{text}`")), Ok)
    }

    fn list<T: TryFrom<i128>>(&mut self) -> Result<Vec<T>> {
        self.expect("[")?;
        let mut items = Vec::new();
        while !self.eat("]") {
            items.push(self.number()?);
            self.eat(",");
        }
        Ok(items)
    }
}
