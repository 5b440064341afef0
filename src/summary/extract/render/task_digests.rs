//! Shortens the documents that requests point to, and tells them with the requests.

use super::long_requests::{INDENT, fold_request};
use crate::summary::extract::facts::approved_plans::approved_plan;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::task_documents::TaskDocument;

/// Room in bytes for what a document says.
const DIGEST_ROOM: usize = 700;

/// Adds to each request that points to a document what the document says.
pub(super) fn tell_task_documents(facts: &mut ConversationFacts<'_>) {
    let turns = facts.turns;
    (facts.requests).find_plans(|request| approved_plan(turns, request));
    facts.requests.tell_documents(digest);
}

fn digest(document: &TaskDocument) -> Option<String> {
    let label = format!("{}: ", document.name);
    fold_request(&label, INDENT, &document.text, DIGEST_ROOM).map(|block| block.text)
}
