//! YAML as Python's `yaml.safe_load` reads it: version 1.1, where `yes` is true and `010` is 8.

use libyaml_safer::{Event, EventData, Parser, ScalarStyle};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;
/// The most values that a document may have, those of its aliases included.
const MAX_VALUES: usize = 100_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum YamlValue {
    Null,
    Bool(bool),
    /// An integer, in decimal digits.
    Integer(String),
    Float(f64),
    Text(String),
    /// A date or a time, as Python writes it.
    Time(String),
    List(Vec<YamlValue>),
    Map(Vec<(YamlValue, YamlValue)>),
}

/// Text that is not YAML, or holds what Python's safe loader refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct YamlError(String);

/// Reads a document. An empty one is null. The last line gets an end if it has none.
pub(super) fn parse_yaml(text: &str) -> Result<YamlValue, YamlError> {
    // The parser does not expect a block of text to end without one.
    let text = format!("{text}\n");
    // It gives up on some malformed documents by a panic.
    let parsed = std::panic::catch_unwind(|| {
        let mut bytes = text.as_bytes();
        let mut parser = Parser::new();
        parser.set_input_string(&mut bytes);
        let mut reader = YamlReader { parser, anchors: HashMap::new(), values: 0 };
        reader.read_document()
    });
    parsed.unwrap_or_else(|_| Err(YamlError("it can't be parsed".to_owned())))
}

struct YamlReader<'p> {
    parser: Parser<&'p mut &'p [u8]>,
    anchors: HashMap<String, YamlValue>,
    values: usize,
}

impl YamlReader<'_> {
    fn next(&mut self) -> Result<EventData, YamlError> {
        let Event { data, .. } =
            self.parser.parse().map_err(|error| YamlError(error.to_string()))?;
        Ok(data)
    }

    fn read_document(&mut self) -> Result<YamlValue, YamlError> {
        let mut document = None;
        loop {
            match self.next()? {
                EventData::StreamStart { .. } | EventData::DocumentEnd { .. } => {}
                EventData::DocumentStart { .. } if document.is_none() => {}
                EventData::StreamEnd => return Ok(document.unwrap_or(YamlValue::Null)),
                event if document.is_none() => document = Some(self.read_value(event, 0)?),
                _ => return Err(YamlError("expected a single document".to_owned())),
            }
        }
    }

    fn read_value(&mut self, event: EventData, depth: usize) -> Result<YamlValue, YamlError> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return Err(YamlError("too deep or too large".to_owned()));
        }
        let (anchor, value) = match event {
            EventData::Alias { anchor } => {
                let value = self.anchors.get(&anchor).cloned();
                let value =
                    value.ok_or_else(|| YamlError(format!("undefined alias {anchor:?}")))?;
                self.values += count_values(&value);
                return Ok(value);
            }
            EventData::Scalar { anchor, tag, value, style, .. } => {
                let is_plain = matches!(style, ScalarStyle::Plain);
                (anchor, resolve_scalar(tag.as_deref(), value, is_plain)?)
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                refuse_tag(tag.as_deref(), "seq")?;
                (anchor, self.read_list(depth)?)
            }
            EventData::MappingStart { anchor, tag, .. } => {
                refuse_tag(tag.as_deref(), "map")?;
                (anchor, self.read_map(depth)?)
            }
            _ => return Err(YamlError("expected a value".to_owned())),
        };
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn read_list(&mut self, depth: usize) -> Result<YamlValue, YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                EventData::SequenceEnd => return Ok(YamlValue::List(items)),
                event => items.push(self.read_value(event, depth + 1)?),
            }
        }
    }

    fn read_map(&mut self, depth: usize) -> Result<YamlValue, YamlError> {
        let mut entries: Vec<(YamlValue, YamlValue)> = Vec::new();
        let mut merged = Vec::new();
        loop {
            let event = self.next()?;
            if event == EventData::MappingEnd {
                break;
            }
            let is_merge = matches!(&event, EventData::Scalar { value, style: ScalarStyle::Plain, .. } if value == "<<");
            let key = self.read_value(event, depth + 1)?;
            let event = self.next()?;
            let value = self.read_value(event, depth + 1)?;
            if is_merge {
                merged.extend(merged_entries(value)?);
                continue;
            }
            if matches!(key, YamlValue::List(_) | YamlValue::Map(_)) {
                return Err(YamlError("found an unhashable key".to_owned()));
            }
            match entries.iter_mut().find(|(known, _)| *known == key) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        merged.retain(|(key, _)| !entries.iter().any(|(known, _)| known == key));
        merged.extend(entries);
        Ok(YamlValue::Map(merged))
    }
}

/// Returns the entries that a key `<<` adds.
fn merged_entries(value: YamlValue) -> Result<Vec<(YamlValue, YamlValue)>, YamlError> {
    match value {
        YamlValue::Map(entries) => Ok(entries),
        YamlValue::List(items) => {
            let mut entries: Vec<(YamlValue, YamlValue)> = Vec::new();
            for item in items {
                for (key, value) in merged_entries(item)? {
                    if !entries.iter().any(|(known, _)| *known == key) {
                        entries.push((key, value));
                    }
                }
            }
            Ok(entries)
        }
        _ => Err(YamlError("expected a mapping for merging".to_owned())),
    }
}

fn count_values(value: &YamlValue) -> usize {
    match value {
        YamlValue::List(items) => items.iter().map(count_values).sum::<usize>() + 1,
        YamlValue::Map(entries) => {
            let values = entries.iter();
            values.map(|(key, value)| count_values(key) + count_values(value)).sum::<usize>() + 1
        }
        _ => 1,
    }
}

/// The prefix of the tags of the language itself.
const OWN_TAGS: &str = "tag:yaml.org,2002:";

fn refuse_tag(tag: Option<&str>, expected: &str) -> Result<(), YamlError> {
    match tag {
        None | Some("!") => Ok(()),
        Some(tag) if tag.strip_prefix(OWN_TAGS) == Some(expected) => Ok(()),
        Some(tag) => Err(YamlError(format!("the tag {tag:?} is not known"))),
    }
}

/// Gives a scalar its type: that of its tag, else that of its spelling if it is not quoted.
fn resolve_scalar(
    tag: Option<&str>,
    value: String,
    is_plain: bool,
) -> Result<YamlValue, YamlError> {
    let Some(tag) = tag else {
        return if is_plain { resolve_plain(value) } else { Ok(YamlValue::Text(value)) };
    };
    let wrong = |value: &str| YamlError(format!("{value:?} does not fit its tag"));
    match tag.strip_prefix(OWN_TAGS) {
        Some("str") => Ok(YamlValue::Text(value)),
        Some("null") => Ok(YamlValue::Null),
        Some("bool") => resolve_bool(&value).ok_or_else(|| wrong(&value)),
        Some("int") => resolve_integer(&value).ok_or_else(|| wrong(&value)),
        Some("float") => resolve_float(&value).ok_or_else(|| wrong(&value)),
        None if tag == "!" => Ok(YamlValue::Text(value)),
        _ => Err(YamlError(format!("the tag {tag:?} is not known"))),
    }
}

fn resolve_plain(value: String) -> Result<YamlValue, YamlError> {
    if matches!(value.as_str(), "" | "~" | "null" | "Null" | "NULL") {
        return Ok(YamlValue::Null);
    }
    if let Some(value) = resolve_bool(&value) {
        return Ok(value);
    }
    let is_float = FLOAT.is_match(&value);
    if is_float || INTEGER.is_match(&value) {
        let number = if is_float { resolve_float(&value) } else { resolve_integer(&value) };
        return number.ok_or_else(|| YamlError(format!("{value:?} is not a number")));
    }
    if let Some(time) = resolve_time(&value) {
        return Ok(YamlValue::Time(time));
    }
    if value == "=" {
        return Err(YamlError("the value = is not known".to_owned()));
    }
    Ok(YamlValue::Text(value))
}

fn resolve_bool(value: &str) -> Option<YamlValue> {
    let is_spelled = |word: &str| {
        let capital = word[..1].to_uppercase() + &word[1..];
        value == word || value == capital || value == word.to_uppercase()
    };
    if ["yes", "true", "on"].into_iter().any(is_spelled) {
        return Some(YamlValue::Bool(true));
    }
    let is_false = ["no", "false", "off"].into_iter().any(is_spelled);
    is_false.then_some(YamlValue::Bool(false))
}

static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
    )
});
static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$",
    )
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?(?:[ \t]*(?:(Z)|([-+])([0-9]{1,2})(?::?([0-9]{2}))?))?)?$",
    )
});

#[expect(clippy::expect_used, reason = "a test reads every pattern")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// Returns true for a minus, and what is behind the sign.
fn split_sign(text: &str) -> (bool, &str) {
    let negative = text.strip_prefix('-');
    (negative.is_some(), negative.or(text.strip_prefix('+')).unwrap_or(text))
}

fn resolve_integer(value: &str) -> Option<YamlValue> {
    let text = value.replace('_', "");
    let (is_negative, digits) = split_sign(&text);
    let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok();
    let number = if let Some(binary) = digits.strip_prefix("0b") {
        radix(binary, 2)?.to_string()
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        radix(hexadecimal, 16)?.to_string()
    } else if digits.len() > 1 && digits.starts_with('0') {
        radix(digits, 8)?.to_string()
    } else if digits.contains(':') {
        let mut number: i128 = 0;
        for part in digits.split(':') {
            number = number.checked_mul(60)?.checked_add(part.parse().ok()?)?;
        }
        number.to_string()
    } else if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.to_owned()
    } else {
        return None;
    };
    let sign = if is_negative && number != "0" { "-" } else { "" };
    Some(YamlValue::Integer(format!("{sign}{number}")))
}

fn resolve_float(value: &str) -> Option<YamlValue> {
    let text = value.replace('_', "").to_lowercase();
    let (is_negative, digits) = split_sign(&text);
    let number: f64 = match digits {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        _ if digits.contains(':') => {
            let mut number = 0.0;
            for part in digits.split(':') {
                number = number * 60.0 + part.parse::<f64>().ok()?;
            }
            number
        }
        _ => digits.parse().ok()?,
    };
    Some(YamlValue::Float(if is_negative { -number } else { number }))
}

/// Returns a date or a time as Python writes it.
fn resolve_time(value: &str) -> Option<String> {
    let parts = TIME.captures(value)?;
    let number =
        |at: usize| parts.get(at).map_or(Some(0), |part| part.as_str().parse::<u32>().ok());
    let date = format!("{:04}-{:02}-{:02}", number(1)?, number(2)?, number(3)?);
    if parts.get(4).is_none() {
        // Python's date has no short form.
        return (value.len() == date.len()).then_some(date);
    }
    let mut time = format!("{date} {:02}:{:02}:{:02}", number(4)?, number(5)?, number(6)?);
    let fraction = parts.get(7).map_or("", |part| part.as_str());
    if !fraction.is_empty() {
        let micros = format!("{fraction:0<6}");
        if micros[..6].bytes().any(|digit| digit != b'0') {
            time += &format!(".{}", &micros[..6]);
        }
    }
    if parts.get(8).is_some() {
        time += "+00:00";
    } else if let Some(sign) = parts.get(9) {
        time += &format!("{}{:02}:{:02}", sign.as_str(), number(10)?, number(11)?);
    }
    Some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::system_prompt::python_text::python_str;

    #[test]
    fn scalars_are_those_of_yaml_1_1_as_python_writes_them() {
        // Each is str(yaml.safe_load(text)) of PyYAML.
        for (text, written) in [
            ("yes", "True"),
            ("Off", "False"),
            ("oN", "oN"),
            ("123", "123"),
            ("1_000", "1000"),
            ("010", "8"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("-0", "0"),
            ("1:30", "90"),
            ("1.0", "1.0"),
            ("1e3", "1e3"),
            ("1.5e+3", "1500.0"),
            (".inf", "inf"),
            (".nan", "nan"),
            ("~", "None"),
            ("", "None"),
            ("2024-01-02", "2024-01-02"),
            ("2024-01-02 3:04:05Z", "2024-01-02 03:04:05+00:00"),
            ("2024-01-02T03:04:05.5+02:00", "2024-01-02 03:04:05.500000+02:00"),
            ("'123'", "123"),
            ("!!str 123", "123"),
            ("[a, 'b', 1, null]", "['a', 'b', 1, None]"),
            ("{a: yes, 2: x}", "{'a': True, 2: 'x'}"),
            (">\n  a\n  b\n", "a b\n"),
            ("|\n  a\n  b", "a\nb\n"),
            ("a\n b", "a b"),
        ] {
            let value = parse_yaml(text).map(|value| python_str(&value));
            assert_eq!(value.as_deref(), Ok(written), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-a:#|>&*!'\"\\[\\]{},?%@` \n\t<=~0-9.é\u{85}]{0,60}") {
            let _ = parse_yaml(&text);
        }
    }

    #[test]
    fn what_python_refuses_is_an_error() {
        for text in
            ["a: b: c", "[a", "!foo x", "*x", "a: 1\n--- \nb", "{[a]: 1}", "\u{0}", "=", "!!int x"]
        {
            assert!(parse_yaml(text).is_err(), "{text}");
        }
    }

    #[test]
    fn aliases_and_merges_are_followed_within_bounds() {
        let value = parse_yaml("base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}").unwrap();
        assert_eq!(python_str(&value), "{'base': {'x': 1, 'y': 2}, 'more': {'x': 1, 'y': 3}}");
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let alias = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{alias}]\n");
        }
        assert!(parse_yaml(&bomb).is_err());
    }
}
