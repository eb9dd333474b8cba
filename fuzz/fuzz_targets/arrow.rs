#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| mercer_fuzz::arrow(data));
