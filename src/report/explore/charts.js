// The charts of one launch, drawn anew for every state and width. A chart is as many pixels wide as its place; text keeps its size.

/** Whether charts are drawn for a sheet of paper, whose widths the window does not know. */
let onPaper = false;

/** Height of the letters of charts, in pixels; 13 where the page's are 16. */
const letters = () => (onPaper ? 10.5 : 0.8125 * parseFloat(getComputedStyle(document.documentElement).fontSize));

/** Pixels that a chart has; on paper the first is as wide as the sheet, and two others share that. */
const widthOf = (svg) => (onPaper ? (svg.id === "curve" ? 740 : 360) : Math.max(svg.parentElement.clientWidth, 240));

const percent = (part) => `${part.toFixed(0)} %`;

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

/** Shares of the cycles in percent, the causes without any left out. */
function shares(answer) {
  const all = answer.cpi_stack.reduce((sum, { cycles }) => sum + cycles, 0) || 1;
  const named = Object.fromEntries(content.causes);
  return answer.cpi_stack.filter(({ cycles }) => cycles > 0).map(({ cause, cycles }) => ({ key: cause, name: named[cause], percent: (100 * cycles) / all }));
}

/** A bar for each engine that has answered. */
function drawCycles(answers) {
  show("cycles", (width, em) => {
    const high = 2.4 * em;
    const parts = answers.flatMap(({ words, answer }, nth) => {
      const top = nth * (high + 2.2 * em) + 1.2 * em;
      let left = 0;
      const bars = shares(answer).map((share) => {
        const wide = (width * share.percent) / 100;
        const bar = rect(left, top, wide, high, `class="part" style="fill: var(--${share.key})"`);
        left += wide;
        return bar.replace("/>", `><title>${escaped(share.name)}: ${share.percent.toFixed(1)} %</title></rect>`);
      });
      return [text(0, top - 0.4 * em, words, { kind: "quiet" }), ...bars];
    });
    return { height: answers.length * (high + 2.2 * em), parts };
  });
  const lists = answers.map(({ answer }) => shares(answer));
  const keys = content.causes.filter(([key]) => lists.some((list) => list.some((share) => share.key === key)));
  const cell = (list, key) => `<td>${(list.find((share) => share.key === key)?.percent ?? 0).toFixed(1)}</td>`;
  const rows = keys.map(
    ([key, name]) =>
      `<tr><td class="swatch"><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" style="fill: var(--${key})"/></svg></td>` +
      `<th scope="row">${escaped(name)}</th>${lists.map((list) => cell(list, key)).join("")}</tr>`,
  );
  const heads = answers.map(({ words }) => `<th scope="col">${answers.length > 1 ? escaped(words) : "%"}</th>`);
  byId("cycles-table").innerHTML =
    `<caption>Percent of all cycles of the schedulers</caption><thead><tr><td></td><th scope="col">spent on</th>${heads.join("")}</tr></thead>` +
    `<tbody>${rows.join("")}</tbody>`;
}

/** What removing a part of the machine gains, the most first. */
function gainsOf(explained) {
  const named = Object.fromEntries(content.parts.map(([key, name, condition]) => [key, { name, condition }]));
  const gains = explained.gains.map(({ free, speedup }) => ({ ...named[free[0]], percent: 100 * (speedup - 1) }));
  return gains.filter((gain) => gain.percent >= 0.5).sort((a, b) => b.percent - a.percent);
}

const GAINS = 6;

function drawGains(explained) {
  const gains = gainsOf(explained).slice(0, GAINS);
  show("gains", (width, em) => {
    const most = Math.max(...gains.map((gain) => gain.percent), 5);
    const row = 2.3 * em;
    const left = Math.min(0.42 * width, 11 * em);
    const right = 4.6 * em;
    const parts = gains.flatMap((gain, nth) => {
      const wide = ((width - left - right) * gain.percent) / most;
      const y = nth * row;
      return [
        text(left - 6, y + 1.25 * em, gain.name, { anchor: "end" }),
        rect(left, y + 0.2 * em, wide, 1.5 * em, `class="part" style="fill: var(--fits)"`),
        text(left + wide + 5, y + 1.25 * em, `+${gain.percent.toFixed(1)} %`, { kind: nth === 0 ? "bold" : "" }),
      ];
    });
    return { height: Math.max(gains.length, 1) * row, parts: parts.length ? parts : [text(0, 1.3 * em, "No part alone gains anything.", { kind: "quiet" })] };
  });
}

function drawPlaces(answer, device) {
  show("places", (width, em) => {
    const { blocks, warps } = answer.occupancy;
    const high = 2.2 * em;
    const x = (places) => 1 + ((width - 2.6 * em - 2) * places) / device.warps;
    const parts = [rect(x(0), 1, x(device.warps) - x(0), high, `class="free"`)];
    for (let block = 0; block < blocks; block += 1) {
      const each = warps / blocks;
      parts.push(rect(x(block * each), 1, x((block + 1) * each) - x(block * each), high, `class="part" style="fill: var(--fits)"`));
    }
    parts.push(...scale(x, device.warps, high + 2, em, 4, "warps"));
    return { height: high + 1.9 * em + 6, parts };
  });
}

/** KiB of the stacks of all resident warps, on average. */
const stacksKib = (answer) => (answer.occupancy.warps * answer.mean_stack_levels * answer.configuration.stack_dim * 128) / 1024;

function drawStacks(answer) {
  show("stacks", (width, em) => {
    const [touched, l1] = [stacksKib(answer), answer.l1];
    const top = Math.max(touched, l1, 1) * 1.02;
    const high = 2.2 * em;
    const above = 1.5 * em;
    const x = (kib) => 1 + ((width - 2.6 * em - 2) * kib) / top;
    const fits = Math.min(touched, l1);
    const isLeft = x(l1) < width / 2;
    const parts = [
      rect(x(0), above, x(fits) - x(0), high, `style="fill: var(--fits)"`),
      rect(x(fits), above, x(touched) - x(fits), high, `style="fill: var(--spills)"`),
      segment(x(l1), above - 5, x(l1), above + high + 5, "mark"),
      text(isLeft ? Math.max(x(l1), 1) : x(l1), em * 0.9, `L1: ${l1} KiB`, { anchor: isLeft ? "start" : "end", kind: "bold" }),
      ...scale(x, top, above + high + 2, em, 5, "KiB"),
    ];
    return { height: above + high + 1.9 * em + 6, parts };
  });
}

function drawTime(answer) {
  show("time", (width, em) => {
    const [kernel, host] = [answer.run_milliseconds, answer.host_milliseconds];
    const high = 2.2 * em;
    const top = kernel + host || 1;
    const x = (ms) => 1 + ((width - 2.6 * em - 2) * ms) / top;
    const parts = [
      rect(x(0), 1, x(kernel) - x(0), high, `class="part" style="fill: var(--fits)"`),
      rect(x(kernel), 1, Math.max(x(top) - x(kernel), 2), high, `class="part" style="fill: var(--spills)"`),
      ...scale(x, top, high + 2, em, 4, "ms"),
    ];
    return { height: high + 1.9 * em + 6, parts };
  });
}

function cyclesWords(answer) {
  const issued = shares(answer).find((share) => share.key === "selected");
  return `The schedulers issue in ${percent(issued ? issued.percent : 0)} of their cycles; in the others they wait for the causes below. That says where warps are, not what a change gains.`;
}

function gainsWords(explained, engine) {
  const [first] = gainsOf(explained);
  if (!first) return `By the ${engine} no part of the machine alone gains anything.`;
  return `If ${first.condition}, the launch would be ${first.percent.toFixed(1)} % faster, by the ${engine}.`;
}

function placesWords(answer, device) {
  const { blocks, warps, limiters } = answer.occupancy;
  const why = {
    warps: `${device.warps} warps at most`,
    registers: `${answer.block.registers_per_thread} registers per thread`,
    "shared memory": "which holds the program of each block",
    blocks: `${device.blocks} blocks at most`,
  };
  const named = limiters.map((name) => name.replaceAll("_", " "));
  const limits = named.map((name) => (why[name] ? `${name} (${why[name]})` : name)).join(" and ");
  const full = answer.blocks && answer.places > answer.blocks ? ` All multiprocessors together hold ${answer.places} blocks, and the launch has only ${answer.blocks}.` : "";
  return (
    `${warps} of ${device.warps} warps on a multiprocessor, ${percent((100 * warps) / device.warps)}: ${blocks} block${blocks === 1 ? "" : "s"} ` +
    `of ${warps / blocks} warp${warps === blocks ? "" : "s"}. Limited by ${limits}.${full}`
  );
}

function stacksWords(answer) {
  const [touched, l1] = [stacksKib(answer), answer.l1];
  const hit = `${answer.memory.l1_load_hit_percent.toFixed(1)} % of the stack loads find their value in the L1.`;
  if (touched <= l1) return `The stacks of all resident warps touch ${touched.toFixed(1)} KiB, which fit. ${hit}`;
  return `The stacks of all resident warps touch ${touched.toFixed(1)} KiB; ${percent((100 * l1) / touched)} of that fit. ${hit}`;
}

function timeWords(answer) {
  const [kernel, host] = [answer.run_milliseconds, answer.host_milliseconds];
  return `${shown(kernel)} ms the kernel (first part of the bar), ${shown(host)} ms the host: ${((100 * host) / (kernel + host)).toFixed(1)} % of the time.`;
}
