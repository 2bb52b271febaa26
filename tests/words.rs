//! Checks the prose of documents and comments, which must be clear to readers who have never seen this project.

use std::fs;
use std::path::{Path, PathBuf};

use super::{all_files, report, root};

/// Maximum number of characters of a line of Markdown outside of tables and code.
// Arbitrary.
const MAX_LINE: usize = 120;

/// Maximum number of words of a sentence in README and ARCHITECTURE.
// Arbitrary.
const MAX_SENTENCE: usize = 35;

/// First words with which a doc comment does not name or describe its item.
const RIDDLES: &[&str] = &[
    "What", "Where", "Who", "Whose", "Whether", "Which", "How", "It", "They", "That", "Those", "The same",
    "So many", "So", "Likewise", "Besides", "Somebody", "Whoever",
];

/// Maximum number, per thousand, of doc comments that begin with a word of `RIDDLES`. Cranelift has 11, naga 23.
const MAX_RIDDLES: usize = 30;

/// Maximum number, per thousand, of functions' doc comments that do not begin with a verb in the third person.
// Arbitrary.
const MAX_WITHOUT_VERB: usize = 30;

/// Folders in which limits and weights of heuristics must have a comment with the source of their number.
const HEURISTICS: &[&str] = &["src/passes/", "src/codegen/", "src/exec/", "src/compile/"];

fn markdown_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).map(|dir| dir.flatten().map(|entry| entry.path()).collect::<Vec<_>>());
    for path in entries.unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            markdown_files(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Returns the numbered lines of a page, without code and tables.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if !is_code && !is_fence && !line.trim_start().starts_with('|') {
            lines.push((number + 1, line));
        }
    }
    lines
}

#[test]
fn lines_of_documents_are_short() {
    let mut paths = Vec::new();
    markdown_files(&root(), &mut paths);
    assert!(paths.len() > 10, "the documents are gone");
    let mut complaints = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("readable");
        for (number, line) in prose(&text) {
            let length = line.chars().count();
            if length > MAX_LINE {
                complaints.push(format!("{}:{number}: {length} characters", path.display()));
            }
        }
    }
    report(complaints);
}

/// Returns the sentences of a page with the numbers of their first lines. The end of a paragraph, list item or
/// heading also ends a sentence.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    let mut last = 0;
    for (number, line) in prose(text) {
        let trimmed = line.trim();
        let begins_item = trimmed.starts_with(['-', '*', '#', '>'])
            || trimmed.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        is_open &= !(trimmed.is_empty() || begins_item || number != last + 1);
        last = number;
        for word in trimmed.split_whitespace() {
            if !is_open {
                found.push((number, String::new()));
            }
            let sentence = &mut found.last_mut().expect("there is one").1;
            sentence.push_str(word);
            sentence.push(' ');
            let bare = word.trim_end_matches(['`', '*', ')', '"', ']']);
            is_open = !bare.ends_with(['.', '!', '?', ':', ';']);
        }
    }
    found
}

#[test]
fn sentences_are_found() {
    let text = "# A title\n\nOne sentence. Another\nof two lines: and its rest.\n\n- an item\n- the next\n\n| a table |\n";
    let found: Vec<(usize, usize)> =
        sentences(text).iter().map(|(line, text)| (*line, text.split_whitespace().count())).collect();
    assert_eq!(found, [(1, 3), (3, 2), (3, 4), (4, 3), (6, 3), (7, 3)]);
}

#[test]
fn sentences_of_the_first_pages_are_short() {
    let mut complaints = Vec::new();
    for name in ["README.md", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(name)).expect("readable");
        for (line, sentence) in sentences(&text) {
            let words = sentence.split_whitespace().count();
            if words > MAX_SENTENCE {
                complaints.push(format!("{name}:{line}: {words} words: {sentence}"));
            }
        }
    }
    report(complaints);
}

/// First line of a doc comment, and the line of code that follows the comment.
struct DocComment {
    location: String,
    first: String,
    item: String,
    /// True if an attribute makes the item a test, whose comment describes a scenario.
    is_test: bool,
}

impl DocComment {
    fn is_of_function(&self) -> bool {
        super::begins_function(&self.item) && !self.is_test
    }
}

fn doc_comments() -> Vec<DocComment> {
    let mut found = Vec::new();
    for (name, text) in all_files() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(first) = line.strip_prefix("/// ") else { continue };
            if at > 0 && lines[at - 1].starts_with("///") {
                continue;
            }
            let item = lines[at..]
                .iter()
                .find(|line| !line.starts_with("///") && !line.starts_with("#[") && !line.starts_with("//"));
            let location = format!("{name}:{}", at + 1);
            let attributes =
                lines[at..].iter().take_while(|line| line.starts_with("///") || line.starts_with("#["));
            let is_test = attributes.clone().any(|line| *line == "#[test]");
            let item = item.unwrap_or(&"").to_string();
            found.push(DocComment { location, first: first.to_owned(), item, is_test });
        }
    }
    found
}

/// Panics if more than `thousandth` per thousand of `all` doc comments are in `bad`.
fn at_most(thousandth: usize, all: usize, bad: Vec<String>) {
    if bad.len() * 1000 > all * thousandth {
        let shown: Vec<String> = bad.iter().take(40).cloned().collect();
        panic!(
            "\n{} of {all} doc comments, may be {thousandth} in a thousand:\n{}\n",
            bad.len(),
            shown.join("\n")
        );
    }
}

#[test]
fn doc_comments_begin_with_what_they_are_about() {
    let all = doc_comments();
    let begins = |text: &str, word: &str| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let bad = all.iter().filter(|doc| RIDDLES.iter().any(|word| begins(&doc.first, word)));
    at_most(MAX_RIDDLES, all.len(), bad.map(|doc| format!("{}: {}", doc.location, doc.first)).collect());
}

#[test]
fn doc_comments_of_functions_begin_with_a_verb() {
    let functions: Vec<DocComment> = doc_comments().into_iter().filter(DocComment::is_of_function).collect();
    // Headings, grammar productions and the section numbers of entry points are not sentences.
    let is_sentence =
        |doc: &&DocComment| doc.first.starts_with(char::is_uppercase) && !doc.first.starts_with("See ");
    let sentences: Vec<&DocComment> = functions.iter().filter(is_sentence).collect();
    let is_verb = |doc: &&&DocComment| {
        doc.first.split(|c: char| !c.is_alphabetic()).next().is_some_and(|word| word.ends_with('s'))
    };
    let bad = sentences
        .iter()
        .filter(|doc| !is_verb(doc))
        .map(|doc| format!("{}: {}", doc.location, doc.first))
        .collect();
    at_most(MAX_WITHOUT_VERB, sentences.len(), bad);
}

#[test]
fn limits_say_where_their_numbers_come_from() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        if !HEURISTICS.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(constant) =
                line.trim_start_matches("pub ").trim_start_matches("pub(super) ").strip_prefix("const ")
            else {
                continue;
            };
            let Some((constant, value)) = constant
                .split_once(": ")
                .zip(line.split_once(" = "))
                .map(|((name, _), (_, value))| (name, value))
            else {
                continue;
            };
            let is_limit = constant.starts_with("MAX_") || constant.starts_with("MIN_");
            if !is_limit || !value.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            // A comment covers all constants of the block that follows it.
            let block =
                lines[..at].iter().rev().take_while(|line| !line.is_empty() && !line.ends_with(['{', '}']));
            if !block.clone().any(|line| line.contains("// Source:") || line.contains("// Arbitrary")) {
                complaints.push(format!(
                    "{name}:{}: {constant} has no `// Source:` and is not `// Arbitrary.`",
                    at + 1
                ));
            }
        }
    }
    report(complaints);
}
