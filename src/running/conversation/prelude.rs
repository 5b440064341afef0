//! What the reading of conversations is written with.

pub(super) use crate::base::error::RecordError;
pub(super) use crate::deciding::planner::ArchiveNames;
pub(super) use crate::deciding::policy::Thresholds;
pub(super) use crate::deciding::tokens::{Ledger, TokenCounter};
pub(super) use crate::files::archive::names::{NameRegistry, thread_file_name};
pub(super) use crate::files::input::{InputUnit, ItemPlaces};
pub(super) use crate::reading::format::{self, Format, Shape, journal::JournalThread};
pub(super) use crate::reading::transcript::{Record, Role, Transcript};
pub(super) use crate::reading::transcript::{journal::WriteMode, view::TranscriptView};
pub(super) use crate::reporting::report::SystemTokens;
pub(super) use crate::settings::Settings;
pub(super) use std::collections::HashMap;
