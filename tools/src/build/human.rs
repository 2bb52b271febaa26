//! Messages for terminals, in color, and one-line messages for editors.

use anstyle::{AnsiColor, Style};

use super::log::{Log, Message, Severity};

const BOLD: Style = Style::new().bold();
const MARGIN: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Blue)));

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    BOLD.fg_color(Some(color.into()))
}

/// Formats all messages with their source lines, and their counts. Lines of the log that belong to no message are
/// included if the build failed.
pub fn full(log: &Log, has_failed: bool) -> String {
    let mut text: String = log.messages.iter().map(message).collect();
    text.extend(log.rest.iter().filter(|_| has_failed).map(|line| format!("{line}\n")));
    let count = |severity, one: &str| match log.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        many => Some(format!("{many} {one}s")),
    };
    let counts: Vec<String> = [count(Severity::Error, "error"), count(Severity::Warning, "warning")]
        .into_iter()
        .flatten()
        .collect();
    if !counts.is_empty() {
        text += &format!("{}\n", counts.join(", "));
    }
    text
}

fn message(message: &Message) -> String {
    let style = style(message.severity);
    let mut text = String::new();
    if let Some(position) = location(message) {
        text += &format!("{BOLD}{position}:{BOLD:#} ");
    }
    text += &format!("{style}{}:{style:#} {BOLD}{}{BOLD:#}\n", message.severity.name(), message.text);
    for line in &message.excerpt {
        text += &excerpt(line, style);
    }
    text.extend(message.notes.iter().map(self::message));
    text
}

/// Returns `file:line:column`.
fn location(message: &Message) -> Option<String> {
    let position = message.position.as_ref()?;
    let column = position.column.map_or(String::new(), |column| format!(":{column}"));
    Some(format!("{}:{}{column}", position.file, position.line))
}

/// Formats a source line, or a line of marks below one.
fn excerpt(line: &str, style: Style) -> String {
    let Some((margin, rest)) = line.split_once('|') else { return format!("{line}\n") };
    let number = margin.trim();
    if !number.chars().all(|c| c.is_ascii_digit()) {
        return format!("{line}\n");
    }
    let margin = format!("{MARGIN}{margin}|{MARGIN:#}");
    if !number.is_empty() || rest.trim().is_empty() {
        return format!("{margin}{rest}\n");
    }
    // A label has the color of the mark next to it.
    let (mut text, mut now) = (margin, None);
    for character in rest.chars() {
        let wanted = match character {
            '^' => Some(style),
            '-' | '|' => Some(MARGIN),
            _ => now,
        };
        if wanted != now {
            text += &now.map_or(String::new(), |style| format!("{style:#}"));
            text += &wanted.map_or(String::new(), |style| format!("{style}"));
            now = wanted;
        }
        text.push(character);
    }
    text + &now.map_or(String::new(), |style| format!("{style:#}")) + "\n"
}

/// Formats each message on one line, in the form that editors and build systems recognize.
pub fn lines(log: &Log) -> String {
    let mut text = String::new();
    for message in log.messages.iter().flat_map(|message| std::iter::once(message).chain(&message.notes)) {
        let position = location(message).map_or(String::new(), |position| format!("{position}: "));
        text += &format!("{position}{}: {}\n", message.severity.name(), message.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::log::parse;

    const LOG: &str =
        "a.cl:3:15: error: no\n  |\n3 |  a + b;\n  |  - ^ - float2\na.cl:1:1: note: here\n1 error\n";

    #[test]
    fn without_colors_it_is_the_log() {
        let plain = anstream::adapter::strip_str(&full(&parse(LOG), true)).to_string();
        assert_eq!(plain, LOG);
    }

    #[test]
    fn chatter_is_shown_if_it_may_explain_a_failure() {
        let log = parse("Compilation started\n");
        assert_eq!((full(&log, false).as_str(), full(&log, true).as_str()), ("", "Compilation started\n"));
    }

    #[test]
    fn marks_have_colors() {
        let text = full(&parse(LOG), true);
        assert!(text.contains("\u{1b}[31m^"), "{text:?}");
        assert!(text.contains("\u{1b}[34m- "), "{text:?}");
    }

    #[test]
    fn a_line_each() {
        assert_eq!(lines(&parse(LOG)), "a.cl:3:15: error: no\na.cl:1:1: note: here\n");
    }
}
