//! The story as agents keep it: their records, and what they note between.

mod claude;
mod codex;
mod gemini;
mod json;
mod langsmith;
mod opencode;
mod openhands;
mod pi;
mod records;
mod table;

pub(crate) use table::JOURNALS;
