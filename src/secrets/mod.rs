//! Masks secrets in text.
//!
//! Secrets are found by their known forms: keys and tokens of common services,
//! private keys, passwords in addresses, and values assigned to names such as
//! `password`.

mod forms;
mod masking;

pub(crate) use masking::{mask_secrets, mask_secrets_from};
