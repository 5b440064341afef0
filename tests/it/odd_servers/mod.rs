//! Servers that are slow, broken or hostile.

mod addresses;
mod answers;
mod keys;
mod limits;
mod support;
