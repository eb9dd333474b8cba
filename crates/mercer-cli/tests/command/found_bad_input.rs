//! Clusters and outliers that cannot be found: the exit code, the words, and that no file appears.

use crate::bad_input::check;
use crate::folder::{Folder, clouds};

#[test]
fn tables() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(30));
    let files = [
        ("one.csv", "a,b\n1,2\n"),
        ("nan.csv", "a,b\n1,2\n2,NaN\n3,4\n"),
        ("inf.csv", "a,b\n1,2\n2,1\n3,inf\n"),
        ("gap.csv", "a,b\n1,2\n2,\n3,4\n"),
        ("zero.csv", "a,b,w\n1,2,0\n2,3,0\n5,3,1\n"),
        ("negative.csv", "a,b,w\n1,2,1\n2,3,-1\n5,3,1\n"),
    ];
    files.iter().for_each(|(name, content)| folder.write(name, content));
    let cases: [(&str, &[&str]); 22] = [
        ("kmeans t.csv -k 31 --label cloud", &["--clusters", "30, the number of samples", "31"]),
        ("kmeans one.csv -k 2", &["--clusters", "between 1 and 1"]),
        ("kmeans t.csv -k 3 --columns ^clown", &["did you mean \"cloud\"?"]),
        ("kmeans t.csv -k 3 --label kind", &["no column \"kind\"", "x, y, z, cloud"]),
        ("kmeans t.csv -k 3 --columns a,x", &["no column \"a\"", "x, y, z, cloud"]),
        ("kmeans t.csv -k 3 --columns cloud --label cloud", &["no feature columns are left"]),
        ("kmeans t.csv -k 3 --label cloud --weights v", &["no column \"v\""]),
        (
            "kmeans t.csv -k 3 --label cloud --weights cloud",
            &["--weights and --label both refer to"],
        ),
        ("kmeans nan.csv -k 2 --missing refuse", &["nan.csv", "line 3", "\"b\"", "--missing"]),
        ("kmeans inf.csv -k 2", &["inf.csv", "line 4", "\"b\"", "infinite"]),
        ("kmeans zero.csv -k 2 --weights w", &["--clusters", "with positive weight"]),
        ("kmeans negative.csv -k 2 --weights w", &["line 3", "\"w\" is -1"]),
        ("kmeans absent.csv -k 2", &["absent.csv", "No such file"]),
        ("kmeans t.csv -k 3 --label cloud --memory 300", &["--memory"]),
        ("outliers one.csv", &["one.csv", "one row", "at least two"]),
        ("outliers t.csv --dates expand --categories w", &["no column \"w\""]),
        ("outliers t.csv --label kind", &["no column \"kind\"", "x, y, z, cloud"]),
        ("outliers t.csv --columns a", &["no column \"a\"", "x, y, z, cloud"]),
        ("outliers nan.csv --missing refuse", &["nan.csv", "line 3", "\"b\""]),
        ("outliers gap.csv --missing refuse", &["gap.csv", "line 3", "\"b\"", "missing"]),
        ("outliers absent.csv", &["absent.csv", "No such file"]),
        ("outliers t.csv --label cloud --memory 300", &["--memory"]),
    ];
    for (line, parts) in cases {
        check(&folder, &format!("{line} -o o.csv -m m.mercer -p p.svg"), 1, parts);
    }
    check(&folder, "outliers t.csv --label cloud -o o.npy", 1, &["o.npy", "only numbers"]);
}

#[test]
fn flags() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(30));
    let cases: [(&str, &[&str]); 18] = [
        ("kmeans t.csv", &["--clusters <K>"]),
        ("kmeans t.csv -k 0", &["--clusters", "0"]),
        ("kmeans t.csv -k two", &["--clusters", "two"]),
        ("kmeans t.csv -k 2 --init farthest", &["--init", "k-means++, random, spectral"]),
        ("kmeans t.csv -k 2 --n-init 0", &["--n-init"]),
        ("kmeans t.csv -k 2 --max-iter 0", &["--max-iter"]),
        ("kmeans t.csv -k 2 --tolerance -1", &["--tolerance", "at least 0"]),
        ("kmeans t.csv -k 2 --kernel 'rbf(gama=1)'", &["did you mean 'gamma'"]),
        ("kmeans t.csv -k 2 -o t.csv", &["TABLE and --output"]),
        (
            "outliers t.csv --contamination 0",
            &["--contamination", "greater than 0 and at most 0.5"],
        ),
        ("outliers t.csv --contamination 0.51", &["--contamination", "at most 0.5"]),
        ("outliers t.csv --contamination -0.1", &["--contamination", "greater than 0"]),
        ("outliers t.csv --contamination nan", &["--contamination", "greater than 0"]),
        ("outliers t.csv --components 0", &["--components", "expected a count"]),
        ("outliers t.csv --score distance", &["--score", "reconstruction, projections"]),
        ("outliers t.csv --top 0", &["--top"]),
        ("outliers t.csv --weights x", &["--weights"]),
        ("outliers t.csv -o a.csv -m a.csv", &["--output and --model"]),
    ];
    for (line, parts) in cases {
        check(&folder, line, 2, parts);
    }
}

#[test]
fn predictions() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(30));
    folder.done("kmeans t.csv -k 3 --label cloud -q -m clusters.mercer");
    folder.done("outliers t.csv --label cloud -q -m outliers.mercer");
    for found in ["clusters", "outliers"] {
        let predicts = format!("this model predicts {found}");
        let cases: [(&str, &[&str]); 5] = [
            ("--std", &["--std", &predicts, "standard deviations are not available"]),
            ("--scores", &["--scores", &predicts, "not a classifier"]),
            ("--probability", &["--probability", &predicts, "not a classifier"]),
            ("--decisions", &["--decisions", "support vector"]),
            ("--columns x,y", &["needs 3 columns", "--columns selects 2"]),
        ];
        for (flag, parts) in cases {
            check(&folder, &format!("predict {found}.mercer t.csv {flag}"), 1, parts);
        }
        let parts = ["this model makes predictions", "mercer predict"];
        check(&folder, &format!("transform {found}.mercer t.csv"), 1, &parts);
    }
}
