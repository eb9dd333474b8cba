//! `--device`, on machines with a CUDA device and without.

use crate::folder::{Folder, clouds};

#[test]
fn a_device_is_used_or_said_to_be_missing() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    folder.done("kpca t.csv --label cloud -k 2 -m here.mercer -o here.csv");
    let run = folder.run("kpca t.csv --label cloud -k 2 --device cuda -m there.mercer");
    let has_device = run.code == Some(0);
    if !has_device {
        assert!(run.err.contains("use device cpu"), "{}", run.err);
        assert!(!folder.has("there.mercer"));
    }
    let doctor = folder.done("doctor");
    assert_eq!(doctor.out.contains("CUDA        not available"), !has_device, "{}", doctor.out);
    folder.done("kpca t.csv --label cloud -k 2 --device auto -o auto.csv");
    folder.done("transform here.mercer t.csv --label cloud --device auto -o again.csv");
    if !has_device {
        assert_eq!(folder.read("here.csv"), folder.read("auto.csv"));
    }
}

#[test]
fn names_of_devices_are_checked_and_what_they_do_not_compute_is_refused() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    let wrong = folder.run("kpca t.csv --label cloud --device gpu");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("must be cpu, cuda, cuda:1"), "{}", wrong.err);
    let run = folder.run("kpca t.csv --label cloud -k 2 --landmarks 9 --device cuda -o a.csv");
    assert!(
        run.err.contains("--device: landmarks are computed on the processor only"),
        "{}",
        run.err
    );
    folder.done("pca t.csv --label cloud -k 2 -m pca.mercer");
    let run = folder.run("transform pca.mercer t.csv --label cloud --device cuda");
    assert!(run.err.contains("only components of an exact kernel PCA"), "{}", run.err);
    assert_eq!(folder.run("transform pca.mercer t.csv --errors --device cpu").code, Some(2));
}
