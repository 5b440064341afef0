//! Calls that an agent writes into its text: a last block of code, or tags.

use crate::summary::extract::prelude::*;

#[derive(Debug, PartialEq)]
pub(crate) struct TextCall<'t> {
    /// The text before the call.
    pub before: &'t str,
    /// The tool's name; empty for a block of code.
    pub tool: &'t str,
    /// The arguments, an object.
    pub arguments: JsonValue<'t>,
}

/// The mark of a block of code.
const FENCE: &str = "```";

pub(crate) fn find_text_call(text: &str) -> Option<TextCall<'_>> {
    function_call(text).or_else(|| tagged_call(text)).or_else(|| fenced_call(text))
}

fn text_value(text: &str) -> JsonValue<'_> {
    JsonValue::Text(Cow::Borrowed(text))
}

/// `<function=name><parameter=key>value</parameter></function>`
fn function_call(text: &str) -> Option<TextCall<'_>> {
    let start = text.rfind("<function=")?;
    let (tool, mut rest) = text[start + "<function=".len()..].split_once('>')?;
    let mut members = Vec::new();
    while let Some((_, parameter)) = rest.split_once("<parameter=") {
        let Some((key, value)) = parameter.split_once('>') else {
            break;
        };
        let (value, after) = value.split_once("</parameter>").unwrap_or((value, ""));
        members.push((Cow::Borrowed(key), text_value(value.trim_matches('\n'))));
        rest = after;
    }
    Some(TextCall { before: &text[..start], tool, arguments: JsonValue::Object(members) })
}

/// The most tags of a text whose end is searched: each may take the whole text.
const MOST_TAGS: usize = 200;
/// The most bytes of the name of a tag.
const LONGEST_TAG: usize = 64;

/// `<execute_command><command>ls</command></execute_command>`: a tag with an underscore that holds
/// others.
fn tagged_call(text: &str) -> Option<TextCall<'_>> {
    let mut searched = 0;
    for (start, _) in text.match_indices('<') {
        let name = text[start + 1..].bytes().take(LONGEST_TAG);
        let length = name.take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
        let (tool, behind) = text[start + 1..].split_at(length);
        let Some(inside) = behind.strip_prefix('>').filter(|_| tool.contains('_')) else {
            continue;
        };
        searched += 1;
        if searched > MOST_TAGS {
            return None;
        }
        let close = ["</", tool, ">"].concat();
        let Some(end) = memchr::memmem::find(inside.as_bytes(), close.as_bytes()) else {
            continue;
        };
        let members = tagged_members(&inside[..end]);
        if !members.is_empty() {
            return Some(TextCall {
                before: &text[..start],
                tool,
                arguments: JsonValue::Object(members),
            });
        }
    }
    None
}

fn tagged_members(mut rest: &str) -> Vec<(Cow<'_, str>, JsonValue<'_>)> {
    let mut members = Vec::new();
    while let Some((_, inner)) = rest.split_once('<') {
        let Some((key, value)) = inner.split_once('>') else {
            break;
        };
        let close = ["</", key, ">"].concat();
        let Some(end) = memchr::memmem::find(value.as_bytes(), close.as_bytes()) else {
            break;
        };
        members.push((Cow::Borrowed(key), text_value(value[..end].trim_matches('\n'))));
        rest = &value[end + close.len()..];
    }
    members
}

/// A block of code at the end of a text.
fn fenced_call(text: &str) -> Option<TextCall<'_>> {
    let body = text.trim_end().strip_suffix(FENCE)?;
    let start = body.rfind(FENCE)?;
    let (_, command) = body[start + FENCE.len()..].split_once('\n')?;
    let command = command.trim();
    let members = vec![(Cow::Borrowed("command"), text_value(command))];
    (!command.is_empty()).then(|| TextCall {
        before: &text[..start],
        tool: "",
        arguments: JsonValue::Object(members),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_text() {
        for (text, before, tool, argument) in [
            ("See.\n```bash\nls -la\n```\n", "See.\n", "", "ls -la"),
            ("R <function=run>\n<parameter=command>ls</parameter>\n", "R ", "run", "ls"),
            ("O <run_it>\n<command>ls</command>\n</run_it>", "O ", "run_it", "ls"),
        ] {
            let call = find_text_call(text).unwrap();
            assert_eq!((call.before, call.tool), (before, tool));
            let command = call.arguments.member("command").unwrap();
            assert_eq!(command.as_text(), Some(argument));
        }
        let behind_others = "<b>x</b>".repeat(300) + "<run_it>\n<command>ls</command>\n</run_it>";
        assert!(find_text_call(&behind_others).is_some());
        assert_eq!(find_text_call("Use `<b>` here."), None);
    }
}
