//! Reads records in every format that recognizes them.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| epitome::fuzzing::formats(data));
