//! The virtual machine: qemu's command line.

use std::ffi::OsString;
use std::path::PathBuf;

use super::accel::Accel;
use super::kernel::Kernel;
use super::{PORT_NAME, platform};

/// The machine that each kernel is booted in.
#[derive(Debug, Clone)]
pub struct Machine {
    /// qemu's program; `None` for the usual one.
    pub qemu: Option<PathBuf>,
    /// CPUs, at least 1.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory: u64,
    /// More words for the kernel.
    pub append: Vec<String>,
    /// More arguments for qemu.
    pub qemu_arguments: Vec<String>,
    /// The seed of a machine whose clock counts instructions; `None` for one
    /// whose clock runs as ours.
    pub deterministic: Option<u64>,
}

/// What qemu reads and writes, by name.
#[derive(Debug, Clone)]
pub struct Places {
    /// The root file system.
    pub initrd: String,
    /// What the kernel says.
    pub console: String,
    /// The result, through a serial port.
    pub serial: String,
    /// The result, through a port of the virtio console.
    pub port: String,
}

impl Machine {
    /// qemu's program.
    pub fn qemu(&self) -> PathBuf {
        let usual = || PathBuf::from(platform::THIS.qemu);
        self.qemu.clone().unwrap_or_else(usual)
    }

    /// qemu's arguments for one boot. `library_path` is where the guest's
    /// loader looks.
    pub fn arguments(
        &self,
        kernel: &Kernel,
        accel: Accel,
        places: &Places,
        library_path: &str,
    ) -> Vec<OsString> {
        let platform = &platform::THIS;
        let cpu = match accel {
            Accel::Kvm => "host",
            Accel::Tcg => platform.emulated_cpu,
        };
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |text: &str| words.extend(text.split(' ').map(OsString::from));
        // Nothing of the user's configuration, no disk, no network, no screen.
        add("-nodefaults -no-user-config -display none -no-reboot");
        add(&format!(
            "-machine {} -accel {accel} -cpu {cpu}",
            platform.machine
        ));
        add(&format!("-smp {} -m {}K", self.cpus, self.memory >> 10));
        if let Some(seed) = self.deterministic {
            add(&format!("-icount shift=0,sleep=off -seed {seed}"));
            add("-rtc base=2020-01-01T00:00:00,clock=vm");
        }
        let file = |id: &str, path: &str| format!("-chardev file,id={id},path={path}");
        add(&format!(
            "{} -serial chardev:console",
            file("console", &places.console)
        ));
        add(&file("serial", &places.serial));
        match platform.result_device {
            None => add("-serial chardev:serial"),
            Some(device) => add(&format!("-device {device},chardev=serial")),
        }
        // A port of the virtio console is quicker, but qemu serves it from a
        // thread of its own, when this machine gets round to it: with it, no
        // two runs are alike.
        if self.deterministic.is_none() {
            add(&file("port", &places.port));
            add("-device virtio-serial-pci");
            add(&format!(
                "-device virtserialport,chardev=port,name={PORT_NAME}"
            ));
        }
        words.push("-kernel".into());
        words.push(kernel.path.clone().into());
        words.extend(["-initrd".into(), places.initrd.clone().into()]);
        words.extend([
            "-append".into(),
            self.kernel_command_line(accel, library_path).into(),
        ]);
        words.extend(self.qemu_arguments.iter().map(OsString::from));
        words
    }

    fn kernel_command_line(&self, accel: Accel, library_path: &str) -> String {
        let platform = &platform::THIS;
        let mut words = vec![platform.console.to_owned(), "panic=1".to_owned()];
        if accel == Accel::Tcg {
            words.extend(platform.emulated_options.map(str::to_owned));
        }
        if let Some(seed) = self.deterministic {
            words.push(format!("nokaslr {}{seed}", super::guest::entropy::WORD));
        }
        words.extend(self.append.iter().cloned());
        // A word with "=" that the kernel does not know becomes a variable of
        // init's environment, one without becomes its argument.
        if !library_path.is_empty() {
            words.push(format!("LD_LIBRARY_PATH={library_path}"));
        }
        words.push(super::guest::ARGUMENT.to_owned());
        words.join(" ")
    }
}
