# Everything the project needs on a fresh machine (Debian, Rust stable, Python 3.11+, make) is set up here, inside this
# folder: Rust in target/, Python in .venv/, a browser for tests in .browser/.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
CORE := python/mercer/_core.abi3.so
BROWSER_TESTS := crates/mercer-cli/tests/browser
PYTHON_CODE := python bench docs crates/mercer-cuda $(BROWSER_TESTS)

.PHONY: help run test memory format-check lint test-rust test-simd test-python test-browser test-cuda ptx asan miri soak deny browser bench bench-growth docs rust-docs fuzz faults \
	wheel dist package msrv reproducible develop format clean

help:
	@echo "make run     build, run the demonstration, say where its picture is"
	@echo "make test    everything: format, lints, Rust tests, documentation tests, Python tests, pages in a browser"
	@echo "make test-cuda  fits on a CUDA device beside the processor's"
	@echo "make asan    the Rust tests under AddressSanitizer (needs Rust nightly)"
	@echo "make miri    small tests of unsafe code under Miri (needs Rust nightly with miri and rust-src)"
	@echo "make soak    everything at once in one process for HOURS (1)"
	@echo "make deny    licences, sources and known faults of dependencies (installs cargo-deny into target/tools)"
	@echo "make memory  the memory of every kind of work at five budgets and 20,000 rows; prints a table, takes an hour"
	@echo "make bench   side-by-side comparison with peers; prints a table, writes bench/results/latest.*, adds to its history"
	@echo "make bench-growth  how time and memory of methods grow with the rows; prints a table, writes bench/results/growth.png"
	@echo "make docs    the guide, with figures, gallery and both references, in target/site"
	@echo "make fuzz    all fuzz targets for MINUTES=10 minutes each (nightly compiler and cargo-fuzz)"
	@echo "make faults  kills, full disks, limits and closed descriptors, for as many minutes as it takes"
	@echo "make wheel   the Python wheel, in target/wheels"
	@echo "make dist    the command line as it is given away: smaller and optimised across crates, in target/dist"
	@echo "make package the crates and the source distribution, checked as they are before publishing"
	@echo "make msrv    compile with the oldest Rust that is promised (installs it)"
	@echo "make reproducible   build the binary twice, in two places, and compare the bytes"
	@echo "make format  format Rust and Python in place"

# --- run ---------------------------------------------------------------------------------------------------------------

run:
	cargo build --release --package mercer-cli
	@mkdir -p demo
	@cd demo && ../target/release/mercer demo --plot demo.svg --plot demo.png
	@echo "The plot is in demo/demo.svg and demo/demo.png."

# --- test --------------------------------------------------------------------------------------------------------------

test: format-check lint test-rust test-simd test-python package docs test-browser

# One build of the whole workspace serves every test: building packages one by one would compile shared dependencies
# again for each set of features.
BUILD := --workspace

# What incremental builds need to be prepared for costs about a sixth of compiling the workspace. For one edit after another:
# `make test CARGO_INCREMENTAL=1`, which is what cargo alone does.
CARGO_INCREMENTAL ?= 0
export CARGO_INCREMENTAL

format-check: $(VENV)/ready
	cargo fmt --all --check
	$(VENV)/bin/ruff format --check $(PYTHON_CODE)
	$(VENV)/bin/ruff check $(PYTHON_CODE)

lint:
	cargo clippy $(BUILD) --all-targets -- --deny warnings

test-rust:
	cargo test $(BUILD)

# At each lower level of vector instructions that this processor has: the tests again of the modules whose loops are compiled
# for each level or call them tile by tile, of all kernels, and the golden files. Models see only what these compute.
SIMD_MODULES := real:: linalg:: kernel:: gram:: expansion:: solve::

# These run as they were built for test-rust; asked for by name, cargo would also compile tests of the extension module, which has none.
SIMD_TESTS := import json, sys; \
	built = [line for line in map(json.loads, sys.stdin) if line.get("executable") and line["profile"]["test"]]; \
	library = [one["executable"] for one in built if (one["target"]["name"], one["target"]["kind"]) == ("mercer", ["lib"])]; \
	whole = [one["executable"] for one in built if one["target"]["name"] in ("kernels", "model_files")]; \
	print(f"{library[0]} --quiet $(SIMD_MODULES)", *(f"{one} --quiet" for one in whole), sep="\n")

test-simd: $(VENV)/ready
	cargo build $(BUILD)
	@set -e; levels=$$(target/debug/mercer doctor --json | $(PY) -c \
		'import json, sys; print(*json.load(sys.stdin)["simd_levels"][:-1])'); \
	tests=$$(cargo test $(BUILD) --no-run --message-format json --quiet | $(PY) -c '$(SIMD_TESTS)'); \
	for level in $$levels; do echo "MERCER_SIMD=$$level"; \
		echo "$$tests" | ( cd crates/mercer && while read -r test; do MERCER_SIMD=$$level $$test; done ); done

test-python: $(VENV)/ready
	cargo build $(BUILD)
	cp target/debug/lib_core.so $(CORE)
	cd python && ../$(PY) -m pytest --numprocesses 2
	PYTHONPATH=$(CURDIR)/python $(PY) -m pytest --quiet --numprocesses 2 bench

# The table of docs/big-data.md, and every budget kept.
memory: $(VENV)/ready
	cargo build $(BUILD)
	cp target/debug/lib_core.so $(CORE)
	cd python && MERCER_MEMORY=full ../$(PY) -m pytest tests/test_memory.py

test-browser: $(VENV)/ready browser
	cargo build $(BUILD)
	$(PY) -m pytest --quiet --numprocesses 2 $(BROWSER_TESTS)

# --- memory and threads, dependencies: on demand -----------------------------------------------------------------------

NIGHTLY := nightly
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

# Memory that is refused is refused as without the sanitizer. rayon never frees a pool that a thread is for itself, which leaks count.
# The sanitizer itself needs /proc and terabytes of addresses, so the two tests that take these away are left out.
# Each with a target folder of its own. Documentation tests are left out: they repeat what tests do.
asan:
	@cargo +$(NIGHTLY) --version >/dev/null 2>&1 || \
		{ echo "make asan needs Rust nightly: rustup toolchain install $(NIGHTLY)"; exit 1; }
	ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=target/asan \
		cargo +$(NIGHTLY) test --target $(HOST) \
		--package mercer --package mercer-cli --lib --bins --tests -- \
		--skip without_proc_everything_works --skip memory_that_is_refused_leaves_nothing

# What Miri can interpret: tests written for it, and those of the library that are small.
MIRI_LIBRARY := linalg::view linalg::simd linalg::alloc::tests::zeros_are linalg::eigen::tests::teams_of_sweeps

# Threads of a pool end after it, not before the program does.
MIRI_RULES := -Zmiri-tree-borrows -Zmiri-disable-isolation -Zmiri-ignore-leaks

# Parquet and its codecs call C and are left out. Miri has no vector instructions: it runs the plain loops.
miri:
	@cargo +$(NIGHTLY) miri --version >/dev/null 2>&1 || \
		{ echo "make miri needs Rust nightly with Miri: rustup toolchain install $(NIGHTLY) --component miri,rust-src"; exit 1; }
	MIRIFLAGS="$(MIRI_RULES)" CARGO_TARGET_DIR=target/miri PROPTEST_CASES=2 \
		cargo +$(NIGHTLY) miri test --package mercer --no-default-features --test interpreted
	MIRIFLAGS="$(MIRI_RULES)" CARGO_TARGET_DIR=target/miri PROPTEST_CASES=2 \
		cargo +$(NIGHTLY) miri test --package mercer --no-default-features --lib -- $(MIRI_LIBRARY)

HOURS ?= 1

soak: $(VENV)/ready
	cargo build $(BUILD)
	cp target/debug/lib_core.so $(CORE)
	PYTHONPATH=python $(PY) python/tests/soak.py --hours $(HOURS)

# The database of advisories is fetched from GitHub; without it the last line fails, and says so.
deny: target/tools/bin/cargo-deny
	$< check bans licenses sources
	$< check advisories

target/tools/bin/cargo-deny:
	cargo install cargo-deny --locked --root target/tools --target-dir target/tools/build

# A Chromium to open pages in: the machine's, or Debian's unpacked into this folder.
browser: .browser/ready

.browser/ready: $(BROWSER_TESTS)/get-chromium.sh
	$(BROWSER_TESTS)/get-chromium.sh .browser
	touch $@

$(VENV)/ready: python/requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --requirement python/requirements-dev.txt
	touch $@

# --- devices -----------------------------------------------------------------------------------------------------------

# Fits on a CUDA device beside fits on the processor; without a device the tests say so. `make test` runs them, too.
test-cuda:
	cargo test --release --package mercer-cuda -- --nocapture

# The kernels of devices, compiled; needs no device.
ptx: $(VENV)/ready
	$(PY) -m pip install --quiet nvidia-cuda-nvrtc-cu12==12.4.127
	$(PY) crates/mercer-cuda/compile_ptx.py

# --- fuzzing and faults ------------------------------------------------------------------------------------------------

MINUTES ?= 10

# Every target in turn, in as many processes as there are cores.
fuzz:
	fuzz/build.sh
	fuzz/run.sh fuzz/target/programs $$(( $(MINUTES) * 60 ))

# The long variants of tests that `make test` runs in seconds.
faults: $(VENV)/ready
	MERCER_FAULTS=long cargo test $(BUILD) --test faults -- --nocapture
	MERCER_FUZZ_ROUNDS=200000 cargo test $(BUILD) --test smoke
	cargo build $(BUILD)
	cp target/debug/lib_core.so $(CORE)
	cd python && MERCER_FAULTS=long ../$(PY) -m pytest --quiet tests/test_hostile_files.py

# --- docs --------------------------------------------------------------------------------------------------------------

SITE := target/site

# Warnings are errors. The Rust reference is made by cargo and put beside the pages, which link to it.
docs: $(VENV)/docs rust-docs
	cargo build $(BUILD)
	cp target/debug/lib_core.so $(CORE)
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going --quiet -d target/site-trees docs $(SITE)
	rm -rf $(SITE)/rust && cp -r target/doc $(SITE)/rust
	@echo "The guide is in $(SITE)/index.html."

# The public API is the one that docs/public-api.txt lists.
rust-docs:
	rm -rf target/doc && RUSTDOCFLAGS="--deny warnings" cargo doc $(BUILD) --no-deps --quiet
	$(PYTHON) docs/public_api.py

$(VENV)/docs: docs/requirements.txt $(VENV)/ready
	$(PY) -m pip install --quiet --requirement docs/requirements.txt
	touch $@

# --- bench, wheel, house keeping ---------------------------------------------------------------------------------------

develop: $(VENV)/ready
	$(VENV)/bin/maturin build --profile dist --quiet --manifest-path python/Cargo.toml --out target/wheels
	$(PY) -m pip install --quiet --force-reinstall --no-deps target/wheels/mercer-*.whl

bench: develop $(VENV)/rivals
	$(PY) bench/run.py

# Fits of up to SECONDS each.
bench-growth: develop
	@mkdir -p bench/results
	$(PY) bench/growth.py --picture bench/results/growth.png --seconds $(or $(SECONDS),60)

$(VENV)/rivals: bench/requirements.txt $(VENV)/ready
	$(PY) -m pip install --quiet --requirement bench/requirements.txt
	touch $@

# The binary that is given away, optimised across crates: target/dist/mercer.
dist:
	cargo build --profile dist --package mercer-cli

PUBLISHED := --package mercer --package mercer-cuda --package mercer-plot --package mercer-serve --package mercer-cli

# What would be published. What cargo package compiles of it is what the tests have compiled.
package: $(VENV)/ready
	cargo package --quiet --no-verify --allow-dirty $(PUBLISHED)
	rm -rf target/source && $(VENV)/bin/maturin sdist --manifest-path python/Cargo.toml --out target/source
	$(VENV)/bin/twine check --strict target/source/*

OLDEST_RUST = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

msrv:
	rustup toolchain install $(OLDEST_RUST) --profile minimal --no-self-update
	CARGO_TARGET_DIR=target/msrv cargo +$(OLDEST_RUST) check $(BUILD) --locked

# Sources and target in folders of different names; paths of this machine are replaced.
reproducible:
	@set -e; for copy in one two-with-a-longer-name; do place=target/reproducible/$$copy; \
		rm -rf $$place && mkdir -p $$place && git archive HEAD | tar --extract --directory $$place; \
		( cd $$place && RUSTFLAGS="--remap-path-prefix=$$PWD=/mercer --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=/cargo" \
			cargo build --quiet --locked --profile dist --package mercer-cli ); done
	cmp target/reproducible/one/target/dist/mercer target/reproducible/two-with-a-longer-name/target/dist/mercer
	@sha256sum target/reproducible/one/target/dist/mercer

wheel: $(VENV)/ready
	$(VENV)/bin/maturin build --profile dist --manifest-path python/Cargo.toml --out target/wheels

format: $(VENV)/ready
	cargo fmt --all
	$(VENV)/bin/ruff format $(PYTHON_CODE)
	$(VENV)/bin/ruff check --fix $(PYTHON_CODE)

clean:
	rm -rf target $(VENV) .browser demo docs/examples $(CORE)
