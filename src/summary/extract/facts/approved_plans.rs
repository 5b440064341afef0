//! Finds the plan that the user approved: `Implement the plan.` leaves the task to what the assistant proposed.

use super::call_form::CallForm;
use super::exchanges::Exchanges;
use super::request_log::UserRequest;
use super::task_documents::TaskDocument;
use crate::summary::extract::lex::list_items::behind_list_mark;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::plan_words::{PLAN_ACTIONS, PLAN_DENIALS};
use crate::summary::extract::lexicon::wish_words::BAN_WORDS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use serde_json::Value;
use std::sync::LazyLock;

/// Maximum length in bytes of a request that approves a plan.
const LONGEST_APPROVAL: usize = 80;
/// Minimum length in bytes of a plan, and the least number of its items.
const LEAST_PLAN: usize = 400;
const LEAST_ITEMS: usize = 4;
/// What the plan is called in a summary.
const PLAN_NAME: &str = "the plan";
/// The tags around a plan of Codex.
const TAGS: (&str, &str) = ("<proposed_plan>", "</proposed_plan>");

static ACTIONS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PLAN_ACTIONS]));
static BANS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, PLAN_DENIALS]));
static PLANS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[&["the plan", "this plan", "your plan", "that plan"]]));

/// Returns the plan that a request approves, as the assistant wrote it last before. Returns `None` if the request
/// says something else, or no plan stands before it.
pub(crate) fn approved_plan(
    turns: &[ViewedTurn<'_>],
    request: &UserRequest<'_>,
) -> Option<TaskDocument> {
    let text = request.text.trim();
    let approves = text.len() <= LONGEST_APPROVAL
        && PLANS.has_words(text)
        && ACTIONS.has_words(text)
        && !BANS.has_words(text)
        && !text.ends_with(['?', '？']);
    if !approves {
        return None;
    }
    let before = turns.get(..request.message)?.iter().rev();
    let mut said = before
        .take_while(|turn| turn.role != Role::User)
        .filter(|turn| turn.role == Role::Assistant);
    let plan = said.find_map(|turn| plan_in(&turn.text))?;
    Some(TaskDocument {
        name: PLAN_NAME.to_owned(),
        text: plan.to_owned(),
    })
}

/// Returns the plan that a tool showed to the user after a request, and that the user approved. Of several it is the
/// newest.
pub(crate) fn plan_shown_after(
    exchanges: &Exchanges<'_>,
    request: &UserRequest<'_>,
) -> Option<TaskDocument> {
    let later = (exchanges.all.iter().rev()).take_while(|call| call.message > request.message);
    let mut approved = later.filter(|call| {
        let result = call.result.unwrap_or_default();
        !call.failed && result.trim_start().starts_with(APPROVED)
    });
    let plan = approved.find_map(|call| match call.call {
        CallForm::Tool(tool) if PLAN_TOOLS.contains(&tool.name) => {
            plan_in_result(call.result?).or_else(|| plan_argument(tool.arguments))
        }
        _ => None,
    })?;
    Some(TaskDocument {
        name: PLAN_NAME.to_owned(),
        text: plan,
    })
}

/// Returns the plan that a result repeats, perhaps as the user edited it.
fn plan_in_result(result: &str) -> Option<String> {
    let (_, behind) = result.split_once(PLAN_HEADING)?;
    let plan = behind.split_once('\n')?.1.trim();
    (!plan.is_empty()).then(|| plan.to_owned())
}

/// The heading of such a plan.
const PLAN_HEADING: &str = "\n## Approved Plan";

/// Returns the plan in the arguments of a tool that shows one.
fn plan_argument(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let plan = arguments.get("plan")?.as_str()?.trim();
    (plan.len() >= LEAST_PLAN).then(|| plan.to_owned())
}

/// The tools of Claude Code that show a plan, and how their results say that the user approved it.
const PLAN_TOOLS: [&str; 2] = ["ExitPlanMode", "exit_plan_mode"];
const APPROVED: &str = "User has approved your plan";

/// Returns the plan in a message of the assistant.
fn plan_in(text: &str) -> Option<&str> {
    let inner = text
        .rsplit_once(TAGS.0)
        .and_then(|(_, rest)| rest.split_once(TAGS.1));
    let plan = inner.map_or(text, |(plan, _)| plan).trim();
    let items = plan
        .lines()
        .filter(|line| behind_list_mark(line.trim()).is_some());
    let names_plan = inner.is_some() || text.to_ascii_lowercase().contains("plan");
    (names_plan && plan.len() >= LEAST_PLAN && items.count() >= LEAST_ITEMS).then_some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;
    use crate::summary::extract::tests::turn_of;
    use std::borrow::Cow;

    #[test]
    fn an_approved_plan_is_the_task() {
        let items: String = (0..9)
            .map(|number| {
                format!(
                    "- Step {number}: oil the wheel of mill number {number}, and never run it dry\n"
                )
            })
            .collect();
        let plan = format!("I looked.\n<proposed_plan>\n# Plan\n{items}</proposed_plan>\nShall I?");
        let turns = [
            turn_of(Role::User, "Make a plan for the mills"),
            turn_of(Role::Assistant, &plan),
        ];
        let approved = |text: &'static str| {
            let mut log = RequestLog::default();
            log.push_request(Cow::Borrowed(text), 2, false);
            approved_plan(&turns, &log.current_task()[0])
        };
        let document = approved("Implement the plan.").unwrap();
        assert!(document.text.starts_with("# Plan\n- Step 0"));
        for text in [
            "Make the plan shorter",
            "Don't implement the plan",
            "Is the plan good?",
            "go on",
            "Start over, your plan is bad",
            "Follow up: how is the airplane page built",
        ] {
            assert_eq!(approved(text), None, "{text}");
        }
    }
}
