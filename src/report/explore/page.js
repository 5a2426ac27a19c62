// The page: controls and address on one side, numbers, words and charts on the other.

let state;
let view = {};
/** Answers about the present state. */
let present = {};
/** Counts states, so that late answers to earlier ones are dropped. */
let version = 0;

const views = { theme: ["light", "dark"], size: ["large"] };

/** Where this is, in words. */
function whereWords() {
  const sizes = sizesOf(state).map((size) => `${lowered(size.label)} ${sizeOf(state, size)}`);
  const values = changed(state).map(({ key, label, unit }) => `${lowered(label)} ${state.machine[key]}${unit && ` ${unit}`}`);
  const title = deviceOf(state).title;
  const kernel = state.own ? state.own.file : state.kernel;
  return `Kernel ${kernel} on ${state.problem}, ${sizes.join(", ")}; ${values.length ? `${title} changed: ${values.join(", ")}` : title}`;
}

function intervalWords(answer) {
  if (!answer.gpops_billion_low) return "90 % interval: none; nothing like this launch was measured on such a machine (outside what was validated).";
  const on = { validated: "launches of this kernel and problem on this device", near: "launches of this kernel on other problems" };
  return `90 % interval: ${shown(answer.gpops_billion_low)} to ${shown(answer.gpops_billion_high)}, from the errors of ${on[answer.support] ?? "launches that were predicted badly"}.`;
}

function comparedWords(answer, before) {
  const speed = answer.gpops_billion;
  const words = [intervalWords(answer)];
  const part = (other) => 100 * (speed / other - 1);
  if (before) {
    const by = part(before.gpops_billion);
    const change = `${Math.abs(by).toFixed(1)} % ${by < 0 ? "slower" : "faster"} than`;
    words.push(`${Math.abs(by) < 0.05 ? "As fast as" : change} the device as it is (${shown(before.gpops_billion)}).`);
  }
  const measured = measuredAt(state);
  if (measured) {
    const by = part(measured.gpops_billion);
    words.push(
      `Measured in the paper's Table ${measured.table}: ${measured.gpops_billion} ± ${measured.ci_billion}; the prediction is ${Math.abs(by).toFixed(1)} % ${by < 0 ? "lower" : "higher"}.` +
        (measured.fitted ? " This cell is one of sixteen that unknown values of the card were fitted on." : ""),
    );
  }
  return words.join(" ");
}

/** The engine that made an answer: kernels whose lanes diverge are always simulated. */
function engineOf(answer) {
  return answer.simulated_warp_instructions > 0 ? "simulator" : "closed form";
}

function simulatedWords() {
  const { simulated } = present;
  if (!simulated) return "";
  if (simulated.refused) return `The simulator refuses: ${simulated.refused}.`;
  const { answer, milliseconds } = simulated;
  const instructions = answer.simulated_warp_instructions;
  const by = 100 * (answer.gpops_billion / present.answer.gpops_billion - 1);
  const compared = `, ${Math.abs(by).toFixed(1)} % ${by < 0 ? "below" : "above"} the closed form`;
  return (
    `Simulator: ${shown(answer.gpops_billion)} billion GPop/s${engineOf(present.answer) === "simulator" ? "" : compared} ` +
    `(${(instructions / 1e6).toFixed(1)} million warp instructions in ${(milliseconds / 1000).toFixed(2)} s, ${(instructions / 1000 / milliseconds).toFixed(1)} million a second).`
  );
}

/** Draws what is known of the present state. */
function draw() {
  const { answer, refused, explained, simulated, before } = present;
  const isKnown = answer !== undefined;
  byId("details").hidden = !isKnown;
  byId("speed-unit").hidden = !isKnown;
  if (!isKnown && !refused) return;
  byId("speed").textContent = isKnown ? shown(answer.gpops_billion) : "not possible";
  byId("speed").dataset.value = isKnown ? answer.gpops_billion : "";
  byId("bar").textContent = isKnown ? `${shown(answer.gpops_billion)} billion GPop/s` : "not possible";
  byId("state").textContent = `${whereWords()}: ${isKnown ? `${shown(answer.gpops_billion)} billion GPop/s.` : `not possible: ${refused}.`}`;
  byId("compared").textContent = isKnown ? comparedWords(answer, before) : "";
  byId("simulated").textContent = simulatedWords();
  if (simulated?.answer) byId("simulated").dataset.value = simulated.answer.gpops_billion;
  if (!isKnown) return;
  const answers = [{ words: engineOf(answer), answer }];
  if (simulated?.answer) answers.push({ words: "simulator", answer: simulated.answer });
  drawCycles(answers);
  byId("cycles-words").textContent = cyclesWords(answer);
  const best = present.simulatedGains ?? explained;
  if (best) {
    drawGains(best);
    byId("gains-words").textContent = gainsWords(best, best === explained ? engineOf(answer) : "simulator");
  }
  drawPlaces(answer, deviceOf(state));
  drawStacks(answer);
  drawTime(answer);
  byId("places-words").textContent = placesWords(answer, deviceOf(state));
  byId("stacks-words").textContent = stacksWords(answer);
  byId("time-words").textContent = timeWords(answer);
}

let isDue = false;
/** Draws the curve once before the next picture. */
function redrawCurve() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    drawCurve();
    byId("curve-words").textContent = curveWords(state);
  });
}

/** Asks everything about the state, the speed first. */
async function update() {
  version += 1;
  const mine = version;
  const isStale = () => mine !== version;
  model.forget();
  showControls(state);
  showAgain();
  const first = await model.ask(question(state, "predict"), true);
  if (isStale() || !first) return;
  present = { answer: first.answer, refused: first.refused };
  if (!isUnchanged(state)) {
    const before = await model.ask(question(unchanged(state), "predict"), true);
    if (isStale()) return;
    present.before = before?.answer;
  }
  draw();
  await trace(state, view.over ?? "threads", view.compare ?? "stack-dim", isStale, redrawCurve);
  if (isStale()) return;
  redrawCurve();
  const explained = first.answer && (await model.ask(question(state, "explain")));
  if (isStale()) return;
  present.explained = explained?.answer;
  draw();
  byId("results").dataset.ready = mine;
  if (byId("always").checked) simulate();
}

/** Simulates the launch, then what each part costs it. */
async function simulate() {
  const mine = version;
  const began = performance.now();
  const tell = (words) => (byId("progress").textContent = words);
  const clock = setInterval(() => tell(`Simulating: ${((performance.now() - began) / 1000).toFixed(1)} s`), 100);
  const thread = await simulator();
  thread.forget();
  const asked = await thread.ask(question(state, "predict", "simulator"));
  if (mine === version && asked) {
    present.simulated = asked;
    draw();
    if (byId("parts").checked) {
      const gains = await thread.ask(question(state, "explain", "simulator"));
      if (mine === version) present.simulatedGains = gains?.answer;
      draw();
    }
  }
  clearInterval(clock);
  tell("");
}

/** The command and the link of the state. */
function showAgain() {
  byId("command").innerHTML = commandOf(state).split(/ (?=--)/).map((part) => `<span>${escaped(part)}</span>`).join(" ");
  byId("link").href = address();
  byId("link").textContent = address();
  byId("copied").textContent = "";
  const over = overs(state).map(({ key, label }) => [key, lowered(label)]);
  byId("over").innerHTML = options(over, view.over ?? "threads");
  byId("compare").value = view.compare ?? "stack-dim";
}

function showView() {
  for (const name of ["theme", "size"]) {
    if (view[name]) document.documentElement.dataset[name] = view[name];
    else delete document.documentElement.dataset[name];
    byId(name).value = view[name] ?? "";
  }
}

const address = () => `#${[fragmentOf(state), ...Object.entries(view).map(([key, value]) => `${key}=${value}`)].join("&")}`;

/** A finished move is a step that the back button takes back; a slider on its way is none. */
function remember(isFinished) {
  if (address() === location.hash) return;
  history[isFinished ? "pushState" : "replaceState"](null, "", address());
}

async function readAddress() {
  const fragment = location.hash.slice(1);
  if (fragment !== "" && !fragment.includes("=")) return;
  const found = await read(fragment);
  state = found.state;
  view = {};
  for (const [key, value] of Object.entries(found.view)) {
    if (!views[key] || views[key].includes(value)) view[key] = value;
    else if (value !== "") found.unknown.push(`${key}=${value}; allowed: ${views[key].join(", ")}`);
  }
  notice(found.unknown.map((one) => `The link asks for ${one}.`).join(" "));
  showView();
  await update();
}

function notice(words) {
  byId("notice").hidden = words === "";
  byId("notice").textContent = words;
}

/** The address before the move that goes on; none between moves. */
let before;

function change(next, isFinished) {
  before ??= location.hash;
  state = next;
  update();
  if (!isFinished) return remember(false);
  // The place where the move began stays behind this one.
  if (before !== address()) {
    history.replaceState(null, "", before || location.pathname + location.search);
    remember(true);
  }
  before = undefined;
}

async function copy(words, what) {
  await copyWords(words, what);
  byId("copied").textContent = `${what} copied.`;
}

/** Takes a listing as the kernel; its encoding is that of the control. */
async function takeListing(file) {
  const listing = await file.text();
  change(settled({ ...state, own: { file: file.name, listing, encoding: byId("encoding").value } }), true);
}

async function choose(key, value) {
  if (key === "device") {
    await describe(value);
    // A value of one machine says nothing about another.
    change(settled({ ...state, device: value, machine: {}, sizes: { ...state.sizes, l1: undefined } }), true);
  } else if (key === "kernel" && value) change(withKernel(state, value), true);
  else if (key === "problem") change(settled({ ...state, problem: value, programs: "" }), true);
}

function listen() {
  const controls = byId("controls");
  for (const key of ["device", "kernel", "problem"]) byId(key).addEventListener("change", (event) => choose(key, event.target.value));
  for (const [name, isFinished] of [["input", false], ["change", true]]) {
    controls.addEventListener(name, ({ target }) => {
      if (target.dataset.key) change(moved(state, target), isFinished);
    });
  }
  controls.addEventListener("submit", (event) => event.preventDefault());
  byId("programs").addEventListener("change", (event) => change(settled({ ...state, programs: event.target.value, sizes: { ...state.sizes, population: undefined } }), true));
  byId("listing").addEventListener("change", ({ target }) => target.files[0] && takeListing(target.files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) takeListing(event.dataTransfer.files[0]);
  });
  byId("no-own").addEventListener("click", () => change(settled({ ...state, own: undefined }), true));
  byId("view").addEventListener("change", (event) => {
    if (event.target.value) view[event.target.name] = event.target.value;
    else delete view[event.target.name];
    showView();
    draw();
    redrawCurve();
    drawWork();
    remember(true);
  });
  for (const name of ["over", "compare"]) {
    byId(name).addEventListener("change", (event) => {
      view[name] = event.target.value;
      remember(true);
      update();
    });
  }
  byId("reset").addEventListener("click", () => change(settled(unchanged(state)), true));
  byId("simulate").addEventListener("click", simulate);
  byId("always").addEventListener("change", (event) => event.target.checked && simulate());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("results").focus();
  });
  byId("curve").addEventListener("pointermove", pointAt);
  byId("curve").addEventListener("pointerleave", () => (byId("pointed") ?? {}).replaceChildren?.());
  byId("copy-command").addEventListener("click", () => copy(commandOf(state), "Command"));
  byId("copy-link").addEventListener("click", () => copy(new URL(address(), location.href).href, "Link"));
  window.addEventListener("popstate", readAddress);
  window.addEventListener("hashchange", readAddress);
  for (const [when, is] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(when, () => {
      onPaper = is;
      draw();
      drawCurve();
      drawWork();
    });
  }
  let width = 0;
  new ResizeObserver(() => {
    if (width !== byId("results").clientWidth && state) {
      draw();
      if (curve.lines.length) redrawCurve();
      drawWork();
    }
    width = byId("results").clientWidth;
  }).observe(byId("results"));
  listenToWork(() => state);
}

async function begin() {
  await model.ready;
  const { answer } = await model.ask({ ask: "catalogue" });
  catalogue = answer.devices;
  listen();
  await readAddress();
}

begin().catch((error) => notice(`This page could not start: ${error.message}. It needs a browser with WebAssembly and DecompressionStream, not older than 2023.`));
