//! Values worked out once per key and shared by all threads.
//!
//! Leaves out: forgetting.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// See the module text.
#[derive(Debug)]
pub struct Memo<K, V>(Mutex<HashMap<K, Arc<OnceLock<Arc<V>>>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Memo<K, V> {
    /// The value of `key`, made by `make` when it is asked for first; who asks meanwhile waits for it.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let slot = self.slot(key);
        Arc::clone(slot.get_or_init(|| Arc::new(make())))
    }

    /// The same where making can fail; a failure is not kept. Concurrent callers may each make the value; the first to finish is kept.
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
