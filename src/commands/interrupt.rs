//! Ctrl-C: the first time the run ends in good order, the second time at once. A run that takes
//! long to end is ended too.

use crate::base::stop_flag::{StopCause, StopFlag};
use crate::files::output::print_message;
#[cfg(target_os = "linux")]
use crate::settings::ignored_signals;
use anyhow::{Context, Result};
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A process that a signal ended has this status and the signal's number.
pub(super) const SIGNAL_STATUS: usize = 128;
const LOOK: Duration = Duration::from_millis(50);
/// The time that a run has to end by itself after a signal, apart from model calls in flight.
const GRACE: Duration = Duration::from_secs(2);

/// Lets a write beyond the limit of file sizes fail, like one to a full disk, where the signal of
/// the limit would end the process. Fails if the system refuses.
#[cfg(unix)]
pub(crate) fn survive_file_size_limit() -> std::io::Result<()> {
    register(signal_hook::consts::SIGXFSZ, Arc::default()).map(drop)
}

/// Does nothing: on this system a write beyond the limit of file sizes always fails.
#[cfg(not(unix))]
pub(crate) fn survive_file_size_limit() -> std::io::Result<()> {
    Ok(())
}

/// Returns the signals that end a run in good order: also that of a terminal which is closed, unless
/// `nohup` or the like lets the run outlive it.
#[cfg(target_os = "linux")]
fn ending_signals() -> Vec<i32> {
    use signal_hook::consts::SIGHUP;
    let hears = ignored_signals().is_some_and(|mask| mask & (1 << (SIGHUP - 1)) == 0);
    [SIGINT, SIGTERM].into_iter().chain(hears.then_some(SIGHUP)).collect()
}

/// Returns the signals that end a run in good order. Here it is not known whether `nohup` or the like
/// lets the run outlive its terminal.
#[cfg(not(target_os = "linux"))]
fn ending_signals() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

/// Lets the signals that end a run set `stop`. Fails if the system refuses.
pub(super) fn listen(stop: &Arc<StopFlag>) -> Result<()> {
    let again = Arc::new(AtomicBool::new(false));
    for signal in ending_signals() {
        // In this order: the first signal only arms the shutdown that the second finds.
        let status = i32::try_from(SIGNAL_STATUS)? + signal;
        register_conditional_shutdown(signal, status, Arc::clone(&again))
            .and_then(|_| register(signal, Arc::clone(&again)))
            .and_then(|_| {
                register_usize(signal, stop.signal_variable(), usize::try_from(signal).unwrap_or(1))
            })
            .context("can't listen to signals")?;
    }
    let stop = Arc::downgrade(stop);
    std::thread::Builder::new()
        .spawn(move || end_late_run(&stop))
        .context("can't start the thread that waits for signals")?;
    Ok(())
}

/// Waits for a signal, and ends the process if the run does not end soon after it: within a long
/// record, or while it waits for input. Returns when the run has ended.
fn end_late_run(stop: &Weak<StopFlag>) {
    let mut idle = Duration::ZERO;
    let mut is_announced = false;
    while let Some(stop) = stop.upgrade() {
        if let Some(StopCause::Signal(signal)) = stop.cause() {
            if !std::mem::replace(&mut is_announced, true) {
                print_message(
                    "epitome: finishing what is in flight; press Ctrl-C again to stop immediately",
                );
            }
            if idle >= GRACE {
                print_message(
                    "epitome: interrupted within a record; only complete files are written",
                );
                // As a second signal does: nothing else can end a thread that works.
                signal_hook::low_level::exit(i32::try_from(SIGNAL_STATUS + signal).unwrap_or(1));
            }
            // Answers of a model are paid for, and kept when they come.
            idle = if stop.has_calls() { Duration::ZERO } else { idle + LOOK };
        }
        drop(stop);
        std::thread::sleep(LOOK);
    }
}

/// Lets the process end with `status` where the system aborts it. The standard library does so when
/// memory runs out, after a message that names the bytes.
pub(crate) fn end_on_abort(status: u8) {
    // Without the handler an abort ends the process anyway.
    let always = Arc::new(AtomicBool::new(true));
    let _ = register_conditional_shutdown(SIGABRT, i32::from(status), always);
}
