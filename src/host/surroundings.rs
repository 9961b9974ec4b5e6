//! What lies around the kernel: a hypervisor, a container, a sandbox.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files;

/// Hints at what this kernel runs in; each says by its absence only that
/// nothing was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Surroundings {
    /// The hypervisor: its name where it gives one, else `unnamed`.
    pub hypervisor: Option<String>,
    /// Vendor and product of the machine, or of the virtual machine.
    pub machine: Option<String>,
    /// The container.
    pub container: Option<String>,
    /// What answers system calls in the place of a Linux kernel of its own:
    /// `gVisor`, `WSL 1`; or `WSL 2`, Microsoft's build of Linux.
    pub kernel_flavour: Option<String>,
}

impl Surroundings {
    /// Looks around: CPUID, /sys and /proc.
    pub fn detect() -> Self {
        Self {
            hypervisor: hypervisor(),
            machine: machine(),
            container: container(),
            kernel_flavour: files::text("/proc/version").and_then(|text| flavour(&text)),
        }
    }
}

fn hypervisor() -> Option<String> {
    files::text("/sys/hypervisor/type")
        .or_else(|| files::text("/proc/device-tree/hypervisor/compatible"))
        .or_else(cpuid_hypervisor)
        .or_else(|| {
            let cpuinfo = files::text("/proc/cpuinfo")?;
            has_hypervisor_flag(&cpuinfo).then(|| "unnamed".to_owned())
        })
}

/// The vendor in CPUID leaf 0x40000000, which the hypervisor bit (leaf 1, ECX
/// bit 31) announces: `KVMKVMKVM`, `TCGTCGTCGTCG`, `Microsoft Hv`.
#[cfg(target_arch = "x86_64")]
// CPUID became a safe function after this crate's first compiler.
#[allow(unused_unsafe)]
fn cpuid_hypervisor() -> Option<String> {
    use std::arch::x86_64::__cpuid;

    // SAFETY: every x86_64 CPU has CPUID with leaf 1.
    let features = unsafe { __cpuid(1) };
    if features.ecx & (1 << 31) == 0 {
        return None;
    }
    // SAFETY: an unknown leaf gives numbers without a meaning, which are
    // checked below, and does nothing else.
    let vendor = unsafe { __cpuid(0x4000_0000) };
    let bytes: Vec<u8> = [vendor.ebx, vendor.ecx, vendor.edx]
        .iter()
        .flat_map(|register| register.to_le_bytes())
        .collect();
    vendor_name(&bytes)
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid_hypervisor() -> Option<String> {
    None
}

#[cfg(any(target_arch = "x86_64", test))]
fn vendor_name(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let name = text.trim_matches(['\0', ' ']);
    let printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (printable && !name.is_empty()).then(|| name.to_owned())
}

fn has_hypervisor_flag(cpuinfo: &str) -> bool {
    cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("flags")?.split_once(':'))
        .is_some_and(|(_, flags)| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn machine() -> Option<String> {
    let dmi = |name: &str| files::text(Path::new("/sys/class/dmi/id").join(name));
    match (dmi("sys_vendor"), dmi("product_name")) {
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => vendor
            .or(product)
            .or_else(|| files::text("/proc/device-tree/model")),
    }
}

fn container() -> Option<String> {
    files::text("/run/systemd/container")
        .or_else(|| exists("/run/.containerenv").then(|| "podman".to_owned()))
        .or_else(|| exists("/.dockerenv").then(|| "docker".to_owned()))
        .or_else(|| container_of_cgroup(&files::text("/proc/1/cgroup")?))
}

fn exists(path: &str) -> bool {
    Path::new(path).exists()
}

fn container_of_cgroup(cgroup: &str) -> Option<String> {
    ["kubepods", "docker", "libpod", "lxc", "containerd"]
        .into_iter()
        .find(|name| cgroup.contains(name))
        .map(str::to_owned)
}

/// gVisor's releases before it named itself all claim this build.
const GVISOR_BUILD: &str = "#1 SMP Sun Jan 10 15:06:54 PST 2016";

fn flavour(version: &str) -> Option<String> {
    let lower = version.to_ascii_lowercase();
    let name = if lower.contains("gvisor") || version.contains(GVISOR_BUILD) {
        "gVisor"
    } else if lower.contains("wsl2") {
        "WSL 2"
    } else if lower.contains("microsoft") {
        "WSL 1"
    } else {
        return None;
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flavours_are_told_by_the_version() {
        for (version, expected) in [
            (
                "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016",
                Some("gVisor"),
            ),
            ("Linux version 4.19.0-gvisor (root@x)", Some("gVisor")),
            (
                "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)",
                Some("WSL 2"),
            ),
            (
                "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)",
                Some("WSL 1"),
            ),
            (
                "Linux version 6.12.48+deb13-amd64 (debian-kernel@lists.debian.org)",
                None,
            ),
        ] {
            assert_eq!(flavour(version).as_deref(), expected);
        }
    }

    #[test]
    fn the_hypervisor_flag_is_a_word_of_its_own() {
        assert!(has_hypervisor_flag(
            "processor\t: 0\nflags\t\t: fpu hypervisor lm\n"
        ));
        assert!(!has_hypervisor_flag("flags\t\t: fpu nohypervisor\n"));
        assert!(!has_hypervisor_flag("model name : hypervisor\n"));
    }

    #[test]
    fn vendor_names_are_printable_text() {
        assert_eq!(
            vendor_name(b"KVMKVMKVM\0\0\0").as_deref(),
            Some("KVMKVMKVM")
        );
        assert_eq!(vendor_name(b"\0\0\0\0"), None);
        assert_eq!(vendor_name(&[0xff, 1, 2, 3]), None);
        assert_eq!(vendor_name(b"a\x01b"), None);
    }

    #[test]
    fn containers_are_told_by_their_cgroup() {
        let cgroup = "0::/kubepods.slice/pod1/cri-containerd-2.scope\n";
        assert_eq!(container_of_cgroup(cgroup).as_deref(), Some("kubepods"));
        assert_eq!(container_of_cgroup("0::/init.scope\n"), None);
    }
}
