//! How much faster is one pass over the accesses than simulating every L1?
//!
//! `cargo run --release --example sweep_speed -- [kernel] [rounds]`: per problem the median and the least of rounds that take
//! turns, so that a busy machine treats both alike. Kernel and programs are loaded before.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use warpstack::engine::{Engine, Settings, Sweep, problems};
use warpstack::launch::spec::CacheSpec;
use warpstack::predict::Configuration;
use warpstack::study::Base;
use warpstack::study::setting::{l1_geometry, with_l1};

const FOUR_KIB: [u32; 4] = [16, 32, 48, 64];
const FOURTEEN_KIB: [u32; 14] = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let kernel = args.next().unwrap_or_else(|| "rpn".into());
    let rounds: usize = args.next().map_or(Ok(20), |rounds| rounds.parse())?;
    for problem in problems() {
        let base = Base::gtx670()?;
        let engine = Engine::new(base.device, &[problem], Settings::default())?;
        let at = |l1_bytes| Configuration {
            problem: problem.into(),
            kernel: kernel.clone(),
            stack_dim: 1,
            stack_registers: 0,
            threads_per_block: 256,
            case_blocks: 1,
            l1_bytes,
        };
        engine.predict(&at(49152))?;
        engine.sweep(&at(49152), 1)?;
        let mut times: [Vec<f64>; 4] = Default::default();
        let mut n_all = 0;
        for _ in 0..rounds.max(1) {
            times[0].push(milliseconds(|| {
                for kib in FOUR_KIB {
                    let device = with_l1(engine.device(), 1024 * kib).expect("ways are found");
                    black_box(engine.on(device).predict(&at(1024 * kib)).expect("any L1"));
                }
            }));
            times[1].push(milliseconds(|| {
                let sweep = engine.sweep(&at(49152), 1).expect("it ran before");
                black_box(sweep.hit_rates(&sizes(&engine, &sweep, &FOUR_KIB)));
            }));
            let sweep = engine.sweep(&at(49152), 1)?;
            let all = geometries(&sweep);
            n_all = all.len();
            times[2].push(milliseconds(|| {
                black_box(sweep.hit_rates(&sizes(&engine, &sweep, &FOURTEEN_KIB)));
            }));
            times[3].push(milliseconds(|| {
                black_box(sweep.hit_rates(&all));
            }));
        }
        let [four, pass, fourteen, all] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            [times[times.len() / 2], times[0]]
        });
        println!(
            "{kernel} on {problem}: four simulated {:.0} ({:.0}) ms, one pass {:.1} ({:.1}) ms, {:.0} ({:.0}) times; caches of fourteen sizes \
             {:.1} ({:.1}) ms, of {n_all} geometries {:.0} ({:.0}) ms",
            four[0],
            four[1],
            pass[0],
            pass[1],
            four[0] / pass[0],
            four[1] / pass[1],
            fourteen[0],
            fourteen[1],
            all[0],
            all[1]
        );
    }
    Ok(())
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    1e3 * start.elapsed().as_secs_f64()
}

fn sizes(engine: &Engine, sweep: &Sweep, kib: &[u32]) -> Vec<CacheSpec> {
    let cache = |kib: &u32| {
        let geometry = l1_geometry(engine.device(), 1024 * kib, 128).expect("ways are found");
        sweep.cache(128, geometry.n_sets, geometry.n_ways)
    };
    kib.iter().map(cache).collect()
}

/// Lines of 32 to 512 bytes, 1 to 16 ways, 1 KiB to 1 MiB.
fn geometries(sweep: &Sweep) -> Vec<CacheSpec> {
    let mut all = Vec::new();
    for line_bytes in [32, 64, 128, 256, 512] {
        for ways in [1, 2, 4, 6, 8, 16] {
            let sets = (0..14).map(|log2| 1 << log2);
            let caches = sets.map(|sets| sweep.cache(line_bytes, sets, ways));
            all.extend(caches.filter(|cache| (1024..=1 << 20).contains(&cache.bytes())));
        }
    }
    all
}
