//! The completions and man pages in assets against what the program makes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// All files below `directory` that the program makes.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for part in ["completions", "man"] {
        for entry in fs::read_dir(directory.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            let text = fs::read_to_string(&path).unwrap();
            found.insert(format!("{part}/{name}"), text);
        }
    }
    found
}

#[test]
fn completions_and_man_pages_are_in_step() {
    let directory = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_ptyscope"))
        .arg("generate")
        .arg(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    let made = files(directory.path());
    let kept = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"));
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&made), names(&kept));
    for (name, text) in &made {
        let message = "differs; `cargo run -- generate assets` makes it anew";
        assert!(kept[name] == *text, "assets/{name} {message}");
    }
    for name in ["completions/ptyscope.bash", "man/ptyscope.1"] {
        assert!(made[name].contains("capacity"), "{name}");
    }
}
