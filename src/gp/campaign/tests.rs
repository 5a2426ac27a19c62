use super::*;
use crate::gp::problem::sextic;
use crate::gp::program::Token;

fn plan() -> Plan {
    let settings = EvolveConfig {
        population: 40,
        generations: 5,
        elitism: 2,
        ..EvolveConfig::default()
    };
    Plan {
        problem: "sextic".into(),
        evaluated_cases: 300,
        seed: 9,
        runs: 3,
        per_generation: 4,
        settings,
    }
}

/// Runs and stops after `n` generations, as a killed process would.
fn interrupted(campaign: &mut Campaign, n: usize) -> Option<String> {
    let problem = sextic::problem(1, 300);
    let mut left = n;
    let mut saved = None;
    let stopped: Result<Timing, EvolveError> = campaign.run(&problem, |state| {
        saved = state.checkpoint().ok();
        left -= 1;
        match left {
            0 => Err(EvolveConfig {
                population: 0,
                ..EvolveConfig::default()
            }
            .check()
            .unwrap_err()
            .into()),
            _ => Ok(()),
        }
    });
    stopped.is_err().then_some(saved).flatten()
}

#[test]
fn a_resumed_campaign_ends_bit_identical() {
    let mut whole = Campaign::new(plan());
    assert_eq!(interrupted(&mut whole, 1000), None);
    assert_eq!(whole.entries.len(), 3 * 5 * 4);
    assert_eq!(
        whole.record(String::new()).depths().n_programs(),
        3 * 5 * 40
    );
    for stop in [1, 5, 7, 14] {
        let mut first = Campaign::new(plan());
        let saved = interrupted(&mut first, stop).unwrap();
        let mut second = Campaign::from_checkpoint(&saved, "c", &plan(), None).unwrap();
        assert_eq!(second.generations_seen(), stop);
        assert_eq!(interrupted(&mut second, 1000), None);
        assert_eq!(second, whole, "stopped after {stop}");
    }
}

#[test]
fn parts_joined_are_the_whole() {
    let mut whole = Campaign::new(plan());
    interrupted(&mut whole, 1000);
    let part = |first, end| {
        let command = "made".to_owned();
        let mut campaign = Campaign::of_part(
            plan(),
            Part {
                first,
                end,
                command,
            },
        );
        interrupted(&mut campaign, 1000);
        campaign.checkpoint().unwrap()
    };
    let names = ["a", "b", "c"].map(String::from);
    let parts = [part(0, 1), part(1, 1), part(1, 3)];
    assert!(parts.iter().all(|text| Campaign::is_state(text)));
    let (joined, command) = Campaign::joined(&parts, &names).unwrap();
    assert_eq!((joined, command.as_str()), (whole, "made"));
    let error = Campaign::joined(&[part(0, 1), part(2, 3)], &names).unwrap_err();
    assert!(error.to_string().contains("run 1 is missing"), "{error}");
}

#[test]
fn foreign_checkpoints_are_refused() {
    let text = Campaign::new(plan()).checkpoint().unwrap();
    let other = Plan { seed: 10, ..plan() };
    let error = Campaign::from_checkpoint(&text, "c.json", &other, None)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "checkpoint c.json belongs to another campaign: `seed` is 9, asked for: 10"
    );
    assert!(Campaign::from_checkpoint("{}", "c.json", &plan(), None).is_err());
}

/// Checkpoints that no campaign of this plan can have reached.
#[test]
fn a_checkpoint_that_does_not_fit_its_plan_is_refused() {
    let mut campaign = Campaign::new(plan());
    interrupted(&mut campaign, 7).unwrap();
    type Change = fn(&mut Campaign);
    let changes: [(Change, &str); 8] = [
        (|c| first_program(c).0 = vec![Token::Input(8)], "X9"),
        (
            |c| first_program(c).0 = "X1 X1 AND".parse::<Rpn>().unwrap().0,
            "AND",
        ),
        (|c| first_program(c).0.clear(), "empty"),
        (
            |c| c.current.as_mut().unwrap().programs.clear(),
            "allowed: 40",
        ),
        (|c| c.current.as_mut().unwrap().record.seed += 1, "seed"),
        (
            |c| c.finished.extend(vec![c.finished[0].clone(); 4]),
            "runs",
        ),
        (|c| c.finished[0].best_error.clear(), "generations"),
        (|c| drop(c.entries.pop()), "sampled programs"),
    ];
    for (change, said) in changes {
        let mut changed = campaign.clone();
        change(&mut changed);
        let text = changed.checkpoint().unwrap();
        let error = Campaign::from_checkpoint(&text, "c", &plan(), None);
        let error = error.expect_err(said).to_string();
        assert!(error.contains(said), "no {said} in: {error}");
    }
}

fn first_program(campaign: &mut Campaign) -> &mut Rpn {
    &mut campaign.current.as_mut().unwrap().programs[0]
}
