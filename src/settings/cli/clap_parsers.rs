//! clap's value parsers: they give options their typed values, and help and
//! completions the possible ones.

use super::checked_values::{MAX_NUMBER, too_large, within, write_out};
use crate::convert::{ConversionTarget, TARGETS};
use crate::dataset::{DATASET_TARGETS, DatasetTarget};
use crate::deciding::policy::{PRESETS, Preset};
use crate::files::input::{GlobError, check_glob};
use crate::reading::format::{FORMATS, Format};
use crate::summary::http::is_safe_id;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// Returns a parser of the names in a table.
fn name_parser<T: Copy + Send + Sync + 'static>(
    rows: impl Iterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let rows: Vec<(&'static str, T)> = rows.collect();
    PossibleValuesParser::new(rows.iter().map(|(name, _)| *name)).try_map(move |name| {
        rows.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or("no such name")
    })
}

/// Returns the parser of `--preset`.
pub(super) fn preset_parser() -> impl TypedValueParser<Value = &'static Preset> {
    name_parser(PRESETS.iter().map(|preset| (preset.name, preset)))
}

/// Returns the parser of `--format`.
pub(super) fn format_parser() -> impl TypedValueParser<Value = &'static dyn Format> {
    name_parser(FORMATS.iter().map(|format| (format.name(), *format)))
}

/// Returns the parser of `--to`.
pub(super) fn target_parser() -> impl TypedValueParser<Value = &'static ConversionTarget> {
    name_parser(TARGETS.iter().map(|target| (target.name, *target)))
}

/// Parses a pattern of paths. The text is returned: patterns are compiled together.
pub(super) fn parse_glob(text: &str) -> Result<String, GlobError> {
    check_glob(text).map(|()| text.to_owned())
}

impl fmt::Debug for dyn Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses a whole number that a configuration file can hold, too.
pub(super) fn parse_whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = parse_number(text)?;
    let number = Some(number).filter(|number| *number <= MAX_NUMBER);
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| too_large(text))
}

/// Checks that a text is an assignment. What it assigns is read with the configuration.
pub(super) fn parse_assignment(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((key, _)) if !key.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("it must be KEY=VALUE, such as summarizer.timeout=30".to_owned()),
    }
}

/// Checks that a text assigns a key of the summarizer. A request that is written has no other.
pub(super) fn parse_server_assignment(text: &str) -> Result<String, String> {
    if text.trim_start().starts_with("summarizer.") {
        return parse_assignment(text);
    }
    Err("only keys of [summarizer] count here, such as summarizer.base_url=URL".to_owned())
}

/// Checks that a text assigns what `requests apply` may decide anew: the requests are made already.
pub(super) fn parse_apply_assignment(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((key, _)) if key.trim() == "summarizer.on_failure" => Ok(text.to_owned()),
        _ => Err("only summarizer.on_failure counts here: keep, extract or fail".to_owned()),
    }
}

/// Parses a number from 1 that a configuration file can hold, too.
fn parse_above_zero(text: &str) -> Result<u64, String> {
    let number: u64 = parse_number(text)?;
    if number > MAX_NUMBER {
        return Err(too_large(text));
    }
    within(number, number > 0, "greater than 0")
}

fn parse_number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => too_large(text),
        _ => "expected a whole number, 0 or greater".to_owned(),
    })
}

/// Parses a number of tokens from 1, such as `4k`.
pub(super) fn parse_tokens(text: &str) -> Result<u64, String> {
    parse_above_zero(&write_out(text))
}

/// Parses a size in bytes from 1.
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
    let size: usize = parse_number(text)?;
    within(size, size > 0, "greater than 0")
}

/// Parses a size in bytes, with a unit such as `MB` or `MiB`.
pub(super) fn parse_byte_size(text: &str) -> Result<u64, String> {
    let units = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("kB", 1000),
        ("KB", 1000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
    ];
    let unit = units.iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
    let (number, bytes) = unit.unwrap_or((text, 1_u64));
    let size = parse_number::<u64>(number.trim_end())?.checked_mul(bytes).unwrap_or(0);
    within(size, size > 0, "greater than 0")
}

/// Returns the parser of the target of `dataset`.
pub(super) fn dataset_target_parser() -> impl TypedValueParser<Value = &'static DatasetTarget> {
    name_parser(DATASET_TARGETS.iter().map(|target| (target.name, *target)))
}

impl fmt::Debug for DatasetTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Parses the id of a batch, which becomes a part of an address.
pub(super) fn parse_batch_id(text: &str) -> Result<String, String> {
    within(text.to_owned(), is_safe_id(text), "made of letters, digits and - _ .")
}
