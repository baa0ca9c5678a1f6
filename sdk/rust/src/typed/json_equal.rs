//! Compares JSON text with a value.
use crate::{Kind, Value};

const DEPTH_MAX: usize = 128; // The host's objects are not deeper.

/// Whether `json` has the content of `live`: members in any order, numbers by value. False for malformed text; "null" equals absence.
pub(crate) fn json_equal(json: &str, live: Value<'_>) -> bool {
    if live.is_absent() {
        return json.trim() == "null";
    }
    let mut reader = Reader { rest: json };
    reader.equals(live, 0) == Some(true) && reader.rest.trim().is_empty()
}

struct Reader<'t> {
    rest: &'t str,
}

/// None: malformed.
impl<'t> Reader<'t> {
    fn take(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn equals(&mut self, live: Value<'_>, depth: usize) -> Option<bool> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.take('{') {
            return self.object_equals(live, depth + 1);
        }
        if self.take('[') {
            return self.array_equals(live, depth + 1);
        }
        if self.rest.starts_with('"') {
            let text = self.string()?;
            return Some(live.text() == Some(&text));
        }
        let end = self.rest.find(|c: char| ",]}".contains(c) || c.is_whitespace()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Some(live.kind() == Kind::Null),
            "true" | "false" => Some(live.boolean() == Some(word == "true")),
            _ => {
                let wanted: f64 = word.parse().ok()?;
                Some(live.number_text() == Some(word) || live.number() == Some(wanted))
            }
        }
    }
    fn object_equals(&mut self, live: Value<'_>, depth: usize) -> Option<bool> {
        let mut count = 0;
        while !self.take('}') {
            if count > 0 && !self.take(',') {
                return None;
            }
            self.rest = self.rest.trim_start();
            let key = self.string()?;
            let member = live.get(&key);
            if !self.take(':') {
                return None;
            }
            if !self.equals(member, depth)? || member.is_absent() {
                return Some(false);
            }
            count += 1;
        }
        Some(live.kind() == Kind::Object && live.count() == count)
    }
    fn array_equals(&mut self, live: Value<'_>, depth: usize) -> Option<bool> {
        let mut count = 0;
        while !self.take(']') {
            if count > 0 && !self.take(',') {
                return None;
            }
            let element = live.element(count);
            if !self.equals(element, depth)? || element.is_absent() {
                return Some(false);
            }
            count += 1;
        }
        Some(live.kind() == Kind::Array && live.count() == count)
    }

    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        self.rest = self.rest.strip_prefix('"')?;
        loop {
            let mut chars = self.rest.chars();
            let next = chars.next()?;
            self.rest = chars.as_str();
            match next {
                '"' => return Some(out),
                '\\' => out.push(self.escaped()?),
                other => out.push(other),
            }
        }
    }
    fn escaped(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.unit()?;
                if !(0xd800..0xdc00).contains(&unit) {
                    return char::from_u32(unit);
                }
                self.rest = self.rest.strip_prefix("\\u")?;
                let low = self.unit().filter(|low| (0xdc00..0xe000).contains(low))?;
                return char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            }
            _ => return None,
        })
    }
    fn unit(&mut self) -> Option<u32> {
        let text = self.rest.get(..4).filter(|text| text.bytes().all(|each| each.is_ascii_hexdigit()))?;
        self.rest = &self.rest[4..];
        u32::from_str_radix(text, 16).ok()
    }
}
