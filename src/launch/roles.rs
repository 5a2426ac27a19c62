//! Roles of the instructions of executed blocks: the mix of a kernel whose blocks were executed lane by lane.
//!
//! Models: roles as `trace::mix` has them, but told by what was accessed: a global load reads programs or cases by its address.
//! Only the kernel knows the contents of shared memory, so its accesses are counted apart.
//! Units: warp instructions.

use crate::isa::{Access, Space, TimingOp};
use crate::trace::launch::Buffer;
use crate::trace::mix::{MixEntry, Role};

/// Warp instructions by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoleCounts {
    by_role: [u64; Role::ALL.len()],
    shared: u64,
}

/// The purpose of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Of(Role),
    SharedMemory,
}

impl Purpose {
    /// Returns the purpose of an access at these addresses.
    pub fn of_access(access: Access, first_address: u32) -> Purpose {
        match (access.space, access.store, Buffer::of(first_address)) {
            (Space::Local, _, _) => Purpose::Of(Role::StackTraffic),
            (Space::Shared, _, _) => Purpose::SharedMemory,
            (Space::Global, false, Some(Buffer::Programs)) => Purpose::Of(Role::ProgramFetch),
            (Space::Global, false, Some(Buffer::Inputs | Buffer::Outputs)) => {
                Purpose::Of(Role::CaseFetch)
            }
            (Space::Global, _, _) => Purpose::Of(Role::Other),
        }
    }

    /// Returns the purpose of an instruction that accesses nothing.
    pub fn without_access(op: &TimingOp) -> Purpose {
        Purpose::Of(match op.access {
            // Switched off by its guard.
            Some(_) => Role::Other,
            None => Role::of(op),
        })
    }
}

impl RoleCounts {
    pub fn count(&mut self, purpose: Purpose, times: u64) {
        match purpose {
            Purpose::Of(role) => self.by_role[role as usize] += times,
            Purpose::SharedMemory => self.shared += times,
        }
    }

    pub fn add(&mut self, other: &RoleCounts) {
        for (own, other) in self.by_role.iter_mut().zip(other.by_role) {
            *own += other;
        }
        self.shared += other.shared;
    }

    /// Returns the instruction mix per node, for kernels that access shared memory for one thing only.
    pub fn mix(&self, of_shared: Role, nodes: f64) -> Vec<MixEntry> {
        let mut counts = self.by_role;
        counts[of_shared as usize] += self.shared;
        let entry = |role: Role| MixEntry {
            role,
            warp_instructions_per_node: counts[role as usize] as f64 / nodes,
        };
        Role::ALL.iter().copied().map(entry).collect()
    }
}
