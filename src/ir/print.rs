//! Printer of IR text; `parse` reads it back. The alternate form (`{:#}`) includes source positions.

use std::fmt::{self, Display, Formatter};

use super::function::{
    Attr, Block, ClosureSwitch, Consistency, Function, Global, GlobalSpace, Inst, Linkage, Mem, Module,
    ParamFacts, Target,
};
use super::op::AttrKind;
use super::types::Type;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, global) in self.globals.iter() {
            write!(f, "global {id} ")?;
            print_global(f, global)?;
        }
        for (id, func) in self.funcs.iter() {
            if f.alternate() {
                write!(f, "func {id} {func:#}")?;
            } else {
                write!(f, "func {id} {func}")?;
            }
        }
        for closure_switch in &self.closure_switches {
            print_closure_switch(f, closure_switch)?;
        }
        Ok(())
    }
}

impl GlobalSpace {
    /// Returns the spelling in IR text.
    pub(super) fn name(self) -> &'static str {
        match self {
            GlobalSpace::Global => "global",
            GlobalSpace::Constant => "constant",
            GlobalSpace::Local => "local",
        }
    }
}

impl Linkage {
    /// Returns the word in IR text with a leading space; external linkage of one definition has none.
    fn word(self) -> &'static str {
        match self {
            Linkage::External { is_odr: false } => "",
            Linkage::External { is_odr: true } => " odr",
            Linkage::Internal => " internal",
        }
    }
}

/// Prints `"name" [internal | odr] [extern] space size align [hex] {offset: gN+addend, ...}`.
fn print_global(f: &mut Formatter<'_>, global: &Global) -> fmt::Result {
    let word = if global.is_defined { "" } else { " extern" };
    write!(f, "{:?}{}{word}", global.name, global.linkage.word())?;
    write!(f, " {} {} {}", global.space.name(), global.size, global.align)?;
    if !global.init.is_empty() {
        f.write_str(" [")?;
        for byte in &global.init {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("]")?;
    }
    if !global.relocs.is_empty() {
        f.write_str(" {")?;
        for (i, (offset, target, addend)) in global.relocs.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{offset}: {target} {addend}")?;
        }
        f.write_str("}")?;
    }
    f.write_str("\n")
}

/// Prints `dispatch fN block (type, ...) {gN: fN, ...}`.
fn print_closure_switch(f: &mut Formatter<'_>, closure_switch: &ClosureSwitch) -> fmt::Result {
    write!(f, "dispatch {} {} (", closure_switch.func, closure_switch.block)?;
    for (i, ty) in closure_switch.params.iter().enumerate() {
        write!(f, "{}{ty}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str(") {")?;
    for (i, (descriptor, invoke)) in closure_switch.blocks.iter().enumerate() {
        write!(f, "{}{descriptor}: {invoke}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str("}\n")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kernel = if self.is_kernel { " kernel" } else { "" };
        let no_inline = if self.no_inline { " noinline" } else { "" };
        let deferred = if self.is_deferred { " deferred" } else { "" };
        let rare = if self.is_rare { " rare" } else { "" };
        let reassociate = if self.may_reassociate { " reassociate" } else { "" };
        writeln!(
            f,
            "{:?} {}{}{kernel}{no_inline}{deferred}{rare}{reassociate} {{",
            self.name,
            self.ret,
            self.linkage.word()
        )?;
        for &block in &self.layout {
            print_block(f, self, block)?;
        }
        f.write_str("}\n")
    }
}

fn print_block(f: &mut Formatter<'_>, func: &Function, block: Block) -> fmt::Result {
    write!(f, "{block}(")?;
    for (i, &param) in func.blocks[block].params.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{param}: {}", func.ty(param))?;
        if let Some(facts) = func.param_facts.get(i).filter(|_| block == func.entry()) {
            print_facts(f, *facts)?;
        }
    }
    f.write_str(")")?;
    if let Some(times) = func.blocks[block].unroll {
        write!(f, " unroll {times}")?;
    }
    f.write_str(":\n")?;
    for &inst in &func.blocks[block].insts {
        print_inst(f, &func.insts[inst])?;
    }
    Ok(())
}

fn print_facts(f: &mut Formatter<'_>, facts: ParamFacts) -> fmt::Result {
    f.write_str(if facts.is_restrict { " restrict" } else { "" })?;
    f.write_str(if facts.is_const { " const" } else { "" })?;
    if facts.align > 0 {
        write!(f, " align {}", facts.align)?;
    }
    match facts.max {
        Some(ParamFacts::SMALL) => f.write_str(" small")?,
        Some(max) => write!(f, " max {max}")?,
        None => {}
    }
    f.write_str(if facts.is_aligned_to_lanes { " row" } else { "" })?;
    match facts.stride {
        Some(stride) => write!(f, " stride {stride}"),
        None => Ok(()),
    }
}

/// Prints `[vN = ]op[.type] [attribute] [operands] [-> targets]` on an indented line.
fn print_inst(f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
    f.write_str("    ")?;
    if let Some(result) = inst.result {
        write!(f, "{result} = ")?;
    }
    f.write_str(inst.op.name())?;
    if inst.ty != Type::VOID {
        write!(f, ".{}", inst.ty)?;
    }
    print_attr(f, inst)?;
    for (i, arg) in inst.args.iter().enumerate() {
        write!(f, "{} {arg}", if i == 0 { "" } else { "," })?;
    }
    for (i, target) in inst.targets.iter().enumerate() {
        f.write_str(if i == 0 { " -> " } else { ", " })?;
        print_target(f, target)?;
    }
    // Positions are omitted in fixtures and dumps, where they would only be noise.
    if f.alternate() && inst.loc != 0 {
        write!(f, " @{}", inst.loc)?;
    }
    f.write_str("\n")
}

fn print_mem(f: &mut Formatter<'_>, mem: Mem) -> fmt::Result {
    write!(f, " align {}", mem.align)?;
    if mem.volatile {
        f.write_str(" volatile")?;
    }
    if mem.nontemporal { f.write_str(" nontemporal") } else { Ok(()) }
}

fn print_attr(f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
    match &inst.attr {
        Attr::None => Ok(()),
        Attr::NoWrap(no_wrap) => {
            f.write_str(if no_wrap.signed { " nsw" } else { "" })?;
            f.write_str(if no_wrap.unsigned { " nuw" } else { "" })
        }
        Attr::Int(n) if inst.op.attr_kind() == AttrKind::Int => write!(f, " {n:#x}"),
        Attr::Int(n) => write!(f, " {n}"),
        Attr::Mem(mem) => print_mem(f, *mem),
        Attr::ScaledMem(mem, scale) => {
            print_mem(f, *mem)?;
            write!(f, " scale {scale}")
        }
        Attr::SizeAlign(size, align) => write!(f, " {size} {align}"),
        Attr::IntCond(cond) => write!(f, " {}", cond.name()),
        Attr::FloatCond(cond) => write!(f, " {}", cond.name()),
        Attr::Lanes(lanes) => write!(f, " {lanes:?}"),
        Attr::Func(func) => write!(f, " {func}"),
        Attr::Global(global) => write!(f, " {global}"),
        Attr::Rmw(rmw, consistency) => {
            write!(f, " {}", rmw.name())?;
            print_consistency(f, *consistency)
        }
        Attr::Consistency(consistency) => print_consistency(f, *consistency),
        Attr::Reduction(how) => write!(f, " {}", how.name()),
        Attr::Helper(helper) => write!(f, " {}", helper.name()),
        Attr::Query(query, dim) => write!(f, " {} {dim}", query.name()),
        Attr::Cases(cases) => write!(f, " {cases:?}"),
        Attr::Field(field) => write!(f, " {}", field.name()),
        Attr::Format(None) => f.write_str(" any"),
        Attr::Format(Some(format)) => {
            write!(f, " {} {}", format.order().name(), format.channel_type().name())
        }
    }
}

/// Prints order and scope, nothing for the strongest.
fn print_consistency(f: &mut Formatter<'_>, consistency: Consistency) -> fmt::Result {
    if consistency == Consistency::STRONGEST {
        return Ok(());
    }
    write!(f, " {} {}", consistency.order.name(), consistency.scope.name())
}

fn print_target(f: &mut Formatter<'_>, target: &Target) -> fmt::Result {
    write!(f, "{}", target.block)?;
    if target.args.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    for (i, arg) in target.args.iter().enumerate() {
        write!(f, "{}{arg}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str(")")
}
