// The curve: speed over one value of the launch or the machine, the other values as they are.

/** The values that the curve can be drawn over. */
function overs(state) {
  const sizes = sizesOf(state).filter((size) => ["threads", "l1", "population"].includes(size.key));
  const machine = MACHINE.filter(({ key }) => machineValue(state.device, key) !== undefined);
  return [...sizes, ...machine];
}

const THREADS = [32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 896, 1024];

/** Points of the curve, the present value among them. */
function pointsOf(state, over) {
  const isMachine = MACHINE.includes(over);
  const now = isMachine ? (state.machine[over.key] ?? machineValue(state.device, over.key)) : sizeOf(state, over);
  const usual = isMachine ? machineValue(state.device, over.key) : undefined;
  const between = (least, most, n) => Array.from({ length: n }, (_, nth) => rounded(least * (most / least) ** (nth / (n - 1)), over.whole ?? !isMachine));
  let values = THREADS;
  if (over.key === "l1") values = [...between(over.least, over.most, 9), ...deviceOf(state).l1];
  else if (over.key === "population") values = between(50, 20000, 12);
  else if (isMachine) values = between(usual / 4, usual * 4, 13);
  return { now, values: [...new Set([...values, now].filter((value) => value > 0))].sort((a, b) => a - b) };
}

/** The state with another value of what the curve is drawn over. */
function withValue(state, over, value) {
  if (MACHINE.includes(over)) {
    const machine = { ...state.machine, [over.key]: value };
    if (value === machineValue(state.device, over.key)) delete machine[over.key];
    return { ...state, machine };
  }
  return { ...state, sizes: { ...state.sizes, [over.key]: value } };
}

/** The lines of the curve besides the present one. */
function others(state, compare) {
  const named = [];
  if (!isUnchanged(state)) named.push({ words: "the device as it is", state: unchanged(state), kind: "unchanged" });
  const dims = sizeNamed(state, "stack_dim")?.values ?? [];
  const now = state.sizes.stack_dim;
  if (compare === "stack-dim" && dims.length > 1) {
    const two = [dims[0], dims[dims.length - 1], dims[Math.floor(dims.length / 2)]].filter((dim) => dim !== now);
    for (const dim of [...new Set(two)].slice(0, 2).sort((a, b) => a - b)) {
      const other = settled({ ...state, sizes: { ...state.sizes, stack_dim: dim } });
      named.push({ words: `dimension ${dim}`, state: other, kind: `other${named.length % 2}` });
    }
  }
  if (compare === "kernel") {
    const kernels = deviceOf(state).kernels.filter(({ name, problems }) => name !== state.kernel && (problems[state.problem]?.length ?? 0) > 0);
    for (const { name } of kernels.slice(0, 2)) named.push({ words: name, state: withKernel(state, name), kind: `other${named.length % 2}` });
  }
  return named;
}

/** The curve as it is known so far: points fill in as answers come. */
let curve = { over: MACHINE[0], values: [], lines: [] };

/** Asks for every point of the curve; `isStale` tells whether the state has moved on. */
async function trace(state, overKey, compare, isStale, redraw) {
  const over = overs(state).find((one) => one.key === overKey) ?? overs(state)[0];
  const { now, values } = pointsOf(state, over);
  const own = { words: "this launch", state, kind: "now" };
  const lines = [own, ...others(state, compare)].map((line) => ({ ...line, speeds: values.map(() => undefined) }));
  curve = { over, now, values, lines, measured: over.key === "threads" ? measuredLike(state) : [] };
  for (const line of lines) {
    const asked = values.map(async (value, at) => {
      const { answer } = (await model.ask(question(withValue(line.state, over, value), "predict"))) ?? {};
      if (isStale()) return;
      line.speeds[at] = answer?.gpops_billion;
      if (line.kind === "now") line.intervals = [...(line.intervals ?? values.map(() => undefined))];
      if (line.intervals && answer?.gpops_billion_low) line.intervals[at] = [answer.gpops_billion_low, answer.gpops_billion_high];
      redraw();
    });
    await Promise.all(asked);
    if (isStale()) return;
  }
}

const path = (points) => points.map((point, at) => `${at > 0 ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`).join("");

/** Runs of points that are known, broken where launches are not possible. */
function runs(speeds) {
  const all = [[]];
  speeds.forEach((speed, at) => (speed === undefined ? all.push([]) : all.at(-1).push(at)));
  return all.filter((run) => run.length > 0);
}

/** The names of values that fit beside each other under the axis, the present one first. */
function roomFor(values, now, x, em) {
  const half = (value) => 0.31 * em * (String(value).length + (value === now ? 0.4 : 0)) + 0.25 * em;
  const taken = [now];
  for (const value of values) if (taken.every((other) => Math.abs(x(value) - x(other)) >= half(value) + half(other))) taken.push(value);
  return taken;
}

/** Where the curve's values lie on the screen, for the pointer. */
let frame;

function drawCurve() {
  const { over, now, values, lines, measured } = curve;
  const known = lines.flatMap((line) => [...line.speeds, ...(line.intervals ?? []).flatMap((one) => one ?? [])]).filter((speed) => speed !== undefined);
  const paper = measured?.filter(({ launch }) => isSame({ ...launch, threads_per_block: 0 }, { ...lines[0].state.sizes, threads: 0 })) ?? [];
  const top = 1.04 * Math.max(...known, ...paper.map((one) => one.gpops_billion + one.ci_billion), 1e-3);
  show("curve", (width, em) => {
    const height = Math.min(Math.max(width * (onPaper ? 0.34 : 0.4), 17 * em), 30 * em);
    const step = stepOf(top, 5);
    const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, nth) => nth * step);
    const widest = Math.max(...ticks.map((tick) => String(Number(tick.toPrecision(6))).length));
    const [left, right, above, below] = [0.62 * em * widest + 10, 0.8 * em, 2.1 * em, 3.2 * em];
    const isLog = values[values.length - 1] / values[0] > 12;
    const on = isLog || over.key === "threads" ? Math.log : Number;
    const [first, last] = [on(values[0]), on(values[values.length - 1])];
    const x = (value) => left + em + ((width - left - right - 2 * em) * (on(value) - first)) / (last - first || 1);
    const y = (speed) => height - below - ((height - above - below) * speed) / top;
    frame = { x, y, width, height, above, below };
    const parts = [text(0, em, "billion GPop/s", { kind: "quiet" })];
    for (const tick of ticks) {
      parts.push(segment(left, y(tick), width - right, y(tick), tick === 0 ? "axis" : "mesh"));
      parts.push(text(left - 6, y(tick) + 0.35 * em, Number(tick.toPrecision(6)), { anchor: "end" }));
    }
    for (const value of roomFor(values, now, x, em)) parts.push(text(x(value), height - below + 1.3 * em, value, { anchor: "middle", kind: value === now ? "bold" : "" }));
    parts.push(text((left + width - right) / 2, height - 0.5 * em, `${inWords(over)}${over.unit && ` (${over.unit})`}`, { anchor: "middle", kind: "quiet" }));
    const band = lines[0].intervals ?? [];
    for (const run of runs(band)) {
      const [upper, lower] = [1, 0].map((side) => run.map((at) => [x(values[at]), y(band[at][side])]));
      if (run.length > 1) parts.push(`<path d="${path([...upper, ...lower.reverse()])}Z" class="band"/>`);
    }
    for (const line of [...lines].reverse()) {
      for (const run of runs(line.speeds)) parts.push(`<path d="${path(run.map((at) => [x(values[at]), y(line.speeds[at])]))}" class="line ${line.kind}"/>`);
    }
    for (const one of paper) {
      const [cx, cy] = [x(one.launch.threads_per_block), y(one.gpops_billion)];
      parts.push(segment(cx, y(one.gpops_billion - one.ci_billion), cx, y(one.gpops_billion + one.ci_billion), "here"));
      parts.push(`<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${(0.36 * em).toFixed(1)}" class="measured"/>`);
    }
    const here = lines[0].speeds[values.indexOf(now)];
    if (here !== undefined) parts.push(`<circle cx="${x(now).toFixed(1)}" cy="${y(here).toFixed(1)}" r="${(0.6 * em).toFixed(1)}" class="here"/>`);
    parts.push(`<g id="pointed"></g>`);
    return { height, parts };
  });
  byId("curve-legend").innerHTML = lines.map(({ words, kind }) => `<span><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30" class="line ${kind}"/></svg> ${escaped(words)}</span>`).join(" ");
  const rows = values.map((value, at) => {
    const cells = lines.map((line) => `<td${value === now && line.kind === "now" ? ` class="now"` : ""}>${line.speeds[at] === undefined ? "–" : shown(line.speeds[at])}</td>`);
    return `<tr><th scope="row">${value}</th>${cells.join("")}</tr>`;
  });
  byId("curve-table").innerHTML =
    `<caption>Billion GPop/s</caption><thead><tr><th scope="col">${escaped(over.label)}</th>${lines.map(({ words }) => `<th scope="col">${escaped(words)}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
  byId("curve-title").textContent = `Speed over ${inWords(over)}`;
}

function curveWords(state) {
  const { over, values, lines } = curve;
  const speeds = lines[0].speeds;
  const best = speeds.reduce((most, speed, at) => (speed !== undefined && !(speeds[most] >= speed) ? at : most), 0);
  const words = [];
  if (speeds[best] !== undefined) words.push(`This launch is fastest at ${values[best]} ${over.unit || inWords(over)}: ${shown(speeds[best])}.`);
  if (lines[0].intervals?.some((one) => one)) words.push("The band is the 90 % interval.");
  if (curve.measured?.length) words.push("Circles: measured by Chitty, with the confidence interval.");
  return words.join(" ");
}

/** Shows the values under the pointer. */
function pointAt(event) {
  const pointed = byId("pointed");
  if (!pointed || !frame) return;
  const { values, lines } = curve;
  const box = byId("curve").getBoundingClientRect();
  const at = ((event.clientX - box.left) / box.width) * frame.width;
  const nearest = values.reduce((best, value, nth) => (Math.abs(frame.x(value) - at) < Math.abs(frame.x(values[best]) - at) ? nth : best), 0);
  const x = frame.x(values[nearest]);
  const known = lines.filter((line) => line.speeds[nearest] !== undefined);
  const em = letters();
  const words = [`${values[nearest]} ${curve.over.unit || inWords(curve.over)}`, ...known.map((line) => `${line.words}: ${shown(line.speeds[nearest])}`)];
  const wide = 0.56 * em * Math.max(...words.map((word) => word.length)) + em;
  const left = x + wide + 8 > frame.width ? x - wide - 8 : x + 8;
  pointed.innerHTML =
    segment(x, frame.above, x, frame.height - frame.below, "mesh") +
    known.map((line) => `<circle cx="${x.toFixed(1)}" cy="${frame.y(line.speeds[nearest]).toFixed(1)}" r="4" class="measured"/>`).join("") +
    rect(left, frame.above, wide, 1.35 * em * words.length + 0.6 * em, `class="tip"`) +
    words.map((word, nth) => text(left + 0.5 * em, frame.above + 1.35 * em * (nth + 1) - 0.1 * em, word, { kind: nth === 0 ? "bold" : "" })).join("");
}
