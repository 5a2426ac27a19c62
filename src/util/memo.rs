//! Values computed once per key and shared by all threads.
//!
//! Entries are never evicted.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Map from keys to values, each computed on first use.
#[derive(Debug)]
pub struct Memo<K, V>(Mutex<HashMap<K, Arc<OnceLock<Arc<V>>>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Memo<K, V> {
    /// Returns the value of `key`, computed by `make` on the first call; concurrent callers wait for it.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let slot = self.slot(key);
        Arc::clone(slot.get_or_init(|| Arc::new(make())))
    }

    /// Returns the value of `key`, computed by a `make` that can fail; a failure is not kept. Concurrent callers may each compute
    /// the value; the first to finish is kept.
    pub fn try_get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let slot = self.slot(key);
        if let Some(found) = slot.get() {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(make()?);
        Ok(Arc::clone(slot.get_or_init(|| made)))
    }

    fn slot(&self, key: K) -> Arc<OnceLock<Arc<V>>> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(key).or_default())
    }
}
