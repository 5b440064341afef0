//! What a preset is, and the defaults that presets share: when they act and how much they keep if the
//! user does not say, and the constants of pruning.

use crate::deciding::policy::amount::{Amount, Clause, Keep, Trigger};
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{LeastCleared, Prune, PruneMeasure, PruneRule};

/// The day on which the presets were last held against the newest versions of what they reproduce
/// (`scripts/agent-versions.py`).
pub(crate) const LAST_CHECK: &str = "2026-11-29";

/// A preset: its name and what it reproduces.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    build: fn() -> Policy,
    /// Builds the defaults. The argument is true if the model's input limit is known.
    pub(super) defaults: fn(bool) -> PresetDefaults,
}

/// What each preset reproduces, and its deliberate differences, parted by empty lines.
const TEXTS: &str = include_str!("presets.txt");

impl Preset {
    pub(super) const fn new(
        name: &'static str,
        build: fn() -> Policy,
        defaults: fn(bool) -> PresetDefaults,
    ) -> Self {
        Self { name, build, defaults }
    }

    /// Returns a line on what it reproduces, and lines on where it differs on purpose.
    pub(crate) fn texts(&self) -> (&'static str, impl Iterator<Item = &'static str>) {
        let mut lines = TEXTS.lines().skip_while(|line| own_text(line, self.name).is_none());
        let first = lines.next().and_then(|line| own_text(line, self.name));
        (first.unwrap_or_default(), lines.map_while(|line| line.strip_prefix("- ")))
    }

    /// Returns the preset's policy.
    pub fn policy(&self) -> Policy {
        (self.build)()
    }
}

/// Returns what a line says of a preset; none if it is not its first.
fn own_text<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    line.strip_prefix(name)?.strip_prefix(": ")
}

/// The messages that truncation leaves alone if its keep is a fraction of an unknown limit.
pub(in crate::deciding::policy) const TRUNCATE_KEEP_WITHOUT_LIMIT: usize = 20;

/// When a preset acts and how much it keeps if the user does not say.
pub(in crate::deciding::policy) struct PresetDefaults {
    pub(in crate::deciding::policy) summarize_trigger: Trigger,
    pub(in crate::deciding::policy) summarize_keep: Keep,
    pub(in crate::deciding::policy) truncate_trigger: Trigger,
    pub(in crate::deciding::policy) truncate_keep: Keep,
}

/// Returns a trigger of a single condition.
pub(super) fn trigger_on(amount: Amount) -> Trigger {
    Trigger { clauses: vec![Clause(vec![amount])] }
}

/// Returns a share of the input limit, or if that is not known a number of tokens.
pub(super) fn share_or_tokens(limit_known: bool, share: f64, tokens: u64) -> Amount {
    if limit_known { Amount::Fraction(share) } else { Amount::Tokens(tokens) }
}

pub(super) fn newest_turns(most: Option<u64>, tokens: Option<u64>) -> Keep {
    Keep::Turns { most, tokens }
}

/// Returns the defaults of a preset that summarizes on a condition, and truncates nothing.
pub(super) fn summaries(on: Amount, keep: Keep) -> PresetDefaults {
    PresetDefaults { summarize_trigger: trigger_on(on), summarize_keep: keep, ..no_summaries(true) }
}

/// Returns the defaults of a preset that has no trigger of its own.
pub(super) fn no_summaries(_: bool) -> PresetDefaults {
    PresetDefaults {
        summarize_trigger: Trigger::default(),
        summarize_keep: Keep::Last(Amount::Messages(20)),
        truncate_trigger: Trigger::default(),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

/// Returns the stage prune with the constants of OpenCode.
pub(super) fn opencode_prune() -> Prune {
    Prune {
        enabled: true,
        protect: 40_000,
        minimum: 20_000,
        least: 0,
        placeholder: "[Old tool result content cleared]".to_owned(),
        protect_tools: vec!["skill".to_owned()],
        skip_turns: 2,
        skip_messages: 0,
        rescan: false,
        every_result: false,
        each_call: false,
        stored_order: false,
        rule: PruneRule::Tokens,
        trigger: 100_000,
        results: 0,
        measure: PruneMeasure::Messages,
        keep: 3,
        clear_at_least: 0,
        at_least: LeastCleared::Stop,
        clear_inputs: false,
        keep_first: 0,
        polling: 1,
        observations: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::policy::presets::PRESETS;

    #[test]
    fn every_preset_has_its_texts_and_every_line_is_of_one() {
        let lines = PRESETS.iter().map(|preset| {
            let (first, differences) = preset.texts();
            assert!(!first.is_empty(), "{}", preset.name);
            1 + differences.count()
        });
        let told = TEXTS.lines().filter(|line| !line.is_empty());
        assert_eq!(lines.sum::<usize>(), told.count());
    }
}
