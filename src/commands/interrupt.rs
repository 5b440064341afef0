//! Ctrl-C: the first time the run ends in good order, the second time at once.

use crate::output::print_message;
use crate::stop_flag::{StopCause, StopFlag};
use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A process that a signal ended has this status and the signal's number.
pub(super) const SIGNAL_STATUS: usize = 128;
const LOOK: Duration = Duration::from_millis(50);

/// Lets a write beyond the limit of file sizes fail, like one to a full disk, where the signal of the
/// limit would end the process.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub(crate) fn survive_file_size_limit() -> std::io::Result<()> {
    register(signal_hook::consts::SIGXFSZ, Arc::default()).map(drop)
}

/// Lets a write beyond the limit of file sizes fail, as it always does on this system.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub(crate) fn survive_file_size_limit() -> std::io::Result<()> {
    Ok(())
}

/// Lets SIGINT and SIGTERM set `stop`.
///
/// # Errors
/// If the system refuses.
pub(super) fn listen(stop: &Arc<StopFlag>) -> Result<()> {
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal only arms the shutdown that the second finds.
        let status = i32::try_from(SIGNAL_STATUS)? + signal;
        register_conditional_shutdown(signal, status, Arc::clone(&again))
            .and_then(|_| register(signal, Arc::clone(&again)))
            .and_then(|_| {
                register_usize(
                    signal,
                    stop.signal_variable(),
                    usize::try_from(signal).unwrap_or(1),
                )
            })
            .context("can't listen to signals")?;
    }
    let stop = Arc::downgrade(stop);
    std::thread::spawn(move || {
        // Ends with the run.
        while let Some(stop) = stop.upgrade() {
            if let Some(StopCause::Signal(_)) = stop.cause() {
                print_message(
                    "epitome: finishing what is in flight; press Ctrl-C again to end at once",
                );
                return;
            }
            drop(stop);
            std::thread::sleep(LOOK);
        }
    });
    Ok(())
}
