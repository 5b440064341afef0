//! Compares the JSON scanner with serde_json.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| epitome::fuzzing::json(data));
