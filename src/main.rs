//! Arguments to command to exit code.

fn main() {}
