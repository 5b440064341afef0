//! What the rules of stages are written with.

pub(crate) use crate::deciding::plan::{
    Edit, PruneCause, Pruning, Reason, Refusal, SkipCause, Stage, Summary, overlay_edits,
};
pub(crate) use crate::deciding::policy::{
    Clause, ContextSize, KeepCount, LeastCleared, OnGrowth, Pin, Policy, Prune, PruneMeasure,
    PruneRule, SummarizerKind, Threshold, Thresholds, TriggerCount, TriggerMeasure,
};
pub(crate) use crate::deciding::tokens::{Ledger, TokenCounter};
pub(crate) use crate::reading::json::python_parser::{parse_python_json, parse_python_object};
pub(crate) use crate::reading::json::python_value::{PythonEntry, PythonValue, text_at};
pub(crate) use crate::reading::transcript::dropped_blocks::{DroppedBlocks, TextCut};
pub(crate) use crate::reading::transcript::overlay::Overlay;
pub(crate) use crate::reading::transcript::prelude::*;
pub(crate) use crate::reading::transcript::view::{ContentPiece, TranscriptView};
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::Range;
