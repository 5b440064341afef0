//! The story as each format writes it.

mod dialect;
mod json;
mod langchain;
mod openai;
mod providers;
mod table;
mod turn_lists;

pub(crate) use dialect::{Dialect, ToldStory};
pub(crate) use table::DIALECTS;
