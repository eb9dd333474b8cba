//! The demonstration shows what it says.

use crate::folder::Folder;

/// The share of rows in the right class, of the line that begins with `who`.
fn share(text: &str, who: &str) -> f64 {
    let line = text.lines().find(|line| line.trim_start().starts_with(who)).expect(who);
    line.split_whitespace().find_map(|word| word.parse::<f64>().ok()).expect(line)
}

#[test]
fn kernel_pca_separates_what_pca_cannot() {
    let folder = Folder::new();
    for shape in ["circles", "spiral"] {
        let text = folder.done(&format!("demo {shape} --plot {shape}.svg")).out;
        assert!(share(&text, "PCA") < 75.0 && share(&text, "kernel PCA") > 98.0, "{text}");
        assert!(text.contains(&format!("Plot written to {shape}.svg")));
    }
    let blobs = folder.done("demo blobs --plot blobs.png").out;
    assert!(share(&blobs, "kernel PCA") > 98.0);
}

#[test]
fn without_flags_it_leaves_both_pictures_and_nothing_else() {
    let folder = Folder::new();
    folder.done("demo");
    assert_eq!(folder.names(), ["mercer-demo.png", "mercer-demo.svg"]);
    let quiet = folder.done("demo --rows 10 --quiet --plot a.svg --kernel linear");
    assert!(quiet.out.is_empty() && quiet.err.is_empty());
}

#[test]
fn new_names_land_in_their_families() {
    let folder = Folder::new();
    let text = folder.done("demo names --plot names.svg").out;
    for (name, family) in [
        ("flanders maude", "flanders"),
        ("simpson abe", "simpson"),
        ("van houten kirk", "van houten"),
    ] {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
        assert!(line.contains(&format!("nearest family {family} ")), "{text}");
    }
    let picture = folder.read("names.svg");
    for name in ["nahasapeemapetilon apu", "frink prof. john", "simpson abe", "training"] {
        assert!(picture.contains(&format!(">{name}</text>")), "{name}");
    }
    folder.done("demo names --kernel 'normalize(substrings(p=5))' --plot names.svg -q");
}
