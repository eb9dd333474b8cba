//! The command `mercer`.

fn main() {}
