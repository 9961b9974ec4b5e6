//! The guest's end of the line on which the result travels.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::termios::{SetArg, cfmakeraw, tcdrain, tcgetattr, tcsetattr};

use crate::host::errno_text;

use super::nodes;
use crate::boot::channel::Message;
use crate::boot::{PORT_NAME, platform};

/// How long a port may take to be announced; the driver does so on its own
/// time.
const ANNOUNCEMENT: Duration = Duration::from_secs(1);

/// The line, and how many frames went over it.
pub struct Line(Mutex<Numbered>);

struct Numbered {
    file: File,
    next: u32,
}

impl Line {
    /// A port of the virtio console, or the second serial port.
    pub fn open() -> Result<Self, String> {
        let file = match port() {
            Some(name) => open(&Path::new("/dev").join(&name)).or_else(|_| serial()),
            None => serial(),
        };
        let file = file.map_err(|error| {
            let why = errno_text(&error);
            format!(
                "no way to the host, neither a port of the virtio console \
                 (CONFIG_VIRTIO_CONSOLE) nor a second serial port (CONFIG_SERIAL_8250): {why}"
            )
        })?;
        Ok(Self(Mutex::new(Numbered { file, next: 0 })))
    }

    /// Sends a message. The host finds out about what is lost.
    pub fn tell(&self, message: &Message) {
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let frame = message.frame(line.next);
        line.next += 1;
        let _ = line.file.write_all(&frame);
    }

    /// Waits until all of it is on its way.
    pub fn drain(&self) {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A port of the virtio console is no terminal, and needs no wait.
        let _ = tcdrain(&line.file);
    }
}

/// The name of our port, if this kernel has found it.
fn port() -> Option<String> {
    let has_driver = || {
        let devices = fs::read_dir("/sys/bus/virtio/drivers/virtio_console").ok()?;
        devices
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with("virtio"))
    };
    has_driver()?;
    let until = Instant::now() + ANNOUNCEMENT;
    loop {
        for entry in fs::read_dir("/sys/class/virtio-ports").ok()?.flatten() {
            let name = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
            if name.trim_end() == PORT_NAME {
                let name = entry.file_name().to_string_lossy().into_owned();
                nodes::make_port(&name);
                return Some(name);
            }
        }
        if Instant::now() > until {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn serial() -> io::Result<File> {
    let file = open(Path::new(platform::THIS.result))?;
    let mut settings = tcgetattr(&file)?;
    cfmakeraw(&mut settings);
    tcsetattr(&file, SetArg::TCSANOW, &settings)?;
    Ok(file)
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .read(true)
        .custom_flags(libc::O_NOCTTY)
        .open(path)
}
