//! The modelled parts of one multiprocessor, as boxes with the device's own numbers.
//!
//! Leaves out: parts that GP interpreters hardly use (constant caches, address translation).
//! Units: in the boxes.

use super::theme::{PALE_BLUE, PALE_GREEN, PALE_ORANGE, PALE_RED};
use super::{Area, Chart, Drawn, GRID, INK, ink};
use crate::device::Device;
use plotters::prelude::*;

/// The drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct SmxDrawing {
    title: String,
    parts: Vec<Part>,
}

/// A box: its name, a line of numbers, its colour.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    name: &'static str,
    numbers: Vec<String>,
    colour: RGBColor,
}

const WIDTH: i32 = 360;
const MARGIN: i32 = 12;
const LINE_HEIGHT: i32 = 18;
const GAP: i32 = 16;
const TITLE_HEIGHT: i32 = 36;

impl SmxDrawing {
    pub fn of(device: &Device) -> SmxDrawing {
        let (limits, issue) = (&device.limits, &device.issue);
        let throughput = &device.throughput;
        let sizes = |bytes: fn(&crate::device::OnChipSplit) -> u32| {
            let sizes = device.l1.splits.iter().map(|split| bytes(split) / 1024);
            let sizes: Vec<String> = sizes.map(|kib| kib.to_string()).collect();
            sizes.join(", ")
        };
        let part = |name, numbers: Vec<String>, colour| Part {
            name,
            numbers,
            colour,
        };
        let n_smx = device.chip.n_smx;
        let parts = vec![
            part(
                "resident blocks",
                vec![
                    format!(
                        "at most {} blocks, {} warps of {} lanes",
                        limits.blocks_per_smx, limits.warps_per_smx, limits.warp_lanes
                    ),
                    format!("{} registers", limits.registers_per_smx),
                ],
                PALE_BLUE,
            ),
            part(
                "warp schedulers",
                vec![format!(
                    "{}, each issues up to {} instructions of one warp",
                    issue.n_schedulers, issue.n_dispatch
                )],
                PALE_GREEN,
            ),
            part(
                "pipes (lanes per cycle)",
                vec![
                    format!(
                        "float {:.0}, integer add {:.0}, compare {:.0}",
                        throughput.fp32_lanes_per_cycle,
                        throughput.int_add_lanes_per_cycle,
                        throughput.compare_lanes_per_cycle
                    ),
                    format!(
                        "integer multiply and shift {:.0}, special {:.0}",
                        throughput.int_mul_lanes_per_cycle, throughput.sfu_lanes_per_cycle
                    ),
                ],
                PALE_GREEN,
            ),
            part(
                "load/store unit",
                vec![
                    format!("1 line of {} bytes per cycle", device.l1.line_bytes),
                    format!(
                        "{} L1 misses in flight",
                        device.load_store.l1_misses_in_flight
                    ),
                ],
                PALE_ORANGE,
            ),
            part(
                "on-chip memory, shared with the L1",
                vec![
                    format!(
                        "shared: {} KiB, {} cycles (programs)",
                        sizes(|split| split.shared_bytes),
                        device.shared.latency_cycles
                    ),
                    format!(
                        "L1: {} KiB, {} cycles (stacks)",
                        sizes(|split| split.l1_bytes),
                        device.l1.hit_latency_cycles
                    ),
                ],
                PALE_ORANGE,
            ),
            part(
                "L2, shared by all multiprocessors",
                vec![
                    format!(
                        "{} KiB for {n_smx}, {} cycles",
                        device.l2.bytes / 1024,
                        device.l2.hit_latency_cycles
                    ),
                    format!(
                        "{:.0} bytes per cycle to each",
                        device.l2_port_bytes_per_cycle()
                    ),
                ],
                PALE_RED,
            ),
            part(
                "DRAM",
                vec![format!(
                    "{:.0} bytes per cycle for {n_smx}, {} cycles more",
                    device.dram_bytes_per_cycle(),
                    device.dram.latency_cycles
                )],
                PALE_RED,
            ),
        ];
        SmxDrawing {
            title: format!("One multiprocessor of the {}", device.title),
            parts,
        }
    }
}

impl Part {
    fn height(&self) -> i32 {
        LINE_HEIGHT * (1 + self.numbers.len() as i32) + 12
    }
}

impl Chart for SmxDrawing {
    fn size(&self) -> (u32, u32) {
        let boxes: i32 = self.parts.iter().map(|part| part.height() + GAP).sum();
        (WIDTH as u32, (TITLE_HEIGHT + boxes) as u32)
    }

    fn draw(&self, area: &Area) -> Drawn {
        area.draw(&Text::new(self.title.clone(), (MARGIN, 10), ink(15)))?;
        let mut top = TITLE_HEIGHT;
        for (i, part) in self.parts.iter().enumerate() {
            let foot = top + part.height();
            let corners = [(MARGIN, top), (WIDTH - MARGIN, foot)];
            area.draw(&Rectangle::new(corners, part.colour.filled()))?;
            area.draw(&Rectangle::new(corners, GRID))?;
            let x = MARGIN + 10;
            area.draw(&Text::new(part.name, (x, top + 7), ink(15)))?;
            for (line, numbers) in part.numbers.iter().enumerate() {
                let y = top + 7 + LINE_HEIGHT * (line as i32 + 1);
                area.draw(&Text::new(numbers.clone(), (x, y), ink(13)))?;
            }
            if i + 1 < self.parts.len() {
                let middle = WIDTH / 2;
                let arrow = vec![(middle, foot + 2), (middle, foot + GAP - 2)];
                area.draw(&PathElement::new(arrow, INK.stroke_width(2)))?;
            }
            top = foot + GAP;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use crate::report::chart::svg;

    #[test]
    fn the_numbers_are_those_of_the_device() {
        let mut device = Preset::load("gtx670").unwrap().device;
        device.limits.blocks_per_smx = 13;
        let text = svg(&SmxDrawing::of(&device)).unwrap();
        assert!(text.contains("at most 13 blocks"));
    }
}
