//! Files of the UCI repository with arbitrary contents.

use warpstack::gp::problem::uci::Raw;
use warpstack::gp::problem::{kddcup, shuttle};

const SHUTTLE: &str =
    "50 21 77 0 28 0 27 48 22 2\n55 0 92 0 0 26 36 92 56 4\n53 0 82 0 52 -5 29 30 2 1\n";

pub fn shuttle_seeds() -> Vec<Vec<u8>> {
    vec![SHUTTLE.as_bytes().to_vec()]
}

pub fn shuttle(bytes: &[u8]) {
    let _ = shuttle::cases([Ok(Raw::believed(bytes.to_vec()))]);
}

const KDDCUP: &str = "0,tcp,http,SF,181,5450,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,8,8,0.00,0.00,0.00,0.00,1.00,0.00,0.00,9,9,1.00,0.00,0.11,0.00,0.00,0.00,0.00,0.00,normal.\n\
    0,udp,private,SF,105,146,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,0.00,0.00,0.00,0.00,1.00,0.00,0.00,255,254,1.00,0.01,0.00,0.00,0.00,0.00,0.00,0.00,snmpgetattack.\n";

pub fn kddcup_seeds() -> Vec<Vec<u8>> {
    vec![KDDCUP.as_bytes().to_vec()]
}

pub fn kddcup(bytes: &[u8]) {
    let _ = kddcup::cases(&Raw::believed(bytes.to_vec()));
}
