//! The few ways in which a check compares what came with what was expected.

use std::fmt::Debug;

use nix::errno::Errno;

use crate::words::counted;

use super::Stop;

/// Runs a check, or a part of it, and makes a panic a failure.
pub(super) fn run<T>(body: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Stop::fail(
            "the check runs to its end",
            format!("a panic: {text}"),
        ))
    })
}

/// Fails unless `got` equals `want`.
pub(super) fn same<T: PartialEq + Debug>(what: &str, got: &T, want: &T) -> Result<(), Stop> {
    if got == want {
        Ok(())
    } else {
        Err(Stop::fail(format!("{what}: {want:?}"), format!("{got:?}")))
    }
}

/// Fails unless `holds`; `got` says what came instead.
pub(super) fn that(what: &str, holds: bool, got: impl FnOnce() -> String) -> Result<(), Stop> {
    if holds {
        Ok(())
    } else {
        Err(Stop::fail(what, got()))
    }
}

/// Fails unless `got` is byte for byte `want`.
pub(super) fn bytes(what: &str, got: &[u8], want: &[u8]) -> Result<(), Stop> {
    if got == want {
        return Ok(());
    }
    let at = got.iter().zip(want).take_while(|(a, b)| a == b).count();
    let from = at.saturating_sub(8);
    let show = |bytes: &[u8]| -> String {
        let some = bytes.get(from..).unwrap_or_default();
        let end = some.len().min(48);
        format!(
            "{}, from {from}: \"{}\"",
            counted(bytes.len(), "byte"),
            some[..end].escape_ascii()
        )
    };
    Err(Stop::fail(
        format!("{what}: {}", show(want)),
        format!("{}, first different at byte {at}", show(got)),
    ))
}

/// What the kernel granted, or a failure that names the call.
pub(super) fn ok<T>(what: &str, result: nix::Result<T>) -> Result<T, Stop> {
    result.map_err(|errno| Stop::fail(format!("{what} succeeds"), format!("{errno:?}")))
}

/// Fails unless the kernel refused with one of `want`.
pub(super) fn refused<T: Debug>(
    what: &str,
    result: nix::Result<T>,
    want: &[Errno],
) -> Result<(), Stop> {
    let got = match result {
        Err(errno) if want.contains(&errno) => return Ok(()),
        Err(errno) => format!("{errno:?}"),
        Ok(value) => format!("success ({value:?})"),
    };
    let names: Vec<_> = want.iter().map(|errno| format!("{errno:?}")).collect();
    Err(Stop::fail(format!("{what}: {}", names.join(" or ")), got))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_around_the_first_difference() {
        let mut want = vec![b'a'; 5000];
        let mut got = want.clone();
        assert!(bytes("flood", &got, &want).is_ok());
        got[4095] = b'\n';
        want.push(b'!');
        let Err(Stop::Fail { expected, got }) = bytes("flood", &got, &want) else {
            panic!("no failure");
        };
        assert!(
            expected.starts_with("flood: 5001 bytes, from 4087: \"aaaaaaaaa"),
            "{expected}"
        );
        assert!(
            got.contains("aaaaaaaa\\na") && got.ends_with("at byte 4095"),
            "{got}"
        );
    }

    #[test]
    fn a_shorter_answer_differs_at_its_end() {
        assert!(bytes("x", b"", b"abc").is_err());
        assert!(bytes("x", b"abc", b"").is_err());
    }

    #[test]
    fn a_panic_is_a_failure_with_its_words() {
        let Err(Stop::Fail { got, .. }) = run::<()>(|| panic!("out of {}", "luck")) else {
            panic!("no failure");
        };
        assert_eq!(got, "a panic: out of luck");
    }

    #[test]
    fn another_errno_is_not_the_expected_one() {
        assert!(refused::<()>("open", Err(Errno::EIO), &[Errno::EIO]).is_ok());
        assert!(refused::<()>("open", Err(Errno::EAGAIN), &[Errno::EIO]).is_err());
        assert!(refused("open", Ok(3), &[Errno::EIO]).is_err());
    }
}
