//! What every other wing may use: errors, digests, names, the flag that ends a run, foreign text for a
//! terminal, characters that show nothing, secrets, sums, parts of texts, and scripts without blanks.

pub(crate) mod error;
pub(crate) mod foreign_text;
pub(crate) mod invisible;
pub(crate) mod names;
pub(crate) mod secrets;
pub(crate) mod sha256;
pub(crate) mod stop_flag;
pub(crate) mod sums;
#[cfg(test)]
pub(crate) mod test_table;
pub(crate) mod text;
pub(crate) mod unspaced;
