//! Shortens the documents that requests point to, and tells them with the requests.

use super::long_requests::{INDENT, fold_request};
use crate::summary::extract::facts::approved_plans::{approved_plan, plan_shown_after};
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::task_documents::TaskDocument;

/// Room in bytes for what a document says.
const DIGEST_ROOM: usize = 700;

/// Adds to each request that points to a document what the document says.
pub(super) fn tell_task_documents(facts: &mut ConversationFacts<'_>) {
    let turns = facts.turns;
    let exchanges = &facts.exchanges;
    // Of a plan that was shown for an older request, most is done.
    let newest = facts
        .requests
        .current_task()
        .last()
        .map(|request| request.message);
    (facts.requests).find_plans(|request| {
        approved_plan(turns, request).or_else(|| {
            plan_shown_after(exchanges, request).filter(|_| Some(request.message) == newest)
        })
    });
    facts.requests.tell_documents(digest);
}

fn digest(document: &TaskDocument) -> Option<String> {
    let label = format!("{}: ", document.name);
    fold_request(&label, INDENT, &document.text, DIGEST_ROOM).map(|block| block.text)
}
