//! NUMA nodes and caches that processors share, as Linux describes them in /sys.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use grus_support::fork::Global;

/// Resource that processors share, the widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    Numa,
    L4,
    L3,
    L2,
    L1,
}

impl Domain {
    /// All domains, the widest first.
    pub const ALL: [Self; 5] = [Self::Numa, Self::L4, Self::L3, Self::L2, Self::L1];

    fn of_cache(level: usize) -> Option<Self> {
        Some(match level {
            1 => Self::L1,
            2 => Self::L2,
            3 => Self::L3,
            4 => Self::L4,
            _ => return None,
        })
    }
}

/// Number of what each processor uses of each domain: that of the NUMA node, or that of the first processor that
/// shares the cache.
#[derive(Debug, Default)]
pub struct Topology(BTreeMap<(usize, Domain), usize>);

/// Returns the topology of this machine.
pub fn topology() -> &'static Topology {
    static TOPOLOGY: Global<Topology> = Global::fact();
    TOPOLOGY.get(|| Topology::read(Path::new("/sys/devices/system")))
}

impl Topology {
    /// Reads the topology from the files in `folder`. Missing files leave it empty.
    fn read(folder: &Path) -> Self {
        let mut topology = Self::default();
        for node in numbered(folder.join("node"), "node") {
            topology.share(Domain::Numa, node, &list(&folder.join(format!("node/node{node}/cpulist"))));
        }
        for cpu in numbered(folder.join("cpu"), "cpu") {
            let caches = folder.join(format!("cpu/cpu{cpu}/cache"));
            for index in numbered(caches.clone(), "index") {
                let cache = caches.join(format!("index{index}"));
                let text = |name: &str| fs::read_to_string(cache.join(name)).unwrap_or_default();
                let level = text("level").trim().parse().ok().and_then(Domain::of_cache);
                if let Some(domain) = level
                    && text("type").trim() != "Instruction"
                {
                    let cpus = list(&cache.join("shared_cpu_list"));
                    topology.share(domain, cpus.iter().copied().min().unwrap_or(cpu), &cpus);
                }
            }
        }
        topology
    }

    /// Adds processors that share the node or cache of this number.
    pub fn share(&mut self, domain: Domain, number: usize, cpus: &[usize]) {
        self.0.extend(cpus.iter().map(|&cpu| ((cpu, domain), number)));
    }

    /// Returns the number of the NUMA node to which all of these processors belong, on a machine with processors in
    /// several nodes.
    pub fn node(&self, cpus: &[usize]) -> Option<usize> {
        let node = |cpu: usize| self.0.get(&(cpu, Domain::Numa)).copied();
        let only = node(*cpus.first()?)?;
        let has_others = self.0.iter().any(|(&(_, domain), &node)| domain == Domain::Numa && node != only);
        (has_others && cpus.iter().all(|&cpu| node(cpu) == Some(only))).then_some(only)
    }

    /// Sorts processors so that those which share domains are adjacent.
    pub fn sorted(&self, cpus: &[usize]) -> Vec<usize> {
        let mut sorted = cpus.to_vec();
        sorted.sort_by_key(|&cpu| (Domain::ALL.map(|domain| self.0.get(&(cpu, domain))), cpu));
        sorted
    }

    /// Splits processors into one list for each node or cache of the domain. Processors whose domain is unknown
    /// share a list.
    pub fn groups(&self, cpus: &[usize], domain: Domain) -> Vec<Vec<usize>> {
        let mut groups: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
        for &cpu in cpus {
            let shared = self.0.get(&(cpu, domain)).copied();
            match groups.iter_mut().find(|(key, _)| *key == shared) {
                Some((_, group)) => group.push(cpu),
                None => groups.push((shared, vec![cpu])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

/// Returns the numbers N of a folder's entries `prefixN`.
fn numbered(folder: impl AsRef<Path>, prefix: &str) -> Vec<usize> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok();
    let mut numbers: Vec<usize> = entries.filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Reads a file with a list such as `0-3,8,10-11`.
fn list(file: &Path) -> Vec<usize> {
    ranges(&fs::read_to_string(file).unwrap_or_default())
}

fn ranges(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns two nodes with a third-level cache each, and four cores with two threads each.
    pub fn two_nodes() -> Topology {
        let mut topology = Topology::default();
        for node in [0, 1] {
            let all: Vec<usize> = (0..8).filter(|cpu| cpu % 4 / 2 == node).collect();
            topology.share(Domain::Numa, node, &all);
            topology.share(Domain::L3, all[0], &all);
        }
        for core in 0..4 {
            topology.share(Domain::L2, core, &[core, core + 4]);
            topology.share(Domain::L1, core, &[core, core + 4]);
        }
        topology
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(ranges("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(ranges("5"), [5]);
        assert!(ranges("").is_empty() && ranges("x-3").is_empty());
    }

    #[test]
    fn neighbors_stand_side_by_side() {
        assert_eq!(two_nodes().sorted(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(Topology::default().sorted(&[3, 1, 2]), [1, 2, 3]);
    }

    #[test]
    fn groups_share_a_domain() {
        let topology = two_nodes();
        let all = topology.sorted(&[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(topology.groups(&all, Domain::Numa), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(topology.groups(&all, Domain::L2), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        // There is no fourth-level cache.
        assert_eq!(topology.groups(&all, Domain::L4).len(), 1);
        assert_eq!(topology.groups(&[4, 3], Domain::L3), [[4], [3]]);
    }

    #[test]
    fn processors_of_one_node_are_near_its_memory() {
        let topology = two_nodes();
        assert_eq!(
            [&[0, 5][..], &[6], &[3, 7, 2]].map(|cpus| topology.node(cpus)),
            [Some(0), Some(1), Some(1)]
        );
        assert_eq!([&[0, 2][..], &[], &[8], &[0, 8]].map(|cpus| topology.node(cpus)), [None; 4]);
        // All memory is equally near to the processors of the only node.
        let mut single = Topology::default();
        single.share(Domain::Numa, 0, &[0, 1]);
        assert_eq!(single.node(&[0, 1]), None);
    }

    #[test]
    fn files_are_read() {
        let root = std::env::temp_dir().join(format!("grus-topology-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("node/node0/cpulist", "0\n");
        write("node/node1/cpulist", "1\n");
        for cpu in 0..2 {
            for (index, level, kind, shared) in
                [(0, 1, "Data", "0"), (1, 1, "Instruction", "0-1"), (2, 3, "Unified", "0-1")]
            {
                let shared = if shared == "0" { cpu.to_string() } else { shared.to_owned() };
                let cache = format!("cpu/cpu{cpu}/cache/index{index}");
                write(&format!("{cache}/level"), &format!("{level}\n"));
                write(&format!("{cache}/type"), &format!("{kind}\n"));
                write(&format!("{cache}/shared_cpu_list"), &format!("{shared}\n"));
            }
        }
        write("cpu/cpufreq/x", "");
        let topology = Topology::read(&root);
        let _ = fs::remove_dir_all(&root);
        assert_eq!(topology.groups(&[0, 1], Domain::Numa), [[0], [1]]);
        assert_eq!((topology.node(&[1]), topology.node(&[0, 1])), (Some(1), None));
        assert_eq!(topology.groups(&[0, 1], Domain::L3), [[0, 1]]);
        assert_eq!(topology.groups(&[0, 1], Domain::L2), [[0, 1]]);
        assert_eq!(topology.groups(&[0, 1], Domain::L1), [[0], [1]]);
    }
}
