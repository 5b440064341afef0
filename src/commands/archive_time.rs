//! The time that the archive sections of a run bear.

use anyhow::{Context, Result, bail};
use time::OffsetDateTime;

/// Returns the time in `SOURCE_DATE_EPOCH`, else that of the clock.
pub(super) fn archive_time() -> Result<OffsetDateTime> {
    Ok(source_date()?.unwrap_or_else(OffsetDateTime::now_utc))
}

/// Returns the time in `SOURCE_DATE_EPOCH`; none where it is not set.
pub(super) fn source_date() -> Result<Option<OffsetDateTime>> {
    let epoch = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty());
    let Some(text) = epoch else {
        return Ok(None);
    };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok());
    let Some(seconds) = seconds else {
        bail!(
            "SOURCE_DATE_EPOCH is {}, it must be a number of seconds",
            text.display()
        );
    };
    let time = OffsetDateTime::from_unix_timestamp(seconds);
    time.map(Some).context("SOURCE_DATE_EPOCH is out of range")
}
