//! Secrets in headers of HTTP and in the options of programs that send them.

use crate::base::secrets::scan::{
    KeywordHit, bounded_prefix, is_word_start, skip_some, strip_word,
};
use crate::base::secrets::token_forms::is_mixed;
use crate::base::secrets::values::{FoundValue, holds_credentials};
use std::ops::Range;

/// The longest cookie or credentials, in bytes.
const MAX_HEADER_BYTES: usize = 8 << 10;
/// The longest user before a password, in bytes.
const MAX_USER_BYTES: usize = 64;
/// The bytes before an option in which its program is looked for.
const MAX_COMMAND_BYTES: usize = 300;

/// The schemes of `Authorization`.
const SCHEMES: [&str; 8] =
    ["bearer", "basic", "token", "apikey", "bot", "negotiate", "ssws", "key"];

/// Returns the text behind a colon or an equals sign, and behind quotes around either.
fn behind_separator(text: &str) -> Option<&str> {
    let closed = skip_some(text, 8, |c| "\"'`\\]".contains(c));
    let is_joined = closed.starts_with(',');
    if is_joined && closed.len() == text.len() {
        return None;
    }
    let text = skip_some(closed, 8, |c| c == ' ' || c == '\t');
    let text =
        text.strip_prefix(['=', ':', ',']).map(|text| text.strip_prefix('>').unwrap_or(text))?;
    let text = skip_some(text, 8, |c| c == ' ' || c == '\t');
    Some(skip_some(text, 8, |c| "\"'`\\".contains(c)))
}

fn credentials(text: &str) -> Option<&str> {
    bounded_prefix(text, MAX_HEADER_BYTES, |c| c.is_ascii_alphanumeric() || "._~+/=-".contains(c))
}

/// Finds the credentials behind `Authorization`.
pub(super) fn find_authorization(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let text = behind_separator(hit.behind())?;
    for scheme in SCHEMES {
        if let Some(rest) = strip_word(text, scheme)
            && rest.starts_with([' ', '\t'])
        {
            let found = credentials(skip_some(rest, 8, |c| c == ' ' || c == '\t'))?;
            return (found.len() >= 8).then(|| hit.range_of(found));
        }
    }
    let found = credentials(text)?;
    let is_key = found.len() >= 16 && is_mixed(found.as_bytes()) && !found.starts_with("AWS4-");
    is_key.then(|| hit.range_of(found))
}

/// Finds the credentials behind `Bearer`.
pub(super) fn find_bearer(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let text = hit.behind();
    if !text.starts_with([' ', '\t']) || !is_word_start(hit.text.as_bytes(), hit.keyword.start) {
        return None;
    }
    let found = credentials(skip_some(text, 8, |c| c == ' ' || c == '\t'))?;
    (found.len() >= 20 && is_mixed(found.as_bytes())).then(|| hit.range_of(found))
}

/// Finds the values of `Cookie`, or the first value of `Set-Cookie`.
pub(super) fn find_cookie(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let is_set = hit.before(4).to_ascii_lowercase().ends_with("set-");
    let is_option = hit.before(2) == "--";
    let text = match behind_separator(hit.behind()) {
        Some(text) => text,
        None if is_option => skip_some(hit.behind(), 8, |c| " \t\"'\\".contains(c)),
        None => return None,
    };
    let line = bounded_prefix(text, MAX_HEADER_BYTES, |c| !"\"'`\\\r\n".contains(c))?;
    let pair = cookie_pair(line)?;
    let (_, value) = pair.split_once('=')?;
    let found = if is_set { value } else { &line[..cookies_length(line)] };
    let is_secret = value.len() >= 6
        && !value.starts_with(['$', '{', '<', '[', '='])
        && (is_mixed(found.as_bytes()) || found.len() >= 20);
    is_secret.then(|| hit.range_of(found))
}

/// Returns the cookie at the start of a line: `name=value`.
fn cookie_pair(line: &str) -> Option<&str> {
    let pair = &line[..line.find([';', ' ', ',']).unwrap_or(line.len())];
    let (name, _) = pair.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.$%!:".contains(c);
    (!name.is_empty() && name.len() <= 128 && name.chars().all(is_name)).then_some(pair)
}

/// Returns the length of the cookies at the start of a line, in bytes.
fn cookies_length(line: &str) -> usize {
    let mut length = 0;
    let mut rest = line;
    while let Some(pair) = cookie_pair(rest) {
        length = line.len() - rest.len() + pair.len();
        let Some(behind) = rest[pair.len()..].strip_prefix(';') else {
            break;
        };
        rest = behind.trim_start_matches(' ');
    }
    length
}

/// Finds the password in `-u user:password`, or in `-u user -p password`.
pub(super) fn find_user_option(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    if !hit.before(1).ends_with([' ', '\t', '\n', ',', '"', '\'']) {
        return None;
    }
    let command = hit.before(MAX_COMMAND_BYTES);
    let is_curl = command.contains("curl");
    let text = strip_word(hit.behind(), "name").unwrap_or(hit.behind());
    let is_joined = is_curl && &hit.text[hit.keyword.clone()] == "-u";
    if !text.starts_with([' ', '\t', '=', '"', '\'']) && !is_joined {
        return None;
    }
    let text = skip_some(text, 8, |c| "=, \t\"'\\".contains(c));
    let user =
        bounded_prefix(text, MAX_USER_BYTES, |c| !c.is_whitespace() && !":\"'\\/".contains(c))?;
    let rest = &text[user.len()..];
    let Some(joined) = rest.strip_prefix(':') else {
        return find_password_behind_user(hit, command, user, rest);
    };
    let value = FoundValue::read(joined);
    let is_secret = match is_curl {
        true => value.looks_chosen() || value.looks_literal(),
        false => value.looks_random(12),
    };
    (!user.is_empty() && is_secret).then(|| hit.range_of(value.text))
}

/// Finds the password in the option right behind that of the user.
fn find_password_behind_user(
    hit: &KeywordHit<'_>,
    command: &str,
    user: &str,
    rest: &str,
) -> Option<Range<usize>> {
    let rest = skip_some(rest, 8, |c| ", \"'\\".contains(c));
    // Behind `-p` and a blank MySQL takes a database. In prose the options are a list, or words in
    // capitals stand for their values.
    let is_prose =
        ["and", "or"].contains(&user) || !user.contains(|c: char| !c.is_ascii_uppercase());
    let options = ["-p", "--password", "--pass", "--passwd"];
    let options = if command.contains("mysql") { &options[1..] } else { &options[..] };
    let behind = options
        .iter()
        .find_map(|option| rest.strip_prefix(option)?.strip_prefix([' ', '=', '"', '\'', ',']))?;
    let value = FoundValue::read(skip_some(behind, 8, |c| ", \"'\\".contains(c)));
    let is_secret = !is_prose && !value.text.starts_with('-') && value.looks_literal();
    is_secret.then(|| hit.range_of(value.text))
}

/// Programs that take a password behind an option.
const PASSWORD_OPTIONS: [(&str, &str); 7] = [
    ("login", " -p "),
    ("mysql|mysqldump|mariadb", " -p"),
    ("sshpass|mongo|mongosh", " -p "),
    ("redis-cli", " -a "),
    ("ldapsearch|ldapmodify|ldapadd", " -w "),
    ("keytool", " -storepass "),
    ("wandb", " login "),
];

/// Finds the password behind the option of a program that takes it there.
pub(super) fn find_password_option(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let command = &hit.behind()[..hit.behind().floor_char_boundary(MAX_COMMAND_BYTES)];
    let ends = ["\n", "; ", " | ", " && "].into_iter().filter_map(|end| command.find(end));
    let command = &command[..ends.min().unwrap_or(command.len())];
    let program = hit.text[hit.keyword.clone()].to_ascii_lowercase();
    let mut options = PASSWORD_OPTIONS.into_iter();
    let (_, option) = options.find(|(names, _)| names.split('|').any(|name| name == program))?;
    let (_, rest) = match command.split_once(option) {
        None if program == "sshpass" => command.split_once(" -p")?,
        found => found?,
    };
    let value = FoundValue::read(rest);
    // `login` is also a word, and `-p` a protocol.
    let is_literal = program != "login" && value.looks_literal();
    let is_secret = !rest.starts_with(char::is_whitespace)
        && !value.text.starts_with('-')
        && (value.looks_chosen() || is_literal);
    is_secret.then(|| hit.range_of(value.text))
}

/// Finds base64 of a user and a password behind `"auth"`, as in the configuration of Docker, or behind
/// `_auth`, as in that of npm.
pub(super) fn find_auth(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    if !is_word_start(hit.text.as_bytes(), hit.keyword.start) && hit.before(1) != "_" {
        return None;
    }
    let found = credentials(behind_separator(hit.behind())?)?;
    (found.len() >= 8 && holds_credentials(found)).then(|| hit.range_of(found))
}
