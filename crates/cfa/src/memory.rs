//! How much memory there is for a run: what the machine, its control groups and the limit of address space leave.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// Memory that can be had, in KiB: of the machine and of each control group that this process is in, what is free or can be
/// freed. `None` where the system does not tell.
pub fn available_kib() -> Option<u64> {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|t| field(&t, "MemAvailable:"));
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = folders(&groups, Path::new(GROUPS)).into_iter().filter_map(|f| group_kib(&f));
    machine.into_iter().chain(groups).min()
}

/// The limit of this process's address space in KiB, if there is one.
pub fn address_space_kib() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|bytes| bytes / 1024)
}

/// Address space that this process has in use, in KiB.
pub fn address_space_used_kib() -> Option<u64> {
    field(&read_to_string("/proc/self/status").ok()?, "VmSize:")
}

/// Memory that this process has in use, now and at most so far, in KiB.
pub fn used_kib() -> Option<(u64, u64)> {
    let status = read_to_string("/proc/self/status").ok()?;
    Some((field(&status, "VmRSS:")?, field(&status, "VmHWM:")?))
}

/// What is left of the memory there is, in percent: a run must not be what the system chooses to kill.
const SHARE: u64 = 90;

/// What this process may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimits {
    /// Of memory; `None`: no limit is known.
    pub kib: Option<u64>,
    /// Was it asked for? Else it is what there is.
    pub asked: bool,
    /// What the system allows of address space, if it limits that.
    pub address_kib: Option<u64>,
}

impl MemoryLimits {
    /// So many MiB, or what there is.
    pub fn new(asked_mib: Option<u64>) -> MemoryLimits {
        MemoryLimits {
            kib: asked_mib.map(|m| m.saturating_mul(1024)).or_else(share_kib),
            asked: asked_mib.is_some(),
            address_kib: address_space_kib().map(share),
        }
    }
    /// The limit that this process is beyond.
    pub fn exceeded(&self) -> Option<Exceeded> {
        if let (Some(limit), Some((now, _))) = (self.kib, used_kib())
            && now > limit
        {
            return Some(Exceeded::Memory { mib: limit / 1024, asked: self.asked });
        }
        let (limit, now) = (self.address_kib?, address_space_used_kib()?);
        (now > limit).then_some(Exceeded::AddressSpace(now / 1024))
    }
}

fn share(kib: u64) -> u64 {
    kib / 100 * SHARE
}

/// What a process may take of what there is, in KiB.
pub fn share_kib() -> Option<u64> {
    available_kib().map(share)
}

/// A limit of memory that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Exceeded {
    /// Memory in use.
    #[error(
        "memory limit of {mib} MiB reached{}",
        if *.asked { "" } else { " (of what there was; --memory sets another)" }
    )]
    Memory {
        /// What was allowed, in MiB (2^20 bytes).
        mib: u64,
        /// Was it asked for? Else it is what there was.
        asked: bool,
    },
    /// This many MiB of address space are used, and there is a limit of the system.
    #[error("{0} MiB of address space used, near its limit")]
    AddressSpace(u64),
}

/// The number after a word at the start of a line.
fn field(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|l| l.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The folders of a process's groups and of those around them, from `/proc/self/cgroup`. Inside of a container the path may
/// be seen from elsewhere; the mount itself is the group then.
fn folders(groups: &str, mount: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let base = match controllers {
            "" => mount.to_path_buf(),
            c if c.split(',').any(|c| c == "memory") => mount.join("memory"),
            _ => continue,
        };
        let path = base.join(path.trim_start_matches('/'));
        found.extend(path.ancestors().take_while(|p| p.starts_with(&base)).map(Path::to_path_buf));
    }
    found
}

/// What a group may still take: its limit without what is in use and cannot be freed, version 2 or 1.
fn group_kib(folder: &Path) -> Option<u64> {
    let number = |name: &str| read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes")).unwrap_or(0);
    let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let spare = field(&stat, "total_inactive_file ").or_else(|| field(&stat, "inactive_file ")).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(spare)) / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("user/job/memory.max", "max\n");
        write("user/memory.max", "1048576000\n");
        write("user/memory.current", "524288000\n");
        write("user/memory.stat", "anon 1\ninactive_file 104857600\n");
        write("memory/memory.limit_in_bytes", "204800000\n");
        write("memory/memory.usage_in_bytes", "1024000\n");
        let all = folders("5:cpu:/x\n4:blkio,memory:/docker/1\n0::/user/job\n", dir.path());
        let seen: Vec<u64> = all.iter().filter_map(|f| group_kib(f)).collect();
        assert_eq!(seen, [(204_800_000 - 1_024_000) / 1024, 614_400]);
        assert_eq!(folders("0::/\n", Path::new("/g")), [PathBuf::from("/g")]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_some() {
        assert!(available_kib().is_some_and(|n| n > 1024));
        assert!(address_space_used_kib().is_some_and(|n| n > 1024));
        assert!(used_kib().is_some_and(|(now, peak)| 0 < now && now <= peak));
        let limits = MemoryLimits { kib: Some(1), asked: true, address_kib: None };
        assert_eq!(limits.exceeded(), Some(Exceeded::Memory { mib: 0, asked: true }));
        let limits = MemoryLimits { kib: None, asked: false, address_kib: Some(1) };
        assert!(matches!(limits.exceeded(), Some(Exceeded::AddressSpace(_))));
        assert_eq!(MemoryLimits { kib: None, asked: false, address_kib: None }.exceeded(), None);
    }
}
