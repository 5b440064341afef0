//! The description of a target: a kind of rows that a trainer takes.

use crate::convert::chat::ChatTranscript;
use crate::dataset::features::Feature;

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
    /// The columns.
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
