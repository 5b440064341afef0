//! The texts of options and settings as what they mean.

use super::section;
use crate::policy::{Amount, Clause, Keep, SummarizerKind};
use crate::summary::{self, SUMMARIZERS};
use anyhow::{Context, Result, anyhow, bail};
use std::mem::discriminant;

pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

pub(super) fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(super) fn summarizer(option: &str, name: &str) -> Result<SummarizerKind> {
    summary::summarizer_by_name(name)
        .with_context(|| unknown(option, name, SUMMARIZERS.iter().map(|entry| entry.name)))
}

/// `tokens=4000,messages=10`: all of them.
pub(super) fn clause(option: &str, text: &str) -> Result<Clause<Amount>> {
    let part = |part: &str| match part.trim() {
        "overflow" => Ok(Amount::Overflow),
        _ => amount(option, "overflow", part),
    };
    let parts: Vec<Amount> = text.split(',').map(part).collect::<Result<_>>()?;
    for (index, part) in parts.iter().enumerate() {
        if parts[..index]
            .iter()
            .any(|other| discriminant(other) == discriminant(part))
        {
            bail!(
                "{option} {text}: two of one kind; commas mean all of them, so only the greater would count: give one (the option repeated means any of them)"
            );
        }
    }
    Ok(Clause(parts))
}

/// `messages=20`, or `turns=2,tokens=8000`.
pub(super) fn keep(option: &str, text: &str) -> Result<Keep> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let turns = parts
        .iter()
        .find_map(|part| part.strip_prefix("turns="))
        .map(str::trim);
    match (turns, parts.as_slice()) {
        (None, [one]) => amount(option, "turns", one).map(Keep::Last),
        (Some(turns), [_] | [_, _]) => {
            let most = match turns {
                "all" => None,
                number => Some(turns_of(option, text, number)?),
            };
            let budget = parts
                .iter()
                .find(|part| !part.starts_with("turns="))
                .map(|part| amount(option, "turns", part))
                .transpose()?;
            match budget {
                None if parts.len() > 1 => bail!(
                    "{option} {text}: turns stands there twice; give it once, and tokens=N beside it as their budget"
                ),
                None => Ok(Keep::Turns { most, tokens: None }),
                Some(Amount::Tokens(tokens)) => Ok(Keep::Turns {
                    most,
                    tokens: Some(tokens),
                }),
                Some(_) => {
                    bail!("{option} {text}: beside turns only tokens=N may stand, their budget")
                }
            }
        }
        _ => bail!(
            "{option} {text}: only one of tokens=N, messages=N, fraction=F; or turns=N,tokens=N"
        ),
    }
}

fn turns_of(option: &str, text: &str, number: &str) -> Result<u64> {
    let turns = number.parse().map_err(|_| {
        anyhow!("{option} {text:?}: {number:?} is not a number of turns, nor `all`")
    })?;
    // A policy file takes no more.
    if i64::try_from(turns).is_err() {
        bail!(
            "{option} {text:?}: {number} is too large; the greatest number is {}",
            i64::MAX
        );
    }
    Ok(turns)
}

/// `messages=20`; `also` is what may stand there besides.
pub(super) fn amount(option: &str, also: &'static str, text: &str) -> Result<Amount> {
    let example = format!("for example tokens=4000, messages=20 or fraction=0.85; or {also}");
    let Some((kind, number)) = text.split_once('=') else {
        bail!("{option} {text:?}: expected KIND=NUMBER, {example}")
    };
    let (kind, number) = (kind.trim(), number.trim());
    let digits = number.replace('_', "");
    if !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<i64>().is_err()
    {
        bail!(
            "{option} {text:?}: {number} is too large; the greatest number is {}",
            i64::MAX
        );
    }
    let value = digits.parse::<toml::Value>().ok();
    let Some(value) = value.filter(|value| value.is_integer() || value.is_float()) else {
        bail!("{option} {text:?}: {number:?} is not a number, {example}");
    };
    section::amount(option, also, kind, &value)
}

/// The message about a name that is in no table, with the nearest one.
pub(super) fn unknown<'n>(
    option: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = nearest(name, &known)
        .map(|name| format!("; did you mean {name:?}?"))
        .unwrap_or_default();
    format!(
        "{option}: {name:?} is not known{nearest} (known: {})",
        known.join(", ")
    )
}

pub(super) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let score = |known: &&&str| strsim::jaro_winkler(name, known);
    known
        .iter()
        .max_by(|a, b| score(a).total_cmp(&score(b)))
        .filter(|best| score(best) > 0.7)
        .copied()
}
