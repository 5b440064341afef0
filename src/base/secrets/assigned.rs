//! Values that are assigned to names such as `password`, in code, configurations, commands and prose.

use crate::base::secrets::scan::{KeywordHit, is_word_byte, skip_some, strip_word};
use crate::base::secrets::values::FoundValue;
use std::ops::Range;

/// The longest part of a name before a keyword, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// The bytes before a name in which its command is looked for.
const MAX_COMMAND_BYTES: usize = 160;
/// The shortest value of a key that counts as a secret, in bytes.
const MIN_KEY_BYTES: usize = 12;
/// The shortest value of a variable of the environment that counts as a key, in bytes.
const MIN_VARIABLE_BYTES: usize = 8;
/// The shortest value behind the name of a service, in bytes.
const MIN_SERVICE_BYTES: usize = 15;
/// The fewest digits, and the fewest letters, in it.
const MIN_SERVICE_DIGITS: usize = 3;

/// The words that may follow a keyword in a name.
const NAME_ENDINGS: [&str; 10] =
    ["_base64", "_value", "_base", "_b64", "_prod", "_test", "_live", "_dev", "_hex", "s"];

/// The kind of value that a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A password, which people choose.
    Password,
    /// A key or a token, which is random.
    Key,
}

/// The connection of a value to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueConnection {
    /// Nothing but a value can follow: `NAME=value` without blanks, `ENV NAME value` on a line.
    Certain,
    /// Another sign of assignment.
    Assignment,
    /// Only a blank, as in `--password value`.
    Blank,
}

/// Finds the value of `pass`, if that is a word of a longer name, is in quotes, or is beside a user.
pub(super) fn find_pass_value(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let before = hit.before(1);
    let is_joined = before.ends_with(['_', '-', '.']);
    let is_capital = hit.is_capitalized() && before.ends_with(|c: char| c.is_ascii_lowercase());
    let is_quoted = before.ends_with(['"', '\'']) && hit.behind().starts_with(['"', '\'', '\\']);
    // As in `(user: me, pass: X)` and `(pass: X)`.
    let is_word = before.is_empty() || before.ends_with([' ', '(', '/', ',']);
    let is_said =
        is_word && hit.behind().starts_with(':') && (before == "(" || is_beside_user(hit));
    (is_joined || is_capital || is_quoted || is_said)
        .then(|| find_value(hit, ValueKind::Password))?
}

fn is_beside_user(hit: &KeywordHit<'_>) -> bool {
    let before = hit.before(MAX_NAME_BYTES).to_ascii_lowercase();
    ["user", "login", "admin"].iter().any(|word| before.contains(word))
}

/// Finds the value of a variable that ends with `_KEY` or `_PAT`.
pub(super) fn find_variable_key_value(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let name = &hit.text[hit.keyword.clone()];
    let is_upper = ["_KEY", "_PAT"].contains(&name)
        && hit.before(1).ends_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let range = is_upper.then(|| find_value(hit, ValueKind::Key))??;
    // Regular expressions are called patterns, too.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (name == "_KEY" || hit.text[range.clone()].bytes().all(is_plain)).then_some(range)
}

/// Finds the value of a name that holds that of a service.
pub(super) fn find_service_value(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let rest = skip_some(hit.behind(), 20, |c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let (value, connection) = match behind_service(rest) {
        Some(value) => (value, ValueConnection::Assignment),
        None => connected_value(hit, rest)?,
    };
    let value = FoundValue::read(value);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-%=".contains(&byte);
    let digits = value.text.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.text.bytes().filter(u8::is_ascii_alphabetic).count();
    let words = value
        .text
        .split(['-', '_'])
        .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let is_secret = connection != ValueConnection::Blank
        && value.looks_random(MIN_SERVICE_BYTES)
        && value.text.bytes().all(is_plain)
        && digits.min(letters) >= MIN_SERVICE_DIGITS
        && words.count() <= 1;
    is_secret.then(|| hit.range_of(value.text))
}

/// Finds the password in `IDENTIFIED BY 'password'` and `IDENTIFIED WITH plugin BY 'password'`.
pub(super) fn find_identified_by(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let text = skip_blanks(hit.behind());
    let plugin = strip_word(text, "with ").map(|rest| skip_some(rest, 64, |c| c != ' '));
    let text = strip_word(skip_blanks(plugin.unwrap_or(text)), "by ")?;
    let value = FoundValue::read(skip_blanks(text));
    let is_secret = is_statement(hit) && value.is_quoted && value.looks_literal();
    is_secret.then(|| hit.range_of(value.text))
}

/// Returns true in a statement of SQL that tells who may log in.
fn is_statement(hit: &KeywordHit<'_>) -> bool {
    let before = hit.before(MAX_COMMAND_BYTES).to_ascii_lowercase();
    ["user ", "role ", "login ", "grant "].iter().any(|word| before.contains(word))
}

/// Finds base64 behind the name of a key that is always base64 and may hold slashes.
pub(super) fn find_base64_value(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let (value, _) = connected_value(hit, hit.behind())?;
    let value = skip_some(value, 8, |c| "\"'\\`".contains(c));
    let run = value
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"/+\\=".contains(byte))
        .count();
    let value = value[..run].trim_end_matches('\\');
    (40..=128).contains(&value.len()).then(|| hit.range_of(value))
}

pub(super) fn find_value(hit: &KeywordHit<'_>, kind: ValueKind) -> Option<Range<usize>> {
    let rest = skip_name_ending(hit.behind());
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let quoted = || (kind == ValueKind::Password).then(|| quoted_password(hit, rest))?;
    let (value, connection) = connected_value(hit, rest).or_else(quoted)?;
    let mut value = FoundValue::read(value);
    // As in `user/password: me/X`.
    if hit.before(1) == "/" && is_beside_user(hit) {
        value = value.text.split_once('/').map_or(value, |(_, behind)| FoundValue::read(behind));
    }
    let is_certain = connection == ValueConnection::Certain;
    if !is_certain && value.is_identifier() {
        return None;
    }
    let is_secret = match kind {
        ValueKind::Password => value.looks_chosen() || (is_certain && value.looks_literal()),
        ValueKind::Key => {
            value.looks_random(if is_certain { MIN_VARIABLE_BYTES } else { MIN_KEY_BYTES })
        }
    };
    is_secret.then(|| hit.range_of(value.text))
}

/// Returns the string behind the name of a password with nothing but a blank or a bracket between
/// both, as in SQL and calls. Names of keys are also words: `unexpected token "x"`.
fn quoted_password<'t>(hit: &KeywordHit<'_>, rest: &'t str) -> Option<(&'t str, ValueConnection)> {
    let value = skip_some(rest, 4, |c| c == ' ' || c == '(');
    let string = FoundValue::read(value);
    let is_string = value.len() < rest.len() && string.is_quoted && !string.text.contains('/');
    let is_certain = is_string && is_statement(hit);
    let connection = if is_certain { ValueConnection::Certain } else { ValueConnection::Blank };
    is_string.then_some((value, connection))
}

fn skip_name_ending(text: &str) -> &str {
    let text = NAME_ENDINGS.iter().find_map(|ending| strip_word(text, ending)).unwrap_or(text);
    let digits = skip_some(text, 2, |c| c.is_ascii_digit());
    text.strip_prefix('_').map_or(digits, |behind| {
        let rest = skip_some(behind, 2, |c| c.is_ascii_digit());
        if rest.len() < behind.len() { rest } else { digits }
    })
}

/// Returns true if the name around a keyword has only upper-case letters.
fn is_upper_name(hit: &KeywordHit<'_>) -> bool {
    let before = hit.before(MAX_NAME_BYTES).bytes().rev().take_while(|byte| is_word_byte(*byte));
    let keyword = hit.text[hit.keyword.clone()].bytes();
    before.chain(keyword).all(|byte| !byte.is_ascii_lowercase())
}

/// Returns the text at the value that belongs to a name, and what connects both. `rest` is the text
/// behind the name.
fn connected_value<'t>(hit: &KeywordHit<'t>, rest: &'t str) -> Option<(&'t str, ValueConnection)> {
    let closed = skip_some(rest, 8, |c| "\"'`\\])*".contains(c));
    let was_quoted = rest[..rest.len() - closed.len()].contains(['"', '\'']);
    if let Some(value) = behind_assignment(closed) {
        let is_tight = rest.starts_with('=') && !value.starts_with(' ');
        if is_tight && value.starts_with(['\n', '\r']) {
            return None;
        }
        let is_certain = is_tight && is_upper_name(hit);
        let connection =
            if is_certain { ValueConnection::Certain } else { ValueConnection::Assignment };
        return Some((skip_blanks(skip_type(value)), connection));
    }
    if let Some(value) = closed.strip_prefix('>')
        && hit.before(MAX_NAME_BYTES).contains('<')
    {
        return Some((value, ValueConnection::Assignment));
    }
    if let Some(value) = behind_value_word(closed).or_else(|| behind_value_word(rest)) {
        return Some((value, ValueConnection::Assignment));
    }
    if let Some(value) = closed.strip_prefix(',') {
        let value = skip_some(value, 8, |c| c == ' ');
        let is_constant =
            hit.before(MAX_NAME_BYTES).contains("define(") && value.starts_with(['"', '\'', '\\']);
        return (was_quoted && (is_constant || is_argument(value)))
            .then_some((value, ValueConnection::Assignment));
    }
    let value = skip_blanks(closed);
    if value.len() == closed.len() {
        return None;
    }
    for verb in ["is", "was"] {
        let said = strip_word(behind_owner(value), verb);
        if let Some(value) = said.map(|said| said.strip_prefix(':').unwrap_or(said))
            && value.starts_with(char::is_whitespace)
        {
            return Some((skip_blanks(value), ValueConnection::Blank));
        }
    }
    next_word_connection(hit, value).map(|connection| (value, connection))
}

/// Skips whose it is, in `the password for admin is`.
fn behind_owner(text: &str) -> &str {
    let owner = ["for ", "of "].iter().find_map(|word| strip_word(text, word));
    let owner = owner.map(|owner| skip_some(owner, 64, |c| !c.is_whitespace()));
    owner.map_or(text, skip_blanks)
}

/// Returns true if the string at the start of a text is an argument behind a name, and no further name
/// of a list.
fn is_argument(text: &str) -> bool {
    let value = FoundValue::read(text);
    let digits = value.text.bytes().filter(u8::is_ascii_digit).count();
    value.is_quoted && !value.text.contains(':') && digits >= 3
}

fn skip_blanks(text: &str) -> &str {
    skip_some(text, 64, char::is_whitespace)
}

/// Skips blanks, and a sign of assignment.
fn behind_assignment(text: &str) -> Option<&str> {
    let text = skip_some(text, 16, |c| c == ' ' || c == '\t');
    ["=>", ":::=", "::=", ":=", "?=", "==", "=", "||=", "||:", "||", ":", "：", "%3D", "%3d"]
        .iter()
        .find_map(|sign| text.strip_prefix(sign))
}

/// Returns the text behind a sign that joins only names of services and their values.
fn behind_service(text: &str) -> Option<&str> {
    let text = skip_some(text, 8, |c| "\"'`\\ ".contains(c));
    Some(skip_blanks(text.strip_prefix(['>', ',', '('])?.trim_start_matches('=')))
}

/// Skips the type in `: str = "..."`.
fn skip_type(text: &str) -> &str {
    let name = skip_some(text, 4, |c| c == ' ');
    let behind = skip_some(name, 40, |c| c.is_ascii_alphanumeric() || "_.[]| ?".contains(c));
    if behind.len() == name.len() || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return text;
    }
    match behind.strip_prefix('=') {
        Some(value)
            if !value.starts_with('=') && name[..name.len() - behind.len()].ends_with(' ') =>
        {
            value
        }
        _ => text,
    }
}

/// Skips to the value in `name: NAME` with `value: ...` behind it, as lists of variables are spelled.
fn behind_value_word(text: &str) -> Option<&str> {
    let text = text.strip_prefix(',').unwrap_or(text);
    let mut text = text;
    while let Some(behind) = text.trim_start_matches('\\').strip_prefix('n')
        && text.starts_with('\\')
    {
        text = behind;
    }
    let text = skip_some(text, 64, |c| c.is_whitespace() || "\"'\\".contains(c));
    let text = skip_some(strip_word(text, "value")?, 8, |c| "\"'\\ ".contains(c));
    let text = text.strip_prefix([':', '='])?;
    Some(skip_blanks(text))
}

/// Returns how the word behind a name belongs to it, if it is its value: the name is an option of a
/// program, a variable of a Dockerfile or the C shell, or a word of a `.netrc`.
fn next_word_connection(hit: &KeywordHit<'_>, value: &str) -> Option<ValueConnection> {
    let before = hit.before(MAX_COMMAND_BYTES);
    let name = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)));
    let (command, name) = before.split_at(name.map_or(0, |at| before.ceil_char_boundary(at + 1)));
    if name.starts_with('-') {
        let is_option = command.is_empty()
            || command.ends_with(|c: char| c.is_whitespace() || "\"'n".contains(c));
        return is_option.then_some(ValueConnection::Blank);
    }
    // In the arguments of a call line ends are escaped.
    let command = command.rsplit("\\n").next().unwrap_or(command);
    let words: Vec<&str> = command.split_whitespace().rev().take(3).collect();
    let begins_line =
        |word: &str| command.rsplit('\n').next().is_some_and(|line| line.trim() == word);
    match words.as_slice() {
        // In prose the name is followed by other words.
        [word @ ("ENV" | "ARG" | "setenv"), ..]
            if begins_line(word) && FoundValue::read(value).ends_line() =>
        {
            Some(ValueConnection::Certain)
        }
        ["ENV" | "ARG" | "setenv", ..] => Some(ValueConnection::Blank),
        // fish
        [option, "set", ..] => option.starts_with('-').then_some(ValueConnection::Blank),
        [_, "login" | "account", ..] => name.is_empty().then_some(ValueConnection::Blank),
        _ => None,
    }
}
