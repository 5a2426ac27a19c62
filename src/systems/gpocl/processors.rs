//! Figures of section 4 for the processors, estimated with ranges.
//!
//! Leaves out: the same as the estimate (`processor`). Units: in the quantities' names. Sources: Augusto and Barbosa 2013,
//! figures 3 to 6 and 13 to 16, tables 1 and 4 to 6.

use super::figures::{SPEED, middle, most, of_tables, surface};
use super::instances::{Instance, Outcome};
use super::processor::{Inputs, Mix, PROCESSORS, Processor, Threads};
use super::published::Quantity;
use super::{Domain, GpoclConfiguration, Strategy};
use crate::device::numbers::Numbers;
use crate::device::table::{Entry, Field};
use crate::systems::figure::Figure;
use crate::util::band::Band;

/// A processor with one thread or with all, in a domain.
#[derive(Debug, Clone, Copy)]
struct Run<'a> {
    processor: &'a Processor,
    threads: Threads,
    mix: Mix,
    experiment: &'static str,
}

/// The paper's figures, by domain, processor and threads.
const SURFACES: [[[&str; 2]; 2]; 2] = [
    [["figure 3", "figure 4"], ["figure 5", "figure 6"]],
    [["figure 13", "figure 14"], ["figure 15", "figure 16"]],
];

/// Estimates the figures of both processors in both domains.
pub fn figures(seed: u64) -> Outcome {
    let mut all = Outcome::default();
    for (&domain, experiments) in Domain::ALL.iter().zip(SURFACES) {
        let mix = Mix::of(domain, seed);
        for (processor, experiments) in PROCESSORS.iter().zip(experiments) {
            for (threads, experiment) in [Threads::One, Threads::All].into_iter().zip(experiments) {
                let run = Run {
                    processor,
                    threads,
                    mix,
                    experiment,
                };
                all.figures.extend(run.figures());
                all.instances.push(run.instance());
            }
        }
    }
    all.figures.extend(PROCESSORS.iter().flat_map(inputs));
    all
}

/// Returns programs and rows of the cells; the GPU strategy is irrelevant here.
fn cells(domain: Domain) -> impl Iterator<Item = [u32; 2]> {
    let size = |cell: GpoclConfiguration| [cell.population, cell.dataset];
    surface(Strategy::Ppcu, domain).into_iter().map(size)
}

fn least(speeds: &[f64]) -> f64 {
    speeds.iter().copied().fold(f64::INFINITY, f64::min)
}

impl Run<'_> {
    fn name(&self) -> String {
        match self.threads {
            Threads::One => format!("{} sequential", self.processor.name),
            Threads::All => format!("{} parallel", self.processor.name),
        }
    }

    fn speeds(&self, processor: &Inputs) -> Vec<f64> {
        let speed = |size| processor.gpops_billion(self.threads, self.mix, size);
        cells(self.mix.domain).map(speed).collect()
    }

    fn instance(&self) -> Instance {
        let of_cell = |size| {
            let speed = |one: &Inputs| one.gpops_billion(self.threads, self.mix, size);
            self.processor.band(speed)
        };
        let bands: Vec<Band> = cells(self.mix.domain).map(of_cell).collect();
        let of = |end: fn(&Band) -> f64| bands.iter().map(end).collect();
        Instance {
            name: self.name(),
            domain: self.mix.domain,
            speeds: of(|band| band.value),
            ends: Some([of(|band| band.low), of(|band| band.high)]),
        }
    }

    fn figures(&self) -> Vec<Figure> {
        let name = self.name();
        let domain = self.mix.domain;
        let of_cell = |([programs, rows], speed): ([u32; 2], f64)| {
            let place = format!("{name}, {programs} programs, {rows} rows");
            Figure::new(self.experiment, place, SPEED, speed)
        };
        let speeds = self.speeds(&self.processor.machine);
        let mut figures: Vec<Figure> = cells(domain).zip(speeds).map(of_cell).collect();
        let of_surface = |id: Quantity, quantity, predicted: Band| {
            let figure = Figure::new(self.experiment, &name, quantity, predicted);
            figure.of(id.of(domain, &[&name]))
        };
        let over = |of: fn(&[f64]) -> f64| self.processor.band(|one| of(&self.speeds(one)));
        const LOWEST: &str = "lowest speed of the surface (billion GPop/s)";
        const HIGHEST: &str = "highest speed of the surface (billion GPop/s)";
        const EFFICIENCY: &str = "efficiency of parallel threads (%)";
        let (peak, median) = (over(most), over(middle));
        figures.push(of_surface(Quantity::Lowest, LOWEST, over(least)));
        figures.push(of_surface(Quantity::Highest, HIGHEST, peak));
        let watts = Some(self.processor.machine.watts);
        figures.extend(of_tables(&name, domain, watts, [peak, median]));
        if self.threads == Threads::All {
            let efficiency = self.processor.band(|one| self.efficiency_percent(one));
            figures.push(of_surface(Quantity::Efficiency, EFFICIENCY, efficiency));
        }
        figures
    }

    /// Returns the efficiency of section 4.3.1: peak over sequential peak, over the number of compute units.
    fn efficiency_percent(&self, processor: &Inputs) -> f64 {
        let sequential = Run {
            threads: Threads::One,
            ..*self
        };
        let speedup = most(&self.speeds(processor)) / most(&sequential.speeds(processor));
        100.0 * speedup / processor.threads
    }
}

/// Returns the inputs of the estimate as figures.
fn inputs(processor: &Processor) -> Vec<Figure> {
    let fields = Inputs::FIELDS.iter().zip(&processor.entries);
    let estimated = fields.filter(|(field, _)| field.section == "estimate");
    let of_input = |(field, input): (&Field, &Entry)| {
        let (low, high) = input.ends();
        let place = format!(
            "{} {} ({}), {low} to {high}, {}: {}",
            processor.name,
            field.title,
            input.unit,
            input.kind.name(),
            input.source
        );
        Figure::new(
            "estimated",
            place,
            "value",
            input.number().unwrap_or(f64::NAN),
        )
    };
    estimated.map(of_input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_instances_of_a_domain_with_36_cells_each_inside_their_bands() {
        let found = figures(1);
        assert_eq!(found.instances.len(), 8);
        for one in &found.instances {
            let [slow, fast] = one.ends.as_ref().unwrap();
            assert_eq!(one.speeds.len(), 36);
            for ((low, value), high) in slow.iter().zip(&one.speeds).zip(fast) {
                assert!(low < value && value < high, "{}", one.name);
            }
        }
    }

    #[test]
    fn a_thread_of_a_core_of_its_own_is_fully_efficient_and_one_of_two_is_not() {
        let figures = figures(1).figures;
        let of = |name: &str| {
            let quantity = "efficiency of parallel threads (%)";
            let same = |one: &&Figure| one.configuration == name && one.quantity == quantity;
            figures.iter().find(same).unwrap().predicted.value
        };
        // Two threads reach 1.25 times the speed of one.
        assert!((of("w3680 parallel") - 62.5).abs() < 0.1);
        assert!((of("phenom-1090t parallel") - 100.0).abs() < 0.1);
    }
}
