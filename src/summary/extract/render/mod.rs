//! Writes the summary from the facts of a conversation, within a budget of tokens.

pub(crate) mod chosen_lines;
mod chosen_requests;
mod fact_candidates;
pub(crate) mod fact_pool;
mod focused_parts;
mod long_requests;
mod part_places;
pub(crate) mod reference_groups;
mod reference_labels;
pub(crate) mod reference_lines;
mod repeated_requests;
pub(crate) mod reported_requests;
mod request_lines;
mod request_outlines;
mod request_parts;
mod request_sections;
pub(crate) mod section_bodies;
pub(crate) mod section_shares;
pub(crate) mod sections;
mod sentence_worth;
mod short_replies;
mod shortened_lists;
pub(crate) mod summary_draft;
mod task_digests;
pub(crate) mod token_budget;
mod told_answers;
mod user_quotations;
