use crate::expected::{OVERWRITE, overwrites};
use crate::harness::run_script;

#[test]
fn the_recording_is_what_the_program_shows() {
    let arguments: &[&str] = if overwrites() { &[] } else { &["--check"] };
    let Some(ran) = run_script("make-recording.py", arguments) else {
        return;
    };
    let [name, value] = OVERWRITE;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}({name}={value} writes it anew)");
}
