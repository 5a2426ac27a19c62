// The page: controls and address on one side, numbers, words and charts on the other.

let state = start();
let view = {};

const percent = (part) => `${part.toFixed(0)} %`;

/** Where this is, in words. */
function whereWords() {
  const n = (key) => valueOf(state, key);
  const l1 = "l1" in byKey ? `, L1 of ${n("l1")} KiB` : "";
  const machine = changes(state).map((axis) => `${axis.label.toLowerCase().replace("dram", "DRAM").replace("l2", "L2")} ${valueOf(state, axis.key)}${axis.unit && ` ${axis.unit}`}`);
  return (
    `Kernel ${n("kernel")} on ${n("problem")}, ${n("threads")} threads per block, second dimension ${n("stack-dim")}${l1}; ` +
    (machine.length ? `${content.device} changed: ${machine.join(", ")}` : content.device)
  );
}

function intervalWords(speed) {
  const interval = intervalOf(state);
  if (interval) return `90 % interval: ${(speed / interval.factor).toFixed(1)} to ${(speed * interval.factor).toFixed(1)}, from the errors of ${interval.basis}.`;
  return isUnchanged(state) ? "90 % interval: none; nothing like this launch was measured on this device." : "90 % interval: none; no such machine was measured.";
}

function comparedWords(point) {
  const speed = number("gpops_billion", point);
  const words = [intervalWords(speed)];
  if (!isUnchanged(state)) {
    const before = pointOf(unchanged(state));
    if (isPossible(before)) {
      const part = 100 * (speed / number("gpops_billion", before) - 1);
      const change = `${Math.abs(part).toFixed(1)} % ${part < 0 ? "slower" : "faster"} than`;
      words.push(`${Math.abs(part) < 0.05 ? "As fast as" : change} the machine as it is (${printed("gpops_billion", before)}).`);
    }
  }
  const measured = measuredAt(state);
  if (measured) {
    const part = 100 * (speed / measured.gpops_billion - 1);
    words.push(
      `Measured in the paper's Table ${measured.table}: ${measured.gpops_billion} ± ${measured.ci_billion}; the prediction is ` +
        `${Math.abs(part).toFixed(1)} % ${part < 0 ? "lower" : "higher"}.` +
        (measured.fitted ? " This cell is one of sixteen that unknown values of the card were fitted on." : ""),
    );
  } else if (isUnchanged(state) && content.measured.length) {
    words.push("The paper has no measured value for this launch.");
  }
  return words.join(" ");
}

function curveWords() {
  const dims = axes[byKey["stack-dim"]].values;
  const now = speeds(state, state[byKey["stack-dim"]]);
  const best = now.reduce((most, speed, at) => (speed !== undefined && !(now[most] >= speed) ? at : most), 0);
  const words = [`The thick line is second dimension ${valueOf(state, "stack-dim")}; the numbers at the right name the lines (${dims[0]} to ${dims[dims.length - 1]}).`];
  if (now[best] !== undefined) words.push(`It is highest at ${axes[byKey.threads].values[best]} threads per block: ${now[best].toFixed(3)}.`);
  if (intervalOf(state)) words.push("The band around it is the 90 % interval.");
  if (!isUnchanged(state)) words.push("Dotted: the same on the machine as it is.");
  else if (everyDim().some((dim) => axes[byKey.threads].values.some((_, at) => measuredAt(withPlace(withPlace(state, "stack-dim", dim), "threads", at)))))
    words.push("Circles: measured by Chitty, with the confidence interval on the thick line.");
  return words.join(" ");
}

function curveTable() {
  const dims = axes[byKey["stack-dim"]].values;
  const lines = dims.map((_, dim) => speeds(state, dim));
  const head = dims.map((dim) => `<th scope="col">${escaped(dim)}</th>`).join("");
  const row = (value, at) => {
    const cells = lines.map((line, dim) => {
      const isNow = at === state[byKey.threads] && dim === state[byKey["stack-dim"]];
      return `<td${isNow ? ` class="now"` : ""}>${line[at] === undefined ? "–" : line[at].toFixed(3)}</td>`;
    });
    return `<tr><th scope="row">${escaped(value)}</th>${cells.join("")}</tr>`;
  };
  byId("curve-table").innerHTML =
    `<caption>Billion GPop/s by threads per block (rows) and second dimension (columns)</caption>` +
    `<thead><tr><th scope="col">threads</th>${head}</tr></thead><tbody>${axes[byKey.threads].values.map(row).join("")}</tbody>`;
}

function cyclesWords(point) {
  const all = shares(point);
  const waits = all.filter((share) => share.key !== "selected").sort((a, b) => b.percent - a.percent);
  const issued = all.find((share) => share.key === "selected");
  const first = waits[0] ? ` Most of the others go to: ${waits[0].name} (${percent(waits[0].percent)}).` : "";
  return `The schedulers issue in ${percent(issued ? issued.percent : 0)} of their cycles.${first}`;
}

function placesWords(point) {
  const [blocks, warps] = [number("blocks", point), number("warps", point)];
  const bits = number("limiters", point);
  const limits = content.limiters.filter((_, bit) => bits & (1 << bit));
  const why = {
    warps: `${content.n_warps} warps at most`,
    registers: `${number("registers", point)} registers per thread`,
    "shared memory": "which holds the program of each block",
    blocks: `${content.n_blocks} blocks at most`,
  };
  return (
    `${warps} of ${content.n_warps} warps on a multiprocessor, ${percent((100 * warps) / content.n_warps)}: ` +
    `${blocks} block${blocks === 1 ? "" : "s"} of ${warps / blocks} warp${warps === blocks ? "" : "s"}. Limited by ${limits.map((name) => `${name} (${why[name]})`).join(" and ")}.`
  );
}

function stacksWords(point) {
  const [touched, l1] = [number("touched_kib", point), number("l1_kib", point)];
  const hit = `${printed("l1_load_hit_percent", point)} % of the stack loads find their value in the L1.`;
  if (touched <= l1) return `The stacks of all resident warps touch ${touched.toFixed(1)} KiB, which fit. ${hit}`;
  return `The stacks of all resident warps touch ${touched.toFixed(1)} KiB; ${percent((100 * l1) / touched)} of that fit. ${hit}`;
}

function timeWords(point) {
  const [kernel, host] = [number("kernel_ms", point), number("host_ms", point)];
  return `${printed("kernel_ms", point)} ms the kernel (first part of the bar), ${printed("host_ms", point)} ms the host: ${((100 * host) / (kernel + host)).toFixed(1)} % of the time.`;
}

function draw() {
  const point = pointOf(state);
  const can = isPossible(point);
  for (const id of ["cycles", "places", "stacks", "time"]) byId(id).closest("figure").hidden = !can;
  byId("speed-unit").hidden = !can;
  byId("speed").textContent = can ? printed("gpops_billion", point) : "not possible";
  byId("bar").textContent = can ? `${printed("gpops_billion", point)} billion GPop/s` : "not possible";
  const number = can ? `${printed("gpops_billion", point)} billion GPop/s.` : `Not possible: ${content.reasons[units("impossible", point) - 1]}.`;
  byId("state").textContent = `${whereWords()}: ${number}`;
  byId("compared").textContent = can ? comparedWords(point) : "";
  byId("curve-words").textContent = curveWords();
  // An option stays together with its value.
  byId("command").innerHTML = commandOf(state).split(/ (?=--)/).map((part) => `<span>${escaped(part)}</span>`).join(" ");
  byId("link").href = `#${fragmentOf(state)}`;
  byId("link").textContent = `#${fragmentOf(state)}`;
  byId("copied").textContent = "";
  drawCurve(state);
  curveTable();
  if (!can) return;
  drawCycles(state, point);
  drawPlaces(point);
  drawStacks(state, point);
  drawTime(point);
  byId("cycles-words").textContent = cyclesWords(point);
  byId("places-words").textContent = placesWords(point);
  byId("stacks-words").textContent = stacksWords(point);
  byId("time-words").textContent = timeWords(point);
}

/** Every control shows its place on its axis. */
function showControls() {
  for (const control of document.querySelectorAll("[data-axis]")) {
    const axis = axes[byKey[control.dataset.axis]];
    const place = state[byKey[axis.key]];
    if (control.type === "radio") {
      control.checked = Number(control.value) === place;
    } else {
      control.value = place;
    }
    if (control.type === "range") {
      control.setAttribute("aria-valuetext", `${axis.values[place]} ${axis.unit}`);
      byId(`${axis.key}-value`).textContent = axis.values[place];
    }
  }
  byId("theme").value = view.theme ?? "";
  byId("size").value = view.size ?? "";
}

function showView() {
  for (const name of ["theme", "size"]) {
    if (view[name]) document.documentElement.dataset[name] = view[name];
    else delete document.documentElement.dataset[name];
  }
}

const address = () => `#${[fragmentOf(state), ...Object.entries(view).map(([key, value]) => `${key}=${value}`)].join("&")}`;

/** A finished move is a step that the back button takes back; a slider on its way is none. */
function remember(isFinished) {
  if (address() === location.hash) return;
  history[isFinished ? "pushState" : "replaceState"](null, "", address());
}

function readAddress() {
  const fragment = location.hash.slice(1);
  if (fragment !== "" && !fragment.includes("=")) return;
  const found = read(fragment);
  state = found.state;
  view = {};
  const views = { theme: ["light", "dark"], size: ["large"] };
  for (const [key, value] of Object.entries(found.view)) {
    if (views[key].includes(value)) view[key] = value;
    else if (value !== "") found.unknown.push(`${key}=${value}; allowed: ${views[key].join(", ")}`);
  }
  byId("notice").hidden = found.unknown.length === 0;
  byId("notice").textContent = found.unknown.map((one) => `The link asks for ${one}.`).join(" ");
  showView();
  showControls();
  draw();
}

/** The address before the move that goes on; none between moves. */
let before;

function moved(event, isFinished) {
  const control = event.target;
  if (!control.dataset.axis) return;
  before ??= location.hash;
  state = withPlace(state, control.dataset.axis, Number(control.value));
  showControls();
  draw();
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

function listen() {
  const controls = byId("controls");
  controls.addEventListener("input", (event) => moved(event, false));
  controls.addEventListener("change", (event) => moved(event, true));
  controls.addEventListener("submit", (event) => event.preventDefault());
  byId("view").addEventListener("change", (event) => {
    if (event.target.value) view[event.target.name] = event.target.value;
    else delete view[event.target.name];
    showView();
    draw();
    remember(true);
  });
  byId("reset").addEventListener("click", () => {
    state = unchanged(state);
    showControls();
    draw();
    remember(true);
  });
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("results").focus();
  });
  byId("copy-command").addEventListener("click", () => copy(commandOf(state), "Command"));
  byId("copy-link").addEventListener("click", () => copy(new URL(address(), location.href).href, "Link"));
  window.addEventListener("popstate", readAddress);
  window.addEventListener("hashchange", readAddress);
  for (const [when, is] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(when, () => {
      onPaper = is;
      draw();
    });
  }
  let width = 0;
  new ResizeObserver(() => {
    if (width !== byId("results").clientWidth) draw();
    width = byId("results").clientWidth;
  }).observe(byId("results"));
}

unpack().then(
  () => {
    readAddress();
    listen();
  },
  (error) => {
    byId("notice").hidden = false;
    byId("notice").textContent = `The numbers cannot be read (${error}): this page needs a browser of 2023 or newer.`;
  },
);
