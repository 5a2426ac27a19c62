// A thread that answers: the library as a WebAssembly module. It takes the module first, packed or compiled, then questions.

let compiled;
let api;

// Seven bits a character; 128 is added to what HTML would not keep.
function bytesOf(text) {
  const bytes = new Uint8Array((text.length * 7) >> 3);
  let word = 0, held = 0, at = 0;
  for (let i = 0; i < text.length; i += 1) {
    word = (word << 7 | text.charCodeAt(i) & 127) & 0x7fff;
    held += 7;
    if (held >= 8) bytes[at++] = word >> (held -= 8);
  }
  return bytes;
}

async function unpacked(text) {
  const packed = bytesOf(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

async function start() {
  api = (await WebAssembly.instantiate(compiled, {})).exports;
}

function answered(question) {
  const { memory, warpstack_new, warpstack_ask, warpstack_free } = api;
  const bytes = new TextEncoder().encode(question);
  const at = warpstack_new(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const answer = warpstack_ask(at, bytes.length);
  const length = new DataView(memory.buffer).getUint32(answer, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length));
  warpstack_free(answer);
  return text;
}

onmessage = async ({ data }) => {
  if (data.module) {
    compiled = typeof data.module === "string" ? await unpacked(data.module) : data.module;
    await start();
    postMessage({ module: compiled });
    return;
  }
  const began = performance.now();
  let text;
  try {
    text = answered(data.question);
  } catch (error) {
    // A module that stopped is not asked again.
    text = JSON.stringify({ refused: `the module stopped: ${error}` });
    await start();
  }
  postMessage({ id: data.id, text, milliseconds: performance.now() - began });
};
