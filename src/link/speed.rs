//! The speed that a client has set.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};

use nix::libc;

/// Bits a second that the client of a port has set (`c_ospeed` of termios2,
/// ioctl_tty(2)); on a master the ioctl answers for its slave. None for 0, and
/// where the kernel does not say.
pub fn client_baud(port: impl AsFd) -> Option<u32> {
    let mut termios = MaybeUninit::<libc::termios2>::uninit();
    // SAFETY: TCGETS2 writes one termios2 through the pointer.
    let result = unsafe {
        libc::ioctl(
            port.as_fd().as_raw_fd(),
            libc::TCGETS2,
            termios.as_mut_ptr(),
        )
    };
    if result != 0 {
        return None;
    }
    // SAFETY: the ioctl succeeded, so the kernel has filled it.
    let termios = unsafe { termios.assume_init() };
    Some(termios.c_ospeed).filter(|&baud| baud > 0)
}

#[cfg(test)]
mod tests {
    use nix::sys::termios::{BaudRate, SetArg, cfsetspeed, tcgetattr, tcsetattr};

    use super::*;
    use crate::pty::{End, Mode, Pair};

    #[test]
    fn the_master_tells_what_the_client_has_set() {
        let pair = Pair::open(Mode::RAW).unwrap();
        let slave = pair.fd(End::Slave);
        for (rate, baud) in [
            (BaudRate::B9600, Some(9600)),
            (BaudRate::B115200, Some(115_200)),
            (BaudRate::B0, None),
        ] {
            let mut termios = tcgetattr(slave).unwrap();
            cfsetspeed(&mut termios, rate).unwrap();
            tcsetattr(slave, SetArg::TCSANOW, &termios).unwrap();
            assert_eq!(client_baud(pair.fd(End::Master)), baud);
        }
    }
}
