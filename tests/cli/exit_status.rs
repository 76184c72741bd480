//! 0 safe, 1 unsafe, 2 bad input or usage, 3 unknown.

use super::{SAFE, UNSAFE, WRONG, endless, err, folder, out, relyant};

fn status(args: &[&str], files: &[(&str, &str)]) -> i32 {
    relyant(folder(files).path()).args(args).output().unwrap().status.code().unwrap()
}

#[test]
fn verdicts() {
    assert_eq!(status(&["verify", "a.c"], &[("a.c", SAFE)]), 0);
    assert_eq!(status(&["verify", "a.c"], &[("a.c", UNSAFE)]), 1);
    assert_eq!(status(&["verify", "a.c"], &[("a.c", WRONG)]), 2);
    assert_eq!(status(&["verify", "a.c"], &[]), 2);
    let endless = endless().display().to_string();
    assert_eq!(status(&["verify", "--timeout", "0.2", &endless], &[]), 3);
}

#[test]
fn usage() {
    assert_eq!(status(&[], &[]), 2);
    assert_eq!(status(&["verify"], &[]), 2);
    assert_eq!(status(&["verify", "--no-such-option", "a.c"], &[("a.c", SAFE)]), 2);
    assert_eq!(status(&["verify", "--timeout", "0", "a.c"], &[("a.c", SAFE)]), 0);
    assert_eq!(status(&["verify", "--timeout", "-1", "a.c"], &[("a.c", SAFE)]), 2);
    assert_eq!(status(&["verify", "--max-threads", "0", "a.c"], &[("a.c", SAFE)]), 2);
    // Random runs count no switches.
    let both = ["verify", "--method", "search", "--strategy", "random", "--max-switches", "2", "a.c"];
    assert_eq!(status(&both, &[("a.c", SAFE)]), 2);
    assert_eq!(status(&["verify", "--each", "--proof", "p", "a.c", "a.c"], &[("a.c", SAFE)]), 2);
    assert_eq!(status(&["--help"], &[]), 0);
    assert_eq!(status(&["--version"], &[]), 0);
}

#[test]
fn the_worst_of_several() {
    let files = [("s.c", SAFE), ("u.c", UNSAFE), ("w.c", WRONG)];
    let endless = endless().display().to_string();
    assert_eq!(status(&["verify", "--each", "s.c", "s.c"], &files), 0);
    assert_eq!(status(&["verify", "--each", "s.c", "u.c", "s.c"], &files), 1);
    assert_eq!(status(&["verify", "--each", "w.c", "u.c"], &files), 2);
    assert_eq!(status(&["verify", "--each", "--timeout", "3", "s.c", &endless], &files), 3);
    assert_eq!(status(&["verify", "--each", "--timeout", "3", "u.c", &endless], &files), 1);
}

#[test]
fn several_files_keep_their_order() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE)]);
    let o =
        relyant(dir.path()).args(["verify", "--each", "--jobs", "3", "u.c", "s.c", "u.c"]).output().unwrap();
    let text = out(&o);
    let verdicts: Vec<&str> =
        text.lines().filter(|l| l.starts_with("verdict:") || l.ends_with(".c:")).collect();
    let expected = ["u.c:", "verdict: unsafe", "s.c:", "verdict: safe", "u.c:", "verdict: unsafe"];
    assert_eq!(verdicts, expected, "{text}");
}

#[test]
fn a_closed_pipe_is_no_crash() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let mut child = relyant(dir.path())
        .args(["verify", "u.c"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let o = child.wait_with_output().unwrap();
    assert_eq!((o.status.code(), err(&o).as_str()), (Some(1), ""));
}

#[test]
fn deadlocks_are_an_error_when_asked_for() {
    let stuck = "#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }\n";
    let joins = "#include <pthread.h>\nvoid *f(void *a) { return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n";
    let files = [("stuck.c", stuck), ("joins.c", joins)];
    assert_eq!(status(&["verify", "--property", "assertions", "stuck.c"], &files), 0);
    assert_eq!(status(&["verify", "--property", "deadlock", "stuck.c"], &files), 1);
    assert_eq!(status(&["verify", "--property", "deadlock", "joins.c"], &files), 0);
    // The bound is ours, and so is what it leaves undone.
    assert_eq!(status(&["verify", "--property", "deadlock", "--max-threads", "1", "joins.c"], &files), 0);
}

#[test]
fn deadlocks_are_ruled_out_where_threads_wait_in_an_order() {
    let joins = "#include <pthread.h>\nvoid *f(void *a) { return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n";
    let posts = "#include <pthread.h>\n#include <semaphore.h>\nsem_t s;\nvoid *f(void *a) { sem_post(&s); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); sem_wait(&s); return 0; }\n";
    let files = [("joins.c", joins), ("posts.c", posts)];
    let prove =
        |file| status(&["verify", "--method", "rely-guarantee", "--property", "deadlock", file], &files);
    assert_eq!((prove("joins.c"), prove("posts.c")), (0, 3));
}
