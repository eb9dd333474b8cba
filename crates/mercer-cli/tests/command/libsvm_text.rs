//! LIBSVM's files: labels that are classes, and models that hold no parameters.

use crate::folder::{Folder, rings};

#[test]
fn few_integer_labels_are_classes() {
    let folder = Folder::new();
    folder.write("r.libsvm", rings(60));
    let run = folder.done("krr r.libsvm");
    assert!(
        run.err.starts_with("warning: r.libsvm: the labels are 2 distinct integers"),
        "{}",
        run.err
    );
    assert!(run.err.contains("classes"), "{}", run.err);
    let run = folder.done("krr r.libsvm --task regression");
    assert!(!run.err.contains("distinct integers") && run.err.contains("RMSE"), "{}", run.err);
    let run = folder.done("krr r.libsvm --classify");
    assert!(!run.err.contains("distinct integers"), "{}", run.err);
    let run = folder.done("search r.libsvm --costs 1 --gammas 1 --json");
    assert!(run.out.contains("\"task\":\"c_svc\""), "{}", run.out);
}

#[test]
fn a_libsvm_model_is_described_by_what_it_holds() {
    let folder = Folder::new();
    folder.write("r.libsvm", rings(60));
    folder.done("svc r.libsvm --scale none -C 7 --libsvm-model r.model -q");
    let text = folder.done("inspect r.model").out;
    assert!(text.contains("a LIBSVM model of 2 columns"), "{text}");
    for invented in ["parameters", "fitted in", "NaN", "rows", "converged"] {
        assert!(!text.contains(invented), "{invented}: {text}");
    }
    let json = folder.done("inspect r.model --json").out;
    for part in ["\"rows\":null", "\"report\":null", "\"c\":null", "\"tolerance\":null"] {
        assert!(json.contains(part), "{part}: {json}");
    }
    let wrong = folder.run("svc r.libsvm --from-model r.model");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("does not hold the parameters"), "{}", wrong.err);
}
