//! The time that the archive sections of a run bear.

use anyhow::{Context, Result, bail};
use time::OffsetDateTime;

/// Returns the time in `SOURCE_DATE_EPOCH`, else that of the clock.
pub(super) fn archive_time() -> Result<OffsetDateTime> {
    let epoch = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty());
    let Some(text) = epoch else {
        return Ok(OffsetDateTime::now_utc());
    };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok());
    let Some(seconds) = seconds else {
        bail!(
            "SOURCE_DATE_EPOCH is {}, it must be a number of seconds",
            text.display()
        );
    };
    OffsetDateTime::from_unix_timestamp(seconds).context("SOURCE_DATE_EPOCH is out of range")
}
