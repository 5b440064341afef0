//! Parses and checks the values of options and of configuration keys.
//!
//! The command line calls these functions through clap's value parsers, the
//! configuration file through serde, so that both accept the same values.

use crate::deciding::policy::{Amount, CallPrice, Clause, Keep, PRESETS, Preset, SummarizerKind};
use crate::deciding::tokens::{AUTO, COUNTERS, tokenizer_json};
use crate::summary::{self, SUMMARIZERS, summarizer::CONVERSATION_PLACEHOLDER};
use std::borrow::Cow;
use std::mem::discriminant;

/// The most requests at the same time: more of them only meet rate limits.
const MAX_CONCURRENCY: u64 = 256;
/// The greatest number that a TOML file can hold.
pub(crate) const MAX_NUMBER: u64 = i64::MAX as u64;
/// The range of a count of tokens or messages.
pub(crate) const ABOVE_ZERO: &str = "a whole number greater than 0";
/// The range of a fraction.
const FRACTION: &str = "a number above 0 and at most 1";
const SEVERAL_AMOUNTS: &str = "only one of tokens=N, messages=N, fraction=F; or turns=N,tokens=N";

/// Returns the preset of this name. Fails if there are none.
pub(crate) fn parse_preset(name: &str) -> Result<&'static Preset, String> {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| unknown_name(name, PRESETS.iter().map(|preset| preset.name)))
}

/// Returns the name of a counter: of the table, `auto`, or `file:PATH`. Fails if there is no such
/// counter. The file is not looked for.
pub(crate) fn parse_counter(name: &str) -> Result<&'static str, String> {
    if name.strip_prefix(tokenizer_json::PREFIX).is_some_and(|path| !path.is_empty()) {
        // Every count names its counter to the end of the run; few options name a file.
        return Ok(Box::leak(name.to_owned().into_boxed_str()));
    }
    let names = || COUNTERS.iter().map(|kind| kind.name).chain([AUTO]);
    names()
        .find(|known| *known == name)
        .ok_or_else(|| unknown_name(name, names().chain(["file:PATH"])))
}

/// Returns the summarizer of this name; that of `command:PROGRAM` holds the program. Fails if there
/// are none.
pub(crate) fn parse_summarizer(name: &str) -> Result<SummarizerKind, String> {
    summary::summarizer_by_name(name)
        .ok_or_else(|| unknown_name(name, SUMMARIZERS.iter().map(|entry| entry.name)))
}

/// Parses the conditions of a trigger, such as `tokens=4000,messages=10`. All of them must hold.
/// Fails if one of them is wrong, or two are of the same kind.
pub(crate) fn parse_clause(text: &str) -> Result<Clause<Amount>, String> {
    let mut amounts: Vec<Amount> = Vec::new();
    for part in text.split(',') {
        let amount = match part.trim() {
            "overflow" => Amount::Overflow,
            _ => parse_amount("overflow", part)?,
        };
        amounts.push(amount);
    }
    for (index, amount) in amounts.iter().enumerate() {
        if amounts[..index].iter().any(|other| discriminant(other) == discriminant(amount)) {
            return Err("two of one kind; commas mean all of them, so only the greater would count: give one (the option repeated means any of them)".to_owned());
        }
    }
    Ok(Clause(amounts))
}

/// Parses how much recent context stays, such as `messages=20` or `turns=2,tokens=8000`. Fails if
/// an amount is wrong, or several stand where only one can.
pub(crate) fn parse_keep(text: &str) -> Result<Keep, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if let [rule] = parts.as_slice()
        && let Some(keep) = parse_keep_rule(rule)
    {
        return keep;
    }
    let turns = parts.iter().find_map(|part| part.strip_prefix("turns=")).map(str::trim);
    match (turns, parts.as_slice()) {
        (None, [amount]) => parse_amount("turns", amount).map(Keep::Last),
        (Some(turns), [_] | [_, _]) => parse_keep_of_turns(turns, &parts),
        _ => Err(SEVERAL_AMOUNTS.to_owned()),
    }
}

/// Parses a keep by the rule of another agent: `recent=N`, `back=N`, `whole=N`, `answers=N` or
/// `characters=F`. Returns None for any other.
fn parse_keep_rule(text: &str) -> Option<Result<Keep, String>> {
    let amount = |kind: &str, number: &str| parse_amount("turns", &format!("{kind}={number}"));
    let (rule, number) = text.split_once('=')?;
    let unit = match rule {
        "recent" | "back" | "whole" => "tokens",
        "answers" => "messages",
        "characters" => "fraction",
        _ => return None,
    };
    Some(amount(unit, number).and_then(|amount| match amount {
        Amount::Tokens(tokens) if rule == "recent" => Ok(Keep::Recent(tokens)),
        Amount::Tokens(tokens) if rule == "back" => Ok(Keep::Back(tokens)),
        Amount::Tokens(tokens) => Ok(Keep::Whole(tokens)),
        Amount::Messages(answers) => Ok(Keep::Answers(answers)),
        Amount::Fraction(share) => Ok(Keep::Characters(share)),
        _ => Err(SEVERAL_AMOUNTS.to_owned()),
    }))
}

/// Parses `turns=2` or `turns=all`, and `tokens=8000` beside it.
fn parse_keep_of_turns(turns: &str, parts: &[&str]) -> Result<Keep, String> {
    let most = match turns {
        "all" => None,
        number => match number.parse::<u64>() {
            Ok(turns) if turns > MAX_NUMBER => return Err(too_large(number)),
            Ok(turns) => Some(turns),
            Err(_) => return Err(format!("{number:?} is not a number of turns, nor `all`")),
        },
    };
    let budget = parts
        .iter()
        .find(|part| !part.starts_with("turns="))
        .map(|part| parse_amount("turns", part))
        .transpose()?;
    match budget {
        None if parts.len() > 1 => {
            Err("turns is given twice; give it once, with tokens=N as its budget".to_owned())
        }
        None => Ok(Keep::Turns { most, tokens: None }),
        Some(Amount::Tokens(tokens)) => Ok(Keep::Turns { most, tokens: Some(tokens) }),
        Some(_) => Err("turns takes only tokens=N, its budget".to_owned()),
    }
}

/// Parses `tokens=N`, `messages=N` or `fraction=F`. `also` names what else may be given, for the
/// error.
fn parse_amount(also: &'static str, text: &str) -> Result<Amount, String> {
    // Thousands can only be meant as tokens; a bare `6` could be messages, and is not guessed at.
    let (kind, number) = match text.split_once('=') {
        Some(amount) => amount,
        None if scaled_digits(text.trim()).is_some() => ("tokens", text),
        None => return Err(format!("expected KIND=NUMBER, {}", amount_example(also))),
    };
    let (kind, number) = (kind.trim(), number.trim());
    let digits = write_out(number).replace('_', "");
    if !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<i64>().is_err()
    {
        return Err(too_large(number));
    }
    // A number is spelled as in the configuration.
    let value = digits.parse::<toml::Value>().ok();
    let Some(value) = value.filter(|value| value.is_integer() || value.is_float()) else {
        return Err(format!("{number:?} is not a number, {}", amount_example(also)));
    };
    let out_of_range = |range: &str| format!("{kind} = {value}: it must be {range}");
    let count = || match value.as_integer() {
        Some(count @ 1..) => Ok(count.unsigned_abs()),
        _ => Err(out_of_range(ABOVE_ZERO)),
    };
    match kind {
        "tokens" => count().map(Amount::Tokens),
        "messages" => count().map(Amount::Messages),
        "events" => count().map(Amount::Events),
        "fraction" => {
            #[expect(clippy::cast_precision_loss, reason = "only 1 is in range")]
            let fraction = value.as_float().or(value.as_integer().map(|number| number as f64));
            check_fraction(fraction.unwrap_or_default())
                .map(Amount::Fraction)
                .map_err(|_| out_of_range(FRACTION))
        }
        word if word == also => Err(format!("{also} takes no number; write it alone")),
        _ => {
            let known = ["tokens", "messages", "fraction", "events", also];
            let (near, known) = (did_you_mean(kind, &known), known.join(", "));
            Err(format!("{kind:?} is not known{near} (known: {known})"))
        }
    }
}

/// Returns a value if it is within its range. Fails if it is not.
pub(super) fn within<T>(value: T, is_within: bool, range: &str) -> Result<T, String> {
    if is_within { Ok(value) } else { Err(format!("it must be {range}")) }
}

pub(super) fn too_large(number: &str) -> String {
    format!("{number} is too large; the greatest number is {MAX_NUMBER}")
}

/// Returns a fraction if it is above 0 and at most 1.
pub(crate) fn check_fraction(number: f64) -> Result<f64, String> {
    within(number, number > 0.0 && number <= 1.0, FRACTION)
}

/// Returns the share of a budget if it is from 0 to 1.
pub(crate) fn check_budget(number: f64) -> Result<f64, String> {
    within(number, (0.0..=1.0).contains(&number), "a number from 0 to 1")
}

/// Parses US dollars per million tokens of input and of output, such as `1.75,14`. Fails if these
/// are not two numbers from 0.
pub(crate) fn parse_price(text: &str) -> Result<CallPrice, String> {
    let both = text.split_once(',').and_then(|(input, output)| {
        Some(CallPrice { input: parse_dollars(input)?, output: parse_dollars(output)? })
    });
    both.ok_or_else(|| {
        "expected US dollars per million tokens of input and output, for example 1.75,14".to_owned()
    })
}

fn parse_dollars(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    check_cost(number).ok()
}

/// Returns US dollars if they are 0 or greater.
pub(crate) fn check_cost(dollars: f64) -> Result<f64, String> {
    within(dollars, dollars.is_finite() && dollars >= 0.0, "0 or greater")
}

/// Returns a sampling temperature if it is from 0 to 2.
pub(crate) fn check_temperature(temperature: f64) -> Result<f64, String> {
    within(temperature, (0.0..=2.0).contains(&temperature), "from 0 to 2")
}

/// Returns code points per token if they are greater than 0.
pub(crate) fn check_chars_per_token(chars: f64) -> Result<f64, String> {
    within(chars, chars.is_finite() && chars > 0.0, "greater than 0")
}

/// Returns a number of requests at the same time if it is from 1 to 256.
pub(crate) fn check_concurrency(number: u64) -> Result<usize, String> {
    within(number as usize, (1..=MAX_CONCURRENCY).contains(&number), "from 1 to 256")
}

/// Returns a prompt if it has a place for the conversation.
pub(crate) fn check_prompt(prompt: String) -> Result<String, String> {
    if prompt.contains(CONVERSATION_PLACEHOLDER) {
        return Ok(prompt);
    }
    Err("it must hold {messages}: that is where the conversation goes".to_owned())
}

/// Returns a merge prompt if it is empty or has its two places.
pub(crate) fn check_merge_prompt(prompt: String) -> Result<String, String> {
    let is_complete =
        prompt.contains(CONVERSATION_PLACEHOLDER) && prompt.contains("{prior_summary}");
    if is_complete || prompt.is_empty() {
        return Ok(prompt);
    }
    Err("it must hold {prior_summary} and {messages}; or leave it empty, then an earlier summary is among the messages".to_owned())
}

fn amount_example(also: &str) -> String {
    format!("for example tokens=4000, messages=20 or fraction=0.85; or {also}")
}

/// The error of a name that is in no table.
fn unknown_name<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    format!("no such name{} (known: {})", did_you_mean(name, &known), known.join(", "))
}

/// Returns `; did you mean "NAME"?` for the known name that is nearest, or nothing if none is near.
pub(crate) fn did_you_mean(name: &str, known: &[&str]) -> String {
    let similarity = |known: &&&str| strsim::jaro_winkler(name, known);
    let nearest = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    let nearest = nearest.filter(|nearest| similarity(nearest) > 0.7);
    nearest.map(|nearest| format!("; did you mean {nearest:?}?")).unwrap_or_default()
}

/// Returns a number with its thousands (`k`) or millions (`M`) written out, or the text itself if it
/// is not such a number.
pub(super) fn write_out(text: &str) -> Cow<'_, str> {
    scaled_digits(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns the digits of a number that ends with `k` or `M`. A fraction of a token is no number.
fn scaled_digits(text: &str) -> Option<String> {
    let zeros = match text.as_bytes().last()? {
        b'k' | b'K' => 3,
        b'm' | b'M' => 6,
        _ => return None,
    };
    let number = &text[..text.len() - 1];
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) || fraction.len() > zeros {
        return None;
    }
    let digits = format!("{whole}{fraction:0<zeros$}");
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0" } else { digits }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_and_millions_are_written_out() {
        for (text, want) in [
            ("4k", "4000"),
            ("4K", "4000"),
            ("1.5M", "1500000"),
            ("0.25k", "250"),
            ("0k", "0"),
            ("4000", "4000"),
            ("k", "k"),
            (".5k", ".5k"),
            ("1.2345k", "1.2345k"),
            ("-4k", "-4k"),
            ("4kk", "4kk"),
            ("4 k", "4 k"),
        ] {
            assert_eq!(write_out(text), want, "{text}");
        }
    }
}
