//! JSON that is shortened and stays JSON: long lists keep their first elements and the last, long
//! objects their first keys, long texts their beginning. All that stays is spelled as it was.

use crate::reading::json::{JsonKind, Scanner, Span, decode_literal, validate_json, write_literal};

/// The sizes that are tried, from the most that stays to the least.
const SIZES: [JsonSize; 7] = [
    JsonSize::new(60, 1200),
    JsonSize::new(30, 600),
    JsonSize::new(15, 300),
    JsonSize::new(8, 160),
    JsonSize::new(4, 80),
    JsonSize::new(2, 40),
    JsonSize::new(1, 20),
];
/// Texts longer than what stays by no more than this many characters stay whole: the note would be
/// as long.
const NOTE_CHARS: usize = 24;

/// What stays of the parts of a JSON value.
#[derive(Debug, Clone, Copy)]
struct JsonSize {
    /// The first elements of a list that stay, beside the last, and the first keys of an object.
    items: usize,
    /// The first characters of a text that stay.
    chars: usize,
}

impl JsonSize {
    const fn new(items: usize, chars: usize) -> Self {
        Self { items, chars }
    }
}

/// Returns true if a text is a JSON object or array.
pub(crate) fn is_json_container(text: &str) -> bool {
    text.starts_with(['{', '[']) && validate_json(text.as_bytes()).is_ok()
}

/// Returns the JSON of at most `most` bytes into which an object or array can be shortened, or the
/// shortest that there is.
pub(crate) fn shorten_json(json: &str, most: usize) -> Option<String> {
    let mut last = None;
    for size in SIZES {
        let mut out = Vec::with_capacity(most);
        write_value(json.as_bytes(), size, &mut out)?;
        let short = String::from_utf8(out).ok()?;
        let fits = short.len() <= most;
        last = Some(short);
        if fits {
            break;
        }
    }
    last
}

/// Writes a shortened value. Returns `None` if it can't be read.
fn write_value(json: &[u8], size: JsonSize, out: &mut Vec<u8>) -> Option<()> {
    let mut scanner = Scanner::new(json);
    match scanner.peek_kind().ok()? {
        JsonKind::String => write_text(json, size, out),
        JsonKind::Array => {
            let mut elements = Vec::new();
            let read = scanner.read_array(|s| {
                elements.push(s.skip_value()?);
                Ok(())
            });
            read.ok()?;
            write_array(json, &elements, size, out)?;
        }
        JsonKind::Object => {
            let mut members = Vec::new();
            let read = scanner.read_object_with_key_spans(|s, key| {
                members.push((key, s.skip_value()?));
                Ok(())
            });
            read.ok()?;
            write_object(json, &members, size, out)?;
        }
        JsonKind::Number | JsonKind::Bool | JsonKind::Null => out.extend_from_slice(json),
    }
    Some(())
}

fn write_text(literal: &[u8], size: JsonSize, out: &mut Vec<u8>) {
    let text = decode_literal(literal);
    let count = text.chars().count();
    if count <= size.chars + NOTE_CHARS {
        return out.extend_from_slice(literal);
    }
    let kept: String = text.chars().take(size.chars).collect();
    let left_out = count - size.chars;
    write_literal(&format!("{kept}... ({left_out} more characters)"), out);
}

fn write_array(json: &[u8], elements: &[Span], size: JsonSize, out: &mut Vec<u8>) -> Option<()> {
    let first = elements.len().min(size.items);
    let left_out = elements.len().saturating_sub(size.items + 1);
    out.push(b'[');
    for (number, element) in elements[..first].iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_value(element.slice(json), size, out)?;
    }
    if left_out > 0 {
        out.push(b',');
        write_literal(&format!("... {left_out} more elements"), out);
    }
    if let Some(last) = elements.last().filter(|_| elements.len() > size.items) {
        out.push(b',');
        write_value(last.slice(json), size, out)?;
    }
    out.push(b']');
    Some(())
}

fn write_object(
    json: &[u8],
    members: &[(Span, Span)],
    size: JsonSize,
    out: &mut Vec<u8>,
) -> Option<()> {
    // The keys of one record belong together; only a map of many is cut.
    let most = size.items.max(8) * 2;
    out.push(b'{');
    for (number, (key, value)) in members.iter().take(most).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key.slice(json));
        out.push(b':');
        write_value(value.slice(json), size, out)?;
    }
    if members.len() > most {
        let left_out = members.len() - most;
        out.extend_from_slice(b",\"...\":");
        write_literal(&format!("{left_out} more keys"), out);
    }
    out.push(b'}');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn lists_keep_their_begin_and_their_last_element() {
        let row = r#"{"name": "x$", "price": 1.10, "id": 12345678901234567890123}"#;
        let rows: Vec<String> = (0..300).map(|n| row.replace('$', &n.to_string())).collect();
        let text = format!("[{}]", rows.join(", "));
        let short = shorten_json(&text, 800).unwrap();
        assert!(short.len() <= 800, "{short}");
        let value: Value = serde_json::from_str(&short).unwrap();
        let list = value.as_array().unwrap();
        assert_eq!(list[0]["name"], "x0");
        assert_eq!(list.last().unwrap()["name"], "x299");
        // Numbers stay as they are spelled.
        assert!(short.contains("\"price\":1.10,\"id\":12345678901234567890123"));
        assert!(short.contains("more elements\""));
    }

    #[test]
    fn texts_and_maps_say_what_is_left_out() {
        let map: Vec<String> = (0..500).map(|n| format!("\"key{n}\":{n}")).collect();
        let text = format!("{{\"log\":\"{}\",\"map\":{{{}}}}}", "é\\n".repeat(900), map.join(","));
        let short = shorten_json(&text, 600).unwrap();
        let value: Value = serde_json::from_str(&short).unwrap();
        assert!(value["log"].as_str().unwrap().ends_with("more characters)"));
        assert_eq!(value["map"]["key0"], 0);
        assert!(value["map"]["..."].as_str().unwrap().ends_with("more keys"));
    }

    #[test]
    fn only_objects_and_arrays_count_as_json() {
        assert!(is_json_container("{\"a\":[1]}"));
        assert!(!is_json_container("{a: 1}"));
        assert!(!is_json_container("[INFO] started"));
        assert!(!is_json_container("12"));
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,300}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 200, 40, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..40).prop_map(Value::from),
                vec(("[a-z\"é]{1,8}", inner), 0..40)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_stays_json_of_the_same_kind(value in json_value(), most in 1..2000usize) {
            let text = value.to_string();
            prop_assume!(is_json_container(&text));
            let short = shorten_json(&text, most).unwrap();
            let parsed: Value = serde_json::from_str(&short).unwrap();
            prop_assert_eq!(parsed.is_array(), value.is_array());
            // What fits stays as it is.
            if let (Value::Object(before), Value::Object(after)) = (&value, &parsed) {
                let names = |map: &serde_json::Map<String, Value>| map.keys().take(16).cloned().collect::<Vec<_>>();
                prop_assert_eq!(names(before), names(after));
            }
        }
    }
}
