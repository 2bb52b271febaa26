//! Memory limit of Linux control groups.
//!
//! A process is in one group of each hierarchy: a single hierarchy for all controllers (v2), one for each
//! controller (v1), or both. A group cannot use more than its ancestors, so the limit is the smallest one on the
//! path to the root. In a container that sees only a part of the hierarchy, the mount table tells which part is
//! mounted where.
//!
//! The standard library determines the processor quota in the same way (`std::thread::available_parallelism`).

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the number of bytes that this process's control groups allow; none without a limit.
pub fn memory_limit() -> Option<u64> {
    smallest_memory_limit(Path::new("/"))
}

/// Returns the limit of a system whose files are below `root`.
fn smallest_memory_limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (hierarchy, file) = match controllers {
            "" => (Hierarchy::Unified, "memory.max"),
            _ if controllers.split(',').any(|c| c == "memory") => {
                (Hierarchy::Memory, "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let mount = find_mount(&mounts, hierarchy)?;
        smallest_up(&root.join(mount.point.strip_prefix("/").ok()?), &below(&mount, path), file)
    });
    limits.min()
}

#[derive(Clone, Copy)]
enum Hierarchy {
    /// Hierarchy of v2.
    Unified,
    /// Hierarchy of v1 for the memory controller.
    Memory,
}

/// Mount of a hierarchy.
struct Mount {
    /// Group that is visible at `point`.
    group: PathBuf,
    point: PathBuf,
}

/// Finds the first mount of a hierarchy. The fields of a line are: id, parent, device, root, mount point, options,
/// any number of optional fields, `-`, type, source, options of the file system.
fn find_mount(table: &str, hierarchy: Hierarchy) -> Option<Mount> {
    table.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let (kind, options) = (system.next()?, system.nth(1).unwrap_or(""));
        let is_it = match hierarchy {
            Hierarchy::Unified => kind == "cgroup2",
            Hierarchy::Memory => kind == "cgroup" && options.split(',').any(|o| o == "memory"),
        };
        let mut fields = mount.split(' ').skip(3);
        let (group, point) = (fields.next()?, fields.next()?);
        is_it.then(|| Mount { group: group.into(), point: point.into() })
    })
}

/// Returns a group's path relative to the mount; an empty path if the group is not visible there.
fn below(mount: &Mount, group: &str) -> PathBuf {
    Path::new(group).strip_prefix(&mount.group).map(PathBuf::from).unwrap_or_default()
}

/// Returns the smallest number in `file` of the groups from `group` up to the mount. The text `max` counts as no
/// number.
fn smallest_up(mount: &Path, group: &Path, file: &str) -> Option<u64> {
    let number =
        |group: &Path| fs::read_to_string(mount.join(group).join(file)).ok()?.trim().parse::<u64>().ok();
    group.ancestors().filter_map(number).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folder with a system's files, which is deleted when dropped.
    struct System(PathBuf);

    impl System {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("grus-cgroup-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn limit(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        smallest_memory_limit(&System::new(name, files).0)
    }

    const V2: (&str, &str) =
        ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");

    #[test]
    fn the_smallest_limit_of_nested_groups_counts() {
        let files = [
            V2,
            ("proc/self/cgroup", "0::/a/b/c\n"),
            ("sys/fs/cgroup/a/memory.max", "3000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "2000\n"),
            ("sys/fs/cgroup/a/b/c/memory.max", "max\n"),
        ];
        assert_eq!(limit("nested", &files), Some(2000));
    }

    #[test]
    fn other_groups_do_not_count() {
        let files = [
            V2,
            ("proc/self/cgroup", "0::/a\n"),
            ("sys/fs/cgroup/a/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.max", "2000\n"),
            ("sys/fs/cgroup/z/memory.max", "1000\n"),
        ];
        assert_eq!(limit("others", &files), None);
    }

    #[test]
    fn a_container_sees_its_group_at_the_mount() {
        let mounts = "31 30 0:29 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n\
                      32 30 0:30 /docker/x /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
        let files = [
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x/inner\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n"),
            ("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "4000\n"),
            ("sys/fs/cgroup/cpu/memory.limit_in_bytes", "1\n"),
        ];
        assert_eq!(limit("container", &files), Some(4000));
    }

    #[test]
    fn a_group_that_is_not_mounted_is_the_mounts() {
        let files = [
            ("proc/self/mountinfo", "31 30 0:29 /other /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/docker/x\n"),
            ("sys/fs/cgroup/memory.max", "7000\n"),
        ];
        assert_eq!(limit("elsewhere", &files), Some(7000));
    }

    #[test]
    fn both_versions_at_once() {
        let mounts = "31 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      41 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let files = [
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "4:memory:/x\n0::/y\n"),
            ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/unified/y/memory.max", "6000\n"),
        ];
        assert_eq!(limit("both", &files), Some(6000));
        assert_eq!(limit("none", &[("proc/self/cgroup", "4:memory:/x\n0::/y\n")]), None);
        assert_eq!(limit("nothing", &[]), None);
    }
}
