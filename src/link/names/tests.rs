use super::*;

const DEAD: &str = "/dev/pts/4000000000";

#[test]
fn a_name_goes_with_its_owner_unless_it_was_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ttyS0");
    let name = Name::claim(&path, Path::new("/dev/pts/1"), false).unwrap();
    assert_eq!(fs::read_link(&path).unwrap(), Path::new("/dev/pts/1"));
    drop(name);
    assert!(!path.is_symlink());

    let name = Name::claim(&path, Path::new("/dev/pts/1"), false).unwrap();
    let other = Name::claim(&path, Path::new("/dev/null"), true).unwrap();
    drop(name);
    assert_eq!(fs::read_link(&path).unwrap(), Path::new("/dev/null"));
    drop(other);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn only_stale_names_are_replaced_without_force() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ttyS0");
    symlink(DEAD, &path).unwrap();
    drop(Name::claim(&path, Path::new("/dev/null"), false).unwrap());
    assert!(!path.is_symlink());
    for live in ["/dev/null", "/nowhere/at/all", "/dev/pts"] {
        symlink(live, &path).unwrap();
        let error = Name::claim(&path, Path::new("/dev/pts/1"), false).unwrap_err();
        assert!(error.to_string().contains("--force"), "{error}");
        assert_eq!(fs::read_link(&path).unwrap(), Path::new(live));
        drop(Name::claim(&path, Path::new("/dev/pts/1"), true).unwrap());
    }
}

#[test]
fn what_is_no_symlink_stays_even_by_force() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "precious").unwrap();
    let folder = directory.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for (path, what) in [(&file, "regular file"), (&folder, "directory")] {
        let error = Name::claim(path, Path::new("/dev/pts/1"), true).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    let error = Name::claim(Path::new("/dev/null"), Path::new("/dev/pts/1"), true);
    assert!(error.unwrap_err().to_string().contains("device"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_bad_directory_or_name_is_told_with_advice() {
    let directory = tempfile::tempdir().unwrap();
    let claim = |path: &Path| {
        Name::claim(path, Path::new("/dev/pts/1"), false)
            .unwrap_err()
            .to_string()
    };
    let missing = claim(&directory.path().join("no/ttyS0"));
    assert!(missing.contains("ENOENT") && missing.contains("directory must exist"));
    assert!(claim(&directory.path().join("x".repeat(300))).contains("ENAMETOOLONG"));
    let of_the_kernel = claim(Path::new("/proc/ttyS0"));
    assert!(of_the_kernel.starts_with("cannot make the name /proc/ttyS0: ENOENT"));
    assert!(of_the_kernel.contains("that takes names"));
}

#[test]
fn one_file_cannot_be_both_names() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ttyS0");
    let other_way = directory.path().join(".").join("ttyS0");
    assert!(check_different(&path, &path).is_err());
    assert!(check_different(&path, &other_way).is_err());
    assert!(check_different(&path, &directory.path().join("ttyS1")).is_ok());
}

#[test]
fn what_is_put_in_place_of_a_name_meanwhile_is_not_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ttyS0");
    type Put = fn(&Path);
    let others: [(&str, Put); 2] = [
        ("a link", |path| symlink("/dev/null", path).unwrap()),
        ("a file", |path| fs::write(path, "precious").unwrap()),
    ];
    for (what, put) in others {
        symlink(DEAD, &path).unwrap();
        // Somebody takes the name just after it was looked at.
        take_away(&path, |target| {
            if target == Path::new(DEAD) {
                fs::remove_file(&path).unwrap();
                put(&path);
                return true;
            }
            false
        });
        assert!(fs::symlink_metadata(&path).is_ok(), "{what}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        fs::remove_file(&path).unwrap();
    }
    for put_back_over in [true, false] {
        let aside = directory.path().join("aside");
        fs::write(&aside, "old").unwrap();
        if put_back_over {
            fs::write(&path, "new").unwrap();
        }
        assert_eq!(put_back(&aside, &path).is_err(), put_back_over);
        let kept = if put_back_over { "new" } else { "old" };
        assert_eq!(fs::read_to_string(&path).unwrap(), kept);
        let _ = fs::remove_file(&path);
    }
}

#[test]
fn only_what_does_not_exist_is_gone() {
    let answer = |errno: Errno| Err::<(), _>(io::Error::from(errno));
    assert!(is_gone(&answer(Errno::ENOENT)));
    for errno in [Errno::EACCES, Errno::EPERM, Errno::EIO, Errno::ENOTDIR] {
        assert!(!is_gone(&answer(errno)), "{errno}");
    }
    assert!(!is_gone(&Ok(())));
}

#[test]
fn only_stale_names_are_swept_away() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // No pty has that number: it is beyond the largest pty.max.
    symlink("/dev/pts/4000000000", path("stale")).unwrap();
    symlink("/dev/pts/ptmx", path("other")).unwrap();
    symlink("/nowhere", path("dangling")).unwrap();
    fs::write(path("file"), "").unwrap();
    for name in ["stale", "other", "dangling", "file", "none"] {
        Name::sweep(&path(name));
    }
    let kept = |name: &str| fs::symlink_metadata(path(name)).is_ok();
    assert_eq!(
        ["stale", "other", "dangling", "file"].map(kept),
        [false, true, true, true]
    );
}
