//! Paths through a template, whatever their conditions.

use crate::Template;

/// Locations that some path from the given ones reaches.
pub fn reachable(
    template: &Template,
    from: impl IntoIterator<Item = usize>,
    by: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut seen = vec![false; template.locations.len()];
    for l in from {
        seen[l] = true;
    }
    loop {
        let mut changed = false;
        for (k, e) in template.edges.iter().enumerate() {
            if seen[e.from.0 as usize] && by(k) {
                changed |= !std::mem::replace(&mut seen[e.to.0 as usize], true);
            }
        }
        if !changed {
            return seen;
        }
    }
}
