//! Tables 5 and 6 as two panels: curves for the runs, points for the paper.
//!
//! Leaves out: which problem has no measured values; it simply has no points.
//! Units: percentage of programs over stack levels.

use super::theme::LEAF;
use super::{BLUE, Chart, GRID, VERMILION, ink, note};
use crate::gp::depth_profile::Representation;
use crate::report::stacks::Row;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

const GREEN: RGBColor = RGBColor(0, 158, 115);
const PURPLE: RGBColor = RGBColor(204, 121, 167);
const COLOURS: [RGBColor; 4] = [BLUE, VERMILION, GREEN, PURPLE];

/// The chart of these rows.
pub struct Stacks<'a>(pub &'a [Row]);

impl Chart for Stacks<'_> {
    fn size(&self) -> (u32, u32) {
        (1000, 460)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let panels = area.split_evenly((1, 2));
        for (panel, representation) in panels
            .iter()
            .zip([Representation::Rpn, Representation::Lgp])
        {
            self.panel(panel, representation)?;
        }
        Ok(())
    }
}

/// One of the two tables.
pub struct OneTable<'a>(pub &'a [Row], pub Representation);

impl Chart for OneTable<'_> {
    fn size(&self) -> (u32, u32) {
        (400, 380)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        Stacks(self.0).panel(area, self.1)
    }
}

impl Stacks<'_> {
    fn problems(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.0 {
            if !names.contains(&row.problem.as_str()) {
                names.push(&row.problem);
            }
        }
        names
    }

    fn panel<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        representation: Representation,
    ) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let title = match representation {
            Representation::Rpn => "Table 5: RPN (points: paper)",
            Representation::Lgp => "Table 6: LGP (points: paper)",
        };
        let limits = representation.limits();
        let mut chart = ChartBuilder::on(area)
            .caption(title, ink(18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(48)
            .build_cartesian_2d(
                *limits.start() as f64 - 0.3..*limits.end() as f64 + 0.3,
                0.0..102.0,
            )?;
        chart
            .configure_mesh()
            .x_desc("stack limit")
            .y_desc("programs within the limit, %")
            .x_labels(limits.count())
            .x_label_formatter(&|x| format!("{x:.0}"))
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style(ink(13))
            .axis_desc_style(ink(14))
            .draw()?;
        for (problem, colour) in self.problems().into_iter().zip(COLOURS) {
            let rows: Vec<&Row> = self
                .0
                .iter()
                .filter(|r| r.representation == representation && r.problem == problem)
                .collect();
            let line = rows
                .iter()
                .map(|r| (r.stack_limit as f64, r.percent_programs));
            chart
                .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
                .label(problem)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            let points = rows
                .iter()
                .filter_map(|r| Some((r.stack_limit as f64, r.paper_percent?)));
            chart.draw_series(points.map(|point| Circle::new(point, 4, colour.filled())))?;
            chart.draw_series(rows.iter().map(|row| note(said(row), place(row))))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(LEAF.mix(0.8))
            .border_style(GRID)
            .label_font(ink(14))
            .draw()?;
        Ok(())
    }
}

fn place(row: &Row) -> (f64, f64) {
    (row.stack_limit as f64, row.percent_programs)
}

/// What a point says.
fn said(row: &Row) -> String {
    let paper = row.paper_percent;
    let paper = paper.map_or(String::new(), |percent| format!(", paper {percent} %"));
    let (problem, limit) = (&row.problem, row.stack_limit);
    format!(
        "{problem}, {limit} levels: here {:.1} %{paper}",
        row.percent_programs
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn the_papers_points_are_drawn() {
        let row = |problem: &str, paper_percent| Row {
            representation: Representation::Rpn,
            problem: problem.into(),
            stack_limit: 4,
            percent_programs: 50.0,
            paper_percent,
        };
        let text = svg(&Stacks(&[row("sextic", Some(84.72)), row("kddcup", None)])).unwrap();
        assert_eq!(text.matches("<circle").count(), 1);
        assert!(text.contains("sextic") && text.contains("kddcup"));
    }
}
