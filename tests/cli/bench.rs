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
