#!/usr/bin/env bash
# Builds the wheel, installs it in a virtual environment under target/, compares it with the program, executes the notebooks.
# Where Python, Rust or the packages are not to be had, it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
venv=$root/target/python/venv
wheels=$root/target/python/wheels

skip() { echo "skipped: $1"; exit 0; }

python=${PYTHON:-python3}
command -v cargo > /dev/null || skip "no cargo"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null || skip "no Python 3.10 or newer ($python)"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || skip "Python has no venv"
# The list of the extra `test` in pyproject.toml.
packages=$(sed -n 's/^test = \[\(.*\)\]$/\1/p' pyproject.toml | tr -d '",')
# shellcheck disable=SC2086
"$venv/bin/pip" install --quiet --disable-pip-version-check maturin $packages || skip "pip cannot install maturin $packages"

rm -rf "$wheels"
"$venv/bin/maturin" build --release --locked --out "$wheels"
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
(cd "$root" && cargo build --release)
cd tests
export WARPSTACK_PROGRAM=${WARPSTACK_PROGRAM:-$CARGO_TARGET_DIR/release/warpstack}
"$venv/bin/python" -m mypy --strict --config-file ../pyproject.toml -p warpstack
"$venv/bin/python" -m unittest -v "$@"
