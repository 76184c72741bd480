//! `bench`: what it measures, what it makes of it, and the file it keeps.

use super::{SAFE, UNSAFE, err, folder, out, relyant};

#[test]
fn as_expected_and_kept_by_date() {
    let manifest =
        "file,expected,modular,args,row,set\ns.c,safe,either,,Safe one,small\nu.c,unsafe,,,Bug,small\n";
    let dir = folder(&[("m.csv", manifest), ("s.c", SAFE), ("u.c", UNSAFE)]);
    let o = relyant(dir.path()).args(["bench", "--csv-dir", "kept", "m.csv"]).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("2 programs: 2 as expected, 0 wrong, 0 missing"), "{}", out(&o));
    let files: Vec<_> =
        std::fs::read_dir(dir.path().join("kept")).unwrap().map(|f| f.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.len() == "2000-01-01.csv".len() && name.ends_with(".csv"), "{name}");
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let safe: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        (safe[column("row")], safe[column("verdict")], safe[column("checked")]),
        ("Safe one", "safe", "true")
    );
    let bug: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        (bug[column("verdict")], bug[column("judgement")], bug[column("checked")]),
        ("unsafe", "ok", "")
    );
}

#[test]
fn wrong_is_said() {
    let manifest = "file,expected,args,row,set\nu.c,safe,,Bug,a\ns.c,safe,,Safe,b\n";
    let dir = folder(&[("m.csv", manifest), ("s.c", SAFE), ("u.c", UNSAFE)]);
    let run = |args: &[&str]| relyant(dir.path()).arg("bench").args(args).output().unwrap();
    let o = run(&["--no-check", "--no-unbiased", "m.csv"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(out(&o).contains("unsafe WRONG"), "{}", out(&o));
    // and only what was asked for is run
    let o = run(&["--no-check", "--set", "b", "m.csv"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(!out(&o).contains("Bug"));
    assert_eq!(run(&["absent.csv"]).status.code(), Some(2));
}

#[test]
fn spacer_agrees() {
    let manifest = "file,expected,args,row,set\ns.c,safe,,Safe,a\nu.c,unsafe,,Bug,a\n";
    let dir = folder(&[("m.csv", manifest), ("s.c", SAFE), ("u.c", UNSAFE)]);
    let args = ["bench", "--no-check", "--no-unbiased", "--compare", "spacer", "m.csv"];
    let o = relyant(dir.path()).args(args).output().unwrap();
    let text = out(&o);
    let words = |row: &str| -> Vec<String> {
        let line = text.lines().find(|l| l.contains(row)).unwrap_or_default();
        line.split('|').map(|w| w.trim().to_string()).collect()
    };
    assert!(words("Safe").iter().filter(|w| w.starts_with("safe")).count() == 2, "{text}");
    assert_eq!(words("Bug").iter().filter(|w| *w == "unsafe").count(), 2, "{text}");
}

#[test]
fn what_matches_nothing_is_an_error() {
    let manifest = "file,expected,args,row,set\ns.c,safe,,Safe,small\n";
    let dir = folder(&[("m.csv", manifest), ("s.c", SAFE)]);
    for (args, said) in
        [(["--set", "smal"], "the sets are small"), (["--only", "zz"], "no row of the manifest")]
    {
        let o = relyant(dir.path()).args(["bench", "m.csv"]).args(args).output().unwrap();
        assert_eq!(o.status.code(), Some(2), "{args:?}");
        assert!(err(&o).contains(said), "{}", err(&o));
    }
}

/// A batch in parts, results kept; what is kept is not measured again.
#[test]
fn parts_of_a_batch() {
    let manifest = "file,expected,row,set\ns.c,safe,One,a\nu.c,unsafe,Two,a\ns.c,safe,Three,a\n";
    let dir = folder(&[("m.csv", manifest), ("s.c", SAFE), ("u.c", UNSAFE)]);
    let run = |args: &[&str]| {
        let all = ["bench", "--no-check", "--no-unbiased", "--kept", "kept"];
        relyant(dir.path()).args(all).args(args).arg("m.csv").output().unwrap()
    };
    let o = run(&["--part", "0/2"]);
    assert!(out(&o).contains("2 programs: 2 as expected"), "{}{}", out(&o), err(&o));
    let first = std::fs::read(dir.path().join("kept/0.json")).unwrap();
    let marked = String::from_utf8(first).unwrap().replace("\"row\":\"One\"", "\"row\":\"Uno\"");
    std::fs::write(dir.path().join("kept/0.json"), marked).unwrap();
    let o = run(&[]);
    assert!(
        out(&o).contains("3 programs: 3 as expected") && out(&o).contains("Uno"),
        "{}{}",
        out(&o),
        err(&o)
    );
    // Another batch is not mixed with it.
    let o = run(&["--timeout", "7"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("another batch"), "{}", err(&o));
    assert_eq!(run(&["--part", "2/2"]).status.code(), Some(2));
}

/// Commands that do what Slurm's do, here and now; of the first submission the second element is lost.
const SBATCH: &str = "#!/bin/sh\nfor word; do script=$word; case $word in --array=*) list=${word#--array=};; esac; done\n\
    echo \"$list\" >>submitted\nfor k in $(echo \"$list\" | tr , ' '); do\n\
    \tif [ \"$k\" = 1 ] && [ ! -f lost ]; then touch lost; continue; fi\n\
    \tSLURM_ARRAY_TASK_ID=$k sh \"$script\" >log.$k 2>&1\ndone\necho 7\n";

#[test]
fn lost_elements_are_submitted_again() {
    let manifest = "file,expected,row,set\ns.c,safe,One,a\nu.c,unsafe,Two,a\ns.c,safe,Three,a\n";
    let squeue = "#!/bin/sh\nexit 0\n";
    let files =
        [("m.csv", manifest), ("s.c", SAFE), ("u.c", UNSAFE), ("bin/sbatch", SBATCH), ("bin/squeue", squeue)];
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("bin")).unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    let path = format!("{}:{}", dir.path().join("bin").display(), std::env::var("PATH").unwrap());
    let args = ["bench", "--no-check", "--no-unbiased", "--kept", "kept", "--slurm", "--chunk", "1", "m.csv"];
    let o = relyant(dir.path()).args(args).env("PATH", path).output().unwrap();
    assert!(out(&o).contains("3 programs: 3 as expected"), "{}{}", out(&o), err(&o));
    assert_eq!(std::fs::read_to_string(dir.path().join("submitted")).unwrap(), "0,1,2\n1\n");
}

#[test]
fn families_of_c_programs_are_proved_at_each_size() {
    let dir = folder(&[]);
    for family in ["sections", "threads"] {
        let o = relyant(dir.path()).args(["bench", "--family", family, "--sizes", "1,6"]).output().unwrap();
        let said = out(&o);
        assert_eq!(o.status.code(), Some(0), "{said}");
        let sizes: Vec<&str> = said.lines().skip(1).filter_map(|l| l.split_whitespace().next()).collect();
        assert_eq!(sizes, ["1", "6"], "{said}");
        assert!(said.lines().skip(1).all(|l| l.ends_with("safe")), "{said}");
    }
    let o = relyant(dir.path())
        .args(["bench", "--family", "sections", "--sizes", "3000", "--timeout", "0.05"])
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
}
