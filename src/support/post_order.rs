//! Post-order of a graph.

use super::{Id, IdMap};

/// Returns the nodes that can be reached from `roots`, in post-order: each node after its successors, except along
/// cycles. `count` is the number of nodes of the graph.
pub fn post_order<I: Id>(
    roots: impl IntoIterator<Item = I>,
    count: usize,
    following: impl Fn(I) -> Vec<I>,
) -> Vec<I> {
    let mut order = Vec::new();
    let mut seen = IdMap::with_len(false, count);
    for root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, following(root))];
        while let Some((node, rest)) = path.last_mut() {
            match rest.pop() {
                Some(next) if !std::mem::replace(&mut seen[next], true) => path.push((next, following(next))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}
