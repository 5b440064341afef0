//! The system prompt that the live agent would have sent, as far as the log lacks it.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parts of a system prompt that are not in the log. Their paths come from the user only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPolicy {
    /// The file with the prompt of logs that have none.
    pub base: Option<String>,
    /// The files of the memory, in order.
    pub memory: Vec<String>,
    /// The directories of skills, in order.
    pub skills: Vec<SkillSource>,
    /// The directory that memory and skills lie below; without it their paths are those of this
    /// machine.
    pub root: Option<PathBuf>,
    /// Counts the sections where triggers and limits are compared.
    pub count: bool,
    /// The version of Deep Agents whose sections these are.
    pub version: SectionsVersion,
}

/// A directory of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSource {
    /// The path.
    pub path: String,
    /// The label in the list of sources; by the path if there is none.
    pub label: Option<String>,
}

impl SkillSource {
    /// Returns a source without a label.
    pub fn from_path(path: String) -> Self {
        Self { path, label: None }
    }
}

/// The versions of the sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SectionsVersion {
    /// Those of Deep Agents 0.4.
    #[serde(rename = "0.4")]
    V04,
    /// Those of Deep Agents 0.7.
    #[serde(rename = "0.7")]
    V07,
}
