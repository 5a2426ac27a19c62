#!/usr/bin/env bash
# Compiles the kernels, runs the experiments named (or all) and, with PROFILE=1, the check under Nsight Compute.
# usage: measure.sh FOLDER [EXPERIMENT...]
set -euo pipefail
out=$(realpath -m "$1"); shift
here=$(dirname "$(realpath "$0")")
mkdir -p "$out"
nvcc -cubin -arch=sm_90 -o "$out/kernels.cubin" "$here/kernels.cu"
cuobjdump --dump-sass "$out/kernels.cubin" >"$out/kernels.sass" || true
python3 "$here/l1.py" --cubin "$out/kernels.cubin" --out "$out" "$@"
if [ "${PROFILE:-0}" = 1 ]; then
    ncu --clock-control none --csv --target-processes all --metrics \
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum,launch__shared_mem_config_size \
        python3 "$here/l1.py" --cubin "$out/kernels.cubin" --out "$out/profiled" check >"$out/counters.csv" || true
fi
