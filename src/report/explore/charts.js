// The charts, drawn anew for every state and width. A chart is as many pixels wide as its place; text keeps its size.

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const byId = (id) => document.getElementById(id);

/** Whether charts are drawn for a sheet of paper, whose widths the window does not know. */
let onPaper = false;

/** Height of the letters of charts, in pixels; 13 where the page's are 16. */
const letters = () => (onPaper ? 10.5 : 0.8125 * parseFloat(getComputedStyle(document.documentElement).fontSize));

/** Pixels that a chart has; on paper the first is as wide as the sheet, and two others share that. */
const widthOf = (svg) => (onPaper ? (svg.id === "curve" ? 740 : 360) : Math.max(svg.parentElement.clientWidth, 240));

function text(x, y, words, { anchor = "start", kind = "" } = {}) {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="${kind}">${escaped(words)}</text>`;
}

const rect = (x, y, width, height, more) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${height.toFixed(1)}" ${more}/>`;

const segment = (x1, y1, x2, y2, kind) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${kind}"/>`;

/** Puts a drawing of this height, made for the width that there is, into its place. */
function show(id, draw) {
  const svg = byId(id);
  const width = widthOf(svg);
  const { height, parts } = draw(width, letters());
  svg.setAttribute("viewBox", `0 0 ${width} ${height.toFixed(0)}`);
  svg.setAttribute("font-size", letters());
  svg.innerHTML = parts.join("");
}

/** The least of 1, 2, 2.5 and 5 times a power of ten that makes at most `most` steps. */
function stepOf(top, most) {
  const power = 10 ** Math.floor(Math.log10(top / most));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => top / step <= most);
}

/** Texts at these heights, moved apart until none covers another. */
function apart(heights, gap, bottom) {
  const order = heights.map((y, at) => ({ y, at })).sort((a, b) => a.y - b.y);
  order.forEach((one, nth) => {
    if (nth > 0) one.y = Math.max(one.y, order[nth - 1].y + gap);
  });
  for (let nth = order.length - 1; nth >= 0; nth -= 1) {
    order[nth].y = Math.min(order[nth].y, bottom - (order.length - 1 - nth) * gap);
  }
  const moved = [];
  order.forEach((one) => (moved[one.at] = one.y));
  return moved;
}

/** Speeds of a second dimension over threads per block; none where the launch is not possible. */
function speeds(state, dim) {
  const at = withPlace(state, "stack-dim", dim);
  return axes[byKey.threads].values.map((_, place) => {
    const point = pointOf(withPlace(at, "threads", place));
    return isPossible(point) ? number("gpops_billion", point) : undefined;
  });
}

const everyDim = () => axes[byKey["stack-dim"]].values.map((_, dim) => dim);

/** The largest speed of the problem and kernel at any L1 size, here and on the machine as it is: the scale stays when controls of the launch move. */
function topSpeed(state) {
  const machines = [state, unchanged(state)];
  const l1 = "l1" in byKey ? axes[byKey.l1].values.map((_, place) => place) : [undefined];
  let top = 0;
  for (const machine of machines) {
    for (const place of l1) {
      const there = place === undefined ? machine : withPlace(machine, "l1", place);
      for (const dim of everyDim()) top = Math.max(top, ...speeds(there, dim).filter((speed) => speed !== undefined));
    }
  }
  top *= intervalOf(state)?.factor ?? 1;
  for (const one of content.measured) {
    if (["problem", "kernel"].every((key) => one.places[byKey[key]] === state[byKey[key]])) {
      top = Math.max(top, one.gpops_billion + one.ci_billion);
    }
  }
  return top || 1;
}

const path = (points) =>
  points.map((point, at) => (point ? `${at > 0 && points[at - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}` : "")).join("");

/** The places whose names fit beside each other under the axis, the present one first. */
function roomFor(names, now, x, em) {
  const half = (place) => 0.31 * em * (names[place].length + (place === now ? 0.4 : 0)) + 0.2 * em;
  const taken = [now];
  names.forEach((_, place) => {
    if (taken.every((other) => Math.abs(x(place) - x(other)) >= half(place) + half(other))) taken.push(place);
  });
  return taken;
}

function drawCurve(state) {
  show("curve", (width, em) => {
    const top = topSpeed(state) * 1.04;
    const height = Math.min(Math.max(width * (onPaper ? 0.34 : 0.42), 18 * em), 34 * em);
    const step = stepOf(top, 6);
    const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, nth) => nth * step);
    const widest = Math.max(...ticks.map((tick) => String(tick).length));
    const [left, right, above, below] = [0.62 * em * widest + 10, 1.5 * em, 2.1 * em, 3.2 * em];
    const threads = axes[byKey.threads].values;
    const x = (place) => left + em + ((width - left - right - 1.8 * em) * place) / (threads.length - 1);
    const y = (speed) => height - below - ((height - above - below) * speed) / top;
    const parts = [text(0, em, "billion GPop/s", { kind: "quiet" })];
    for (const tick of ticks) {
      parts.push(segment(left, y(tick), width - right, y(tick), tick === 0 ? "axis" : "mesh"));
      parts.push(text(left - 6, y(tick) + 0.35 * em, Number(tick.toPrecision(6)), { anchor: "end" }));
    }
    for (const place of roomFor(threads, state[byKey.threads], x, em)) {
      const kind = place === state[byKey.threads] ? "bold" : "";
      parts.push(text(x(place), height - below + 1.3 * em, threads[place], { anchor: "middle", kind }));
    }
    parts.push(text((left + width - right) / 2, height - 0.5 * em, "threads per block", { anchor: "middle", kind: "quiet" }));
    parts.push(...curveLines(state, x, y, em, width - right, height - below));
    return { height, parts };
  });
}

function curveLines(state, x, y, em, end, bottom) {
  const parts = [];
  const now = state[byKey["stack-dim"]];
  const place = (speed, at) => (speed === undefined ? undefined : [x(at), y(speed)]);
  const lines = everyDim().map((dim) => speeds(state, dim).map(place));
  parts.push(...band(state, now, x, y));
  const order = everyDim().sort((a, b) => (a === now) - (b === now));
  for (const dim of order) {
    const kind = dim === now ? "line now" : "line";
    parts.push(`<path d="${path(lines[dim])}" class="${kind}" style="stroke: var(--dim-${dim % 6})"/>`);
  }
  if (!isUnchanged(state)) {
    parts.push(`<path d="${path(speeds(unchanged(state), now).map(place))}" class="line unchanged"/>`);
  }
  const heights = lines.map((line) => line.findLast((point) => point)?.[1] ?? bottom);
  apart(heights, 1.15 * em, bottom).forEach((height, dim) => {
    const value = axes[byKey["stack-dim"]].values[dim];
    const words = text(end + 2, height + 0.35 * em, value, { kind: dim === now ? "bold" : "" });
    parts.push(words.replace("<text", `<text style="fill: var(--dim-${dim % 6})"`));
  });
  parts.push(...measuredPoints(state, x, y, em));
  const here = lines[now][state[byKey.threads]];
  if (here) parts.push(`<circle cx="${here[0].toFixed(1)}" cy="${here[1].toFixed(1)}" r="${(0.62 * em).toFixed(1)}" class="here"/>`);
  return parts;
}

/** The 90 % interval around the line that is shown; where launches are not possible it is interrupted. */
function band(state, dim, x, y) {
  const factor = intervalOf(state)?.factor;
  if (!factor) return [];
  const runs = [[]];
  speeds(state, dim).forEach((speed, at) => (speed === undefined ? runs.push([]) : runs.at(-1).push([at, speed])));
  return runs.filter((run) => run.length > 1).map((run) => {
    const upper = run.map(([at, speed]) => [x(at), y(speed * factor)]);
    const lower = run.map(([at, speed]) => [x(at), y(speed / factor)]).reverse();
    return `<path d="${path([...upper, ...lower])}Z" class="band" style="fill: var(--dim-${dim % 6})"/>`;
  });
}

/** What was measured at any block size and second dimension, with confidence intervals where the line is the one that is shown. */
function measuredPoints(state, x, y, em) {
  const parts = [];
  for (const dim of everyDim()) {
    const isNow = dim === state[byKey["stack-dim"]];
    axes[byKey.threads].values.forEach((_, at) => {
      const found = measuredAt(withPlace(withPlace(state, "stack-dim", dim), "threads", at));
      if (!found) return;
      const [cx, cy] = [x(at), y(found.gpops_billion)];
      const words = `measured: ${found.gpops_billion} ± ${found.ci_billion} (Table ${found.table})`;
      const colour = isNow ? "" : ` style="stroke: var(--dim-${dim % 6})"`;
      if (isNow) parts.push(segment(cx, y(found.gpops_billion - found.ci_billion), cx, y(found.gpops_billion + found.ci_billion), "here"));
      parts.push(
        `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${(isNow ? 0.36 * em : 0.22 * em).toFixed(1)}" ` +
          `class="measured${isNow ? "" : " other"}"${colour}><title>${escaped(words)}</title></circle>`,
      );
    });
  }
  return parts;
}

/** Shares of the cycles in percent, the causes without any left out. */
function shares(point) {
  const causes = content.columns.slice(-content.causes.length);
  const all = causes.map((column, at) => ({ key: column.name, name: content.causes[at], percent: number(column.name, point) }));
  return all.filter((share) => share.percent > 0);
}

function drawCycles(state, point) {
  const parts = shares(point);
  show("cycles", (width, em) => {
    const height = 2.6 * em;
    let left = 0;
    const all = parts.reduce((sum, share) => sum + share.percent, 0);
    const bars = parts.map((share) => {
      const wide = (width * share.percent) / all;
      const bar = rect(left, 0, wide, height, `class="part" style="fill: var(--${share.key})"`);
      left += wide;
      return bar.replace("/>", `><title>${escaped(share.name)}: ${share.percent.toFixed(1)} %</title></rect>`);
    });
    return { height, parts: bars };
  });
  const rows = parts.map(
    (share) =>
      `<tr><td class="swatch"><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" style="fill: var(--${share.key})"/></svg></td>` +
      `<th scope="row">${escaped(share.name)}</th><td>${share.percent.toFixed(1)}</td></tr>`,
  );
  byId("cycles-table").innerHTML =
    `<caption>Percent of all cycles of the schedulers</caption><thead><tr><td></td><th scope="col">spent on</th><th scope="col">%</th></tr></thead>` +
    `<tbody>${rows.join("")}</tbody>`;
}

/** A scale in whole steps under a bar. */
function scale(x, top, y, em, most, unit) {
  const step = stepOf(top, most);
  const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, nth) => nth * step);
  return ticks.flatMap((tick, nth) => {
    const last = nth === ticks.length - 1;
    const words = last ? `${Number(tick.toPrecision(6))} ${unit}` : Number(tick.toPrecision(6));
    return [segment(x(tick), y, x(tick), y + 5, "axis"), text(x(tick), y + 5 + em, words, { anchor: nth === 0 ? "start" : "middle", kind: "quiet" })];
  });
}

function drawPlaces(point) {
  show("places", (width, em) => {
    const [blocks, warps] = [number("blocks", point), number("warps", point)];
    const high = 2.2 * em;
    const right = 2.6 * em;
    const x = (places) => 1 + ((width - right - 2) * places) / content.n_warps;
    const parts = [rect(x(0), 1, x(content.n_warps) - x(0), high, `class="free"`)];
    for (let block = 0; block < blocks; block += 1) {
      const each = warps / blocks;
      parts.push(rect(x(block * each), 1, x((block + 1) * each) - x(block * each), high, `class="part" style="fill: var(--fits)"`));
    }
    parts.push(...scale(x, content.n_warps, high + 2, em, 4, "warps"));
    return { height: high + 1.9 * em + 6, parts };
  });
}

/** The most that the stacks of this problem and kernel touch on this machine: the scale stays. */
function topTouched(state) {
  let top = 0;
  for (const dim of everyDim()) {
    axes[byKey.threads].values.forEach((_, place) => {
      const point = pointOf(withPlace(withPlace(state, "stack-dim", dim), "threads", place));
      if (isPossible(point)) top = Math.max(top, number("touched_kib", point), number("l1_kib", point));
    });
  }
  return top;
}

function drawStacks(state, point) {
  show("stacks", (width, em) => {
    const [touched, l1] = [number("touched_kib", point), number("l1_kib", point)];
    const top = topTouched(state) * 1.02;
    const high = 2.2 * em;
    const above = 1.5 * em;
    const right = 2.6 * em;
    const x = (kib) => 1 + ((width - right - 2) * kib) / top;
    const fits = Math.min(touched, l1);
    const isLeft = x(l1) < width / 2;
    const parts = [
      rect(x(0), above, x(fits) - x(0), high, `style="fill: var(--fits)"`),
      rect(x(fits), above, x(touched) - x(fits), high, `style="fill: var(--spills)"`),
      segment(x(l1), above - 5, x(l1), above + high + 5, "mark"),
      text(isLeft ? x(l1) - (x(l1) > 5 * em ? 0 : x(l1) - 1) : x(l1), em * 0.9, `L1: ${l1} KiB`, { anchor: isLeft ? (x(l1) > 5 * em ? "middle" : "start") : "end", kind: "bold" }),
      ...scale(x, top, above + high + 2, em, 5, "KiB"),
    ];
    return { height: above + high + 1.9 * em + 6, parts };
  });
}

function drawTime(point) {
  show("time", (width, em) => {
    const [kernel, host] = [number("kernel_ms", point), number("host_ms", point)];
    const high = 2.2 * em;
    const right = 2.6 * em;
    const top = (kernel + host) || 1;
    const x = (ms) => 1 + ((width - right - 2) * ms) / top;
    const parts = [
      rect(x(0), 1, x(kernel) - x(0), high, `class="part" style="fill: var(--fits)"`),
      rect(x(kernel), 1, Math.max(x(top) - x(kernel), 2), high, `class="part" style="fill: var(--spills)"`),
      ...scale(x, top, high + 2, em, 4, "ms"),
    ];
    return { height: high + 1.9 * em + 6, parts };
  });
}
