//! What compactions are written with.

pub(super) use crate::base::error::describe_with_causes;
pub(super) use crate::base::secrets::Redaction;
pub(super) use crate::base::stop_flag::StopFlag;
pub(super) use crate::convert::Conversion;
pub(super) use crate::deciding::plan::{Edit, Fate, Plan, Stage, Summary, overlay_edits};
pub(super) use crate::deciding::planner;
pub(super) use crate::files::archive::originals::RemovedBytes;
pub(super) use crate::files::input::{InputFile, InputUnit, UnitItemKind};
pub(super) use crate::files::output::{OutputTree, StagedFile, StagedName, WriteError};
pub(super) use crate::reading::transcript::splice::SplicedOutput;
pub(super) use crate::reading::transcript::{overlay::Overlay, view::TranscriptView};
pub(super) use crate::reporting::report::entry_report::{EntryReport, ReportedTranscript};
pub(super) use crate::reporting::report::kinds::{JSON_REPORT, ReportKind, ReportWriter};
pub(super) use crate::reporting::report::{
    RedactionCounts, RunDigest, TranscriptReport, TranscriptTexts,
};
pub(super) use crate::running::conversation::{
    Conversation, Panicked, catch_panic, source_location,
};
pub(super) use crate::settings::{ReportRequest, Settings};
pub(super) use crate::summary::Summarizer;
pub(super) use std::borrow::Cow;
pub(super) use std::path::{Path, PathBuf};
pub(super) use std::sync::Arc;
pub(super) use time::OffsetDateTime;
