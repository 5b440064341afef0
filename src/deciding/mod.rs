//! What would go from a conversation, and why: limits of models, token counts, policies, and the
//! plan that the planner makes by their rules.

pub(crate) mod model;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod policy;
pub(crate) mod strategy;
pub(crate) mod tokens;
