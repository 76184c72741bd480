//! Locks, condition variables, semaphores and barriers, as small atomic sections on cells.
//!
//! A mutex holds 0 or its owner's handle. A wait on a condition variable may end at any time (spurious wake-ups), so
//! it is an unlock followed by a lock, and signalling does nothing. That is too good where deadlocks are looked for: a
//! thread decides there, when its wait begins, whether it will wake up by itself. If not it waits for a signal. The
//! variable counts who waits and how many of them are woken but have not left; nobody begins to wait before those have.

use super::body::Body;
use super::calls::Args;
use super::library::Lock;
use super::lower::{Lower, Res};
use super::types::{Sync, Ty};
use super::value::{Place, Value, binary, compare, offset};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Loc, Op, Reg, Told};

const EPERM: i128 = 1;
const EAGAIN: i128 = 11;
const EBUSY: i128 = 16;
const EINVAL: i128 = 22;
const EDEADLK: i128 = 35;
const ETIMEDOUT: i128 = 110;

// C11's.
const THRD_BUSY: i128 = 1;
const THRD_TIMEDOUT: i128 = 4;

const RECURSIVE: i128 = 1;
const ERROR_CHECK: i128 = 2;

fn is(a: Expr, n: i128) -> Expr {
    compare(CmpOp::Eq, a, Expr::Const(n))
}

fn plus(a: Expr, n: i128) -> Expr {
    binary(BinOp::Add, a, Expr::Const(n), IntKind::Ideal)
}

/// What a call does where a lock is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Wait,
    /// Gives a number at once.
    Fails(i128),
    /// Gives a number when the time is over, which may be at once.
    TimesOut(i128),
}

/// Does the call order memory (POSIX, 4.12)?
fn synchronises(l: Lock) -> bool {
    !matches!(
        l,
        Lock::MutexInit
            | Lock::SpinInit
            | Lock::AttributeInit
            | Lock::AttributeKind
            | Lock::AttributeRead
            | Lock::AttributeRobust
            | Lock::CondInit
            | Lock::CondSignal
            | Lock::CondBroadcast
            | Lock::RwInit
            | Lock::SemInit
            | Lock::SemValue
            | Lock::BarrierInit
    )
}

/// A section of one call: everything after its first access is atomic with it.
struct Section {
    result: Reg,
    end: Loc,
}

impl<'a> Lower<'a> {
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
    /// `c11`: it gives what `<threads.h>` says.
    pub fn lock_call(&mut self, l: Lock, c11: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.unit.assume("pthread calls succeed");
        let busy = Taken::Fails(if c11 { THRD_BUSY } else { EBUSY });
        let timeout = if c11 { THRD_TIMEDOUT } else { ETIMEDOUT };
        let late = Taken::TimesOut(timeout);
        let signals = matches!(l, Lock::CondInit | Lock::CondSignal | Lock::CondBroadcast);
        if signals && !self.unit.types.cond_counts {
            self.evaluate(args)?;
            return Ok(Value::int(0));
        }
        let (lock, kinds) = self.lock_operands(l, args, at)?;
        if self.unit.options.is_tso() && synchronises(l) {
            self.body.fence(true);
        }
        match l {
            Lock::MutexInit => return self.mutex_init(lock, kinds, c11, args.get(1)),
            Lock::SpinInit | Lock::AttributeInit => self.body.clear(&lock, 1),
            Lock::CondInit | Lock::RwInit => self.body.clear(&lock, 2),
            Lock::AttributeKind => {
                let v = self.value(self.argument(args, 1, at)?)?;
                self.body.store(lock, v.expr, IntKind::Ideal);
            }
            Lock::AttributeRead | Lock::SemValue => self.read_out(lock, self.argument(args, 1, at)?, at)?,
            Lock::AttributeRobust => match self.constant(self.argument(args, 1, at)?)? {
                Some(0) => {}
                _ => return self.refuse(at, "a robust mutex is", "unlock it before the thread ends"),
            },
            Lock::MutexTake => return Ok(self.lock_mutex(&lock, kinds, Taken::Wait)),
            Lock::MutexTry => return Ok(self.lock_mutex(&lock, kinds, busy)),
            Lock::MutexTimed => return Ok(self.lock_mutex(&lock, kinds, late)),
            Lock::MutexUnlock => return Ok(self.unlock_mutex(&lock, kinds)),
            Lock::CondSignal | Lock::CondBroadcast => self.body.wake(&lock, l == Lock::CondBroadcast),
            Lock::CondWait => return self.cond_wait(&lock, None, args, at),
            Lock::CondTimedWait => return self.cond_wait(&lock, Some(timeout), args, at),
            Lock::ReadTake => return Ok(self.read_lock(&lock, Taken::Wait)),
            Lock::ReadTry => return Ok(self.read_lock(&lock, busy)),
            Lock::ReadTimed => return Ok(self.read_lock(&lock, late)),
            Lock::WriteTake => return Ok(self.write_lock(&lock, Taken::Wait)),
            Lock::WriteTry => return Ok(self.write_lock(&lock, busy)),
            Lock::WriteTimed => return Ok(self.write_lock(&lock, late)),
            Lock::RwUnlock => return Ok(self.unlock_rw(&lock)),
            Lock::SemInit => {
                let v = self.value(self.argument(args, 2, at)?)?;
                let v = self.convert(v, &Ty::Int(super::types::UINT), at)?;
                self.body.store(lock, v.expr, IntKind::Ideal);
            }
            Lock::SemWait => return self.sem_wait(&lock, None, at),
            Lock::SemTry => return self.sem_wait(&lock, Some(EAGAIN), at),
            Lock::SemTimed => return self.sem_wait(&lock, Some(ETIMEDOUT), at),
            Lock::SemPost => {
                let n = self.body.peek(&lock, 0);
                self.body.store(lock, plus(n, 1), IntKind::Ideal);
            }
            Lock::BarrierInit => {
                let v = self.value(self.argument(args, 2, at)?)?;
                if v.constant() == Some(0) {
                    return Ok(Value::int(EINVAL));
                }
                self.body.store(lock.clone(), v.expr, IntKind::Ideal);
                for k in 1..3 {
                    self.body.store(offset(lock.clone(), k), Expr::Const(0), IntKind::Ideal);
                }
            }
            Lock::BarrierWait => return Ok(self.body.barrier_wait(&lock)),
        }
        Ok(Value::int(0))
    }

    /// Evaluates what a lock call is passed, but for what it is lowered with. Gives the lock's address, and whether it
    /// is a mutex that may be of several kinds.
    fn lock_operands(&mut self, l: Lock, args: Args<'a>, at: Bytes) -> Res<(Expr, bool)> {
        self.body.begin_operands(false);
        let place = self.lock_argument(args, 0, at)?;
        if let Ty::Sync(s) = place.ty.plain() {
            if !fits(l, s) {
                let help = "call the function for what it is";
                return self.refuse(at, "a lock function on an object of another kind is", help);
            }
        }
        self.body.end_operand();
        let kinds = self.has_kinds(&place);
        let lock = self.address(place, at)?;
        // What a lock call is besides evaluated, for what it does.
        let rest = match l {
            Lock::MutexTimed | Lock::ReadTimed | Lock::WriteTimed | Lock::SemTimed => 1,
            Lock::CondTimedWait => 2,
            _ => args.len(),
        };
        for a in args.iter().skip(rest) {
            self.effect(a)?;
            self.body.end_operand();
        }
        match args.len() {
            1 => self.body.end_arguments(),
            // What is evaluated below is none of the call.
            _ => self.body.end_operands(),
        }
        Ok((lock, kinds))
    }

    /// Is it a mutex that may be recursive or error checking?
    fn has_kinds(&self, lock: &Place) -> bool {
        self.unit.types.mutex_kinds && matches!(lock.ty.plain(), Ty::Sync(Sync::Mutex))
    }

    /// A new mutex: POSIX has an attribute for its kind, C11 a number.
    fn mutex_init(
        &mut self,
        lock: Expr,
        kinds: bool,
        c11: bool,
        kind: Option<&'a Node<Expression>>,
    ) -> Res<Value> {
        let kind = match kind {
            Some(a) if kinds && c11 => {
                let v = self.value(a)?;
                // mtx_recursive is a bit.
                binary(BinOp::Rem, v.expr, Expr::Const(2), IntKind::Ideal)
            }
            Some(a) if kinds => match self.pointee(a)? {
                Some(p) => {
                    let attribute = self.address(p, a.span)?;
                    self.body.load(attribute, IntKind::Ideal)
                }
                None => Expr::Const(0),
            },
            _ => Expr::Const(0),
        };
        self.body.clear(&lock, if kinds { 2 } else { 1 });
        if kinds {
            self.body.store(offset(lock, 2), kind, IntKind::Ideal);
        }
        Ok(Value::int(0))
    }

    /// Writes what a lock holds where an argument points to.
    fn read_out(&mut self, lock: Expr, to: &'a Node<Expression>, at: Bytes) -> Res<()> {
        let Some(place) = self.pointee(to)? else { return self.error(to.span, "a null pointer", "") };
        let held = self.body.load(lock, IntKind::Ideal);
        self.write(&place, Value { expr: held, ty: Ty::Int(self.unit.types.long()) }, at)?;
        Ok(())
    }

    /// A wait on a condition variable; `timeout`: what it gives when the time is over, if it may be.
    fn cond_wait(&mut self, cond: &Expr, timeout: Option<i128>, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.unit.assume("waits on condition variables wake up spuriously");
        self.cancelled_now(at)?;
        let mutex = self.lock_argument(args, 1, at)?;
        let kinds = self.has_kinds(&mutex);
        let mutex = self.address(mutex, at)?;
        if self.unit.types.cond_counts {
            self.body.begin_wait(cond);
        }
        self.unlock_mutex(&mutex, kinds);
        // Others run between the two, whatever the size of a step.
        self.body.open.insert(self.body.cur);
        if self.unit.types.cond_counts {
            self.body.end_wait(cond, timeout.is_some());
            self.body.open.insert(self.body.cur);
        } else {
            self.body.tell(self.body.cur, Told::Waits);
        }
        self.lock_mutex(&mutex, kinds, Taken::Wait);
        self.may_be_cancelled(at)?;
        let Some(timeout) = timeout else { return Ok(Value::int(0)) };
        let s = self.body.section();
        let (late, woken) = (self.body.fresh(), self.body.fresh());
        self.body.tell(self.body.cur, Told::MayTimeOut(timeout));
        self.body.edge_to(late, Op::Skip);
        self.body.edge_to(woken, Op::Skip);
        self.body.cur = late;
        self.body.outcome(&s, timeout);
        self.body.cur = woken;
        self.body.outcome(&s, 0);
        Ok(self.body.leave_section(s))
    }

    /// Takes one from a semaphore; `errno`: what is wrong where there is none, if it does not wait for ever.
    fn sem_wait(&mut self, lock: &Expr, errno: Option<i128>, at: Bytes) -> Res<Value> {
        let s = self.body.section();
        let n = self.body.peek(lock, 0);
        let none = self.body.fork(compare(CmpOp::Gt, n.clone(), Expr::Const(0)));
        self.body.poke(lock, 0, plus(n, -1));
        self.body.outcome(&s, 0);
        match errno {
            None => {
                self.body.dead.insert(none);
            }
            Some(errno) => {
                self.body.cur = none;
                if errno == ETIMEDOUT {
                    self.body.tell(none, Told::TimesOut);
                }
                self.set_errno(errno, at)?;
                self.body.outcome(&s, -1);
            }
        }
        Ok(self.body.leave_section(s))
    }

    fn lock_mutex(&mut self, lock: &Expr, kinds: bool, busy: Taken) -> Value {
        if !kinds && busy == Taken::Wait {
            let owner = self.body.peek(lock, 0);
            self.body.emit_held(Op::Assume(is(owner, 0)));
            self.body.store(lock.clone(), Expr::SelfId, IntKind::Ideal);
            return Value::int(0);
        }
        let s = self.body.section();
        let owner = self.body.peek(lock, 0);
        let taken = self.body.fork(is(owner.clone(), 0));
        self.body.poke(lock, 0, Expr::SelfId);
        if kinds {
            self.body.poke(lock, 1, Expr::Const(1));
        }
        self.body.outcome(&s, 0);
        if !kinds {
            self.body.blocked(taken, busy, &s);
            return self.body.leave_section(s);
        }
        self.body.cur = taken;
        let others = self.body.fork(compare(CmpOp::Eq, owner, Expr::SelfId));
        self.body.blocked(others, busy, &s);
        let kind = self.body.peek(lock, 2);
        let not_recursive = self.body.fork(is(kind.clone(), RECURSIVE));
        let count = self.body.peek(lock, 1);
        self.body.poke(lock, 1, plus(count, 1));
        self.body.outcome(&s, 0);
        self.body.cur = not_recursive;
        if let Taken::Fails(result) = busy {
            self.body.outcome(&s, result);
        } else {
            let normal = self.body.fork(is(kind, ERROR_CHECK));
            self.body.outcome(&s, EDEADLK);
            // The owner of a normal mutex waits for itself.
            self.body.blocked(normal, busy, &s);
        }
        self.body.leave_section(s)
    }

    fn unlock_mutex(&mut self, lock: &Expr, kinds: bool) -> Value {
        self.unit.assume("a normal mutex or a spin lock is unlocked only by the thread that holds it");
        let owner = self.body.peek(lock, 0);
        let mine = compare(CmpOp::Eq, owner, Expr::SelfId);
        if !kinds {
            self.body.assumes();
            self.body.emit_held(Op::Assume(mine));
            self.body.store(lock.clone(), Expr::Const(0), IntKind::Ideal);
            return Value::int(0);
        }
        let s = self.body.section();
        let kind = self.body.peek(lock, 2);
        let not_mine = self.body.fork(mine);
        let count = self.body.peek(lock, 1);
        let more = self.body.fork(compare(CmpOp::Le, count.clone(), Expr::Const(1)));
        self.body.poke(lock, 1, Expr::Const(0));
        self.body.poke(lock, 0, Expr::Const(0));
        self.body.outcome(&s, 0);
        self.body.cur = more;
        self.body.poke(lock, 1, plus(count, -1));
        self.body.outcome(&s, 0);
        self.body.cur = not_mine;
        let normal = self.body.fork(compare(CmpOp::Ge, kind, Expr::Const(RECURSIVE)));
        self.body.outcome(&s, EPERM);
        self.body.rule_out(normal);
        self.body.leave_section(s)
    }

    fn read_lock(&mut self, lock: &Expr, busy: Taken) -> Value {
        let s = self.body.section();
        let writer = self.body.peek(lock, 0);
        let taken = self.body.fork(is(writer.clone(), 0));
        let readers = self.body.peek(lock, 1);
        self.body.poke(lock, 1, plus(readers, 1));
        self.body.outcome(&s, 0);
        self.written(taken, writer, busy, &s);
        self.body.leave_section(s)
    }

    /// Where there is a writer: it is told that it would wait for itself, as glibc does.
    fn written(&mut self, at: Loc, writer: Expr, taken: Taken, s: &Section) {
        if let Taken::Fails(_) = taken {
            return self.body.blocked(at, taken, s);
        }
        self.body.cur = at;
        let others = self.body.fork(compare(CmpOp::Eq, writer, Expr::SelfId));
        self.body.outcome(s, EDEADLK);
        self.body.blocked(others, taken, s);
    }

    fn write_lock(&mut self, lock: &Expr, busy: Taken) -> Value {
        let s = self.body.section();
        let writer = self.body.peek(lock, 0);
        let taken = self.body.fork(is(writer.clone(), 0));
        let readers = self.body.peek(lock, 1);
        let read = self.body.fork(is(readers, 0));
        self.body.poke(lock, 0, Expr::SelfId);
        self.body.outcome(&s, 0);
        self.written(taken, writer, busy, &s);
        self.body.blocked(read, busy, &s);
        self.body.leave_section(s)
    }

    fn unlock_rw(&mut self, lock: &Expr) -> Value {
        self.unit.assume("a read-write lock is unlocked only by a thread that holds it");
        let s = self.body.section();
        let writer = self.body.peek(lock, 0);
        let reader = self.body.fork(compare(CmpOp::Eq, writer, Expr::SelfId));
        self.body.poke(lock, 0, Expr::Const(0));
        self.body.outcome(&s, 0);
        self.body.cur = reader;
        let readers = self.body.peek(lock, 1);
        self.body.assumes();
        self.body.emit_held(Op::Assume(compare(CmpOp::Gt, readers.clone(), Expr::Const(0))));
        self.body.poke(lock, 1, plus(readers, -1));
        self.body.outcome(&s, 0);
        self.body.leave_section(s)
    }
}

impl Body {
    /// The first cells of a lock hold 0.
    fn clear(&mut self, lock: &Expr, cells: u64) {
        self.store(lock.clone(), Expr::Const(0), IntKind::Ideal);
        for k in 1..cells {
            self.store(offset(lock.clone(), k), Expr::Const(0), IntKind::Ideal);
        }
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
        self.cur = early;
        self.store(offset(lock.clone(), 1), plus(arrived, 1), IntKind::Ideal);
        self.open.insert(self.cur);
        let now = self.peek(lock, 2);
        self.emit_held(Op::Assume(compare(CmpOp::Ne, now, round)));
        self.outcome(&s, 0);
        self.leave_section(s)
    }

    fn section(&mut self) -> Section {
        Section { result: self.result_register(), end: self.fresh() }
    }

    /// What a lock that is taken does: waits (no way on), or gives a number at once.
    fn blocked(&mut self, at: Loc, taken: Taken, s: &Section) {
        match taken {
            Taken::Fails(result) | Taken::TimesOut(result) => {
                if let Taken::TimesOut(_) = taken {
                    self.tell(at, Told::TimesOut);
                }
                let here = std::mem::replace(&mut self.cur, at);
                self.outcome(s, result);
                self.cur = here;
            }
            Taken::Wait => {
                self.dead.insert(at);
            }
        }
    }

    /// One more waits: a step that goes on with the release of the mutex.
    fn begin_wait(&mut self, cond: &Expr) {
        let woken = self.peek(cond, 1);
        self.emit_held(Op::Assume(is(woken, 0)));
        let waiting = self.peek(cond, 0);
        self.poke(cond, 0, plus(waiting, 1));
    }

    /// The end of a wait: by a signal, or `timed` or if it was decided so by itself.
    fn end_wait(&mut self, cond: &Expr, timed: bool) {
        let (by_signal, by_itself, end) = (self.fresh(), self.fresh(), self.fresh());
        if !timed {
            self.edge_to(by_signal, Op::Skip);
        }
        self.edge_to(by_itself, Op::Skip);
        for (at, cells) in [(by_signal, &[1][..]), (by_itself, &[1, 0][..])] {
            for cell in cells {
                self.cur = at;
                let n = self.peek(cond, *cell);
                self.emit_held(Op::Assume(compare(CmpOp::Gt, n.clone(), Expr::Const(0))));
                self.poke(cond, *cell, plus(n, -1));
                self.edge_to(end, Op::Skip);
            }
        }
        self.cur = end;
    }

    /// One of those who wait is woken, or all are.
    fn wake(&mut self, cond: &Expr, all: bool) {
        let end = self.fresh();
        let waiting = self.peek(cond, 0);
        let nobody = self.fork(compare(CmpOp::Gt, waiting.clone(), Expr::Const(0)));
        let by = if all { waiting.clone() } else { Expr::Const(1) };
        self.poke(cond, 0, binary(BinOp::Sub, waiting, by.clone(), IntKind::Ideal));
        let woken = self.peek(cond, 1);
        self.poke(cond, 1, binary(BinOp::Add, woken, by, IntKind::Ideal));
        self.edge_to(end, Op::Skip);
        self.cur = nobody;
        self.edge_to(end, Op::Skip);
        self.cur = end;
    }

    fn peek(&mut self, address: &Expr, cell: u64) -> Expr {
        let e = self.load(offset(address.clone(), cell), IntKind::Ideal);
        self.hold();
        e
    }

    fn poke(&mut self, address: &Expr, cell: u64, v: Expr) {
        self.emit_held(Op::Store(offset(address.clone(), cell), v, IntKind::Ideal));
    }

    /// Goes two ways inside a section: continues where the test holds, gives where it does not.
    fn fork(&mut self, test: Expr) -> Loc {
        let no = self.fresh_held();
        self.edge_to(no, Op::Assume(test.clone().is_false()));
        self.emit_held(Op::Assume(test));
        no
    }

    fn outcome(&mut self, s: &Section, result: i128) {
        self.edge_to(s.end, Op::Assign(s.result, Expr::Const(result)));
    }

    fn leave_section(&mut self, s: Section) -> Value {
        self.cur = s.end;
        Value { expr: Expr::Reg(s.result), ty: Ty::Int(super::types::INT) }
    }
}

/// May a lock function be called on an object of a kind?
fn fits(l: Lock, s: &Sync) -> bool {
    match l {
        // A spin lock is a mutex whose owner nobody asks for.
        Lock::MutexInit
        | Lock::MutexTake
        | Lock::MutexTry
        | Lock::MutexTimed
        | Lock::MutexUnlock
        | Lock::SpinInit => {
            matches!(s, Sync::Mutex | Sync::Spin)
        }
        Lock::AttributeKind | Lock::AttributeInit | Lock::AttributeRead | Lock::AttributeRobust => {
            matches!(s, Sync::MutexAttribute | Sync::Attribute)
        }
        Lock::ReadTake
        | Lock::ReadTry
        | Lock::ReadTimed
        | Lock::WriteTake
        | Lock::WriteTry
        | Lock::WriteTimed
        | Lock::RwUnlock
        | Lock::RwInit => matches!(s, Sync::RwLock),
        Lock::CondInit | Lock::CondWait | Lock::CondTimedWait | Lock::CondSignal | Lock::CondBroadcast => {
            matches!(s, Sync::Cond)
        }
        Lock::SemInit | Lock::SemWait | Lock::SemTry | Lock::SemTimed | Lock::SemPost | Lock::SemValue => {
            matches!(s, Sync::Semaphore)
        }
        Lock::BarrierInit | Lock::BarrierWait => matches!(s, Sync::Barrier),
    }
}
