//! A run that ended before its input did.

use crate::base::stop_flag::StopCause;
use crate::commands::LinesError;
use crate::files::output::print_message;
use anyhow::Result;

/// Explains why the run ended early, and how to go on: with `option`, if one is needed.
/// `written` says what is written.
/// Returns the signal that ended it.
///
/// # Errors
/// Returns the cause, where it was no signal.
pub(super) fn explain_early_end(
    cause: StopCause<'_>,
    written: &str,
    option: Option<&str>,
    keeps_answers: bool,
) -> Result<usize> {
    let kept = if keeps_answers {
        "; summaries that were answered are in the cache and will not be asked for again"
    } else {
        ""
    };
    let option = option.map_or(String::new(), |option| format!(" with {option}"));
    let remedy = format!("{written}. To resume, run the same command again{option}{kept}");
    match cause {
        StopCause::Signal(signal) => {
            print_message(&format!("epitome: interrupted; {remedy}"));
            Ok(signal)
        }
        StopCause::Failed(why) => {
            let first = format!("stopped early: {why}");
            Err(LinesError::new([first.as_str(), &remedy]).into())
        }
    }
}
