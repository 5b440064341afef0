//! The description of a target: a kind of rows that a trainer takes, with its columns as the YAML head
//! of a data set card describes them. Loaders need the description: tool schemas and arguments have
//! other keys in every row.

use crate::convert::chat::ChatTranscript;
use std::borrow::Cow;
use std::fmt::Write;

/// A kind of rows that a trainer takes.
pub(crate) struct DatasetTarget {
    /// The name for `--to`.
    pub(crate) name: &'static str,
    /// A line for the help text.
    pub(crate) about: &'static str,
    /// The advice for the trainer's configuration, in the data set card.
    pub(crate) advice: &'static str,
    /// The conversion whose rules the chat follows.
    pub(crate) conversion: &'static str,
    pub(crate) mask: MaskStyle,
    /// True if turns must alternate as chat templates want it.
    pub(crate) alternates: bool,
    /// True if contents may hold blocks other than text.
    pub(crate) takes_blocks: bool,
    /// True if rows may have other columns.
    pub(crate) takes_columns: bool,
    /// True if LLaMA-Factory's `dataset_info.json` can describe the rows.
    pub(crate) in_dataset_info: bool,
    pub(crate) features: fn() -> Vec<Feature>,
    /// Appends a row without its line end.
    pub(crate) write_row: fn(&mut ChatTranscript<'_>, &mut Vec<u8>),
}

/// A target of plain chats that alternate: what most trainers take.
pub(super) const CHAT: DatasetTarget = DatasetTarget {
    name: "",
    about: "",
    advice: "",
    conversion: "openai",
    mask: MaskStyle::AllAnswers,
    alternates: true,
    takes_blocks: false,
    takes_columns: true,
    in_dataset_info: false,
    features: Vec::new,
    write_row: |_, _| {},
};

/// The way in which a target says which answers are trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaskStyle {
    /// Each answer says so.
    EachAnswer,
    /// All answers from the first trained one on are trained on.
    Completion,
    /// All answers are trained on.
    AllAnswers,
}

/// A column, or a field of one.
pub(crate) struct Feature {
    pub(super) name: Cow<'static, str>,
    pub(super) kind: FeatureKind,
}

/// The type of a column.
pub(crate) enum FeatureKind {
    /// A value of this type of `datasets`: `string`, `bool`, `float64`, `int64` or `json`.
    Value(&'static str),
    Struct(Vec<Feature>),
    List(Vec<Feature>),
}

impl Feature {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, kind: FeatureKind) -> Self {
        Self { name: name.into(), kind }
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns the name as YAML: one that comes from a log is quoted.
    fn yaml_name(&self) -> String {
        match &self.name {
            Cow::Borrowed(own) => (*own).to_owned(),
            Cow::Owned(name) => serde_json::Value::from(name.as_str()).to_string(),
        }
    }

    pub(super) fn value(name: &'static str, dtype: &'static str) -> Self {
        Self::new(name, FeatureKind::Value(dtype))
    }

    pub(super) fn list(name: &'static str, fields: Vec<Self>) -> Self {
        Self::new(name, FeatureKind::List(fields))
    }
}

/// Returns the messages of a chat under `name`. Arguments of calls are of type `arguments`, and
/// each message ends with the field `mask`, if any.
pub(super) fn message_list(
    name: &'static str,
    arguments: &'static str,
    mask: Option<Feature>,
) -> Feature {
    let function = vec![Feature::value("name", "string"), Feature::value("arguments", arguments)];
    let call = vec![
        Feature::value("id", "string"),
        Feature::value("type", "string"),
        Feature::new("function", FeatureKind::Struct(function)),
    ];
    let mut fields = vec![
        Feature::value("role", "string"),
        Feature::value("content", "string"),
        Feature::value("name", "string"),
        Feature::value("tool_call_id", "string"),
        Feature::list("tool_calls", call),
    ];
    fields.extend(mask);
    Feature::list(name, fields)
}

/// Appends columns as YAML, each line behind `indent` blanks.
pub(super) fn write_yaml(features: &[Feature], indent: usize, out: &mut String) {
    for feature in features {
        let _ = writeln!(out, "{:indent$}- name: {}", "", feature.yaml_name());
        match &feature.kind {
            FeatureKind::Value(dtype) => {
                let _ = writeln!(out, "{:indent$}  dtype: {dtype}", "");
            }
            FeatureKind::Struct(fields) => {
                let _ = writeln!(out, "{:indent$}  struct:", "");
                write_yaml(fields, indent + 2, out);
            }
            FeatureKind::List(fields) => {
                let _ = writeln!(out, "{:indent$}  list:", "");
                write_yaml(fields, indent + 2, out);
            }
        }
    }
}
