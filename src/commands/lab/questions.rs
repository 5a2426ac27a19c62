//! The lab's questions: unit, right answer, and where to look after a wrong one.
//!
//! A right answer is computed when answers are marked, so that it follows the models.
//! Leaves out: computing (`facts.rs`), tolerances (`unit.rs`), the text of the tasks (`docs/lab/sheet.md`). Units: those of each question.

use super::facts::{Fact, Facts, in_registers, postfix};
use super::unit::{Answer, MEASUREMENT, MODEL, Unit};
use crate::device::ideal::Ideal;

/// A question.
#[derive(Debug)]
pub struct Question {
    /// Section of the file of answers.
    pub task: &'static str,
    pub key: &'static str,
    /// Question in a line.
    pub asked: &'static str,
    pub unit: Unit,
    /// Place where the answer is found.
    pub look_at: &'static str,
    pub right: fn(&Facts) -> Fact<Answer>,
}

impl Question {
    /// Returns the name with its section: `occupancy.resident_warps_32`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.task, self.key)
    }
}

/// Sections of the file of answers, and their titles in the sheet.
pub const TASKS: [(&str, &str); 4] = [
    ("occupancy", "Task 1: occupancy and latency"),
    ("cache", "Task 2: a cache that is too small"),
    ("registers", "Task 3: registers against warps"),
    ("validation", "Task 4: validate a measurement"),
];

/// Error or difference that repeats and models may have, in percent.
const FITS: f64 = 5.0;

fn number(value: Fact<f64>) -> Fact<Answer> {
    value.map(Answer::Number)
}

fn part(value: Fact<Ideal>) -> Fact<Answer> {
    value.map(|part| Answer::Name(part.name()))
}

fn wrong(measurement_is: bool) -> Answer {
    Answer::Name(if measurement_is { MEASUREMENT } else { MODEL })
}

/// L1 sizes that the sheet varies, in KiB.
const L1_KIB: [u32; 5] = [48, 64, 96, 128, 192];

/// Every question, in the order of the sheet.
pub const QUESTIONS: [Question; 19] = [
    Question {
        task: "occupancy",
        key: "resident_warps_32",
        asked: "Resident warps of a multiprocessor with 32 threads per block",
        unit: Unit::Count("warps"),
        look_at: "the columns `limited by`, `blocks` and `warps` of `occupancy`: one of the three limits is reached before the others",
        right: |facts| number(facts.resident_warps(&postfix(2, 32))),
    },
    Question {
        task: "occupancy",
        key: "gain_32_to_64",
        asked: "Change of the predicted speed from 32 to 64 threads per block",
        unit: Unit::Percent,
        look_at: "the first speeds of `whatif`: the change is (new / old - 1) x 100; the column `measured` is not the prediction",
        right: |facts| number(facts.change_percent(&postfix(2, 32), &postfix(2, 64))),
    },
    Question {
        task: "occupancy",
        key: "cycles_per_node_32",
        asked: "Cycles that a warp takes for a node with 32 threads per block, by Little's law",
        unit: Unit::Measure("cycles"),
        look_at: "the rows `warp instructions per node` and `warp instructions per cycle` of `predict`: their ratio is the time between two nodes of the multiprocessor, and all resident warps work at the same time",
        right: |facts| number(facts.cycles_per_node(&postfix(2, 32))),
    },
    Question {
        task: "occupancy",
        key: "limit_32",
        asked: "Part whose removal gains most with 32 threads per block",
        unit: Unit::Part,
        look_at: "the column `removal gains most` of `whatif`, or the sentence under [1] of `explain`",
        right: |facts| part(facts.limit(&postfix(2, 32))),
    },
    Question {
        task: "occupancy",
        key: "without_limit_32",
        asked: "How many times as fast the launch is without that part",
        unit: Unit::Measure("times as fast"),
        look_at: "the table `times as fast without` of `explain`, not the share of the cycles",
        right: |facts| number(facts.without_limit(&postfix(2, 32))),
    },
    Question {
        task: "cache",
        key: "stacks_128",
        asked: "Stacks that the resident warps touch with 128 threads per block",
        unit: Unit::Measure("KiB"),
        look_at: "the formula of the task: 1 KiB has 1024 bytes, and a level holds a value for each of the four cases",
        right: |facts| number(facts.stacks_kib(&postfix(4, 128))),
    },
    Question {
        task: "cache",
        key: "change_64_to_128",
        asked: "Change of the predicted speed from 64 to 128 threads per block",
        unit: Unit::Percent,
        look_at: "the sentence that begins with [2] of `explain`: a launch that becomes slower has a negative change",
        right: |facts| number(facts.change_percent(&postfix(4, 64), &postfix(4, 128))),
    },
    Question {
        task: "cache",
        key: "limit_128",
        asked: "Part whose removal gains most with 128 threads per block",
        unit: Unit::Part,
        look_at: "the table `times as fast without` of `explain`, column [2]: single parts, not pairs",
        right: |facts| part(facts.limit(&postfix(4, 128))),
    },
    Question {
        task: "cache",
        key: "smallest_l1",
        asked: "Smallest L1 of the list with which that part is no longer the one that gains most",
        unit: Unit::Count("KiB"),
        look_at: "the column `removal gains most` of the `whatif` that varies `l1`, from the top down",
        right: |facts| number(facts.smallest_l1(&postfix(4, 128), &L1_KIB)),
    },
    Question {
        task: "registers",
        key: "warps_896",
        asked: "Resident warps with 896 threads per block and two levels in registers",
        unit: Unit::Count("warps"),
        look_at: "the row of 35 registers of `occupancy`: a block is resident as a whole or not at all",
        right: |facts| number(facts.resident_warps(&in_registers(2, 896))),
    },
    Question {
        task: "registers",
        key: "most_registers_896",
        asked: "Most registers per thread with which two blocks of 896 threads are resident",
        unit: Unit::Count("registers"),
        look_at: "65,536 registers for 2 x 896 threads: registers are allocated in units of 8 per thread; try your number with `occupancy --threads 896 --registers`",
        right: |facts| number(facts.most_registers(896, 2)),
    },
    Question {
        task: "registers",
        key: "change_896",
        asked: "Change of the predicted speed from one to two levels, 896 threads per block",
        unit: Unit::Percent,
        look_at: "the last two rows of `whatif`: the change is (new / old - 1) x 100, negative if the second level costs speed",
        right: |facts| number(facts.change_percent(&in_registers(1, 896), &in_registers(2, 896))),
    },
    Question {
        task: "registers",
        key: "change_256",
        asked: "The same change with 256 threads per block",
        unit: Unit::Percent,
        look_at: "the first two rows of `whatif`: the change is (new / old - 1) x 100, negative if the second level costs speed",
        right: |facts| number(facts.change_percent(&in_registers(1, 256), &in_registers(2, 256))),
    },
    Question {
        task: "validation",
        key: "worst_error",
        asked: "Largest error of the analytical model in h200.csv, with its sign",
        unit: Unit::Percent,
        look_at: "the column `error %` of the first `validate`: the largest in size, negative if the prediction is too short",
        right: |facts| number(facts.worst().map(|(_, worst)| worst.error_percent)),
    },
    Question {
        task: "validation",
        key: "worst_error_simulator",
        asked: "The simulator's error for the same launch",
        unit: Unit::Percent,
        look_at: "the same row of the second `validate`: same kernel and same threads, not the largest error again",
        right: |facts| number(facts.worst_of_simulator()),
    },
    Question {
        task: "validation",
        key: "apart",
        asked: "How much longer the first measurement of the repeated launch is than the second",
        unit: Unit::Percent,
        look_at: "the column `measured ms` of the launch of h200-again.csv and of the same launch in h200.csv: (first / second - 1) x 100",
        right: |facts| number(facts.apart_percent()),
    },
    Question {
        task: "validation",
        key: "h100_mean_error",
        asked: "Mean absolute error of the analytical model in h100.csv",
        unit: Unit::Percent,
        look_at: "the first line under the table of the last `validate`: the mean, not the median",
        right: |facts| number(facts.h100_mean_error()),
    },
    Question {
        task: "validation",
        key: "wrong_accumulator",
        asked: "Proven wrong by the accumulator's row: the analytical model, or the measurement",
        unit: Unit::Wrong,
        look_at: "columns min_ms and max_ms of the row in h200.csv, and the other engine's error",
        right: |facts| Ok(wrong(facts.worst_of_simulator()?.abs() > FITS)),
    },
    Question {
        task: "validation",
        key: "wrong_mux20",
        asked: "Proven wrong by the two rows of mux20: the analytical model, or a measurement",
        unit: Unit::Wrong,
        look_at: "h200-again.csv: it is the same launch, so its time should be the same",
        right: |facts| Ok(wrong(facts.apart_percent()?.abs() > FITS)),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_question_has_a_name_of_its_own_and_a_task_of_the_sheet() {
        let names: HashSet<String> = QUESTIONS.iter().map(Question::name).collect();
        assert_eq!(names.len(), QUESTIONS.len());
        let tasks: Vec<&str> = TASKS.iter().map(|(task, _)| *task).collect();
        let used: Vec<&str> = QUESTIONS.iter().map(|one| one.task).collect();
        let mut in_order = used.clone();
        in_order.dedup();
        assert_eq!(in_order, tasks);
    }
}
