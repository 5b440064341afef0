//! Parses and checks the values of options and of configuration keys.
//!
//! The command line calls these functions through clap's value parsers, the
//! configuration file through serde, so that both accept the same values.

use super::token_counts::{is_scaled, write_out};
use super::value_error::{ABOVE_ZERO, FRACTION, MAX_NUMBER, ValueError};
use crate::deciding::policy::{Amount, CallPrice, Clause, Keep, PRESETS, Preset, SummarizerKind};
use crate::deciding::tokens::{AUTO, COUNTERS, tokenizer_json};
use crate::summary::{self, SUMMARIZERS, summarizer::CONVERSATION_PLACEHOLDER};
use std::mem::discriminant;

/// The most requests at the same time: more of them only meet rate limits.
const MAX_CONCURRENCY: u64 = 256;

/// Returns the preset of this name.
///
/// # Errors
/// If there are none.
pub(crate) fn parse_preset(name: &str) -> Result<&'static Preset, ValueError> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| ValueError::UnknownName {
        name: name.to_owned(),
        known: PRESETS.iter().map(|preset| preset.name).collect(),
    })
}

/// Returns the name of a counter: of the table, `auto`, or `file:PATH`.
///
/// # Errors
/// If there is no such counter. The file is not looked for.
pub(crate) fn parse_counter(name: &str) -> Result<&'static str, ValueError> {
    if name.starts_with(tokenizer_json::PREFIX) {
        // Every count names its counter to the end of the run; few options name a file.
        return Ok(Box::leak(name.to_owned().into_boxed_str()));
    }
    let names = || COUNTERS.iter().map(|kind| kind.name).chain([AUTO]);
    names().find(|known| *known == name).ok_or_else(|| ValueError::UnknownName {
        name: name.to_owned(),
        known: names().chain(["file:PATH"]).collect(),
    })
}

/// Returns the summarizer of this name; that of `command:PROGRAM` holds the program.
///
/// # Errors
/// If there are none.
pub(crate) fn parse_summarizer(name: &str) -> Result<SummarizerKind, ValueError> {
    summary::summarizer_by_name(name).ok_or_else(|| ValueError::UnknownName {
        name: name.to_owned(),
        known: SUMMARIZERS.iter().map(|entry| entry.name).collect(),
    })
}

/// Parses the conditions of a trigger, such as `tokens=4000,messages=10`. All of them must hold.
///
/// # Errors
/// If one of them is wrong, or two are of the same kind.
pub(crate) fn parse_clause(text: &str) -> Result<Clause<Amount>, ValueError> {
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
            return Err(ValueError::RepeatedKind);
        }
    }
    Ok(Clause(amounts))
}

/// Parses how much recent context stays, such as `messages=20` or `turns=2,tokens=8000`.
///
/// # Errors
/// If an amount is wrong, or several stand where only one can.
pub(crate) fn parse_keep(text: &str) -> Result<Keep, ValueError> {
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
        _ => Err(ValueError::SeveralAmounts),
    }
}

/// Parses a keep by the rule of another agent: `recent=N`, `back=N`, `whole=N`, `answers=N` or
/// `characters=F`. Returns None for any other.
fn parse_keep_rule(text: &str) -> Option<Result<Keep, ValueError>> {
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
        _ => Err(ValueError::SeveralAmounts),
    }))
}

/// Parses `turns=2` or `turns=all`, and `tokens=8000` beside it.
fn parse_keep_of_turns(turns: &str, parts: &[&str]) -> Result<Keep, ValueError> {
    let most = match turns {
        "all" => None,
        number => Some(parse_turns(number)?),
    };
    let budget = parts
        .iter()
        .find(|part| !part.starts_with("turns="))
        .map(|part| parse_amount("turns", part))
        .transpose()?;
    match budget {
        None if parts.len() > 1 => Err(ValueError::RepeatedTurns),
        None => Ok(Keep::Turns { most, tokens: None }),
        Some(Amount::Tokens(tokens)) => Ok(Keep::Turns { most, tokens: Some(tokens) }),
        Some(_) => Err(ValueError::NotBesideTurns),
    }
}

fn parse_turns(number: &str) -> Result<u64, ValueError> {
    let turns: u64 = number.parse().map_err(|_| ValueError::NoTurns(number.to_owned()))?;
    if turns > MAX_NUMBER {
        return Err(ValueError::TooLarge(number.to_owned()));
    }
    Ok(turns)
}

/// Parses `tokens=N`, `messages=N` or `fraction=F`. `also` names what else may be given, for the
/// error.
fn parse_amount(also: &'static str, text: &str) -> Result<Amount, ValueError> {
    // Thousands can only be meant as tokens; a bare `6` could be messages, and is not guessed at.
    let (kind, number) = match text.split_once('=') {
        Some(amount) => amount,
        None if is_scaled(text.trim()) => ("tokens", text),
        None => return Err(ValueError::NoAmount { also }),
    };
    let (kind, number) = (kind.trim(), number.trim());
    let digits = write_out(number).replace('_', "");
    if !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<i64>().is_err()
    {
        return Err(ValueError::TooLarge(number.to_owned()));
    }
    // A number is spelled as in the configuration.
    let value = digits.parse::<toml::Value>().ok();
    let Some(value) = value.filter(|value| value.is_integer() || value.is_float()) else {
        return Err(ValueError::NoNumber { number: number.to_owned(), also });
    };
    let out_of_range = |range| ValueError::AmountOutOfRange {
        kind: kind.to_owned(),
        number: value.to_string(),
        range,
    };
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
        word if word == also => Err(ValueError::TakesNoNumber { word: also }),
        _ => Err(ValueError::UnknownKind {
            kind: kind.to_owned(),
            known: vec!["tokens", "messages", "fraction", "events", also],
        }),
    }
}

/// Returns a fraction if it is above 0 and at most 1.
///
/// # Errors
/// If it is not.
pub(crate) fn check_fraction(number: f64) -> Result<f64, ValueError> {
    if number > 0.0 && number <= 1.0 { Ok(number) } else { Err(ValueError::OutOfRange(FRACTION)) }
}

/// Returns the share of a budget if it is from 0 to 1.
///
/// # Errors
/// If it is not.
pub(crate) fn check_budget(number: f64) -> Result<f64, ValueError> {
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err(ValueError::OutOfRange("a number from 0 to 1"))
    }
}

/// Parses US dollars per million tokens of input and of output, such as `1.75,14`.
///
/// # Errors
/// If these are not two numbers from 0.
pub(crate) fn parse_price(text: &str) -> Result<CallPrice, ValueError> {
    let both = text.split_once(',').and_then(|(input, output)| {
        Some(CallPrice { input: parse_dollars(input)?, output: parse_dollars(output)? })
    });
    both.ok_or(ValueError::NoPrice)
}

fn parse_dollars(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    check_cost(number).ok()
}

/// Returns US dollars if they are 0 or greater.
///
/// # Errors
/// If they are not.
pub(crate) fn check_cost(dollars: f64) -> Result<f64, ValueError> {
    if dollars.is_finite() && dollars >= 0.0 {
        Ok(dollars)
    } else {
        Err(ValueError::OutOfRange("0 or greater"))
    }
}

/// Returns a sampling temperature if it is from 0 to 2.
///
/// # Errors
/// If it is not.
pub(crate) fn check_temperature(temperature: f64) -> Result<f64, ValueError> {
    if (0.0..=2.0).contains(&temperature) {
        Ok(temperature)
    } else {
        Err(ValueError::OutOfRange("from 0 to 2"))
    }
}

/// Returns code points per token if they are greater than 0.
///
/// # Errors
/// If they are not.
pub(crate) fn check_chars_per_token(chars: f64) -> Result<f64, ValueError> {
    if chars.is_finite() && chars > 0.0 {
        Ok(chars)
    } else {
        Err(ValueError::OutOfRange("greater than 0"))
    }
}

/// Returns a number of requests at the same time if it is from 1 to 256.
///
/// # Errors
/// If it is not.
pub(crate) fn check_concurrency(number: u64) -> Result<usize, ValueError> {
    usize::try_from(number)
        .ok()
        .filter(|_| (1..=MAX_CONCURRENCY).contains(&number))
        .ok_or(ValueError::OutOfRange("from 1 to 256"))
}

/// Returns a prompt if it has a place for the conversation.
///
/// # Errors
/// If it has none.
pub(crate) fn check_prompt(prompt: String) -> Result<String, ValueError> {
    if prompt.contains(CONVERSATION_PLACEHOLDER) { Ok(prompt) } else { Err(ValueError::NoMessages) }
}

/// Returns a merge prompt if it is empty or has its two places.
///
/// # Errors
/// If it lacks one of them.
pub(crate) fn check_merge_prompt(prompt: String) -> Result<String, ValueError> {
    let is_complete =
        prompt.contains(CONVERSATION_PLACEHOLDER) && prompt.contains("{prior_summary}");
    if is_complete || prompt.is_empty() { Ok(prompt) } else { Err(ValueError::NoPriorSummary) }
}
