//! Compacts a file, restores it and compares.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| epitome::fuzzing::restored(data));
