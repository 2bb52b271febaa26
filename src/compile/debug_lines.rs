//! From bytes of the source map to the lines that a fault report names.

use crate::diag::SourceMap;
use crate::ir::{LineTable, Module};

/// Gives every instruction of a module the number of its line. What stands in the builtin library has none: inlined, it
/// takes the line of its call.
pub(super) fn number(module: &mut Module, map: &SourceMap) {
    let mut lines = LineTable::default();
    // Neighbours mostly stand on one line.
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
