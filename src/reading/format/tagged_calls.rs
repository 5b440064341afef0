//! Calls between tags in a text, in the dialects that models were taught: JSON, the literals of
//! Python, and the XML of Qwen3-Coder.

use crate::reading::format::prelude::*;
use std::ops::Range;

pub(crate) const CALL_TAGS: [&str; 2] = ["<tool_call>", "</tool_call>"];
const THINK_TAGS: [&str; 2] = ["<think>", "</think>"];

/// A call that was read from the text between its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaggedCall {
    pub(crate) name: String,
    /// A JSON object, or any other text.
    pub(crate) arguments: Vec<u8>,
}

/// Returns the ranges of a text between the tags of calls. A call that the model only thinks of is
/// none, and an end tag within an argument ends no call. A call that was cut off ends with the text.
pub(crate) fn call_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let find = |what: &str, from: usize| {
        let found = memchr::memmem::find(&text[from..], what.as_bytes());
        found.map(|at| from + at)
    };
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(open) = find(CALL_TAGS[0], at) {
        let thought = find(THINK_TAGS[0], at).filter(|thought| *thought < open);
        if let Some(end) = thought.and_then(|thought| find(THINK_TAGS[1], thought)) {
            at = end;
            continue;
        }
        let start = open + CALL_TAGS[0].len();
        let first = find(CALL_TAGS[1], start);
        let mut end = first;
        // The first end tag before which a whole call stands; else the first one.
        while let Some(close) = end
            && read_tagged_call(&text[start..close]).is_none()
        {
            let next = find(CALL_TAGS[0], close);
            end = find(CALL_TAGS[1], close + 1).filter(|end| next.is_none_or(|next| *end < next));
        }
        let end = end.or(first).unwrap_or(text.len());
        ranges.push(start..end);
        at = end;
    }
    ranges
}

/// Reads the text between the tags of a call.
pub(crate) fn read_tagged_call(text: &[u8]) -> Option<TaggedCall> {
    let text = trim_spelled_newlines(text);
    if text.starts_with(b"<function=") {
        return read_xml_call(std::str::from_utf8(text).ok()?);
    }
    if validate_json(text).is_ok() {
        return read_json_call(text);
    }
    read_json_call(&json_of_python(std::str::from_utf8(text).ok()?)?)
}

/// Removes blanks, and line ends that are spelled with a backslash.
fn trim_spelled_newlines(mut text: &[u8]) -> &[u8] {
    loop {
        let trimmed = text.trim_ascii();
        let trimmed = trimmed.strip_prefix(b"\\n").unwrap_or(trimmed);
        let trimmed = trimmed.strip_suffix(b"\\n").unwrap_or(trimmed);
        if trimmed.len() == text.len() {
            return text;
        }
        text = trimmed;
    }
}

fn read_json_call(json: &[u8]) -> Option<TaggedCall> {
    let tree = JsonTree::new(json).ok()?;
    let root = tree.root();
    let call = root.get_kind("function", JsonKind::Object).unwrap_or(root);
    let arguments = ["arguments", "parameters", "args"];
    let arguments = arguments.into_iter().find_map(|key| call.get(key));
    Some(TaggedCall {
        name: call.non_empty_text("name")?,
        arguments: arguments.map_or(b"{}".to_vec(), |value: JsonNode<'_>| match value.as_text() {
            Some(text) => text.into_owned().into_bytes(),
            None => value.bytes().to_vec(),
        }),
    })
}

/// Reads `<function=NAME> <parameter=KEY> VALUE </parameter> ... </function>`. Values that are JSON
/// stay so, all others are texts.
fn read_xml_call(text: &str) -> Option<TaggedCall> {
    let (name, mut rest) = text.strip_prefix("<function=")?.split_once('>')?;
    let mut entries = Vec::new();
    while let Some((_, parameter)) = rest.split_once("<parameter=") {
        let (key, behind) = parameter.split_once('>')?;
        let (value, behind) = behind.split_once("</parameter>")?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = if validate_json(value.as_bytes()).is_ok() && !value.starts_with('"') {
            value.as_bytes().to_vec()
        } else {
            encode_literal(value)
        };
        entries.push(fill_json("$: $", &[&encode_literal(key), &value]));
        rest = behind;
    }
    rest.contains("</function>").then(|| TaggedCall {
        name: name.to_owned(),
        arguments: fill_json("{$}", &[entries.join(b", ".as_slice()).as_slice()]),
    })
}

/// Returns a literal of Python as JSON.
fn json_of_python(text: &str) -> Option<Vec<u8>> {
    let mut json = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' | '"' => {
                let (string, behind) = python_string(&rest[1..], first)?;
                json.extend_from_slice(&encode_literal(&string));
                rest = behind;
                continue;
            }
            '(' => json.push(b'['),
            ')' => json.push(b']'),
            _ if first.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                json.extend_from_slice(match word {
                    "True" | "true" => b"true",
                    "False" | "false" => b"false",
                    "None" | "null" => b"null",
                    _ => return None,
                });
                rest = behind;
                continue;
            }
            _ => json.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = &rest[first.len_utf8()..];
    }
    validate_json(&json).is_ok().then_some(json)
}

/// Returns a string of Python up to its quote, and what comes after it.
fn python_string(text: &str, quote: char) -> Option<(String, &str)> {
    let mut string = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return Some((string, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => string.push('\n'),
                't' => string.push('\t'),
                'r' => string.push('\r'),
                other @ ('\\' | '\'' | '"') => string.push(other),
                other => string.extend(['\\', other]),
            },
            _ => string.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        let call = read_tagged_call(text.as_bytes())?;
        Some((call.name, String::from_utf8(call.arguments).unwrap()))
    }

    #[test]
    fn calls_of_all_dialects_are_read() {
        for (text, arguments) in [
            ("\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n", "{\"a\": 1}"),
            ("\\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\\n", "{\"a\": 1}"),
            (
                "{'arguments': {'a': 'it\\'s', 'b': True, 'c': None, 'd': (1, 2)}, 'name': 'f'}",
                "{\"a\": \"it's\", \"b\": true, \"c\": null, \"d\": [1, 2]}",
            ),
            (
                "<function=f>\n<parameter=a>\nx y\n</parameter>\n<parameter=b>\n1\n</parameter>\n</function>",
                "{\"a\": \"x y\", \"b\": 1}",
            ),
        ] {
            assert_eq!(read(text), Some(("f".to_owned(), arguments.to_owned())), "{text}");
        }
        for text in ["f(x)", "{'name': f}", "{\"arguments\": {}}", "<function=f><parameter=a>"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn ends_of_calls_are_found_and_thoughts_are_none() {
        let text = "<think><tool_call>{\"name\": \"t\"}</tool_call></think>Now <tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"</tool_call>\"}}</tool_call> and <tool_call>{\"name\": \"g\"";
        let ranges = call_ranges(text.as_bytes());
        let found: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
        let first = "{\"name\": \"f\", \"arguments\": {\"a\": \"</tool_call>\"}}";
        assert_eq!(found, [first, "{\"name\": \"g\""]);
    }
}
