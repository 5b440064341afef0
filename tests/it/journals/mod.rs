//! Journals of agents as they lie on disk: cut, broken, forked, and compacted before.

mod abilities;
mod appended;
mod odd_lines;
mod support;
