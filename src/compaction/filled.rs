//! The hole of a plan is filled: with the text that a summarizer gave, or by what the policy says of its failures.

use crate::archive::secrets::mask_secrets;
use crate::compaction::question::with_request;
use crate::conversation::Conversation;
use crate::plan::Plan;
use crate::planner::{self, PlanInput};
use crate::policy::OnFailure;
use crate::report::{RedactionCounts, SummaryUsage};
use crate::settings::Settings;
use crate::summary::extract::Extract;
use crate::summary::stop::StopFlag;
use crate::summary::{self, Summarizer, SummaryAnswer};

/// What came up while a hole was filled.
#[derive(Default)]
pub struct Noted {
    /// File and line of the conversation.
    pub place: String,
    pub asked: Option<SummaryUsage>,
    pub redacted: Option<RedactionCounts>,
    pub warnings: Vec<String>,
}

/// The plan as it can be carried out, with the text of its summary.
pub fn fill(
    one: &Conversation<'_>,
    input: &PlanInput<'_, '_>,
    plan: Plan,
    (settings, stop): (&Settings, &StopFlag),
    noted: &mut Noted,
    answer: Option<SummaryAnswer>,
) -> Result<(Plan, Option<String>), String> {
    let (Some(summary), Some(SummaryAnswer { text, asked })) = (plan.summary(), answer) else {
        return Ok((plan, None));
    };
    let policy = &settings.policy;
    let check = |text: &str| {
        planner::check_summary(
            input,
            &plan,
            planner::tokens_with_summary(input, &plan, summary, text),
        )
        .map_err(|error| error.to_string())
    };
    let mut text = text.and_then(|text| finished(&text, policy.redact, noted));
    if let Some(asked) = asked {
        noted.warnings.extend(asked.warning.clone());
        noted.asked = Some(asked);
        // What was to be paid for and is of no use is a failure.
        text = text.and_then(|text| check(&text).map(|()| text));
    }
    let text = match (text, policy.summarizer.on_failure) {
        (Ok(text), _) => text,
        (Err(why), OnFailure::Keep) => return Err(why),
        (Err(why), OnFailure::Fail) => {
            stop.set_failure(&format!("{}: {why} (--on-failure fail)", noted.place));
            return Err(why);
        }
        // A run that stops anyway is no reason for lesser summaries.
        (Err(why), OnFailure::Extract) if stop.cause().is_some() => return Err(why),
        (Err(why), OnFailure::Extract) => {
            let text = with_request(
                one,
                input,
                &plan,
                settings,
                &mut noted.redacted,
                |request| Extract.summarize(request),
            )?;
            noted.warnings.push(format!(
                "the embedded summarizer wrote the summary, because the other failed: {why}"
            ));
            finished(&text, policy.redact, noted)?
        }
    };
    match check(&text) {
        Err(why) => Ok((planner::plan_without_summary(input, &plan, &why), None)),
        Ok(()) => Ok((plan, Some(text))),
    }
}

/// A summary as it is used.
fn finished(text: &str, redact: bool, noted: &mut Noted) -> Result<String, String> {
    let text = summary::clean_summary(text)?;
    if !redact {
        return Ok(text);
    }
    let (masked, count) = mask_secrets(&text);
    noted.redacted.get_or_insert_default().summary += count;
    Ok(masked.into_owned())
}
