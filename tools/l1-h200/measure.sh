#!/usr/bin/env bash
# Compiles the kernels, runs the experiments named (or all) and, if all, compares with Nsight Compute's counters.
# usage: measure.sh FOLDER [EXPERIMENT...]
set -euo pipefail
out=$(realpath -m "$1"); shift
here=$(dirname "$(realpath "$0")")
mkdir -p "$out"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
nvcc -cubin -arch=sm_90 -o "$work/kernels.cubin" "$here/kernels.cu"
python3 "$here/l1.py" --cubin "$work/kernels.cubin" --out "$out" "$@"
if [ $# = 0 ]; then
    metrics=$(printf 'l1tex__t_sectors_pipe_lsu_mem_%s.sum,' {global_op_ld,local_op_ld,local_op_st}{,_lookup_hit})
    ncu --clock-control none --csv --target-processes all --metrics "${metrics}launch__shared_mem_config_size,sm__cycles_active.avg" \
        python3 "$here/l1.py" --cubin "$work/kernels.cubin" --out "$work" check >"$work/ncu.csv" || { grep -v '^"' "$work/ncu.csv" >&2; exit 1; }
    "$here/analyse.py" --counters "$work/ncu.csv" "$work/check.csv" >"$out/counters.csv"
fi
