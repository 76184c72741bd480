//! The results as a table.

use super::results::{Judgement, Result};
use comfy_table::{CellAlignment, Table, presets};

/// A table of the rows, with totals. A cell is empty where nothing was measured.
pub fn render(results: &[Result]) -> String {
    let unbiased = results.iter().any(|r| r.seconds_unbiased.is_some());
    let checked = results.iter().any(|r| r.checked.is_some());
    let spacer = results.iter().any(|r| r.spacer.is_some());
    let spin = results.iter().any(|r| r.spin.is_some());
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let mut header = vec!["program", "lines", "verdict", "s", "iter."];
    if unbiased {
        header.extend(["no bias", "s", "iter."]);
    }
    if checked {
        header.extend(["obligations", "KiB", "check", "s"]);
    }
    header.push("MiB");
    if spacer {
        header.extend(["Spacer", "s"]);
    }
    if spin {
        header.extend(["states", "1/s", "B", "spin", "s", "states", "B"]);
    }
    table.set_header(header.clone());
    for r in results {
        let mut row = vec![
            r.row.clone(),
            r.lines.to_string(),
            verdict(&r.verdict, r.modular, r.judgement),
            format!("{:.2}", r.seconds),
            r.iterations.to_string(),
        ];
        if unbiased {
            let word = r.verdict_unbiased.as_deref().unwrap_or_default();
            row.push(verdict(word, r.modular_unbiased, Judgement::Ok));
            row.push(number(r.seconds_unbiased));
            row.push(r.iterations_unbiased.map(|n| n.to_string()).unwrap_or_default());
        }
        if checked {
            row.push(r.obligations.map(|n| n.to_string()).unwrap_or_default());
            row.push(r.certificate_bytes.map(|n| format!("{:.1}", n as f64 / 1024.0)).unwrap_or_default());
            let word = r.checked.map(|c| if c { "accepted" } else { "REJECTED" });
            row.push(word.unwrap_or_default().into());
            row.push(number(r.check_seconds));
        }
        row.push(r.peak_memory_mib.map(|m| format!("{m:.0}")).unwrap_or_default());
        if spacer {
            row.push(r.spacer.clone().unwrap_or_default());
            row.push(number(r.spacer_seconds));
        }
        if spin {
            let whole = |x: Option<f64>| x.map(|x| format!("{x:.0}")).unwrap_or_default();
            row.push(r.searched.map(|n| n.to_string()).unwrap_or_default());
            row.push(whole(r.searched_a_second));
            row.push(whole(r.state_bytes));
            row.push(r.spin.clone().unwrap_or_default());
            row.push(number(r.spin_seconds));
            row.push(whole(r.spin_states));
            row.push(whole(r.spin_state_bytes));
        }
        table.add_row(row);
    }
    for (i, name) in header.iter().enumerate() {
        if !["program", "verdict", "no bias", "check", "Spacer", "spin"].contains(name) {
            if let Some(column) = table.column_mut(i) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    format!("{table}\n{}\n", summary(results))
}

/// The proofs as a table in Markdown: by which rule, at which level, with what besides, and how large they are.
pub fn rules(results: &[Result]) -> String {
    let mut out = String::from(
        "| program | rule | level | besides | predicates | obligations | bytes | s | check s |\n\
         | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let count = |n: Option<usize>| n.map(|n| n.to_string()).unwrap_or_default();
    for r in results.iter().filter(|r| r.verdict == "safe") {
        // What refinement has come to says nothing of other proofs.
        let own = ["rely-guarantee", "owicki-gries", "monolithic", "in-order", "replicated"];
        let predicates = r.predicates.filter(|_| r.rule.as_deref().is_some_and(|rule| own.contains(&rule)));
        out.push_str(&format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {:.2} | {} |\n",
            r.file,
            r.rule.as_deref().unwrap_or_default(),
            count(r.level),
            r.means.replace(' ', ", "),
            count(predicates),
            count(r.obligations),
            r.certificate_bytes.map(|n| n.to_string()).unwrap_or_default(),
            r.seconds,
            number(r.check_seconds),
        ));
    }
    out
}

fn number(s: Option<f64>) -> String {
    s.map(|s| format!("{s:.2}")).unwrap_or_default()
}

fn verdict(word: &str, modular: Option<bool>, judgement: Judgement) -> String {
    let modular = if modular == Some(true) { ", modular" } else { "" };
    let mark = match judgement {
        Judgement::Wrong => " WRONG",
        Judgement::Missing => " (missing)",
        Judgement::Failed => "FAILED",
        Judgement::Ok | Judgement::Unjudged => "",
    };
    format!("{word}{modular}{mark}")
}

/// One line: how many came out as expected, and totals.
pub fn summary(results: &[Result]) -> String {
    let count = |j: Judgement| results.iter().filter(|r| r.judgement == j).count();
    let total: f64 = results.iter().map(|r| r.seconds).sum();
    let peak = results.iter().filter_map(|r| r.peak_memory_mib).fold(0.0, f64::max);
    format!(
        "{} programs: {} as expected, {} wrong, {} missing, {} failed; {total:.2} s in all, peak memory {peak:.0} MiB",
        results.len(),
        count(Judgement::Ok),
        count(Judgement::Wrong),
        count(Judgement::Missing),
        count(Judgement::Failed),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_told_by_their_rule() {
        let safe = Result {
            file: "a.c".into(),
            verdict: "safe".into(),
            rule: Some("rely-guarantee".into()),
            level: Some(2),
            means: "chosen owners".into(),
            predicates: Some(7),
            obligations: Some(9),
            certificate_bytes: Some(1234),
            seconds: 0.5,
            check_seconds: Some(0.25),
            ..Result::default()
        };
        let states = Result { rule: Some("states".into()), level: None, ..safe.clone() };
        let text = rules(&[safe, states, Result { verdict: "unsafe".into(), ..Result::default() }]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| `a.c` | rely-guarantee | 2 | chosen, owners | 7 | 9 | 1234 | 0.50 | 0.25 |",
                "| `a.c` | states |  | chosen, owners |  | 9 | 1234 | 0.50 | 0.25 |"
            ]
        );
    }

    #[test]
    fn a_run_without_a_report_is_counted() {
        let row = |judgement| Result { row: "a.c".into(), judgement, ..Result::default() };
        let text = render(&[row(Judgement::Ok), row(Judgement::Failed), row(Judgement::Wrong)]);
        assert!(text.contains("3 programs: 1 as expected, 1 wrong, 0 missing, 1 failed;"), "{text}");
        assert!(text.contains("| FAILED "), "{text}");
    }
}
