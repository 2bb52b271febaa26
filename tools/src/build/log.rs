//! Parser of build logs. A message is a headline that compilers agree on, `file:line:column: error: text`, and the
//! lines below it. Logs of clang-based compilers (PoCL, Intel) are parsed as well; a line that is not a headline
//! belongs to the message before it.

use serde::Serialize;

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Severity words at the start of a headline, longest first.
const WORDS: [(&str, Severity); 5] = [
    ("fatal error", Severity::Error),
    ("internal compiler error", Severity::Error),
    ("warning", Severity::Warning),
    ("error", Severity::Error),
    ("note", Severity::Note),
];

/// Position in a source file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    pub file: String,
    pub line: u32,
    /// Column; `None` if the compiler does not give one.
    pub column: Option<u32>,
}

/// Message of a build log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    pub severity: Severity,
    #[serde(flatten)]
    pub position: Option<Position>,
    pub text: String,
    /// Source lines with marks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excerpt: Vec<String>,
    /// Notes that belong to the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Message>,
}

/// Parsed build log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub messages: Vec<Message>,
    /// Lines that belong to no message.
    pub rest: Vec<String>,
}

impl Log {
    /// Counts the messages of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.messages.iter().filter(|message| message.severity == severity).count()
    }
}

/// Parses a build log.
pub fn parse(text: &str) -> Log {
    let mut log = Log::default();
    for line in text.lines() {
        if let Some((position, severity, said)) = headline(line) {
            let (text, excerpt, notes) = (said.to_owned(), Vec::new(), Vec::new());
            let message = Message { severity, position, text, excerpt, notes };
            match log.messages.last_mut() {
                Some(last) if severity == Severity::Note => last.notes.push(message),
                _ => log.messages.push(message),
            }
        } else if is_count(line) {
            // A line with the number of errors is skipped, since the numbers are computed anew.
        } else if let Some(last) = log.messages.last_mut() {
            let excerpt = match last.notes.last_mut() {
                Some(note) => &mut note.excerpt,
                None => &mut last.excerpt,
            };
            excerpt.push(line.trim_end().to_owned());
        } else if !line.trim().is_empty() {
            log.rest.push(line.trim_end().to_owned());
        }
    }
    for message in &mut log.messages {
        trim(message);
    }
    log
}

/// Removes empty lines from the end.
fn trim(message: &mut Message) {
    while message.excerpt.last().is_some_and(|line| line.is_empty()) {
        message.excerpt.pop();
    }
    message.notes.iter_mut().for_each(trim);
}

/// Parses the position, severity and text of a headline.
fn headline(line: &str) -> Option<(Option<Position>, Severity, &str)> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    for (word, severity) in WORDS {
        if let Some(text) = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(": ")) {
            // PoCL puts the position behind the severity.
            return match text.split_once(": ").and_then(|(at, text)| Some((position(at)?, text))) {
                Some((position, text)) => Some((Some(position), severity, text)),
                None => Some((None, severity, text)),
            };
        }
    }
    let found = WORDS.iter().filter_map(|(word, severity)| {
        let at = line.find(&format!(": {word}: "))?;
        Some((at, position(&line[..at])?, *severity, &line[at + word.len() + 4..]))
    });
    found.min_by_key(|found| found.0).map(|(_, position, severity, text)| (Some(position), severity, text))
}

/// Parses `file:line:column` or `file:line`.
fn position(text: &str) -> Option<Position> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    if let Some((file, line)) = rest.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some(Position { file: file.to_owned(), line, column: Some(last) });
    }
    Some(Position { file: rest.to_owned(), line: last, column: None })
}

/// Checks whether a line gives the number of errors.
fn is_count(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_number = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    is_number && words.next().is_some_and(|word| word.starts_with("error") || word.starts_with("warning"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str, line: u32, column: Option<u32>) -> Option<Position> {
        Some(Position { file: file.into(), line, column })
    }

    #[test]
    fn our_own_log() {
        let log = parse(
            "a b.cl:3:15: error: invalid operands to '+': 'float4' and 'float2'\n  |\n3 |   g[0] = g[1] + h[0];\n  \
             |          ---- ^ ---- float2\n\na b.cl:1:2: note: declared here: see\n  |\n1 error\n",
        );
        assert_eq!(log.messages.len(), 1);
        let message = &log.messages[0];
        assert_eq!(message.position, at("a b.cl", 3, Some(15)));
        assert_eq!(message.text, "invalid operands to '+': 'float4' and 'float2'");
        assert_eq!(message.excerpt.len(), 3);
        assert_eq!(message.notes[0].text, "declared here: see");
        assert_eq!((log.count(Severity::Error), log.rest.len()), (1, 0));
    }

    #[test]
    fn logs_of_others() {
        let log =
            parse("error: /tmp/x.cl:4:7: use of 'y'\nx.cl:9: warning: w\nwarning: no place\nBuild failed\n");
        let positions: Vec<_> = log.messages.iter().map(|message| message.position.clone()).collect();
        assert_eq!(positions, [at("/tmp/x.cl", 4, Some(7)), at("x.cl", 9, None), None]);
        assert_eq!(log.messages[2].excerpt, ["Build failed"]);
    }

    #[test]
    fn no_headlines() {
        let log = parse("Compilation started\n\nDone.\n");
        assert_eq!((log.messages.len(), log.rest.len()), (0, 2));
        assert_eq!(parse("error: unknown build option '-x'\n").messages[0].position, None);
    }
}
