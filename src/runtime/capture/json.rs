//! Minimal writer of JSON, for the manifest of a capture.

use std::fmt::{Display, Write};

/// JSON text under construction; commas are inserted where they are needed.
#[derive(Default)]
pub(super) struct Json {
    text: String,
    /// True if a value precedes, so that the next value needs a comma.
    is_behind: bool,
}

impl Json {
    /// Returns the text of an object that `fill` writes.
    pub fn of_object(fill: impl FnOnce(&mut Json)) -> String {
        let mut json = Json::default();
        json.object(fill);
        json.text + "\n"
    }

    fn raw(&mut self, shown: impl Display) {
        if self.is_behind {
            self.text.push_str(", ");
        }
        let _ = write!(self.text, "{shown}");
        self.is_behind = true;
    }

    fn string(&mut self, text: &str) {
        self.raw('"');
        for character in text.chars() {
            match character {
                '"' | '\\' => self.text.extend(['\\', character]),
                ' '.. => self.text.push(character),
                _ => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(character));
                }
            }
        }
        self.text.push('"');
    }

    fn inside(&mut self, [open, close]: [char; 2], fill: impl FnOnce(&mut Json)) {
        self.raw(open);
        self.is_behind = false;
        fill(self);
        self.text.push(close);
        self.is_behind = true;
    }

    fn key(&mut self, name: &str) -> &mut Json {
        self.string(name);
        self.text.push_str(": ");
        self.is_behind = false;
        self
    }

    /// Writes an object, as the whole text or as an element of a list.
    pub fn object(&mut self, fill: impl FnOnce(&mut Json)) {
        self.inside(['{', '}'], fill);
    }

    /// Writes a member that is a number or a boolean.
    pub fn number(&mut self, name: &str, number: impl Display) {
        self.key(name).raw(number);
    }

    /// Writes a member that is a string.
    pub fn text(&mut self, name: &str, text: &str) {
        self.key(name).string(text);
    }

    /// Writes a member that is an object.
    pub fn member(&mut self, name: &str, fill: impl FnOnce(&mut Json)) {
        self.key(name).object(fill);
    }

    /// Writes a member that is a list of numbers.
    pub fn numbers(&mut self, name: &str, numbers: impl IntoIterator<Item: Display>) {
        self.key(name).inside(['[', ']'], |json| numbers.into_iter().for_each(|number| json.raw(number)));
    }

    /// Writes a member that is a list of strings.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.key(name).inside(['[', ']'], |json| texts.into_iter().for_each(|text| json.string(text)));
    }

    /// Writes a member that is a list of objects, each on its own line.
    pub fn objects<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Json, T),
    ) {
        self.key(name).inside(['[', ']'], |json| {
            for item in items {
                if json.is_behind {
                    json.text.push(',');
                    json.is_behind = false;
                }
                json.text.push_str("\n  ");
                json.object(|json| fill(json, item));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_escapes() {
        let text = Json::of_object(|json| {
            json.number("a", 1);
            json.text("b\"", "x\\\n\u{e4}");
            json.numbers("c", [1, 2]);
            json.texts("d", ["e", "f"]);
            json.objects("g", [1, 2], |json, number| json.number("h", number));
            json.member("i", |json| json.number("j", true));
            json.numbers("k", [0u8; 0]);
        });
        assert_eq!(
            text,
            "{\"a\": 1, \"b\\\"\": \"x\\\\\\u000a\u{e4}\", \"c\": [1, 2], \"d\": [\"e\", \"f\"], \"g\": [\n  {\"h\": 1},\n  \
             {\"h\": 2}], \"i\": {\"j\": true}, \"k\": []}\n"
        );
    }
}
