//! Secrets in addresses: passwords, signatures, and hooks that anybody may call.

use crate::base::secrets::scan::{KeywordHit, bounded_prefix};
use crate::base::secrets::token_forms::is_mixed;
use std::ops::Range;

/// The longest user and password before a host, in bytes.
const MAX_USER_BYTES: usize = 2304;
/// The shortest user that counts as a token, in bytes.
const MIN_TOKEN_BYTES: usize = 20;
/// The longest path or signature, in bytes.
const MAX_PATH_BYTES: usize = 2048;

/// Finds the password in `://user:password@host`, or a token in the place of the user.
pub(super) fn find_password(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let authority = bounded_prefix(hit.behind(), MAX_USER_BYTES, |c| {
        !c.is_whitespace() && !"/\"'`<>\\".contains(c)
    })?;
    let (user, _) = authority.rsplit_once('@')?;
    match user.split_once(':') {
        Some((name, password)) if name.contains(['?', '#', ',', ';']) || is_variable(password) => {
            None
        }
        Some((_, password)) => Some(hit.range_of(password)),
        None => {
            let is_token = user.len() >= MIN_TOKEN_BYTES
                && is_mixed(user.as_bytes())
                && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
            is_token.then(|| hit.range_of(user))
        }
    }
}

/// Returns true for nothing, and for what a program puts a password in place of.
fn is_variable(password: &str) -> bool {
    password.is_empty()
        || password.starts_with(['$', '[', '*'])
        || (password.starts_with(['{', '%']) && password.ends_with(['}', 's', '%']))
}

/// Finds the rest of the address of a hook.
pub(super) fn find_hook(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let path = bounded_prefix(hit.behind(), MAX_PATH_BYTES, |c| {
        c.is_ascii_alphanumeric() || "/_-@.".contains(c)
    })?;
    let path = path.trim_end_matches('.');
    (path.len() >= 20 && is_mixed(path.as_bytes())).then(|| hit.range_of(path))
}

/// Finds the signature of a signed address.
pub(super) fn find_signature(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    if !hit.before(1).ends_with(['?', '&', ';', '-']) {
        return None;
    }
    let signature = bounded_prefix(hit.behind(), MAX_PATH_BYTES, |c| {
        c.is_ascii_alphanumeric() || "%/+=_~-".contains(c)
    })?;
    (signature.len() >= 27 && is_mixed(signature.as_bytes())).then(|| hit.range_of(signature))
}
