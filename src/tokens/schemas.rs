//! The length of tool schemas as Python's `json.dumps` writes them, told from
//! their JSON as it stands: nothing is built.
//!
//! What is unusual (fractions, equal keys) is not decided here: [`points`] then
//! says nothing, and the caller reads the schemas in full.

use crate::json::decode_literal_wtf8;
use crate::json::{JsonKind, Scanner, Span};
use crate::tokens::python::{CodePointCount, dumps_str};

/// Objects with more keys are left to the full reader: it must find equal ones.
const MAX_KEYS: usize = 16;
/// Longer integers are left to the full reader: Python refuses some.
const MAX_DIGITS: usize = 4000;

/// Code points of `json.dumps(schema)` of all schemas of a list (JSON) together.
#[must_use]
pub(super) fn points(list: &[u8]) -> Option<usize> {
    let mut walk = SchemaMeasurer {
        json: list,
        points: 0,
        unusual: false,
    };
    let mut scanner = Scanner::new(list);
    scanner
        .read_array(|s| walk.value(s))
        .and_then(|_| scanner.expect_end())
        .ok()?;
    (!walk.unusual && scanner.duplicate_key().is_none()).then_some(walk.points)
}

struct SchemaMeasurer<'a> {
    json: &'a [u8],
    points: usize,
    unusual: bool,
}

type Result = std::result::Result<(), crate::error::RecordError>;

impl SchemaMeasurer<'_> {
    fn value(&mut self, scanner: &mut Scanner<'_>) -> Result {
        match scanner.peek_kind()? {
            JsonKind::String => {
                let span = scanner.read_string()?;
                self.string(span, scanner.last_string_points());
            }
            JsonKind::Object => {
                let mut keys = 0;
                scanner.read_object_with_key_spans(|s, key| {
                    self.points += if keys == 0 { ": ".len() } else { ", : ".len() };
                    keys += 1;
                    self.string(key, s.last_string_points());
                    // A key with an escape may equal another that is spelled otherwise.
                    self.unusual |=
                        keys > MAX_KEYS || memchr::memchr(b'\\', key.slice(self.json)).is_some();
                    self.value(s)
                })?;
                self.points += "{}".len();
            }
            JsonKind::Array => {
                let mut items = 0;
                scanner.read_array(|s| {
                    self.points += if items == 0 { 0 } else { ", ".len() };
                    items += 1;
                    self.value(s)
                })?;
                self.points += "[]".len();
            }
            JsonKind::Number => {
                let number = scanner.skip_value()?.slice(self.json);
                self.unusual |= number.len() > MAX_DIGITS
                    || number == b"-0"
                    || number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
                self.points += number.len();
            }
            JsonKind::Bool | JsonKind::Null => {
                self.points += scanner.skip_value()?.slice(self.json).len()
            }
        }
        Ok(())
    }

    /// A string of so many code points.
    fn string(&mut self, span: Span, points: usize) {
        let literal = span.slice(self.json);
        let plain = points + 2 == literal.len() && memchr::memchr(0x7F, literal).is_none();
        if plain {
            self.points += literal.len();
        } else {
            let mut length = CodePointCount::default();
            dumps_str(&decode_literal_wtf8(literal), &mut length);
            self.points += length.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::python_parser::parse_python_json;
    use crate::json::python_value::PythonValue;
    use crate::tokens::python::dumps;
    use proptest::prelude::*;

    fn in_full(list: &str) -> Option<usize> {
        let PythonValue::Array(tools) = parse_python_json(list.as_bytes())? else {
            return None;
        };
        let mut length = CodePointCount::default();
        tools.iter().for_each(|tool| dumps(tool, &mut length));
        Some(length.0)
    }

    #[test]
    fn schemas_are_as_long_as_python_writes_them() {
        for list in [
            "[]",
            r#"[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}} , {"n":[1,-2,true,null,"\u00e9é\n😀"]}]"#,
            "[\"\u{7f}\\/\", {}, [] , [[ ]]]",
        ] {
            assert_eq!(points(list.as_bytes()), in_full(list), "{list}");
            assert!(points(list.as_bytes()).is_some());
        }
        let many: Vec<String> = (0..=MAX_KEYS).map(|key| format!("\"k{key}\":1")).collect();
        for unusual in [
            "{}",
            "[1.5]",
            "[-0]",
            r#"[{"a":1,"a":2}]"#,
            r#"[{"\u0061":1}]"#,
            "[1",
            "[]x",
            &format!("[{{{}}}]", many.join(",")),
        ] {
            assert_eq!(points(unusual.as_bytes()), None, "{unusual}");
        }
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_reading_in_full_tells(list in r#"\[(\{("[a-c\\né\x7f]{0,2}": ?(1|-0|2\.5|true|"[x\\"]{0,3}"|\[\]),?){0,3}\},? ?){0,2}\]"#) {
            if let Some(told) = points(list.as_bytes()) {
                prop_assert_eq!(Some(told), in_full(&list), "{}", list);
            }
        }
    }
}
