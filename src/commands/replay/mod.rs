//! `epitome replay`: the model calls that the live agent would have made under one
//! or more policies, and training data made of them.

mod options;
mod replay_run;

pub(crate) use replay_run::run;
