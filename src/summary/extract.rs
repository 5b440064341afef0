//! The embedded summarizer: it writes nothing of its own, but keeps what a
//! later turn may need. No model, no network, the same summary for the same
//! transcript every time.
//!
//! The unit is the fact (an identifier and its key), not the sentence: next to
//! the user's own words, identifiers are what an agent can't guess again.
//! `notes` reads the conversation once, `sections` spends the budget.

mod earlier;
mod errors;
mod files;
mod groups;
mod identifiers;
mod kinds;
mod line;
mod notes;
mod references;
mod sections;
mod shell;
mod state;
mod values;

#[cfg(test)]
mod tests;

use super::{Request, Summarizer};

/// Writes a summary from the transcript's own words and identifiers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extract;

impl Summarizer for Extract {
    fn summarize(&self, request: &Request<'_>) -> Result<String, String> {
        Ok(sections::write(&notes::Notes::take(request.turns), request.template, request.budget, request.count))
    }
}
