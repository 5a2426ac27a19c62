// The machine at work: the warps of one multiprocessor and the lines of its L1, cycle by cycle, as the simulator ran them.

/** Cycles that are fetched at a time. */
const WINDOW = 4000;
/** Cycles for which a line of the L1 shows that it was looked up. */
const GLOW = 12;

/** The run that is shown; none before the first. */
let run;
/** Cycle, warp and the part of the run that is seen. */
const seen = { cycle: 0, warp: 0, from: 0, length: 400 };
let playing;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Runs the first blocks of the launch and keeps the events from a cycle on. */
async function watch(state, from) {
  stop();
  byId("watch-state").textContent = "Simulating …";
  const thread = await simulator();
  const asked = await thread.ask(question(state, "watch", "simulator", { from, until: from + WINDOW }), true);
  if (!asked) return;
  byId("work").hidden = !asked.answer;
  byId("watch-state").textContent = asked.refused ?? "";
  if (!asked.answer) return;
  run = indexed(asked.answer);
  seen.cycle = from;
  seen.from = from;
  if (!run.warps[seen.warp] || run.warps[seen.warp][5] < from) seen.warp = Math.max(run.warps.findIndex((warp) => warp[5] > from && warp[4] <= from + 50), 0);
  const whole = byId("moment");
  [whole.min, whole.max] = [0, Math.max(run.end - seen.length, 1)];
  drawWork();
}

/** The run with its events by warp, and its lanes: a lane per warp slot. */
function indexed(answer) {
  const of = () => answer.warps.map(() => []);
  const [issues, waits] = [of(), of()];
  for (const issue of answer.issues) issues[issue[0]].push(issue);
  for (const wait of answer.waits) waits[wait[0]].push(wait);
  const slotOf = ([scheduler, slot]) => slot * answer.schedulers + scheduler;
  const lanes = [...new Set(answer.warps.map(slotOf))].sort((a, b) => (a % answer.schedulers) - (b % answer.schedulers) || a - b);
  const lane = Object.fromEntries(lanes.map((slot, at) => [slot, at]));
  return { ...answer, byWarp: { issues, waits }, lanes, laneOf: (warp) => lane[slotOf(warp)], slotOf, lines: undefined };
}

/** The first index whose element lies behind `cycle`. */
function after(list, cycle, column) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][column] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A canvas as wide as its place, in the screen's own pixels. */
function canvas(id, height) {
  const element = byId(id);
  const width = onPaper ? 740 : Math.max(element.parentElement.clientWidth, 240);
  const scale = window.devicePixelRatio || 1;
  [element.width, element.height] = [Math.round(width * scale), Math.round(height * scale)];
  element.style.height = `${height}px`;
  const context = element.getContext("2d");
  context.scale(scale, scale);
  return { context, width, height };
}

/** Every block of the run: when it was there, and in which slots. */
function drawOverview() {
  const { context, width, height } = canvas("overview", 70);
  const x = (cycle) => (width * cycle) / run.end;
  const row = height / run.lanes.length;
  for (const warp of run.warps) {
    context.fillStyle = colour(`dim-${warp[2] % 6}`);
    context.fillRect(x(warp[4]), run.laneOf(warp) * row, Math.max(x(warp[5]) - x(warp[4]) - 0.5, 0.5), row);
  }
  context.strokeStyle = colour("ink");
  context.lineWidth = 2;
  context.strokeRect(x(seen.from) + 1, 1, Math.max(x(seen.from + seen.length) - x(seen.from), 3), height - 2);
}

const laneHeight = () => Math.max(5, Math.min(14, 460 / run.lanes.length));

/** Issues and waits of every warp in the part of the run that is seen. */
function drawLanes() {
  const row = laneHeight();
  const { context, width, height } = canvas("lanes", row * run.lanes.length + 2);
  const colours = run.causes.map(([, name]) => colour(name === "not_selected" ? "line" : name));
  const x = (cycle) => (width * (cycle - seen.from)) / seen.length;
  const until = seen.from + seen.length;
  const issueWidth = Math.max(x(seen.from + 1), 1);
  run.warps.forEach((warp, at) => {
    if (warp[4] > until || warp[5] < seen.from) return;
    const y = run.laneOf(warp) * row;
    for (const [, begin, end, cause] of run.byWarp.waits[at]) {
      if (end < seen.from || begin > until) continue;
      context.fillStyle = colours[cause];
      context.fillRect(x(Math.max(begin, seen.from)), y + 1, x(Math.min(end, until)) - x(Math.max(begin, seen.from)), row - 2);
    }
    context.fillStyle = colour("selected");
    for (const issue of run.byWarp.issues[at]) if (issue[2] >= seen.from && issue[2] < until) context.fillRect(x(issue[2]), y, issueWidth, row - 0.5);
    context.fillStyle = colour("ink");
    for (const edge of [warp[4], warp[5]]) if (edge >= seen.from && edge < until) context.fillRect(x(edge), y, 2, row);
    if (at === seen.warp) {
      context.strokeStyle = colour("focus");
      context.lineWidth = 2;
      context.strokeRect(Math.max(x(warp[4]), 1), y, Math.min(x(warp[5]), width) - Math.max(x(warp[4]), 1) - 1, row);
    }
  });
  context.fillStyle = colour("ink");
  context.fillRect(x(seen.cycle), 0, 2, height);
}

/** The lines of the L1 at the cycle: owner, cycle of the data, last look-up. */
function linesAt(cycle) {
  const { l1 } = run;
  if (!run.lines || run.applied > after(l1.steps, cycle, 0)) {
    run.lines = l1.before.map((owner) => (owner === null ? undefined : { owner, ready: 0, at: -1e9 }));
    run.applied = 0;
    run.counts = { hits: 0, misses: 0, evicted: 0 };
  }
  for (; run.applied < l1.steps.length && l1.steps[run.applied][0] <= cycle; run.applied += 1) {
    const [at, place, owner, outcome, ready] = l1.steps[run.applied];
    const missed = outcome % 2 === 1;
    if (missed && run.lines[place] && run.lines[place].owner !== owner) run.counts.evicted += 1;
    run.counts[missed ? "misses" : "hits"] += 1;
    run.lines[place] = { owner, ready, at, missed };
  }
  return run.lines;
}

function drawL1() {
  const { sets, ways } = run.l1;
  const lines = linesAt(seen.cycle);
  const width = onPaper ? 740 : Math.max(byId("l1-lines").parentElement.clientWidth, 240);
  // A set is a column, or a part of one where there are few of many ways.
  const perColumn = ways <= 16 ? ways : Math.ceil(ways / Math.ceil(ways / 16));
  const columns = sets * Math.ceil(ways / perColumn);
  const side = Math.max(Math.min(width / columns, 22), 6);
  const perRow = Math.max(Math.floor(width / side), 1);
  const bands = Math.ceil(columns / perRow);
  const { context } = canvas("l1-lines", bands * (perColumn * side + 8));
  const warpsPerBlock = run.warps.reduce((most, warp) => Math.max(most, warp[3] + 1), 1);
  const own = run.warps[seen.warp] ? run.slotOf(run.warps[seen.warp]) + 1 : -1;
  lines.forEach((line, place) => {
    const [set, way] = [Math.floor(place / ways), place % ways];
    const column = set * Math.ceil(ways / perColumn) + Math.floor(way / perColumn);
    const [left, top] = [(column % perRow) * side, Math.floor(column / perRow) * (perColumn * side + 8) + (way % perColumn) * side];
    const inner = Math.max(side - 1, 2);
    context.globalAlpha = 1;
    context.fillStyle = colour("line");
    context.globalAlpha = 0.5;
    if (line) {
      context.globalAlpha = line.ready > seen.cycle ? 0.35 : 1;
      context.fillStyle = line.owner === 0 ? colour("soft") : colour(`dim-${Math.floor((line.owner - 1) / warpsPerBlock) % 6}`);
    }
    context.fillRect(left, top, inner, inner);
    context.globalAlpha = 1;
    if (line && seen.cycle - line.at < GLOW) {
      context.strokeStyle = colour(line.missed ? "spills" : "selected");
      context.lineWidth = Math.min(3, side / 3);
      context.strokeRect(left + 1, top + 1, inner - 2, inner - 2);
    } else if (line && line.owner === own) {
      context.strokeStyle = colour("ink");
      context.lineWidth = Math.min(2, side / 4);
      context.strokeRect(left + 1, top + 1, inner - 2, inner - 2);
    }
  });
}

/** What a warp does in a cycle: its next instruction, and what it waits for. */
function stateOf(at, cycle) {
  const issues = run.byWarp.issues[at];
  const next = issues[after(issues, cycle - 1, 2)];
  const last = issues[after(issues, cycle, 2) - 1];
  const wait = run.byWarp.waits[at].find(([, begin, end]) => begin <= cycle && cycle < end);
  const [, , block, warp, begin, end] = run.warps[at];
  const name = `Warp ${warp} of block ${block}`;
  const line = (next ?? last)?.[1];
  if (cycle < begin) return { words: `${name} starts at cycle ${begin}.`, line };
  if (cycle >= end) return { words: `${name} ended at cycle ${end}.`, line };
  if (next && next[2] === cycle) {
    const served = next[3] ? ` Its result comes at cycle ${next[3]} (${run.causes[next[4]][0]}).` : "";
    return { words: `${name} issues.${served}`, line };
  }
  if (wait) return { words: `${name} waits until cycle ${wait[2]}: ${run.causes[wait[3]][0]}.`, line };
  return { words: `${name} can issue.`, line };
}

/** Instructions before and behind the present one that are listed. */
const AROUND = 5;

function drawCode(line) {
  if (line === undefined) {
    byId("code").innerHTML = "";
    byId("source").textContent = "";
    return;
  }
  const first = Math.max(line - AROUND, 0);
  const rows = run.code.slice(first, line + AROUND + 1).map((one, nth) => {
    const isNow = first + nth === line;
    return `<tr${isNow ? ` class="now" aria-current="true"` : ""}><td>${one.address.toString(16).padStart(4, "0")}</td><td>${escaped(one.text)}</td></tr>`;
  });
  byId("code").innerHTML = `<caption>Machine code</caption><thead><tr><th scope="col">address</th><th scope="col">instruction</th></tr></thead><tbody>${rows.join("")}</tbody>`;
  const { source } = run.code[line];
  byId("source").textContent = source ? `${source.file}, line ${source.line}: ${source.text?.trim() ?? ""}` : "Its line in the CUDA source is not known.";
}

function drawWork() {
  if (!run || byId("work").hidden) return;
  drawOverview();
  drawLanes();
  drawL1();
  const { words, line } = stateOf(seen.warp, seen.cycle);
  const { hits, misses, evicted } = run.counts;
  const issuing = run.issues.filter((issue) => issue[2] === seen.cycle).length;
  byId("cycle-words").textContent = `Cycle ${seen.cycle}: ${issuing} instruction${issuing === 1 ? "" : "s"} issued. ${words}`;
  byId("l1-words").textContent =
    `${run.l1.sets} sets of ${run.l1.ways} lines of ${run.l1.line_bytes} bytes. From cycle ${run.window[0]} on: ${hits} hits, ${misses} misses, ${evicted} lines evicted for another warp's. ` +
    "Colours are blocks, pale lines are being filled, framed ones were just looked up (hit or miss) or hold the chosen warp's stack.";
  const cycle = byId("cycle");
  [cycle.min, cycle.max, cycle.value] = [run.window[0], run.window[1] - 1, seen.cycle];
  cycle.setAttribute("aria-valuetext", `cycle ${seen.cycle}`);
  byId("moment").value = seen.from;
  byId("cycle-value").textContent = seen.cycle;
  byId("warp").innerHTML = options(
    run.warps.map(([, , block, warp], at) => [at, `block ${block}, warp ${warp}`]).filter(([at]) => run.warps[at][5] > run.window[0] && run.warps[at][4] < run.window[1]),
    seen.warp,
  );
  drawCode(line);
  const used = new Set(run.waits.map((wait) => wait[3]));
  const swatch = (name, words) => `<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" style="fill: var(--${name})"/></svg> ${escaped(words)}</span>`;
  byId("lanes-legend").innerHTML = [swatch("selected", "issue"), ...[...used].map((cause) => swatch(run.causes[cause][1] === "not_selected" ? "line" : run.causes[cause][1], run.causes[cause][0]))].join(" ");
}

/** Moves to a cycle; the part that is seen follows. */
function goTo(cycle) {
  seen.cycle = Math.min(Math.max(cycle, run.window[0]), run.window[1] - 1);
  if (seen.cycle < seen.from || seen.cycle >= seen.from + seen.length) seen.from = Math.max(run.window[0], Math.min(seen.cycle - seen.length / 4, run.window[1] - seen.length));
  seen.from = Math.round(seen.from);
  drawWork();
}

/** The cycle of the chosen warp's issue after or before this one. */
function stepTo(forward) {
  const issues = run.byWarp.issues[seen.warp];
  const found = forward ? issues[after(issues, seen.cycle, 2)] : issues[after(issues, seen.cycle - 1, 2) - 1];
  if (found) goTo(found[2]);
}

/** The cycle of the next look-up that misses the L1, and the warp whose stack it is. */
function nextMiss() {
  const found = run.l1.steps.find(([cycle, , , outcome]) => cycle > seen.cycle && outcome % 2 === 1);
  if (!found) return goTo(run.window[1] - 1);
  const owner = run.warps.findIndex((warp) => run.slotOf(warp) + 1 === found[2] && warp[4] <= found[0] && found[0] < warp[5]);
  if (owner >= 0) seen.warp = owner;
  return goTo(found[0]);
}

function stop() {
  cancelAnimationFrame(playing);
  playing = undefined;
  byId("play").textContent = "Play";
}

function play() {
  if (playing) return stop();
  byId("play").textContent = "Pause";
  const onward = () => {
    if (seen.cycle >= run.window[1] - 1) return stop();
    goTo(seen.cycle + 1);
    playing = requestAnimationFrame(onward);
  };
  playing = requestAnimationFrame(onward);
}

/** Lets the controls of the run work; `now` gives the present state. */
function listenToWork(now) {
  byId("watch").addEventListener("click", () => watch(now(), 0));
  byId("cycle").addEventListener("input", (event) => goTo(Number(event.target.value)));
  byId("warp").addEventListener("change", (event) => {
    seen.warp = Number(event.target.value);
    drawWork();
  });
  byId("zoom").addEventListener("change", (event) => {
    seen.length = Number(event.target.value);
    seen.from = Math.max(run.window[0], Math.round(seen.cycle - seen.length / 4));
    drawWork();
  });
  byId("before").addEventListener("click", () => stepTo(false));
  byId("next").addEventListener("click", () => stepTo(true));
  byId("miss").addEventListener("click", nextMiss);
  byId("play").addEventListener("click", play);
  byId("moment").addEventListener("change", (event) => watch(now(), Number(event.target.value)));
  byId("overview").addEventListener("click", ({ offsetX, target }) => {
    const cycle = Math.round((run.end * offsetX) / target.clientWidth);
    if (cycle >= run.window[0] && cycle < run.window[1]) goTo(cycle);
    else watch(now(), Math.max(cycle - 100, 0));
  });
  byId("lanes").addEventListener("click", ({ offsetX, offsetY, target }) => {
    const cycle = seen.from + Math.floor((seen.length * offsetX) / target.clientWidth);
    const lane = Math.floor(offsetY / laneHeight());
    const found = run.warps.findIndex((warp) => run.laneOf(warp) === lane && warp[4] <= cycle && cycle < warp[5]);
    if (found >= 0) seen.warp = found;
    goTo(cycle);
  });
}
