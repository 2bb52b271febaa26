//! JSON as it is written: what little of it a description needs.

use std::fmt::{Display, Write};

/// A text that grows by values, with commas where they are needed.
#[derive(Default)]
pub(super) struct Json {
    text: String,
    /// A value stands in front of what comes next.
    is_behind: bool,
}

impl Json {
    /// The text of an object.
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

    /// An object, as the whole or as an entry of a list.
    pub fn object(&mut self, fill: impl FnOnce(&mut Json)) {
        self.inside(['{', '}'], fill);
    }

    /// A member that is a number or a truth value.
    pub fn number(&mut self, name: &str, number: impl Display) {
        self.key(name).raw(number);
    }

    /// A member that is a text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.key(name).string(text);
    }

    /// A member that is an object.
    pub fn member(&mut self, name: &str, fill: impl FnOnce(&mut Json)) {
        self.key(name).object(fill);
    }

    /// A member that is a list of numbers.
    pub fn numbers(&mut self, name: &str, numbers: impl IntoIterator<Item: Display>) {
        self.key(name).inside(['[', ']'], |json| numbers.into_iter().for_each(|number| json.raw(number)));
    }

    /// A member that is a list of texts.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.key(name).inside(['[', ']'], |json| texts.into_iter().for_each(|text| json.string(text)));
    }

    /// A member that is a list of objects, each on a line of its own.
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
