//! What functions of the C library do to the memory behind their arguments, and what they give: data.
//!
//! To add a function, add its name to a row that does the same, or a row. A value that C code of ours computes names
//! a body of [`super::bodies`].

use super::Effect::{Format, Null, Reads, Writes};
use super::Far::{Bytes, Items, One, Text};
use super::Gives::{About, Any, Argument, Body, Fixed, Nothing, Static, Upto, Within};
use super::Row;

const INT_MAX: i128 = i32::MAX as i128;
const LONG_MAX: i128 = i64::MAX as i128;
/// The number of characters written, or a negative number.
const WRITTEN: super::Gives = About(-1, INT_MAX);
/// 0, or -1 with `errno`.
const STATUS: super::Gives = Within(-1, 0);

const fn row(names: &'static [&'static str], effects: &'static [super::Effect], gives: super::Gives) -> Row {
    Row { names, effects, gives }
}

/// The table.
pub const ROWS: &[Row] = &[
    // Output.
    row(&["printf"], &[Format(0)], WRITTEN),
    row(&["fprintf", "dprintf"], &[Format(1)], WRITTEN),
    row(&["vprintf"], &[Reads(0, Text)], WRITTEN),
    row(&["vfprintf", "vdprintf"], &[Reads(1, Text)], WRITTEN),
    row(&["syslog"], &[Format(1)], Nothing),
    row(&["openlog"], &[Reads(0, Text)], Nothing),
    row(&["puts", "fputs", "fputs_unlocked"], &[Reads(0, Text)], WRITTEN),
    row(&["perror"], &[Reads(0, Text)], Nothing),
    row(
        &["putchar", "putchar_unlocked", "fputc", "putc", "fputc_unlocked", "putc_unlocked", "ungetc"],
        &[],
        About(-1, 255),
    ),
    row(&["write"], &[Reads(1, Bytes(2))], Upto(2, -1)),
    row(&["send"], &[Reads(1, Bytes(2))], Upto(2, -1)),
    row(&["fwrite", "fwrite_unlocked"], &[Reads(0, Items(1, 2))], Upto(2, 0)),
    row(&["fflush", "fflush_unlocked", "fclose", "pclose"], &[], Within(-1, 0)),
    row(&["setbuf"], &[Null(1)], Nothing),
    row(&["setvbuf"], &[Null(1)], Within(-1, 0)),
    row(&["feof", "ferror", "feof_unlocked", "ferror_unlocked"], &[], About(0, 1)),
    row(&["clearerr", "rewind", "closelog", "flockfile", "funlockfile"], &[], Nothing),
    row(&["fileno"], &[], About(-1, INT_MAX)),
    row(&["fseek", "fseeko"], &[], STATUS),
    row(&["ftell", "ftello"], &[], About(-1, LONG_MAX)),
    // Input.
    row(
        &["getchar", "getc", "fgetc", "getchar_unlocked", "getc_unlocked", "fgetc_unlocked"],
        &[],
        Body("getchar"),
    ),
    row(&["fgets", "fgets_unlocked"], &[], Body("fgets")),
    row(&["read", "recv"], &[Writes(1, Bytes(2))], Upto(2, -1)),
    row(&["fread", "fread_unlocked"], &[Writes(0, Items(1, 2))], Upto(2, 0)),
    row(&["getcwd"], &[], Body("getcwd")),
    row(&["gethostname"], &[], Body("gethostname")),
    // Files.
    row(&["fopen", "fopen64", "popen"], &[Reads(0, Text), Reads(1, Text)], Body("fopen")),
    row(&["fdopen"], &[Reads(1, Text)], Body("fopen")),
    row(&["tmpfile"], &[], Body("fopen")),
    row(&["open", "open64", "creat"], &[Reads(0, Text)], About(-1, INT_MAX)),
    row(&["close", "fsync", "fdatasync", "ftruncate", "fchmod", "fchdir"], &[], STATUS),
    row(&["dup", "dup2"], &[], About(-1, INT_MAX)),
    row(&["lseek", "lseek64"], &[], About(-1, LONG_MAX)),
    row(
        &["unlink", "rmdir", "mkdir", "chmod", "chdir", "access", "remove", "truncate", "mkfifo"],
        &[Reads(0, Text)],
        STATUS,
    ),
    row(&["rename", "link", "symlink"], &[Reads(0, Text), Reads(1, Text)], STATUS),
    row(&["isatty"], &[], About(0, 1)),
    row(&["pipe"], &[], Body("pipe")),
    row(&["system"], &[Reads(0, Text)], About(-1, INT_MAX)),
    // Strings.
    row(
        &[
            "strtol",
            "strtoll",
            "strtoimax",
            "strtoq",
            "__isoc23_strtol",
            "__isoc23_strtoll",
            "__isoc23_strtoimax",
        ],
        &[],
        Body("strtol"),
    ),
    row(
        &[
            "strtoul",
            "strtoull",
            "strtoumax",
            "strtouq",
            "__isoc23_strtoul",
            "__isoc23_strtoull",
            "__isoc23_strtoumax",
        ],
        &[],
        Body("strtoul"),
    ),
    row(&["atoi"], &[], Body("atoi")),
    row(&["atol", "atoll"], &[], Body("atol")),
    row(&["atof", "strtod", "strtof"], &[Reads(0, Text), Null(1)], Any),
    row(&["strcasecmp"], &[], Body("strcasecmp")),
    row(&["strncasecmp"], &[], Body("strncasecmp")),
    row(&["strrchr", "rindex"], &[], Body("strrchr")),
    row(&["strchrnul"], &[], Body("strchrnul")),
    row(&["strspn"], &[], Body("strspn")),
    row(&["strcspn"], &[], Body("strcspn")),
    row(&["strpbrk"], &[], Body("strpbrk")),
    row(&["strstr"], &[], Body("strstr")),
    row(&["memchr"], &[], Body("memchr")),
    row(&["strdup", "__strdup"], &[], Body("strdup")),
    row(&["strndup", "__strndup"], &[], Body("strndup")),
    row(&["stpcpy"], &[], Body("stpcpy")),
    row(&["strtok_r", "__strtok_r"], &[], Body("strtok_r")),
    row(&["strtok"], &[], Body("strtok")),
    row(&["strsep"], &[], Body("strsep")),
    row(&["strcoll"], &[Reads(0, Text), Reads(1, Text)], Any),
    row(&["strerror", "gai_strerror", "strsignal"], &[], Static(16, false)),
    row(&["setlocale", "ttyname"], &[], Static(16, true)),
    row(&["strerror_r"], &[], Body("strerror_r")),
    row(&["getenv", "secure_getenv"], &[Reads(0, Text)], Static(16, true)),
    row(&["setenv"], &[Reads(0, Text), Reads(1, Text)], STATUS),
    row(&["unsetenv"], &[Reads(0, Text)], STATUS),
    // Time.
    row(&["time"], &[], Body("time")),
    row(&["gettimeofday"], &[Writes(0, One)], STATUS),
    row(&["clock_gettime", "clock_getres"], &[Writes(1, One)], STATUS),
    row(&["timespec_get"], &[Writes(0, One)], Argument(1)),
    row(&["localtime_r", "gmtime_r"], &[Reads(0, One), Writes(1, One)], Argument(1)),
    row(&["localtime", "gmtime"], &[Reads(0, One)], Static(1, false)),
    row(&["ctime", "asctime"], &[Reads(0, One)], Static(26, false)),
    row(&["mktime", "timegm"], &[Reads(0, One), Writes(0, One)], Any),
    row(&["strftime"], &[Reads(2, Text), Reads(3, One)], Body("strftime")),
    row(&["difftime"], &[], Any),
    row(&["clock"], &[], About(-1, LONG_MAX)),
    row(&["sleep"], &[], Fixed(0)),
    row(&["usleep", "sched_yield"], &[], Fixed(0)),
    row(&["nanosleep"], &[Reads(0, One), Writes(1, One)], Fixed(0)),
    row(&["clock_nanosleep"], &[Reads(2, One), Writes(3, One)], Fixed(0)),
    row(&["times"], &[Writes(0, One)], About(-1, LONG_MAX)),
    row(&["getrusage"], &[Writes(1, One)], STATUS),
    row(&["getrlimit"], &[Writes(1, One)], STATUS),
    row(&["setrlimit"], &[Reads(1, One)], STATUS),
    row(&["uname"], &[Writes(0, One)], STATUS),
    row(&["stat", "lstat"], &[Reads(0, Text), Writes(1, One)], STATUS),
    row(&["fstat"], &[Writes(1, One)], STATUS),
    // Numbers.
    row(&["rand", "random", "lrand48"], &[], Within(0, INT_MAX)),
    row(&["mrand48"], &[], Within(-INT_MAX - 1, INT_MAX)),
    row(&["rand_r"], &[], Body("rand_r")),
    row(&["srand", "srandom", "srand48"], &[], Nothing),
    row(&["drand48"], &[], Any),
    // The process.
    row(&["getpid", "gettid", "getpgrp"], &[], Within(1, INT_MAX)),
    row(&["getppid"], &[], Within(0, INT_MAX)),
    row(&["getuid", "geteuid", "getgid", "getegid"], &[], Within(0, INT_MAX)),
    row(&["sysconf"], &[], Within(-1, LONG_MAX)),
    row(&["get_nprocs", "get_nprocs_conf", "getpagesize"], &[], Within(1, INT_MAX)),
    row(&["sched_getcpu"], &[], Within(-1, INT_MAX)),
    row(&["umask"], &[], Within(0, 511)),
    row(&["getentropy", "getrandom"], &[Writes(0, Bytes(1))], Any),
    row(&["pause"], &[], Fixed(0)),
];

/// The row of a function.
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|r| r.names.contains(&name))
}
