//! The predictions of warpstack in a browser: questions and answers as JSON in the memory of a WebAssembly module.
//!
//! The page writes a question into memory of [`warpstack_new`], and reads the answer of [`warpstack_ask`]. Leaves out: what is asked and
//! answered (`question.rs`). Units: bytes.

mod question;

pub use question::answer;

/// Returns memory for a question of `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn warpstack_new(bytes: usize) -> *mut u8 {
    let memory: Box<[u8]> = vec![0; bytes].into();
    Box::into_raw(memory).cast()
}

/// Answers a question and frees its memory. The answer begins with its length, four bytes in little-endian order.
///
/// # Safety
///
/// `question` is from [`warpstack_new`] with the same `bytes`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpstack_ask(question: *mut u8, bytes: usize) -> *mut u8 {
    // SAFETY: the memory was made by `warpstack_new` with this length, and the caller gives it up.
    let question = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(question, bytes)) };
    let text = answer(&String::from_utf8_lossy(&question));
    let mut answer = (text.len() as u32).to_le_bytes().to_vec();
    answer.extend(text.into_bytes());
    Box::into_raw(answer.into_boxed_slice()).cast()
}

/// Frees the memory of an answer.
///
/// # Safety
///
/// `answer` is from [`warpstack_ask`], unchanged, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpstack_free(answer: *mut u8) {
    // SAFETY: an answer begins with its length in four bytes.
    let length = unsafe { answer.cast::<[u8; 4]>().read() };
    let bytes = 4 + u32::from_le_bytes(length) as usize;
    // SAFETY: the memory was made by `warpstack_ask` with this length, and the caller gives it up.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, bytes)) });
}
