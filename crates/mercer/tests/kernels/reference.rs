//! The table of families in `docs/kernels.md` is what the registry says.

use mercer::kernel::{Value, families};

fn table() -> String {
    let mut table = String::from("| kernel | formula | parameters |\n|---|---|---|\n");
    for family in families() {
        let parameters: Vec<String> = family
            .parameters
            .iter()
            .map(|p| match p.default {
                Some(Value::Number(number)) => format!("`{}={number}`", p.name),
                Some(Value::Rule(rule)) => format!("`{}={}`", p.name, rule.name()),
                Some(Value::Word(word)) => format!("`{}={word}`", p.name),
                Some(Value::PerColumn) | None => format!("`{}`", p.name),
            })
            .collect();
        let formula = family.formula.replace('|', "\\|");
        table += &format!("| `{}` | {formula} | {} |\n", family.name, parameters.join(", "));
    }
    table
}

#[test]
fn the_guide_lists_the_families_as_they_are() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernels.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table()), "docs/kernels.md should contain:\n{}", table());
}
