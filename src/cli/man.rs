//! `relyant man`

use super::exit::{self, Status};
use super::output::Unwritten;
use super::{Cli, complain, say, say_all, write_file};
use clap::builder::Resettable;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::path::{Path, PathBuf};

/// Section 1 of the manual has commands.
const SECTION: &str = "1";

/// Print a manual page (`relyant man | man -l -`), or write all of them
#[derive(clap::Args)]
pub struct Args {
    /// The command that it is about [default: relyant itself]
    #[arg(conflicts_with = "output")]
    command: Option<String>,
    /// Write a page for each command into this folder, and one for relyant itself
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    match &a.output {
        Some(folder) => write(folder),
        None => print(a.command.as_deref()),
    }
}

fn print(command: Option<&str>) -> Status {
    let mut all = pages().into_iter();
    let wanted = match command {
        None => all.next(),
        Some(name) => all.find(|p| p.command.get_name() == name),
    };
    match wanted {
        // A string takes all that is written.
        Some(page) => say_all(&page.text().unwrap_or_default()),
        None => {
            complain(&format!("error: there is no command {}", command.unwrap_or_default()));
            return Status::BadInput;
        }
    }
    Status::Good
}

fn write(folder: &Path) -> Status {
    match write_all(folder) {
        Ok(count) => {
            say(&format!("wrote: {count} pages into {}\n", folder.display()));
            Status::Good
        }
        Err(why) => {
            complain(&format!("error: {why}"));
            Status::BadInput
        }
    }
}

fn write_all(folder: &Path) -> Result<usize, Unwritten> {
    let unwritten = |e: io::Error| Unwritten::new(folder, e);
    std::fs::create_dir_all(folder).map_err(unwritten)?;
    let all = pages();
    for page in &all {
        let text = page.text().map_err(unwritten)?;
        write_file(&folder.join(format!("{}.{SECTION}", page.title)), &text)?;
    }
    Ok(all.len())
}

/// A page of the manual.
#[derive(Clone)]
struct Page {
    /// `relyant`, or `relyant-verify` and so on.
    title: String,
    command: Command,
    /// What else to read.
    see: Vec<String>,
}

/// The page of relyant itself, and one for each command that is shown.
fn pages() -> Vec<Page> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let name = whole.get_name().to_string();
    let title = |c: &Command| format!("{name}-{}", c.get_name());
    let shown: Vec<Command> = whole.get_subcommands().filter(|c| !c.is_hide_set()).cloned().collect();
    let see = shown.iter().map(title).collect();
    let below =
        shown.iter().map(|c| Page { title: title(c), command: c.clone(), see: vec![name.clone()] }).collect();
    let first = Page { title: name.clone(), command: whole, see };
    [vec![first], below].concat()
}

impl Page {
    fn text(&self) -> io::Result<String> {
        let version = env!("CARGO_PKG_VERSION");
        // What is said after the help has a section of its own.
        let command = self.command.clone().after_help(Resettable::Reset);
        let page = Man::new(command)
            .title(&self.title)
            .section(SECTION)
            // No day, so that pages are the same whenever they are made; nothing at all would be no argument.
            .date(" ")
            .source(format!("relyant {version}"))
            .manual("Relyant Manual");
        let mut out = Vec::new();
        page.render_title(&mut out)?;
        page.render_name_section(&mut out)?;
        page.render_synopsis_section(&mut out)?;
        page.render_description_section(&mut out)?;
        page.render_options_section(&mut out)?;
        if self.command.has_subcommands() {
            page.render_subcommands_section(&mut out)?;
        }
        self.last().to_writer(&mut out)?;
        // Each part begins with the same definitions; once is enough.
        let mut first = Vec::new();
        Roff::new().to_writer(&mut first)?;
        let (first, all) = (String::from_utf8_lossy(&first), String::from_utf8_lossy(&out));
        Ok(format!("{first}{}", all.replace(&*first, "")))
    }

    fn last(&self) -> Roff {
        let mut roff = Roff::new();
        roff.control("SH", ["EXIT STATUS"]);
        for line in exit::HELP.lines() {
            roff.text([roman(line)]).control("br", []);
        }
        roff.control("SH", ["SEE ALSO"]);
        for (k, title) in self.see.iter().enumerate() {
            let comma = if k + 1 < self.see.len() { "," } else { "" };
            roff.text([bold(title), roman(format!("({SECTION}){comma}"))]);
        }
        roff
    }
}
