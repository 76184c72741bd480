//! Locks, condition variables, semaphores and barriers, as small atomic sections on cells.
//!
//! A mutex holds 0 or its owner's handle. A wait on a condition variable may end at any time (spurious wake-ups), so
//! it is an unlock followed by a lock, and signalling does nothing.

use super::calls::Args;
use super::library::Lock;
use super::lower::{Lower, Res};
use super::types::{Sync, Ty};
use super::value::{Place, Value, binary, compare, offset};
use crate::cfa::{BinOp, CmpOp, Expr, IntKind, Loc, Op, Reg};
use lang_c::span::Span as Bytes;

const EPERM: i128 = 1;
const EAGAIN: i128 = 11;
const EBUSY: i128 = 16;
const EDEADLK: i128 = 35;
const ETIMEDOUT: i128 = 110;

const RECURSIVE: i128 = 1;
const ERROR_CHECK: i128 = 2;

fn is(a: Expr, n: i128) -> Expr {
    compare(CmpOp::Eq, a, Expr::Const(n))
}

fn plus(a: Expr, n: i128) -> Expr {
    binary(BinOp::Add, a, Expr::Const(n), IntKind::Ideal)
}

/// A section of one call: everything after its first access is atomic with it.
struct Section {
    result: Reg,
    end: Loc,
}

impl<'a> Lower<'a> {
    fn section(&mut self) -> Section {
        Section { result: self.result_register(), end: self.body.fresh() }
    }
    fn peek(&mut self, address: &Expr, cell: u64) -> Expr {
        let e = self.body.load(offset(address.clone(), cell), IntKind::Ideal);
        self.body.hold();
        e
    }
    fn poke(&mut self, address: &Expr, cell: u64, v: Expr) {
        self.body.emit_held(Op::Store(offset(address.clone(), cell), v, IntKind::Ideal));
    }
    /// Goes two ways inside a section: continues where the test holds, gives where it does not.
    fn fork(&mut self, test: Expr) -> Loc {
        let no = self.body.fresh_held();
        self.body.edge_to(no, Op::Assume(test.clone().is_false()));
        self.body.emit_held(Op::Assume(test));
        no
    }
    fn outcome(&mut self, s: &Section, result: i128) {
        self.body.edge_to(s.end, Op::Assign(s.result, Expr::Const(result)));
    }
    fn leave_section(&mut self, s: Section) -> Value {
        self.body.cur = s.end;
        Value { expr: Expr::Reg(s.result), ty: Ty::Int(super::types::INT) }
    }

    fn lock_argument(&mut self, args: Args<'a>, k: usize, at: Bytes) -> Res<Place> {
        let a = self.argument(args, k, at)?;
        match self.pointee(a)? {
            Some(p) => Ok(p),
            None => self.error(a.span, "a null pointer where a lock is needed", ""),
        }
    }

    /// The address of the lock, or an error where it has none.
    fn address(&self, p: Place, at: Bytes) -> Res<Expr> {
        match p.at {
            super::value::At::Memory(e) => Ok(e),
            _ => self.error(at, "this lock has no address", ""),
        }
    }

    /// A call of a lock function.
    pub fn lock_call(&mut self, l: Lock, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.assume("pthread calls succeed");
        let place = self.lock_argument(args, 0, at)?;
        let kinds = self.types.mutex_kinds && matches!(place.ty.plain(), Ty::Sync(Sync::Mutex));
        let lock = self.address(place, at)?;
        match l {
            Lock::MutexInit => {
                let kind = match args.get(1) {
                    Some(a) if kinds => match self.pointee(a)? {
                        Some(p) => {
                            let attribute = self.address(p, a.span)?;
                            self.body.load(attribute, IntKind::Ideal)
                        }
                        None => Expr::Const(0),
                    },
                    _ => Expr::Const(0),
                };
                self.body.store(lock.clone(), Expr::Const(0), IntKind::Ideal);
                if kinds {
                    self.body.store(offset(lock.clone(), 1), Expr::Const(0), IntKind::Ideal);
                    self.body.store(offset(lock, 2), kind, IntKind::Ideal);
                }
                Ok(Value::int(0))
            }
            Lock::SpinInit => {
                self.body.store(lock, Expr::Const(0), IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::AttributeInit => {
                self.body.store(lock, Expr::Const(0), IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::AttributeKind => {
                let a = self.argument(args, 1, at)?;
                let v = self.value(a)?;
                self.body.store(lock, v.expr, IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::MutexTake => Ok(self.lock_mutex(&lock, kinds, false)),
            Lock::MutexTry => Ok(self.lock_mutex(&lock, kinds, true)),
            Lock::MutexUnlock => Ok(self.unlock_mutex(&lock, kinds)),
            Lock::CondWait | Lock::CondTimedWait => {
                self.assume("waits on condition variables wake up spuriously");
                let mutex = self.lock_argument(args, 1, at)?;
                let kinds = self.types.mutex_kinds && matches!(mutex.ty.plain(), Ty::Sync(Sync::Mutex));
                let mutex = self.address(mutex, at)?;
                self.unlock_mutex(&mutex, kinds);
                // Others run between the two, whatever the size of a step.
                self.body.open.insert(self.body.cur);
                self.lock_mutex(&mutex, kinds, false);
                if l == Lock::CondWait {
                    return Ok(Value::int(0));
                }
                let s = self.section();
                let (timeout, woken) = (self.body.fresh(), self.body.fresh());
                self.body.edge_to(timeout, Op::Skip);
                self.body.edge_to(woken, Op::Skip);
                self.body.cur = timeout;
                self.outcome(&s, ETIMEDOUT);
                self.body.cur = woken;
                self.outcome(&s, 0);
                Ok(self.leave_section(s))
            }
            Lock::RwInit => {
                self.body.store(lock.clone(), Expr::Const(0), IntKind::Ideal);
                self.body.store(offset(lock, 1), Expr::Const(0), IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::ReadTake | Lock::ReadTry => Ok(self.read_lock(&lock, l == Lock::ReadTry)),
            Lock::WriteTake | Lock::WriteTry => Ok(self.write_lock(&lock, l == Lock::WriteTry)),
            Lock::RwUnlock => Ok(self.unlock_rw(&lock)),
            Lock::SemInit => {
                let v = self.value(self.argument(args, 2, at)?)?;
                let v = self.convert(v, &Ty::Int(super::types::UINT), at)?;
                self.body.store(lock, v.expr, IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::SemWait | Lock::SemTry => {
                let s = self.section();
                let n = self.peek(&lock, 0);
                let none = self.fork(compare(CmpOp::Gt, n.clone(), Expr::Const(0)));
                self.poke(&lock, 0, plus(n, -1));
                self.outcome(&s, 0);
                self.blocked(none, l == Lock::SemTry, &s, -1);
                if l == Lock::SemTry {
                    self.assume(format!("a failed sem_trywait returns -1; errno ({EAGAIN}) is not set"));
                }
                Ok(self.leave_section(s))
            }
            Lock::SemPost => {
                let n = self.peek(&lock, 0);
                self.body.store(lock, plus(n, 1), IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::SemValue => {
                let a = self.argument(args, 1, at)?;
                let Some(to) = self.pointee(a)? else { return self.error(a.span, "a null pointer", "") };
                let n = self.body.load(lock, IntKind::Ideal);
                let v = Value { expr: n, ty: Ty::Int(self.types.long()) };
                self.write(&to, v, at)?;
                Ok(Value::int(0))
            }
            Lock::BarrierInit => {
                let v = self.value(self.argument(args, 2, at)?)?;
                self.body.store(lock.clone(), v.expr, IntKind::Ideal);
                self.body.store(offset(lock.clone(), 1), Expr::Const(0), IntKind::Ideal);
                self.body.store(offset(lock, 2), Expr::Const(0), IntKind::Ideal);
                Ok(Value::int(0))
            }
            Lock::BarrierWait => Ok(self.barrier_wait(&lock)),
        }
    }

    /// What a lock that is taken does: waits (no way on), or gives a number at once.
    fn blocked(&mut self, at: Loc, at_once: bool, s: &Section, result: i128) {
        if at_once {
            let here = std::mem::replace(&mut self.body.cur, at);
            self.outcome(s, result);
            self.body.cur = here;
        } else {
            self.body.dead.insert(at);
        }
    }

    fn lock_mutex(&mut self, lock: &Expr, kinds: bool, at_once: bool) -> Value {
        if !kinds && !at_once {
            let owner = self.peek(lock, 0);
            self.body.emit_held(Op::Assume(is(owner, 0)));
            self.body.store(lock.clone(), Expr::SelfId, IntKind::Ideal);
            return Value::int(0);
        }
        let s = self.section();
        let owner = self.peek(lock, 0);
        let taken = self.fork(is(owner.clone(), 0));
        self.poke(lock, 0, Expr::SelfId);
        if kinds {
            self.poke(lock, 1, Expr::Const(1));
        }
        self.outcome(&s, 0);
        if !kinds {
            self.blocked(taken, at_once, &s, EBUSY);
            return self.leave_section(s);
        }
        self.body.cur = taken;
        let others = self.fork(compare(CmpOp::Eq, owner, Expr::SelfId));
        self.blocked(others, at_once, &s, EBUSY);
        let kind = self.peek(lock, 2);
        let not_recursive = self.fork(is(kind.clone(), RECURSIVE));
        let count = self.peek(lock, 1);
        self.poke(lock, 1, plus(count, 1));
        self.outcome(&s, 0);
        self.body.cur = not_recursive;
        if at_once {
            self.outcome(&s, EBUSY);
        } else {
            let normal = self.fork(is(kind, ERROR_CHECK));
            self.outcome(&s, EDEADLK);
            // The owner of a normal mutex waits for itself.
            self.body.dead.insert(normal);
        }
        self.leave_section(s)
    }

    fn unlock_mutex(&mut self, lock: &Expr, kinds: bool) -> Value {
        self.assume("a normal mutex or a spin lock is unlocked only by the thread that holds it");
        let owner = self.peek(lock, 0);
        let mine = compare(CmpOp::Eq, owner, Expr::SelfId);
        if !kinds {
            self.body.assumes();
            self.body.emit_held(Op::Assume(mine));
            self.body.store(lock.clone(), Expr::Const(0), IntKind::Ideal);
            return Value::int(0);
        }
        let s = self.section();
        let kind = self.peek(lock, 2);
        let not_mine = self.fork(mine);
        let count = self.peek(lock, 1);
        let more = self.fork(compare(CmpOp::Le, count.clone(), Expr::Const(1)));
        self.poke(lock, 1, Expr::Const(0));
        self.poke(lock, 0, Expr::Const(0));
        self.outcome(&s, 0);
        self.body.cur = more;
        self.poke(lock, 1, plus(count, -1));
        self.outcome(&s, 0);
        self.body.cur = not_mine;
        let normal = self.fork(compare(CmpOp::Ge, kind, Expr::Const(RECURSIVE)));
        self.outcome(&s, EPERM);
        self.body.rule_out(normal);
        self.leave_section(s)
    }

    fn read_lock(&mut self, lock: &Expr, at_once: bool) -> Value {
        let s = self.section();
        let writer = self.peek(lock, 0);
        let taken = self.fork(is(writer, 0));
        let readers = self.peek(lock, 1);
        self.poke(lock, 1, plus(readers, 1));
        self.outcome(&s, 0);
        self.blocked(taken, at_once, &s, EBUSY);
        self.leave_section(s)
    }

    fn write_lock(&mut self, lock: &Expr, at_once: bool) -> Value {
        let s = self.section();
        let writer = self.peek(lock, 0);
        let taken = self.fork(is(writer, 0));
        let readers = self.peek(lock, 1);
        let read = self.fork(is(readers, 0));
        self.poke(lock, 0, Expr::SelfId);
        self.outcome(&s, 0);
        self.blocked(taken, at_once, &s, EBUSY);
        self.blocked(read, at_once, &s, EBUSY);
        self.leave_section(s)
    }

    fn unlock_rw(&mut self, lock: &Expr) -> Value {
        self.assume("a read-write lock is unlocked only by a thread that holds it");
        let s = self.section();
        let writer = self.peek(lock, 0);
        let reader = self.fork(compare(CmpOp::Eq, writer, Expr::SelfId));
        self.poke(lock, 0, Expr::Const(0));
        self.outcome(&s, 0);
        self.body.cur = reader;
        let readers = self.peek(lock, 1);
        self.body.assumes();
        self.body.emit_held(Op::Assume(compare(CmpOp::Gt, readers.clone(), Expr::Const(0))));
        self.poke(lock, 1, plus(readers, -1));
        self.outcome(&s, 0);
        self.leave_section(s)
    }

    /// The last one to arrive begins a new round; the others wait for it.
    fn barrier_wait(&mut self, lock: &Expr) -> Value {
        let s = self.section();
        let count = self.peek(lock, 0);
        let arrived = self.peek(lock, 1);
        let round = self.peek(lock, 2);
        let early = self.fork(compare(CmpOp::Ge, plus(arrived.clone(), 1), count));
        self.poke(lock, 1, Expr::Const(0));
        self.poke(lock, 2, plus(round.clone(), 1));
        // PTHREAD_BARRIER_SERIAL_THREAD.
        self.outcome(&s, -1);
        self.body.cur = early;
        self.body.store(offset(lock.clone(), 1), plus(arrived, 1), IntKind::Ideal);
        self.body.open.insert(self.body.cur);
        let now = self.peek(lock, 2);
        self.body.emit_held(Op::Assume(compare(CmpOp::Ne, now, round)));
        self.outcome(&s, 0);
        self.leave_section(s)
    }
}
