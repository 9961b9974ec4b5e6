//! What differs from architecture to architecture.

/// A virtual machine of qemu for the architecture of this program: the guest
/// runs this very program.
#[derive(Debug)]
pub struct Platform {
    /// As `uname -m` has it.
    pub arch: &'static str,
    /// qemu's program.
    pub qemu: &'static str,
    /// Its type of machine.
    pub machine: &'static str,
    /// The CPU that it emulates.
    pub emulated_cpu: &'static str,
    /// Of the kernel: its console, from early on.
    pub console: &'static str,
    /// What its kernels should be told of an emulated CPU.
    pub emulated_options: Option<&'static str>,
    /// The serial port that the result may come through, as the guest names it.
    pub result: &'static str,
    /// Its device; `None` where the machine has a second port anyway.
    pub result_device: Option<&'static str>,
}

/// The oldest and the newest kernels know it, and it boots as fast as others.
#[cfg(target_arch = "x86_64")]
pub const THIS: Platform = Platform {
    arch: "x86_64",
    qemu: "qemu-system-x86_64",
    machine: "pc",
    emulated_cpu: "qemu64",
    console: "console=ttyS0 earlyprintk=serial,ttyS0,115200",
    // One host's TSC is behind them all, but kernels find them unsynchronised
    // and take a clock that costs microseconds a reading.
    emulated_options: Some("tsc=reliable"),
    result: "/dev/ttyS1",
    result_device: None,
};

/// Its one serial port is the console; the result gets one on the PCI bus.
#[cfg(target_arch = "aarch64")]
pub const THIS: Platform = Platform {
    arch: "aarch64",
    qemu: "qemu-system-aarch64",
    machine: "virt",
    emulated_cpu: "cortex-a72",
    console: "console=ttyAMA0 earlycon",
    emulated_options: None,
    result: "/dev/ttyS0",
    result_device: Some("pci-serial"),
};

/// Nothing is known of its machines.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const THIS: Platform = Platform {
    arch: std::env::consts::ARCH,
    qemu: "qemu-system",
    machine: "virt",
    emulated_cpu: "max",
    console: "console=ttyS0",
    emulated_options: None,
    result: "/dev/ttyS1",
    result_device: Some("pci-serial"),
};
