//! Faults and kills that strace injects, where it is installed.

use super::scenario::{OTHER_CUT, Scenario, after, logs, scenario};
use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::CUT;
use std::process::{Command, Output};

/// Calls that change files, each with its spellings: every one of them meets a fault, an error or a kill in
/// turn; both, where `EPITOME_FAULTS` is `all`.
const CHANGES: [&str; 9] = [
    "?write,?pwrite64,?copy_file_range,?sendfile",
    "?rename,?renameat,?renameat2",
    "?mkdir,?mkdirat",
    "?unlink,?unlinkat,?rmdir",
    "?fsync,?fdatasync",
    "?syncfs",
    "?ftruncate",
    "?flock",
    "?fchmod,?fchown",
];
/// Calls that look at files: some of them are met, all where `EPITOME_FAULTS` is `all`.
const LOOKS: [&str; 8] = [
    "?open,?openat",
    "?read,?pread64",
    "?stat,?lstat,?fstat,?newfstatat,?statx",
    "?getdents64",
    "?close",
    "?readlink,?readlinkat,?getcwd",
    "?lseek",
    "?fcntl",
];
const LOOK_STEP: usize = 16;
/// The loader of the system ends with this status if it can't load the program.
const NOT_LOADED: i32 = 127;

/// A fault that is injected.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// The call fails with this error.
    Error(&'static str),
    /// The process dies before the call.
    Kill,
}

/// A run that met a fault.
pub(crate) struct FaultedRun {
    pub(crate) output: Output,
    /// The fault hit a write to stderr.
    pub(crate) lost_message: bool,
}

/// Runs the program with a fault at some call. Returns none if strace is not there or the run makes
/// no such call.
pub(crate) fn with_fault(
    dir: &Dir,
    words: &str,
    call: &str,
    when: usize,
    fault: Fault,
) -> Option<FaultedRun> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let fault = match fault {
        Fault::Error(error) => format!("error={error}"),
        Fault::Kill => "signal=KILL".to_owned(),
    };
    let output = Command::new("strace")
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(["-f", "-qq", "-o"])
        .arg(trace.path())
        .arg("-e")
        .arg(format!("trace={call}"))
        .arg("-e")
        .arg(format!("inject={call}:{fault}:when={when}"))
        .arg(PROGRAM)
        .args(words.split_whitespace())
        .output()
        .ok()?;
    let text = std::fs::read_to_string(trace.path()).unwrap_or_default();
    let is_met = text.contains("INJECTED") || text.contains("killed by SIGKILL");
    let lost_message =
        text.lines().any(|line| line.contains("write(2,") && line.contains("INJECTED"));
    is_met.then_some(FaultedRun { output, lost_message })
}

/// Returns true if all calls are met, also those that only look.
fn meets_all() -> bool {
    std::env::var("EPITOME_FAULTS").is_ok_and(|faults| faults == "all")
}

/// Which of the calls of a kind meet a fault, counted from 1.
#[derive(Clone, Copy)]
struct Sample {
    first: usize,
    step: usize,
}

impl Sample {
    /// Every call where all are met, else every `step`th from `first`.
    fn of(first: usize, step: usize) -> Self {
        if meets_all() { Self { first: 1, step: 1 } } else { Self { first, step } }
    }
}

/// Disturbs a run at its calls. Returns the number of faults.
fn disturb(scenario: &Scenario, calls: &[&str], sample: Sample, fault: Fault) -> usize {
    let mut faults = 0;
    for call in calls {
        for when in (sample.first..).step_by(sample.step) {
            scenario.prepare();
            let Some(run) = with_fault(&scenario.dir, &scenario.command, call, when, fault) else {
                break;
            };
            let output = &run.output;
            if output.status.code() == Some(NOT_LOADED) {
                continue;
            }
            let name = match fault {
                Fault::Error(error) => error,
                Fault::Kill => "SIGKILL",
            };
            scenario.check(output, &format!("{name} at {call} {when}"), run.lost_message);
            faults += 1;
        }
    }
    faults
}

/// Disturbs a command at every call that changes something, and at some that only look.
fn sweep(name: &str) {
    disturb_everywhere(name, &scenario(name, 8));
}

#[expect(clippy::print_stderr, reason = "says what was skipped")]
fn disturb_everywhere(name: &str, scenario: &Scenario) {
    let error = Fault::Error("EIO");
    let faults = disturb(scenario, &CHANGES, Sample::of(1, 2), error)
        + disturb(scenario, &CHANGES, Sample::of(2, 2), Fault::Kill)
        + disturb(scenario, &LOOKS, Sample::of(1, LOOK_STEP), error);
    if faults == 0 {
        eprintln!("skipped: strace is not installed, or may not trace");
    } else {
        eprintln!("{name}: {faults} faults");
    }
}

/// The publication of a run that died between two renames is completed, or told that it can't be.
#[test]
fn completion_of_a_dead_run() {
    // Between the decisions of the two directories, and between two files.
    let renames: &[usize] = if meets_all() { &[2, 4] } else { &[2] };
    for &rename in renames {
        let old = format!("compact in -o out --archive arch --quiet {CUT}");
        let new = format!("compact in -o out --archive arch --quiet -j1 --force {OTHER_CUT}");
        let dir = after(logs(8), &old);
        let call = "?rename,?renameat,?renameat2";
        let Some(run) = with_fault(&dir, &new, call, rename, Fault::Kill) else {
            continue;
        };
        assert_eq!(run.output.status.code(), None, "it was killed");
        let scenario =
            Scenario::new(dir, "restore out --archive arch -o back".to_owned(), "--force");
        disturb_everywhere("completion", &scenario);
    }
}

/// The calls of the connection that wake its thread never fail: without them it would wait. What
/// this leaves out, a disk that is full at any block, is in [`super::limits`].
#[test]
fn requests_fetch() {
    let scenario = scenario("requests fetch", 8);
    let wakes = |calls: &&str| calls.starts_with("?write") || calls.starts_with("?read,");
    let without_wakes = |calls: &[&'static str]| -> Vec<&'static str> {
        calls.iter().copied().filter(|calls| !wakes(calls)).collect()
    };
    let error = Fault::Error("EIO");
    disturb(&scenario, &without_wakes(&CHANGES), Sample::of(1, 2), error);
    disturb(&scenario, &CHANGES, Sample::of(2, 2), Fault::Kill);
    disturb(&scenario, &without_wakes(&LOOKS), Sample::of(1, LOOK_STEP), error);
}

/// A test for each command.
macro_rules! sweeps {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            sweep($name);
        })*
    };
}

sweeps! {
    compact: "compact",
    compact_with_force: "compact --force",
    compact_with_an_archive_elsewhere: "compact --archive",
    compact_to_stdout: "compact to stdout",
    convert: "convert",
    replay: "replay",
    restore: "restore",
    restore_with_check: "restore --check",
    plan: "plan",
    plan_with_a_report: "plan --report",
    plan_as_json: "plan --json",
    formats_explained: "formats FILE",
    models: "models",
    presets: "presets",
    count: "count",
    evaluate: "evaluate",
    audit: "audit",
    requests_export: "requests export",
    requests_apply: "requests apply",
}
