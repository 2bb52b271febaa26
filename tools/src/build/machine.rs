//! Messages for programs: JSON in a format of this tool, and SARIF 2.1.0 (OASIS), which code hosts and editors
//! display.

use serde_json::{Value, json};

use super::Outcome;
use super::log::{Message, Severity};

/// Returns the outcome of each file as JSON.
pub fn json(outcomes: &[Outcome]) -> Value {
    let files: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "file": outcome.file,
                "ok": outcome.error.is_none(),
                "error": outcome.error,
                "milliseconds": outcome.milliseconds,
                "messages": outcome.log.messages,
                "log": outcome.log.rest,
                "kernels": outcome.kernels,
            })
        })
        .collect();
    json!({ "ok": outcomes.iter().all(|outcome| outcome.error.is_none()), "files": files })
}

/// Returns a SARIF log with one run.
pub fn sarif(outcomes: &[Outcome]) -> Value {
    let results: Vec<Value> =
        outcomes.iter().flat_map(|outcome| outcome.log.messages.iter().map(|m| result(m, outcome))).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "grus",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": [{ "id": "error" }, { "id": "warning" }, { "id": "note" }],
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(message: &Message, outcome: &Outcome) -> Value {
    let level = match message.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let notes: Vec<Value> = message
        .notes
        .iter()
        .map(|note| {
            let mut location = location(note, outcome);
            location["message"] = json!({ "text": note.text });
            location
        })
        .collect();
    json!({
        "ruleId": level,
        "level": level,
        "message": { "text": message.text },
        "locations": [location(message, outcome)],
        "relatedLocations": notes,
    })
}

fn location(message: &Message, outcome: &Outcome) -> Value {
    let Some(position) = &message.position else {
        return json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&outcome.file) } } });
    };
    let mut region = json!({ "startLine": position.line.max(1) });
    if let Some(column) = position.column {
        region["startColumn"] = json!(column.max(1));
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&position.file) }, "region": region } })
}

/// Converts a path to a relative or `file:` reference (RFC 3986).
fn uri(path: &str) -> String {
    let mut text = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        assert_eq!(uri("a/b c.cl"), "a/b%20c.cl");
        assert_eq!(uri("/a/ä.cl"), "file:///a/%C3%A4.cl");
    }
}
