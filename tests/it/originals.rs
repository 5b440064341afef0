//! Restores inputs as the README describes the files in `originals/`, independently of the program.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns the input of a compaction, made from its output and the file of originals. Without such
/// a file they are equal.
pub(crate) fn restored(output: &[u8], originals: &Path) -> Vec<u8> {
    let Ok(originals) = fs::read(originals) else {
        return output.to_vec();
    };
    let (header, mut rest) = json_line(&originals);
    assert_eq!(header["version"], 3, "{header}");
    let (mut input, mut at) = (Vec::new(), 0);
    loop {
        let (line, behind) = json_line(rest);
        if let Some(length) = line["output_bytes"].as_u64() {
            assert_eq!(output.len() as u64, length, "{line}");
            assert!(behind.is_empty(), "bytes follow the last line");
            input.extend_from_slice(&output[at..]);
            return input;
        }
        let start = number(&line, "at");
        input.extend_from_slice(&output[at..start]);
        at = start + number(&line, "len");
        let (bytes, behind) = behind.split_at(number(&line, "bytes"));
        input.extend_from_slice(bytes);
        rest = behind.strip_prefix(b"\n").expect("a line end after the original bytes");
    }
}

/// Splits off the first line.
fn json_line(bytes: &[u8]) -> (Value, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a whole line");
    let line = serde_json::from_slice(&bytes[..end]).expect("a line of JSON");
    (line, &bytes[end + 1..])
}

fn number(line: &Value, key: &str) -> usize {
    usize::try_from(line[key].as_u64().expect(key)).unwrap()
}
