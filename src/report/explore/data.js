// The grid and what is asked of it: unpacking, places on the axes, the point of a state.

const content = JSON.parse(document.getElementById("content").textContent);
const axes = content.axes;
const byKey = Object.fromEntries(axes.map((axis, at) => [axis.key, at]));
const launchAxes = axes.filter((axis) => "launch" in axis.option);

/** How far apart neighbours on each axis are in the grid. */
const strides = axes.map((_, at) => axes.slice(at + 1).reduce((all, axis) => all * axis.values.length, 1));

const nPoints = strides[0] * axes[0].values.length;

/** The planes of bytes of every column, by name. */
let planes = {};

async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("grid").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  for (const column of content.columns) {
    const parts = [];
    for (let plane = 0; plane < column.bytes; plane += 1, at += nPoints) parts.push(bytes.subarray(at, at + nPoints));
    planes[column.name] = { parts, scale: 10 ** column.places, places: column.places };
  }
}

/** The start of the page: what the device has, and an ordinary launch. */
const start = () => axes.map((axis) => axis.start);

const pointOf = (state) => state.reduce((sum, place, at) => sum + place * strides[at], 0);

/** A whole number of units of the column's last place. */
const units = (name, point) => planes[name].parts.reduce((sum, part, at) => sum + part[point] * 256 ** at, 0);

const number = (name, point) => units(name, point) / planes[name].scale;

/** As the command line prints it. */
const printed = (name, point) => number(name, point).toFixed(planes[name].places);

const isPossible = (point) => units("impossible", point) === 0;

const valueOf = (state, key) => axes[byKey[key]].values[state[byKey[key]]];

const withPlace = (state, key, place) => state.map((old, at) => (at === byKey[key] ? place : old));

/** The same launch on the machine as it is. */
const unchanged = (state) => state.map((place, at) => ("machine" in axes[at].option ? axes[at].start : place));

const isUnchanged = (state) => unchanged(state).every((place, at) => place === state[at]);

const changes = (state) => axes.filter((axis, at) => "machine" in axis.option && state[at] !== axis.start);

/** What the paper measured of a launch on the machine as it is. */
function measuredAt(state) {
  if (!isUnchanged(state)) return undefined;
  return content.measured.find((one) => one.places.every((place, at) => place === state[at]));
}

/** The 90 % interval of the launch's problem and kernel on the machine as it is. */
function intervalOf(state) {
  if (!isUnchanged(state)) return undefined;
  return content.intervals.find((one) => ["problem", "kernel"].every((key) => one[key] === valueOf(state, key)));
}

/** The command that prints the same number. */
function commandOf(state) {
  const options = launchAxes.map((axis) => `--${axis.key} ${valueOf(state, axis.key)}`).join(" ");
  const vary = changes(state).map((axis) => ` --vary ${axis.option.machine}=${valueOf(state, axis.key)}`).join("");
  return `warpstack ${vary ? "whatif" : "predict"}${content.options} ${options}${vary}`;
}

const fragmentOf = (state) => axes.map((axis, at) => `${axis.key}=${encodeURIComponent(axis.values[state[at]])}`).join("&");

/** The state that a fragment names, how the page looks, and what of it is not known. */
function read(fragment) {
  const state = start();
  const view = {};
  const unknown = [];
  for (const [key, value] of new URLSearchParams(fragment)) {
    if (key === "theme" || key === "size") {
      view[key] = value;
    } else if (key in byKey) {
      const place = axes[byKey[key]].values.indexOf(value);
      if (place < 0) unknown.push(`${key}=${value}; allowed: ${axes[byKey[key]].values.join(", ")}`);
      else state[byKey[key]] = place;
    } else if (value !== "") {
      unknown.push(`${key}; allowed: ${axes.map((axis) => axis.key).join(", ")}`);
    }
  }
  return { state, view, unknown };
}
