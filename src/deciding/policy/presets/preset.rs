//! A row of the table of presets.

use super::defaults::PresetDefaults;
use crate::deciding::policy::policy::Policy;

/// The day on which the presets were last held against the newest versions of what they reproduce
/// (`scripts/agent-versions.py`).
pub(crate) const LAST_CHECK: &str = "2026-11-29";

/// A preset: its name and what it reproduces.
#[derive(Debug)]
pub struct Preset {
    /// The name for `--preset`.
    pub name: &'static str,
    /// A line on what it reproduces.
    pub about: &'static str,
    /// Its deliberate differences from what it reproduces.
    pub differs: &'static [&'static str],
    pub(super) build: fn() -> Policy,
    /// Builds the defaults. The argument is true if the model's input limit is known.
    pub(super) defaults: fn(bool) -> PresetDefaults,
}

impl Preset {
    /// Returns the preset's policy.
    pub fn policy(&self) -> Policy {
        (self.build)()
    }
}
