//! The system's C compiler as a child process that can neither outlive, outgrow nor outtalk us.
//!
//! It runs in a process group of its own, with limits of address space and processor time. What it says is read up to a
//! limit; past that, past its time, or when [`end`] is called, the whole group is killed.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a child that says nothing is looked at.
const TICK: Duration = Duration::from_millis(20);
/// What one reading takes.
const CHUNK: usize = 1 << 16;

/// What a child may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of address space of each of its processes.
    pub memory: u64,
    /// Bytes that it may write, errors apart.
    pub output: usize,
    /// From start to end.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 2 << 30, output: 256 << 20, time: Duration::from_secs(120) }
    }
}

/// KiB that a compiler gets at least.
const SMALL: u64 = 256 << 10;

/// How much longer a compiler may take than the run that it is part of.
const GRACE: Duration = Duration::from_secs(5);

impl Limits {
    /// Little more than the time that there is for all, so that whoever watches that is first to say that it is over; and no more
    /// memory than there is (in KiB). Little enough to start with is always given.
    pub fn within(time: Option<Duration>, memory_kib: Option<u64>) -> Limits {
        let most = Limits::default();
        Limits {
            time: time.map_or(most.time, |t| t.saturating_add(GRACE).min(most.time)),
            memory: memory_kib
                .map_or(most.memory, |kib| most.memory.min(kib.max(SMALL).saturating_mul(1024))),
            ..most
        }
    }
}

/// What the compiler said.
#[derive(Debug)]
pub struct Output {
    /// The program that was run.
    pub program: String,
    /// Its exit status was 0.
    pub success: bool,
    /// What it wrote to its standard output, whole.
    pub stdout: Vec<u8>,
    /// Its messages, as far as they are of any use.
    pub stderr: Vec<u8>,
}

/// Why the compiler said nothing.
#[derive(Debug)]
pub enum Failure {
    /// There is none: what was tried.
    Missing(Vec<String>),
    /// It cannot be run.
    Start(String, io::Error),
    /// It took longer than that.
    Time(String, Duration),
    /// It wrote more than so many bytes.
    Size(String, usize),
    /// This process is about to end.
    Ended(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Missing(tried) => write!(f, "no C compiler found: tried {}", tried.join(", ")),
            Failure::Start(program, e) => write!(f, "cannot run {program}: {e}"),
            Failure::Time(program, limit) => {
                write!(f, "{program} did not end within {} s", limit.as_secs_f64())
            }
            Failure::Size(program, limit) => {
                write!(f, "{program} wrote more than {} MiB", limit >> 20)
            }
            Failure::Ended(program) => write!(f, "{program} was ended"),
        }
    }
}

/// The children that are running, and what the next ones may take.
struct Children {
    limits: Option<Limits>,
    groups: Vec<i32>,
    ending: bool,
}

static CHILDREN: Mutex<Children> = Mutex::new(Children { limits: None, groups: Vec::new(), ending: false });

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the children of this process may take from now on.
pub fn limit(limits: Limits) {
    children().limits = Some(limits);
}

/// Kills all children, and starts no more: before this process ends.
pub fn end() {
    let mut all = children();
    all.ending = true;
    for group in &all.groups {
        kill_group(*group);
    }
}

fn kill_group(group: i32) {
    // SAFETY: a system call on numbers. The group is that of a child that has not been waited for.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// A path as an argument that is never taken as an option or as a file of arguments (`-…`, `@…`).
pub fn operand(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(path),
        _ => path.to_path_buf(),
    }
}

/// What has to be said besides. The driver hands the last part of a source's name to the compiler proper as an argument of its
/// own, where `@…` is a file of arguments again: it is told another one.
fn other_name<S: AsRef<OsStr>>(args: &[S]) -> &'static [&'static str] {
    let is_odd = |arg: &S| {
        let last = Path::new(arg).file_name().unwrap_or_default();
        !arg.as_ref().as_encoded_bytes().starts_with(b"-") && last.as_encoded_bytes().starts_with(b"@")
    };
    if args.iter().any(is_odd) { &["-dumpdir", "x", "-dumpbase", "source.c"] } else { &[] }
}

/// Runs `$CC`, else gcc, clang or cc, whichever is there first.
///
/// # Errors
/// There is none, it cannot be run, or it met a limit. Its own errors are an [`Output`].
pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Result<Output, Failure> {
    let custom = std::env::var("CC").ok().filter(|c| !c.trim().is_empty());
    let candidates = match custom {
        Some(c) => vec![c],
        None => ["gcc", "clang", "cc"].map(String::from).to_vec(),
    };
    for candidate in &candidates {
        let mut words = candidate.split_whitespace();
        let Some(program) = words.next() else { continue };
        let mut command = Command::new(program);
        command.args(words).args(other_name(args)).args(args).env("LC_ALL", "C");
        match execute(program, command) {
            Err(Failure::Start(_, e)) if e.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
    }
    Err(Failure::Missing(candidates))
}

/// Lowers a limit of the calling process.
fn lower(resource: libc::__rlimit_resource_t, most: u64) {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: system calls on memory of this function; a failure leaves the limit as it was.
    unsafe {
        if libc::getrlimit(resource, &mut now) == 0 {
            let most = most.min(now.rlim_cur).min(now.rlim_max);
            libc::setrlimit(resource, &libc::rlimit { rlim_cur: most, rlim_max: most });
        }
    }
}

fn execute(program: &str, command: Command) -> Result<Output, Failure> {
    let limits = children().limits.unwrap_or_default();
    execute_within(program, command, limits)
}

fn execute_within(program: &str, mut command: Command, limits: Limits) -> Result<Output, Failure> {
    let mut child = {
        let mut all = children();
        if all.ending {
            return Err(Failure::Ended(program.into()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        // SAFETY: between fork and exec, system calls on numbers only.
        unsafe {
            command.pre_exec(move || {
                lower(libc::RLIMIT_AS, limits.memory);
                lower(libc::RLIMIT_CPU, limits.time.as_secs().saturating_add(2));
                lower(libc::RLIMIT_CORE, 0);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let child = command.spawn().map_err(|e| Failure::Start(program.into(), e))?;
        all.groups.push(child.id() as i32);
        child
    };
    let said = listen(&mut child, &limits, program);
    let mut all = children();
    let group = child.id() as i32;
    if said.is_err() {
        kill_group(group);
    }
    // Nobody else may kill the group once the child's number is free again.
    let status = child.wait();
    all.groups.retain(|g| *g != group);
    if all.ending {
        return Err(Failure::Ended(program.into()));
    }
    let (stdout, stderr) = said?;
    let status = status.map_err(|e| Failure::Start(program.into(), e))?;
    Ok(Output { program: program.into(), success: status.success(), stdout, stderr })
}

/// All that a child says until it has ended.
fn listen(child: &mut Child, limits: &Limits, program: &str) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let began = Instant::now();
    let late = || match began.elapsed() > limits.time {
        true => Err(Failure::Time(program.into(), limits.time)),
        false => Ok(()),
    };
    let broken = |e| Failure::Start(program.into(), e);
    let (Some(mut out), Some(mut err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(broken(io::Error::other("no pipe")));
    };
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut open = [true, true];
    while open != [false, false] {
        late()?;
        let fd = |open: bool, fd: i32| libc::pollfd {
            fd: if open { fd } else { -1 },
            events: libc::POLLIN,
            revents: 0,
        };
        let mut fds = [fd(open[0], out.as_raw_fd()), fd(open[1], err.as_raw_fd())];
        // SAFETY: the array is as long as is said.
        let ready = unsafe { libc::poll(fds.as_mut_ptr(), 2, TICK.as_millis() as i32) };
        if ready < 0 {
            let e = io::Error::last_os_error();
            if e.kind() != io::ErrorKind::Interrupted {
                return Err(broken(e));
            }
            continue;
        }
        if fds[0].revents != 0 {
            open[0] = take(&mut out, &mut stdout).map_err(broken)?;
            if stdout.len() > limits.output {
                return Err(Failure::Size(program.into(), limits.output));
            }
        }
        if fds[1].revents != 0 {
            open[1] = take(&mut err, &mut stderr).map_err(broken)?;
            stderr.truncate(CHUNK);
        }
    }
    // It says no more, but may still be there.
    while child_runs(child).map_err(broken)? {
        late()?;
        std::thread::sleep(TICK);
    }
    Ok((stdout, stderr))
}

/// Is it still running? It is not waited for, so that its number stays its own.
fn child_runs(child: &Child) -> io::Result<bool> {
    // SAFETY: a zeroed structure is what the call wants; it writes there only.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        match libc::waitid(libc::P_PID, child.id(), &mut info, flags) {
            0 => Ok(info.si_pid() == 0),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Reads once; `false` at the end.
fn take(from: &mut impl Read, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; CHUNK];
    match from.read(&mut chunk) {
        Ok(n) => {
            into.extend_from_slice(&chunk[..n]);
            Ok(n > 0)
        }
        Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(text: &str, limits: Limits) -> Result<Output, Failure> {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        execute_within("sh", command, limits)
    }

    #[test]
    fn says_what_it_says() {
        let o = sh("echo out; echo err >&2; exit 3", Limits::default()).unwrap();
        assert_eq!((&o.stdout[..], &o.stderr[..], o.success), (&b"out\n"[..], &b"err\n"[..], false));
        assert!(sh("exec >&- 2>&-; sleep 0.1", Limits::default()).unwrap().success);
        let absent = execute_within("no such", Command::new("/no/such"), Limits::default());
        assert!(matches!(absent, Err(Failure::Start(..))), "{absent:?}");
    }

    #[test]
    fn the_watcher_of_a_run_is_first() {
        let second = Duration::from_secs(1);
        assert!(Limits::within(Some(second), None).time > second);
        assert_eq!(Limits::within(Some(Duration::MAX), None).time, Limits::default().time);
    }

    #[test]
    fn limits_end_the_whole_group() {
        let began = Instant::now();
        let brief = Limits { time: Duration::from_millis(200), ..Limits::default() };
        assert!(matches!(sh("sleep 50 & sleep 50", brief), Err(Failure::Time(..))));
        assert!(matches!(sh("exec >&- 2>&-; sleep 50", brief), Err(Failure::Time(..))));
        let short = Limits { output: 1 << 20, ..Limits::default() };
        assert!(matches!(sh("cat /dev/zero & cat /dev/zero", short), Err(Failure::Size(..))));
        let small = Limits { memory: 100 << 20, ..Limits::default() };
        // `tail` keeps what has no line in memory.
        assert!(!sh("tail /dev/zero", small).unwrap().success);
        assert!(began.elapsed() < Duration::from_secs(40));
    }

    #[test]
    fn operands() {
        for (path, text) in [("-a.c", "./-a.c"), ("@a.c", "./@a.c"), ("a@.c", "a@.c"), ("/@a", "/@a")] {
            assert_eq!(operand(Path::new(path)), Path::new(text));
        }
        for (args, odd) in [(["-Ia", "d/a.c"], false), (["-I./@a", "@/a.c"], false), (["-E", "d/@a.c"], true)]
        {
            assert_eq!(!other_name(&args).is_empty(), odd);
        }
    }
}
