//! The program of a row and an element type.

use std::fmt::Write;

use super::{Row, reference};

const LANES: [usize; 6] = [1, 2, 3, 4, 8, 16];
const ITEMS: usize = 16;
const SPACES: [&str; 5] = ["private", "local", "global", "", "constant"];

fn size(element: &str) -> usize {
    match element {
        "char" | "uchar" => 1,
        "short" | "ushort" | "half" => 2,
        "int" | "uint" | "float" => 4,
        _ => 8,
    }
}

fn is_float(element: &str) -> bool {
    matches!(element, "half" | "float" | "double")
}

fn with_lanes(element: &str, lanes: usize) -> String {
    if lanes == 1 { element.to_owned() } else { format!("{element}{lanes}") }
}

/// The text of a program with its `run:` and `lanes:` directives.
pub fn write(row: &Row<'_>, element: &str) -> String {
    let mut text = format!("// {}: {}\n// options: -cl-std=CL2.0\n", row.section, row.name);
    if element != "-" {
        let _ = writeln!(text, "typedef {element} E;");
        for lanes in &LANES[1..] {
            let _ = writeln!(text, "typedef {element}{lanes} E{lanes};");
        }
    }
    match row.kind {
        "call" | "lanes" | "whole" | "expr" => {
            for (number, signature) in row.what.split("; ").enumerate() {
                calls(&mut text, row, element, number, signature);
            }
        }
        "code" | "group" => statements(&mut text, row, element, &["global"]),
        "any" => statements(&mut text, row, element, &SPACES[..4]),
        "shared" => statements(&mut text, row, element, &SPACES[1..4]),
        "readable" => statements(&mut text, row, element, &SPACES),
        "convert" => conversions(&mut text, element, row.what),
        "as" => reinterpretations(&mut text, element, row.what),
        "shuffle" => shuffles(&mut text, element, row.what),
        "number" => {
            let _ = writeln!(text, "#if !({})\n#error not so for the preprocessor\n#endif", row.what);
            truth(&mut text, row.what);
        }
        "true" => truth(&mut text, row.what),
        "optional" => {
            let what = row.what;
            let _ = writeln!(
                text,
                "#ifdef {what}\n#define IS_RIGHT ({what}) == 1\n#else\n#define IS_RIGHT 1\n#endif"
            );
            truth(&mut text, "IS_RIGHT");
        }
        other => panic!("unknown kind {other}"),
    }
    text
}

fn truth(text: &mut String, what: &str) {
    let _ = writeln!(
        text,
        "// run: k global=1 local=1 args: int[1] = 0\n// expect: 0 = 1\n\
         kernel void k(global int *o) {{ *o = ({what}) ? 1 : 0; }}"
    );
}

/// A word of a signature.
struct Word {
    element: String,
    /// Takes the lanes of the others.
    is_wide: bool,
    is_pointer: bool,
    is_truth: bool,
}

fn word(text: &str, element: &str) -> Word {
    let is_pointer = text.ends_with('*');
    let text = text.trim_start_matches("__any").trim_end_matches('*').trim();
    let signed = ["char", "short", "int", "long"][size(element).trailing_zeros() as usize];
    let wider = ["char", "short", "int", "long"][(size(element).trailing_zeros() as usize + 1).min(3)];
    let unsigned = element.starts_with('u');
    let (element, is_wide) = match text {
        "gentype" | "vgentype" => (element.to_owned(), true),
        "sgentype" => (element.to_owned(), false),
        "intn" => ("int".to_owned(), true),
        "int" => ("int".to_owned(), false),
        "inttype" | "truth" => (signed.to_owned(), true),
        "uinttype" => (format!("u{signed}"), true),
        "widetype" => (format!("{}{wider}", if unsigned { "u" } else { "" }), true),
        other => panic!("unknown word {other}"),
    };
    Word { element, is_wide, is_pointer, is_truth: text == "truth" }
}

/// Sixteen values that say something about most functions.
fn values(element: &str, argument: usize) -> String {
    const FLOATS: [&str; 16] = [
        "0.5", "1", "-1.25", "3", "0", "-0.0", "inf", "nan", "1e-3", "100.5", "-7", "2.5", "1e-40", "0.75",
        "-0.25", "10",
    ];
    const INTS: [i128; 16] = [0, 1, -1, 2, 3, 7, -8, 100, -100, 5, i128::MAX, i128::MIN, 31, 63, -3, 12];
    let rotate = [0, 5, 11][argument.min(2)];
    let mut words = Vec::new();
    for i in 0..ITEMS {
        let i = (i + rotate) % ITEMS;
        words.push(match element {
            "half" => [
                "0x3800", "0x3c00", "0xbd00", "0x4200", "0", "0x8000", "0x7c00", "0x7e00", "0x1419",
                "0x5648", "0xc700", "0x4100", "0x0003", "0x3a00", "0xb400", "0x4900",
            ][i]
                .to_owned(),
            _ if is_float(element) => FLOATS[i].to_owned(),
            _ => {
                let bits = 8 * size(element) as u32;
                let (low, high) = if element.starts_with('u') {
                    (0, (1i128 << bits) - 1)
                } else {
                    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
                };
                let value = INTS[i];
                (if low == 0 && value < 0 && value != i128::MIN {
                    value & high
                } else {
                    value.clamp(low, high)
                })
                .to_string()
            }
        });
    }
    words.join(" ")
}

/// A kernel that applies a signature or an expression at every width and in every space.
fn calls(text: &mut String, row: &Row<'_>, element: &str, number: usize, what: &str) {
    let (result, args, apply, lanes) = if row.kind == "expr" || what.contains(": ") {
        let (result, expression) = what.split_once(": ").expect("a type and an expression");
        let words = vec!["gentype"; if expression.contains('y') { 2 } else { 1 }];
        (result, words, expression.to_owned(), LANES.to_vec())
    } else {
        let (head, tail) = what.split_once('(').expect("a signature");
        let (inner, lanes) = tail.split_once(')').expect("a signature");
        let (result, name) = head.split_once(' ').expect("a result and a name");
        let lanes: Vec<usize> = lanes.split_whitespace().map(|n| n.parse().expect("a number")).collect();
        let lanes = if lanes.is_empty() { LANES.to_vec() } else { lanes };
        (result, inner.split(", ").collect(), name.to_owned(), lanes)
    };
    let only_vectors = what.contains("vgentype");
    let lanes: Vec<usize> = lanes.into_iter().filter(|&n| n > 1 || !only_vectors).collect();
    let result = word(result, element);
    let words: Vec<Word> = args.iter().map(|w| word(w, element)).collect();
    let pointer = words.iter().find(|w| w.is_pointer).map(|w| w.element.clone());
    let spaces: &[&str] = if pointer.is_some() { &SPACES[..4] } else { &[""] };

    let inputs: Vec<(usize, &Word)> = words.iter().enumerate().filter(|(_, w)| !w.is_pointer).collect();
    let mut parameters = String::new();
    let mut run = format!("// run: k{number} global=1 local=1 args: ");
    for (i, word) in &inputs {
        let _ = write!(parameters, "global const {} *a{i}, ", word.element);
        let _ = write!(run, "{}[16] = {}; ", &word.element, values(&word.element, *i));
    }
    let second = pointer.as_deref().unwrap_or("int");
    let second_list = second;
    let room = spaces.len() * lanes.len() * ITEMS;
    let _ = write!(
        run,
        "{}[{room}] = 0 ...; {second_list}[{room}] = 0 ...; {second_list}[64] = 0 ...",
        &result.element,
    );
    let _ = writeln!(text, "{run}");
    if row.kind == "call"
        && pointer.is_none()
        && let Some(expected) = expected(&apply, element, &inputs, &lanes)
    {
        let _ = writeln!(text, "// expect: {} = {expected}", inputs.len());
    }
    if row.kind == "call" && !only_vectors || row.kind == "expr" {
        let (first, widths) =
            (inputs.len(), lanes.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        let _ = writeln!(text, "// lanes: k{number} {first} {widths}");
        if pointer.is_some() {
            let _ = writeln!(text, "// lanes: k{number} {} {widths}", first + 1);
        }
    }
    let _ = writeln!(
        text,
        "kernel void k{number}({parameters}global {} *out, global {second} *out2, global {second} *scratch)\n{{",
        result.element
    );
    let mut at = 0;
    for &space in spaces {
        for &n in &lanes {
            let application = Application {
                result: &result,
                words: &words,
                apply: &apply,
                is_expression: row.kind == "expr" || what.contains(": "),
                space,
                pointer: pointer.as_deref(),
                n,
                at,
            };
            application.write(text);
            at += ITEMS;
        }
    }
    text.push_str("}\n");
}

/// What a function must give for all inputs, once for each number of lanes, if that is known.
fn expected(name: &str, element: &str, inputs: &[(usize, &Word)], lanes: &[usize]) -> Option<String> {
    let lists: Vec<Vec<i128>> = inputs
        .iter()
        .map(|(i, word)| values(&word.element, *i).split(' ').map(|v| v.parse().ok()).collect())
        .collect::<Option<_>>()?;
    let mut words = Vec::new();
    for &n in lanes {
        for i in 0..ITEMS {
            // The rest of a division by three is not written.
            let is_written = i < ITEMS / n * n;
            let args: Vec<i128> = lists
                .iter()
                .zip(inputs)
                // What has one lane is the same for all lanes of a vector.
                .map(|(list, (_, word))| if word.is_wide { list[i] } else { list[i / n] })
                .collect();
            let value = reference::value(name, element, &args)?;
            words.push(if is_written { value.to_string() } else { "0".into() });
        }
    }
    Some(words.join(" "))
}

/// One loop of a kernel.
struct Application<'a> {
    result: &'a Word,
    words: &'a [Word],
    apply: &'a str,
    is_expression: bool,
    space: &'a str,
    pointer: Option<&'a str>,
    n: usize,
    at: usize,
}

impl Application<'_> {
    fn write(&self, text: &mut String) {
        let Application { n, at, .. } = *self;
        let _ = writeln!(text, "    {{");
        if let Some(pointee) = self.pointer {
            let ty = with_lanes(pointee, n);
            let _ = match self.space {
                "private" => writeln!(text, "        {ty} t[1];"),
                "local" => writeln!(text, "        local {ty} *t = (local {ty} *)__room{at};"),
                space => writeln!(text, "        {space} {ty} *t = ({space} {ty} *)(global {ty} *)scratch;"),
            };
            if self.space == "local" {
                let at = text
                    .rfind("kernel void")
                    .and_then(|k| text[k..].find("{\n").map(|o| k + o + 2))
                    .expect("a kernel");
                text.insert_str(
                    at,
                    &format!("    local ulong __room{};\n", self.at).replace(";\n", "[16];\n"),
                );
            }
        }
        let mut args = Vec::new();
        for (i, word) in self.words.iter().enumerate() {
            args.push(match (word.is_pointer, word.is_wide, n) {
                (true, ..) => "t".to_owned(),
                (_, true, 2..) => format!("vload{n}(i, a{i})"),
                _ => format!("a{i}[i]"),
            });
        }
        let value = if self.is_expression {
            let mut value = String::new();
            for c in self.apply.chars() {
                match c {
                    'x' => value.push_str(&args[0]),
                    'y' => value.push_str(&args[1]),
                    c => value.push(c),
                }
            }
            value
        } else {
            format!("{}({})", self.apply, args.join(", "))
        };
        let lanes = if self.result.is_wide { n } else { 1 };
        let sign = if self.result.is_truth && n == 1 { "-" } else { "" };
        let _ = writeln!(text, "        for (int i = 0; i < {}; i++) {{", ITEMS / n);
        let _ = match lanes {
            1 => writeln!(text, "            out[{at} + i] = {sign}({value});"),
            n => writeln!(text, "            vstore{n}({value}, i, out + {at});"),
        };
        if self.pointer.is_some() {
            let _ = match n {
                1 => writeln!(text, "            out2[{at} + i] = *t;"),
                n => writeln!(text, "            vstore{n}(*t, i, out2 + {at});"),
            };
        }
        let _ = writeln!(text, "        }}\n    }}");
    }
}

/// Memory orders and scopes in step, so that each is met with each.
fn in_turn(code: &str) -> Vec<String> {
    const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
    const FAILURES: [&str; 5] = ["relaxed", "acquire", "relaxed", "acquire", "seq_cst"];
    const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
    const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
    const SCOPES: [&str; 3] = ["work_group", "device", "all_svm_devices"];
    if !code.contains('$') {
        return vec![code.to_owned()];
    }
    let turn = |i: usize| {
        code.replace("$order", &format!("memory_order_{}", ORDERS[i % 5]))
            .replace("$fail", &format!("memory_order_{}", FAILURES[i % 5]))
            .replace("$store", &format!("memory_order_{}", STORES[i % 3]))
            .replace("$load", &format!("memory_order_{}", LOADS[i % 3]))
            .replace("$scope", &format!("memory_scope_{}", SCOPES[i / 5 % 3]))
    };
    (0..15).map(turn).collect()
}

/// Kernels of statements: one for each space, and each number of lanes if `V` occurs.
fn statements(text: &mut String, row: &Row<'_>, element: &str, spaces: &[&str]) {
    let is_word = |word: &str| row.what.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
    let widths: &[usize] = if is_word("V") { &LANES } else { &LANES[..1] };
    let range = match (row.kind, row.section) {
        ("group", _) => "global=4 local=4",
        (_, "work-item") => "global=4,2,2 local=2,2,1 offset=1,2,3",
        _ => "global=1 local=1",
    };
    let mut number = 0;
    for space in spaces {
        for &n in widths {
            let pointer = match *space {
                "" => "p_generic".to_owned(),
                space => format!("p_{space}"),
            };
            let list = values(element, 0);
            let ty = element;
            let _ = writeln!(
                text,
                "// run: k{number} {range} args: {ty}[64] = {list} {list} {list} {list}; {ty}[64] = {list} {list} {list} {list}; uchar[4096] = 0 ..."
            );
            let qualifier = if *space == "constant" { "constant" } else { space };
            let _ = writeln!(
                text,
                "#define Q {qualifier}\n#define P {pointer}\n#define V {}",
                with_lanes(element, n)
            );
            let _ = writeln!(
                text,
                "kernel void k{number}(global E *p_global, constant E *p_constant, global uchar *out)\n{{\n    local E16 near[4];\n    E16 mine[4];\n    local E *p_local = (local E *)near;\n    E *p_private = (E *)mine;\n    E *p_generic = p_global;\n    for (int i = 0; i < 64; i++) {{\n        p_local[i] = p_global[i];\n        mine[i / 16] = ((global E16 *)p_global)[i / 16];\n    }}\n    E x = p_global[3];\n    global E *o = (global E *)(out + 64 * (get_global_linear_id() {}));\n    barrier(CLK_LOCAL_MEM_FENCE);",
                if row.section == "work-item" { "" } else { "* 0" },
            );
            for code in in_turn(row.what) {
                let code = code.replace("atomic_E", &format!("atomic_{element}"));
                let _ = writeln!(text, "    {{ {code}; }}\n    o += 8;");
            }
            text.push_str("}\n#undef Q\n#undef P\n#undef V\n");
            number += 1;
        }
    }
}

/// All conversions from `element` to `to`.
fn conversions(text: &mut String, element: &str, to: &str) {
    let saturations: &[&str] = if is_float(to) { &[""] } else { &["", "_sat"] };
    let mut number = 0;
    for saturation in saturations {
        for rounding in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
            let _ = writeln!(
                text,
                "// run: k{number} global=1 local=1 args: {}[16] = {}; {}[96] = 0 ...\n// lanes: k{number} 1 1,2,3,4,8,16",
                element,
                values(element, 0),
                to
            );
            let _ = writeln!(text, "kernel void k{number}(global const E *a, global {to} *out)\n{{");
            for (at, &n) in LANES.iter().enumerate() {
                let at = at * ITEMS;
                let name = format!("convert_{}{saturation}{rounding}", with_lanes(to, n));
                let _ = match n {
                    1 => writeln!(text, "    for (int i = 0; i < 16; i++) out[i] = {name}(a[i]);"),
                    n => writeln!(
                        text,
                        "    for (int i = 0; i < {}; i++) vstore{n}({name}(vload{n}(i, a)), i, out + {at});",
                        ITEMS / n
                    ),
                };
            }
            text.push_str("}\n");
            number += 1;
        }
    }
}

/// All `as_` functions from `element` to `to`.
fn reinterpretations(text: &mut String, element: &str, to: &str) {
    let room = |element: &str, n: usize| size(element) * if n == 3 { 4 } else { n };
    let list = values(element, 0);
    let _ = writeln!(
        text,
        "// run: k global=1 local=1 args: {}[16] = {list}; uchar[4096] = 0 ...\nkernel void k(global const E *in, global uchar *out)\n{{\n    global const void *a = in;",
        element
    );
    for &n in &LANES {
        for &m in &LANES {
            if room(to, n) == room(element, m) {
                let (result, from) = (with_lanes(to, n), with_lanes(element, m));
                let _ = writeln!(
                    text,
                    "    *(global {result} *)out = as_{result}(*(global const {from} *)a); out += 128;"
                );
            }
        }
    }
    text.push_str("    *out = 1;\n}\n");
}

/// `shuffle` or `shuffle2` for all pairs of lanes.
fn shuffles(text: &mut String, element: &str, name: &str) {
    let mask = word("uinttype", element).element;
    let list = values(element, 0);
    let _ = writeln!(
        text,
        "// run: k global=1 local=1 args: {}[32] = {list} {list}; {mask}[16] = 3 1 0 2 31 5 17 9 8 8 14 255 7 128 12 6; {}[256] = 0 ...",
        element, element
    );
    let _ = writeln!(text, "kernel void k(global const E *a, global const {mask} *masks, global E *out)\n{{");
    let mut at = 0;
    for n in [2, 4, 8, 16] {
        for m in [2, 4, 8, 16] {
            let second = if name == "shuffle2" { format!("vload{m}(1, a), ") } else { String::new() };
            let _ = writeln!(
                text,
                "    vstore{n}({name}(vload{m}(0, a), {second}vload{n}(0, masks)), 0, out + {at});"
            );
            at += 16;
        }
    }
    text.push_str("}\n");
}
