//! What the stages of the planner are written with.

pub(super) use crate::deciding::planner::draft::{Draft, last_used_tokens};
pub(super) use crate::deciding::planner::wording::{
    cleared_before, plural, refuse_in_journal, summary_rule, untriggered,
};
pub(super) use crate::deciding::strategy::prelude::*;
