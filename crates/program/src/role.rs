//! What a variable of a formula about a step, or about several threads, stands for.
//!
//! Formulas are linear over [`Var`], a number. The two high bits of it say the role, the others the program's variable
//! or the step's input, so that every number has exactly one role. Normal forms sort by number: by role first.

use relyant_linear::{LinExpr, Var};

/// Whose value of a variable a formula means, and when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// A global or input, or a local of the thread that a formula is about, before the step. Its number is the variable's.
    Before(Var),
    /// A variable after the step.
    After(Var),
    /// A local of a second thread, which may be of the same template.
    Second(Var),
    /// A local of one more thread.
    Third(Var),
}

/// Numbers of variables and inputs are below: the others are the roles.
pub const VARIABLES: u32 = 1 << 30;

impl Role {
    /// The role of a variable in a formula.
    pub fn of(v: Var) -> Role {
        let plain = Var(v.0 % VARIABLES);
        match v.0 / VARIABLES {
            0 => Role::Before(plain),
            1 => Role::After(plain),
            2 => Role::Second(plain),
            _ => Role::Third(plain),
        }
    }
    /// The variable that has this role in a formula.
    ///
    /// # Panics
    /// The variable has a role already. Those of a program have none: [`Program::has_room_for_roles`] holds of all that are
    /// made or checked.
    ///
    /// [`Program::has_room_for_roles`]: crate::Program::has_room_for_roles
    pub fn var(self) -> Var {
        let role = match self {
            Role::Before(_) => 0,
            Role::After(_) => 1,
            Role::Second(_) => 2,
            Role::Third(_) => 3,
        };
        let plain = self.plain();
        assert!(plain.0 < VARIABLES, "the variable has a role already");
        Var(role * VARIABLES + plain.0)
    }
    /// The expression that is this variable alone.
    pub fn expr(self) -> LinExpr {
        LinExpr::var(self.var())
    }
    /// The program's variable or the step's input.
    pub fn plain(self) -> Var {
        match self {
            Role::Before(v) | Role::After(v) | Role::Second(v) | Role::Third(v) => v,
        }
    }
    /// Of which variable is it the value after the step?
    pub fn after(self) -> Option<Var> {
        match self {
            Role::After(v) => Some(v),
            Role::Before(_) | Role::Second(_) | Role::Third(_) => None,
        }
    }
    /// Of which variable is it the second thread's?
    pub fn second(self) -> Option<Var> {
        match self {
            Role::Second(v) => Some(v),
            Role::Before(_) | Role::After(_) | Role::Third(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [fn(Var) -> Role; 4] = [Role::Before, Role::After, Role::Second, Role::Third];

    /// Variables at every change of any of the 30 bits.
    fn variables() -> impl Iterator<Item = Var> + Clone {
        (0..30).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]).chain([VARIABLES - 1]).map(Var)
    }

    #[test]
    fn each_role_is_read_as_it_was_written() {
        for v in variables().filter(|v| v.0 < VARIABLES) {
            for role in ROLES.map(|r| r(v)) {
                assert_eq!(Role::of(role.var()), role);
                assert_eq!(role.plain(), v);
            }
            assert_eq!(Role::Before(v).var(), v);
        }
    }

    #[test]
    #[should_panic(expected = "has a role already")]
    fn no_variable_has_two_roles() {
        Role::Second(Role::After(Var(0)).var()).var();
    }

    #[test]
    fn each_number_has_one_role() {
        for high in 0..4 {
            for v in variables().map(|v| Var(high * VARIABLES + v.0 % VARIABLES)) {
                assert_eq!(Role::of(v).var(), v);
            }
        }
    }

    #[test]
    fn numbers_are_sorted_as_roles_are() {
        let (low, high) = (Var(0), Var(VARIABLES - 1));
        let all: Vec<Role> = ROLES.iter().flat_map(|r| [r(low), r(high)]).collect();
        assert!(all.is_sorted_by(|a, b| a < b && a.var() < b.var()));
    }
}
