//! Line table: replaces offsets in the source map by numbers of lines, which reports of faults name.

use grus_ir::{LineTable, Module};
use grus_support::diag::SourceMap;

/// Sets the line number of every instruction of a module. Instructions from the builtin library get none, so that
/// after inlining they have the line of the call.
pub(super) fn number(module: &mut Module, map: &SourceMap) {
    let mut lines = LineTable::default();
    // Consecutive instructions are mostly on one line.
    let (mut from, mut to, mut loc) = (1, 1, 0);
    for func in module.funcs.values_mut() {
        for inst in func.insts.values_mut() {
            if !(from..to).contains(&inst.loc) {
                let Some(line) = map.line_at(inst.loc) else {
                    inst.loc = 0;
                    continue;
                };
                (from, to) = (line.from, line.to);
                loc = if line.in_library { 0 } else { lines.add(line.file, line.number) };
            }
            inst.loc = loc;
        }
    }
    module.lines = lines;
}
