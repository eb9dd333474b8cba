//! Packs the files of the pages: the binary holds them compressed.

use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for page in ["explore", "service"] {
        let folder = Path::new("web").join(page);
        println!("cargo::rerun-if-changed={}", folder.display());
        fs::create_dir_all(Path::new(&out).join(page))?;
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name();
            let packed = Path::new(&out).join(page).join(&name);
            let mut encoder = ZlibEncoder::new(fs::File::create(packed)?, Compression::best());
            encoder.write_all(&fs::read(folder.join(&name))?)?;
            encoder.finish()?;
        }
    }
    Ok(())
}
