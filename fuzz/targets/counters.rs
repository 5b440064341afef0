//! Compares the exact counters with tiktoken-rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| epitome::fuzzing::counters(data));
