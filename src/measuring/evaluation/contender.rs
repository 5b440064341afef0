//! The policies that are measured.

use crate::deciding::policy::{Amount, Clause, Keep, SummarizerKind, Trigger};
use crate::reporting::retention::SEEN_TAIL;
use crate::settings::Settings;
use crate::summary::{Summarizer, summarizer_entry};
use std::path::Path;

/// A policy that is measured.
pub(crate) struct Contender {
    /// The name of its row.
    pub name: String,
    /// The policy, as it is measured: it acts at every cut.
    pub settings: Settings,
    /// The summarizer, built when the run begins.
    pub summarizer: Option<Box<dyn Summarizer>>,
}

impl Contender {
    /// Prepares a policy to be measured. A policy from a file has the file's name.
    pub(crate) fn new(mut settings: Settings, file: Option<&Path>) -> Self {
        let policy = &mut settings.policy;
        policy.summarize.trigger =
            Some(Trigger { clauses: vec![Clause(vec![Amount::Messages(1)])] });
        // A share of the model's window is more than most sessions have.
        if matches!(
            policy.summarize.keep,
            None | Some(Keep::Last(Amount::Fraction(_)) | Keep::Turns { tokens: None, .. })
        ) {
            policy.summarize.keep = Some(Keep::Last(Amount::Messages(SEEN_TAIL as u64)));
        }
        let name = match file.and_then(Path::file_stem) {
            Some(stem) => stem.to_string_lossy().into_owned(),
            None => summarizer_name(&settings),
        };
        Self { name, settings, summarizer: None }
    }

    /// Returns the kind of its summarizer.
    pub(crate) fn summarizer_kind(&self) -> &SummarizerKind {
        &self.settings.policy.summarizer.kind
    }
}

fn summarizer_name(settings: &Settings) -> String {
    let policy = &settings.policy;
    match &policy.summarizer.kind {
        SummarizerKind::Command(line) => line.clone(),
        SummarizerKind::Http => {
            let model = policy.summarizer.model.name.as_ref();
            let model = model.or(policy.model.as_ref());
            model.map_or_else(|| "http".to_owned(), Clone::clone)
        }
        kind => summarizer_entry(kind).name.to_owned(),
    }
}
