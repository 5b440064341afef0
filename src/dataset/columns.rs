//! The other columns of the rows that samples are made of: labels, scores, sources. They are in
//! each sample as they were logged.

use crate::convert::ConversionSource;
use crate::convert::escaped_text::{EscapedText, embed_json};
use crate::dataset::sample_media::row_media;
use crate::dataset::target::{Feature, FeatureKind};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::format::{Format, format_by_name, media_columns::MediaColumn};
use crate::reading::json::{JsonKind, Span, decode_literal, encode_literal};
use crate::reading::transcript::Transcript;
use std::borrow::Cow;
use std::collections::HashMap;

/// What becomes of the other columns of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnUse {
    Kept,
    Dropped,
    /// They are dropped, and named in a warning.
    LeftOut,
}

#[derive(Debug, Default)]
pub(crate) struct RowColumns {
    /// The keys and values that the sample keeps.
    pub(super) fields: Vec<(EscapedText, Vec<u8>)>,
    pub(super) types: Vec<NamedType>,
    /// The keys that the target has no place for.
    pub(super) left_out: Vec<String>,
    /// The lists of media among the columns.
    pub(super) media: Vec<MediaColumn>,
}

/// The name of a column, and the type of its value. None for null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedType {
    name: String,
    kind: Option<ColumnType>,
}

/// The type of a column, as `datasets` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnType {
    Text,
    Bool,
    Integer,
    Float,
    Json,
}

impl ColumnType {
    fn of(value: JsonNode<'_>) -> Option<Self> {
        match value.kind() {
            JsonKind::Null => None,
            JsonKind::String => Some(Self::Text),
            JsonKind::Bool => Some(Self::Bool),
            JsonKind::Number => {
                let number = std::str::from_utf8(value.bytes()).unwrap_or_default();
                Some(if number.parse::<i64>().is_ok() { Self::Integer } else { Self::Float })
            }
            JsonKind::Array | JsonKind::Object => Some(Self::Json),
        }
    }

    /// Returns the type of a column that holds values of both types.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Integer | Self::Float, Self::Integer | Self::Float) => Self::Float,
            _ => Self::Json,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Bool => "bool",
            Self::Integer => "int64",
            Self::Float => "float64",
            Self::Json => "json",
        }
    }
}

/// The columns of all rows of a data set, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct ColumnTypes {
    columns: Vec<NamedType>,
    places: HashMap<String, usize>,
}

impl ColumnTypes {
    pub(super) fn observe_row(&mut self, columns: &[NamedType]) {
        for column in columns {
            match self.places.get(&column.name) {
                Some(place) => {
                    let known = &mut self.columns[*place];
                    known.kind = match (known.kind, column.kind) {
                        (Some(one), Some(other)) => Some(one.join(other)),
                        (one, other) => one.or(other),
                    };
                }
                None => {
                    self.places.insert(column.name.clone(), self.columns.len());
                    self.columns.push(column.clone());
                }
            }
        }
    }

    /// Returns the description of the columns in the data set card.
    pub(super) fn features(&self) -> Vec<Feature> {
        let columns = self.columns.iter();
        let describe = |column: &NamedType| {
            let kind = column.kind.unwrap_or(ColumnType::Json);
            Feature::new(column.name.clone(), FeatureKind::Value(kind.name()))
        };
        columns.map(describe).collect()
    }
}

impl RowColumns {
    /// Leaves out all columns but those that name the conversation and its model.
    pub(super) fn leave_out(mut self, source: &ConversionSource<'_, '_>) -> Self {
        let model = source.view.transcript.model.as_deref();
        for (key, value) in self.fields.drain(..) {
            let names = |name: &str| encode_literal(name) == value;
            if !names(source.thread_id) && !model.is_some_and(names) {
                self.left_out.push(key.decoded().into_owned());
            }
        }
        self.types.clear();
        self
    }
}

/// Returns the other columns of the row that a sample was made of: all keys of its record that hold
/// no messages, no tools and no prompt. `own` are the columns that the target writes. Logs of
/// agents are no rows.
pub(super) fn read_columns(source: &ConversionSource<'_, '_>, own: &[Feature]) -> RowColumns {
    let mut columns = RowColumns::default();
    let transcript = source.view.transcript;
    columns.media = row_media(source);
    let Some(row) = LoggedRow::find(transcript, source.format) else {
        return columns;
    };
    let Ok(tree) = JsonTree::new(row.bytes) else {
        return columns;
    };
    let keys = tree.root().entries().enumerate();
    let keys = keys.map(|(place, (key, _))| (decode_literal(key.slice(row.bytes)), place));
    let last_places: HashMap<Cow<'_, str>, usize> = keys.collect();
    for (place, (key, value)) in tree.root().entries().enumerate() {
        let key = EscapedText::from_literal(key.slice(row.bytes));
        let name = key.decoded();
        // Of keys that are repeated the last one counts.
        let is_last = last_places.get(&*name) == Some(&place);
        if !is_last || row.is_read(&name, value, transcript) {
            continue;
        }
        if own.iter().any(|column| column.is_named(&name)) {
            // The id is written as the target has it.
            if value.as_text().as_deref() != Some(source.thread_id) {
                columns.left_out.push(name.into_owned());
            }
            continue;
        }
        columns.types.push(NamedType { name: name.into_owned(), kind: ColumnType::of(value) });
        columns.fields.push((key, embed_json(value.bytes())));
    }
    columns
}

/// The record of a data set that holds a conversation.
struct LoggedRow<'t> {
    bytes: &'t [u8],
    /// The beginnings of what was read as messages, in order.
    starts: Vec<usize>,
    /// True if the messages are spelled in a way of their own, and were written down again.
    is_rebuilt: bool,
}

impl<'t> LoggedRow<'t> {
    fn find(transcript: &'t Transcript<'_>, format: &str) -> Option<Self> {
        if transcript.message_per_record {
            return None;
        }
        let is_rebuilt = transcript.dialect.is_some();
        let mut starts: Vec<usize>;
        let record = if is_rebuilt {
            let journal = format_by_name(format).and_then(Format::as_journal);
            journal.filter(|journal| journal.reads_rows())?;
            let mut places = transcript.sources.iter().flat_map(|source| &source.places);
            let record = places.clone().next()?.0;
            starts = places
                .by_ref()
                .filter(|place| place.0 == record)
                .map(|place| place.1.start)
                .collect();
            record
        } else {
            let messages = transcript.messages.iter();
            starts = messages
                .filter(|message| message.record == 0)
                .map(|message| message.span.start)
                .collect();
            0
        };
        starts.sort_unstable();
        Some(Self { bytes: transcript.records.get(record)?.bytes, starts, is_rebuilt })
    }

    /// Returns true if a value was read: it is no column.
    fn is_read(&self, key: &str, value: JsonNode<'_>, transcript: &Transcript<'_>) -> bool {
        let Span { start, end } = value.span();
        let next = self.starts.partition_point(|at| *at < start);
        if self.starts.get(next).is_some_and(|at| *at < end) {
            return true;
        }
        let has_tools = transcript.tools.is_some();
        if self.is_rebuilt {
            let mut messages = transcript.messages.iter();
            return (key == "tools" && has_tools)
                || (key == "system" && messages.any(|message| message.role.is_system()));
        }
        transcript.tools.is_some_and(|tools| start <= tools.start && tools.end <= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::target::write_yaml;

    fn types(rows: &[&str]) -> String {
        let mut types = ColumnTypes::default();
        for row in rows {
            let tree = JsonTree::new(row.as_bytes()).unwrap();
            let columns = tree.root().entries().map(|(key, value)| NamedType {
                name: EscapedText::from_literal(key.slice(row.as_bytes())).decoded().into_owned(),
                kind: ColumnType::of(value),
            });
            types.observe_row(&columns.collect::<Vec<_>>());
        }
        let mut yaml = String::new();
        write_yaml(&types.features(), 0, &mut yaml);
        yaml
    }

    #[test]
    fn a_column_has_the_type_that_holds_all_its_values() {
        for (rows, dtype) in [
            (["1", "2"], "int64"),
            (["1", "2.5"], "float64"),
            (["1e3", "7"], "float64"),
            (["18446744073709551616", "7"], "float64"),
            (["null", "true"], "bool"),
            (["\"a\"", "null"], "string"),
            (["\"a\"", "1"], "json"),
            (["[1]", "null"], "json"),
            (["null", "null"], "json"),
        ] {
            let rows = rows.map(|value| format!("{{\"label\": {value}}}"));
            let yaml = types(&rows.each_ref().map(String::as_str));
            assert_eq!(yaml, format!("- name: \"label\"\n  dtype: {dtype}\n"));
        }
    }

    #[test]
    fn names_from_rows_are_quoted() {
        let yaml = types(&[r#"{"yes: \"no\"": 1}"#, r#"{"on": 1}"#]);
        assert_eq!(
            yaml,
            "- name: \"yes: \\\"no\\\"\"\n  dtype: int64\n- name: \"on\"\n  dtype: int64\n"
        );
    }
}
