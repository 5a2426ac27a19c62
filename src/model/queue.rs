//! Waiting times at a shared resource.
//!
//! Models: requests of equal service time that arrive at random, at one server or several.
//! Leaves out: bursts.
//! Units: cycles.
//! Sources: equations (17) and (18) of `docs/model.md`; Pollaczek and Khinchine for M/D/1; Sakasegawa, An approximation
//! formula, Annals of the Institute of Statistical Mathematics 29 (1977), for several servers.

use crate::util::elementary::powf;
/// **(17)** Mean wait before service at a server that is busy a fraction `utilization` of the time; `residual_cycles` is the
/// mean remainder of a service found in progress. Infinite at full utilization.
pub fn wait_cycles(utilization: f64, residual_cycles: f64) -> f64 {
    if utilization >= 1.0 {
        return f64::INFINITY;
    }
    residual_cycles * utilization / (1.0 - utilization)
}

/// **(18)** Mean wait for one of `servers` servers that each hold a request for `service_cycles`.
pub fn wait_for_one_of_cycles(utilization: f64, service_cycles: f64, servers: f64) -> f64 {
    if utilization >= 1.0 {
        return f64::INFINITY;
    }
    let exponent = (2.0 * (servers + 1.0)).sqrt() - 1.0;
    0.5 * service_cycles / servers * powf(utilization, exponent) / (1.0 - utilization)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_server_makes_nobody_wait_and_a_full_one_for_ever() {
        assert_eq!(wait_cycles(0.0, 4.0), 0.0);
        assert_eq!(wait_cycles(0.5, 4.0), 4.0);
        assert!(wait_cycles(1.0, 4.0).is_infinite());
        assert!(wait_for_one_of_cycles(1.0, 200.0, 32.0).is_infinite());
    }

    #[test]
    fn many_servers_wait_less_than_one() {
        let one = wait_for_one_of_cycles(0.8, 200.0, 1.0);
        assert!((one - wait_cycles(0.8, 100.0)).abs() < 1e-9, "{one}");
        assert!(wait_for_one_of_cycles(0.8, 200.0, 32.0) < one / 10.0);
    }
}
