//! Where in the source lowering is: what encloses the construct being lowered, and what that asks of it.

use super::access::Relaxed;
use super::cleanups::Cleanup;
use super::scope::{Scopes, Suspended};
use super::types::Ty;
use relyant_cfa::Loc;

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// Where `break` goes: behind the loop or switch.
    pub exit: Loc,
    /// Target of `continue`; none in a switch.
    pub next: Option<Loc>,
    /// Variables to clean up that were declared before.
    pub cleanups: usize,
}

/// The cases of a switch, found while its body is lowered.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    /// First value, last value, target.
    pub cases: Vec<(i128, i128, Loc)>,
    /// Where `default` goes; none so far, or none at all.
    pub default: Option<Loc>,
    /// Type of the controlling expression.
    pub ty: Option<Ty>,
}

/// Surroundings of what is lowered. Lists are stacks, innermost last, and empty between functions.
#[derive(Default, Debug)]
pub struct Context {
    /// Names that are seen here: the file's, and those of enclosing blocks.
    pub scopes: Scopes,
    /// Loops and switches around.
    pub jumps: Vec<Jump>,
    /// Switches around; each has an entry of `jumps` without a target of `continue`.
    pub switches: Vec<Switch>,
    /// Variables to clean up, of all blocks around. A jump says how many there were when its loop began.
    pub cleanups: Vec<Cleanup>,
    /// What the order of the atomic operation around leaves open; nothing outside of one.
    pub relaxed: Relaxed,
    /// A pointer is seen as bytes only to move by a member's offset.
    pub through_bytes: bool,
    /// The number that is added to a pointer next is one of cells.
    pub in_cells: bool,
    /// A parameter is being declared.
    pub in_parameter: bool,
}

/// What surrounds a place in a function, put aside.
#[derive(Debug)]
pub struct Aside {
    scopes: Suspended,
    jumps: Vec<Jump>,
    switches: Vec<Switch>,
    cleanups: Vec<Cleanup>,
    relaxed: Relaxed,
}

impl Context {
    /// A function begins: nothing of it is around yet.
    pub fn begin(&mut self) {
        self.jumps.clear();
        self.switches.clear();
        self.cleanups.clear();
        self.relaxed = Relaxed::default();
    }
    /// Looks at the file's scope only, outside of any function.
    pub fn suspend(&mut self) -> Aside {
        Aside {
            scopes: self.scopes.suspend(),
            jumps: std::mem::take(&mut self.jumps),
            switches: std::mem::take(&mut self.switches),
            cleanups: std::mem::take(&mut self.cleanups),
            relaxed: std::mem::take(&mut self.relaxed),
        }
    }
    /// Goes back to where lowering was.
    pub fn resume(&mut self, aside: Aside) {
        self.scopes.resume(aside.scopes);
        self.jumps = aside.jumps;
        self.switches = aside.switches;
        self.cleanups = aside.cleanups;
        self.relaxed = aside.relaxed;
    }
    /// Forgets cases at locations from this one on: they are taken back.
    pub fn rewind(&mut self, locations: usize) {
        let kept = |l: &Loc| (l.0 as usize) < locations;
        for s in &mut self.switches {
            s.cases.retain(|c| kept(&c.2));
            s.default = s.default.filter(kept);
        }
    }
}
