//! What a policy does to logged sessions: at chosen cuts, in compactions that agents made, and at
//! each model call.

pub(crate) mod audit;
pub(crate) mod evaluation;
pub(crate) mod replay;
