//! Man pages and sample tables.

use crate::folder::Folder;

#[test]
fn every_verb_has_a_page() {
    let folder = Folder::new();
    folder.done("man --out pages");
    let help = folder.done("--help").out;
    let listed = help.split_once("Commands:\n").expect("a list of verbs").1;
    for line in listed.lines().take_while(|line| !line.is_empty()) {
        let verb = line.split_whitespace().next().expect("a verb");
        let is_there = folder.has(&format!("pages/mercer-{verb}.1"));
        assert_eq!(is_there, verb != "help", "{verb}");
    }
    let page = folder.done("man kpca").out;
    assert_eq!(page, folder.read("pages/mercer-kpca.1"));
    assert!(page.contains(".TH mercer-kpca") && page.contains("\\-\\-inverse\\-kernel"), "{page}");
    // Flags that the short help hides are explained too.
    assert!(folder.done("man search").out.contains("The score to choose by"), "--metric");
    assert!(folder.done("man").out.contains(".TH mercer"));
    let wrong = folder.run("man no-such");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("the subcommands are"), "{}", wrong.err);
}

#[test]
fn sample_tables_are_written_with_their_sources() {
    let folder = Folder::new();
    let list = folder.done("demo --data list").out;
    for part in ["iris", "houses", "moons", "messages", "CC BY 4.0", "CC0"] {
        assert!(list.contains(part), "{list}");
    }
    let run = folder.done("demo --data iris.csv");
    assert!(
        run.out.contains("CC BY 4.0") && run.out.contains("mercer svc iris.csv"),
        "{}",
        run.out
    );
    assert_eq!(folder.read("iris.csv").lines().count(), 151);
    let again = folder.run("demo --data iris.csv");
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("already exists"), "{}", again.err);
    folder.done("demo --data houses.csv --rows 80 --seed 2 -q");
    folder.done("demo --data messages.tsv --rows 60 -q");
    let fit = folder.done("krr houses.csv --target price --test 0.3");
    assert!(fit.err.contains("values filled"), "{}", fit.err);
    folder.done("svc iris.csv --target species --test 0.3 -q");
}
