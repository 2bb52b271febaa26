//! Dominators of the blocks of a function, by Lengauer and Tarjan (A Fast Algorithm for Finding Dominators in a
//! Flowgraph, 1979) with path compression: no shape of flow makes them slow.

/// Block that cannot be reached, or no block.
const NONE: u32 = u32::MAX;

/// Edges of a graph, those of each node together.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// Position of the first edge of each node, and behind the last.
    pub starts: Vec<u32>,
    pub ends: Vec<u32>,
}

impl Edges {
    #[inline]
    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.ends[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Returns the edges in the other direction.
    pub(super) fn reversed(&self) -> Edges {
        let count = self.starts.len() - 1;
        let mut starts = vec![0; count + 2];
        for &to in &self.ends {
            starts[to as usize + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut ends = vec![0; self.ends.len()];
        for from in 0..count as u32 {
            for &to in self.of(from) {
                let at = &mut starts[to as usize + 1];
                ends[*at as usize] = from;
                *at += 1;
            }
        }
        starts.pop();
        Edges { starts, ends }
    }
}

/// Dominator tree of the nodes that can be reached from node 0.
#[derive(Debug)]
pub(super) struct Dominators {
    /// Position of each node in a walk over the tree that visits parents first; `NONE` if it cannot be reached.
    position: Vec<u32>,
    /// Position behind the last node below each node.
    end: Vec<u32>,
}

impl Dominators {
    /// Computes the dominators. There is at least one node.
    pub(super) fn of(successors: &Edges, predecessors: &Edges) -> Dominators {
        let count = successors.starts.len() - 1;
        let mut walk = Walk::of(successors, count);
        let parents = walk.dominators(predecessors);
        // Nodes are numbered in the order of the walk, in which dominators come first.
        let reached = walk.nodes.len();
        let mut sizes = vec![1u32; reached];
        for at in (1..reached).rev() {
            sizes[parents[at] as usize] += sizes[at];
        }
        let mut starts = vec![0u32; reached];
        let mut next = vec![1u32; reached];
        for at in 1..reached {
            let parent = parents[at] as usize;
            starts[at] = next[parent];
            next[parent] += sizes[at];
            next[at] = starts[at] + 1;
        }
        let (mut position, mut end) = (vec![NONE; count], vec![0; count]);
        for (at, &node) in walk.nodes.iter().enumerate() {
            position[node as usize] = starts[at];
            end[node as usize] = starts[at] + sizes[at];
        }
        Dominators { position, end }
    }

    #[inline]
    pub(super) fn is_reachable(&self, node: u32) -> bool {
        self.position[node as usize] != NONE
    }

    /// Checks whether all paths to `b`, which can be reached, pass through `a`. A node dominates itself.
    #[inline]
    pub(super) fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.position[a] <= self.position[b] && self.position[b] < self.end[a]
    }
}

/// Walk in depth, and the forest of the algorithm. All numbers are those of the walk.
struct Walk {
    /// Number of each node, or `NONE`.
    numbers: Vec<u32>,
    nodes: Vec<u32>,
    parents: Vec<u32>,
    semi: Vec<u32>,
    best: Vec<u32>,
    ancestors: Vec<u32>,
}

impl Walk {
    fn of(successors: &Edges, count: usize) -> Walk {
        let (mut numbers, mut nodes, mut parents) = (vec![NONE; count], vec![0], vec![NONE]);
        numbers[0] = 0;
        let mut path = vec![(0u32, 0usize)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&to) = successors.of(*node).get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            if numbers[to as usize] == NONE {
                parents.push(numbers[*node as usize]);
                numbers[to as usize] = nodes.len() as u32;
                nodes.push(to);
                path.push((to, 0));
            }
        }
        let own: Vec<u32> = (0..nodes.len() as u32).collect();
        let ancestors = vec![NONE; nodes.len()];
        Walk { numbers, nodes, parents, semi: own.clone(), best: own, ancestors }
    }

    /// Returns the immediate dominator of each node.
    fn dominators(&mut self, predecessors: &Edges) -> Vec<u32> {
        let count = self.nodes.len();
        let mut dominators = vec![0; count];
        // Lists of the nodes with the same semidominator.
        let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
        let mut path = Vec::new();
        for node in (1..count as u32).rev() {
            let at = node as usize;
            for &before in predecessors.of(self.nodes[at]) {
                let before = self.numbers[before as usize];
                if before != NONE {
                    let best = self.best_above(before, &mut path);
                    self.semi[at] = self.semi[at].min(self.semi[best as usize]);
                }
            }
            let semi = self.semi[at] as usize;
            (next[at], first[semi]) = (first[semi], node);
            let parent = self.parents[at];
            self.ancestors[at] = parent;
            let mut below = std::mem::replace(&mut first[parent as usize], NONE);
            while below != NONE {
                let best = self.best_above(below, &mut path);
                let is_lower = self.semi[best as usize] < self.semi[below as usize];
                dominators[below as usize] = if is_lower { best } else { parent };
                below = next[below as usize];
            }
        }
        for at in 1..count {
            if dominators[at] != self.semi[at] {
                dominators[at] = dominators[dominators[at] as usize];
            }
        }
        dominators
    }

    /// Returns the node with the least semidominator between `node` and the root of its tree, and shortens the way.
    fn best_above(&mut self, node: u32, path: &mut Vec<u32>) -> u32 {
        let mut at = node;
        while self.ancestors[at as usize] != NONE {
            path.push(at);
            at = self.ancestors[at as usize];
        }
        // The root and its children stay as they are.
        let root = at;
        path.pop();
        while let Some(at) = path.pop() {
            let above = self.ancestors[at as usize] as usize;
            let (own, other) = (self.best[at as usize], self.best[above]);
            if self.semi[other as usize] < self.semi[own as usize] {
                self.best[at as usize] = other;
            }
            self.ancestors[at as usize] = root;
        }
        self.best[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(list: &[Vec<u32>]) -> Edges {
        let mut edges = Edges { starts: vec![0], ends: Vec::new() };
        for to in list {
            edges.ends.extend(to);
            edges.starts.push(edges.ends.len() as u32);
        }
        edges
    }

    fn reached(list: &[Vec<u32>], without: Option<u32>) -> Vec<bool> {
        let mut seen = vec![false; list.len()];
        let mut work: Vec<u32> = if without == Some(0) { vec![] } else { vec![0] };
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                work.extend(list[node as usize].iter().copied().filter(|&to| Some(to) != without));
            }
        }
        seen
    }

    /// Compares with the definition: what cannot be reached without a node is dominated by it.
    #[test]
    fn random_graphs() {
        let mut state = 0x1234_5678_9abc_def1u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as usize % below
        };
        for round in 0..400 {
            let count = 1 + random(12);
            let list: Vec<Vec<u32>> =
                (0..count).map(|_| (0..random(4)).map(|_| random(count) as u32).collect()).collect();
            let successors = edges(&list);
            let found = Dominators::of(&successors, &successors.reversed());
            let all = reached(&list, None);
            for a in 0..count as u32 {
                assert_eq!(found.is_reachable(a), all[a as usize]);
                let without = reached(&list, Some(a));
                for b in (0..count as u32).filter(|&b| all[b as usize] && all[a as usize]) {
                    assert_eq!(
                        found.dominates(a, b),
                        !without[b as usize],
                        "round {round}: {a} {b} {list:?}"
                    );
                }
            }
        }
    }
}
