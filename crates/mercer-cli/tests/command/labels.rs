//! Several label columns and row numbers in outputs.

use crate::folder::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    let row = |i: usize| {
        let t = i as f64;
        let x = if i == 3 { String::new() } else { format!("{:.3}", t.sin()) };
        format!("n{i},{},{x},{:.3}\n", ["ulm", "bonn"][i % 2], (1.3 * t).cos())
    };
    folder.write("t.csv", "name,city,x,y\n".to_string() + &(0..30).map(row).collect::<String>());
    folder
}

fn first_lines(text: &str) -> Vec<&str> {
    text.lines().take(2).collect()
}

#[test]
fn labels_are_kept_in_order() {
    let folder = folder();
    folder.done("kpca t.csv --label name,city -m m.mercer -o c.csv -q");
    let text = folder.read("c.csv");
    assert!(text.starts_with("name,city,component_1,component_2\nn0,ulm,"), "{text}");
    folder.done("transform m.mercer t.csv --row-numbers -o p.csv -q");
    let text = folder.read("p.csv");
    assert!(text.starts_with("name,city,row,component_1,component_2\nn0,ulm,1,"), "{text}");
    let json = folder.done("transform m.mercer t.csv --row-numbers --json").out;
    assert!(json.contains("\"more\":[{\"name\":\"city\""), "{json}");
    folder.done("outliers t.csv --label name,city -o o.csv -q");
    assert!(
        folder.read("o.csv").starts_with("name,city,row,"),
        "{:?}",
        first_lines(&folder.read("o.csv"))
    );
    folder.done("svr t.csv --target y --label name,city -m s.mercer -o s.csv -q");
    assert!(folder.read("s.csv").starts_with("name,city,y,prediction\n"));
    folder.done("predict s.mercer t.csv --row-numbers -o q.csv -q");
    let text = folder.read("q.csv");
    assert!(text.starts_with("name,row,city,") && text.contains("\nn29,30,bonn,"), "{text}");
    let wrong = folder.run("check t.csv --label name,city --kernel linear");
    assert_eq!(wrong.code, Some(2));
}

#[test]
fn rows_are_numbered_as_in_the_table() {
    let folder = folder();
    folder.done("kmeans t.csv -k 2 --label name,city --missing drop --row-numbers -o k.csv -q");
    let text = folder.read("k.csv");
    assert!(text.starts_with("name,city,row,cluster"), "{text}");
    assert!(text.contains("\nn2,ulm,3,") && text.contains("\nn4,ulm,5,"), "{text}");
    folder.done("outliers t.csv --label name,city --missing drop -o o.csv -q");
    assert!(folder.read("o.csv").contains("\nn4,ulm,5,"));
}
