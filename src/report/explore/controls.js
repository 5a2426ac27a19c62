// The controls: made for a device and a kernel, then kept at the state.

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** How far sliders of the machine go, as a factor. */
const FURTHEST = 8;
const STEPS = 400;

/** A number as it is shown: one decimal, more only below ten. */
function shown(value) {
  if (value >= 10) return value.toFixed(1);
  if (value >= 1) return value.toFixed(2);
  return value.toPrecision(2);
}

/** A number for a field: at most four digits that count, whole where only whole ones are possible. */
const rounded = (value, whole) => (whole || value >= 1000 ? Math.max(1, Math.round(value)) : Number(value.toPrecision(4)));

const fieldId = (key) => key.replaceAll(".", "-");

/** A number with a slider. `at` and `from` turn a value into a place of the slider and back. */
function slider({ key, label, unit, least, most, step, log, whole }) {
  const id = fieldId(key);
  const isLog = log ? ` data-log="${least} ${most} ${whole ? 1 : 0}"` : "";
  const range = log ? `min="0" max="${STEPS}" step="1"` : `min="${least}" max="${most}" step="${step ?? 1}"`;
  return (
    `<div class="control"><label for="${id}">${escaped(label)}${unit && ` <span>(${escaped(unit)})</span>`}</label><div class="slider">` +
    `<input type="range" data-key="${key}"${isLog} ${range} aria-label="${escaped(label)}, slider" autocomplete="off">` +
    `<input type="number" id="${id}" data-key="${key}" min="0" step="any" autocomplete="off"></div></div>`
  );
}

function choice({ key, label, unit, values }) {
  const buttons = values.map(
    (value) => `<label><input type="radio" name="${key}" data-key="${key}" value="${value}" autocomplete="off"><span>${value}</span></label>`,
  );
  return `<fieldset class="control"><legend>${escaped(label)}${unit && ` <span>(${escaped(unit)})</span>`}</legend><div class="buttons">${buttons.join("")}</div></fieldset>`;
}

const sizeControl = (size) => (size.values ? choice(size) : slider({ ...size, log: size.log || size.most > 4096, whole: true }));

function machineControl(state, one) {
  const usual = machineValue(state.device, one.key);
  if (usual === undefined) return "";
  return slider({ ...one, least: usual / FURTHEST, most: usual * FURTHEST, log: true });
}

const placeOf = ({ dataset }, value) => {
  const [least, most] = dataset.log.split(" ").map(Number);
  return (STEPS * Math.log(value / least)) / Math.log(most / least);
};

/** The value that a control stands for. */
function valueOf(control) {
  if (control.type !== "range" || !control.dataset.log) return Number(control.value);
  const [least, most, whole] = control.dataset.log.split(" ").map(Number);
  return rounded(least * (most / least) ** (Number(control.value) / STEPS), whole === 1);
}

const options = (names, selected) => names.map(([name, words]) => `<option value="${escaped(name)}"${name === selected ? " selected" : ""}>${escaped(words)}</option>`).join("");

/** What the controls were made for. */
let madeFor = "";

/** Makes the controls of the device and kernel, if others are there. */
function makeControls(state) {
  const sizes = sizesOf(state);
  const made = JSON.stringify([state.device, state.kernel, state.problem, state.own?.file, sizes]);
  if (made === madeFor) return;
  madeFor = made;
  const known = catalogue.map(({ name, title, validated }) => [name, `${title}${validated === "never" ? " (never validated)" : ""}`]);
  if (start.preset) known.unshift([start.device, start.device]);
  byId("device").innerHTML = options(known, state.device);
  const kernels = deviceOf(state).kernels.map(({ name }) => [name, name]);
  byId("kernel").innerHTML = state.own ? options([["", `${state.own.file} (${state.own.encoding})`], ...kernels], "") : options(kernels, state.kernel);
  byId("problem").innerHTML = options(Object.keys(kernelOf(state).problems).map((name) => [name, name]), state.problem);
  byId("sizes").innerHTML = sizes.map(sizeControl).join("");
  byId("values").innerHTML = MACHINE.map((one) => machineControl(state, one)).join("");
}

/** Shows the state in every control but the one that is being moved. */
function showControls(state) {
  makeControls(state);
  const sizes = Object.fromEntries(sizesOf(state).map((size) => [size.key, sizeOf(state, size)]));
  const known = Object.fromEntries(MACHINE.map(({ key }) => [key, state.machine[key] ?? machineValue(state.device, key)]));
  for (const control of document.querySelectorAll("[data-key]")) {
    const value = { ...known, ...sizes }[control.dataset.key];
    if (control.type === "radio") control.checked = Number(control.value) === value;
    else if (control === document.activeElement && control.type === "number") continue;
    else control.value = control.dataset.log ? placeOf(control, value) : value;
    if (control.type === "range") control.setAttribute("aria-valuetext", String(value));
  }
  byId("programs").value = state.programs;
  byId("own").textContent = state.own ? `${state.own.file}, programs in ${state.own.encoding} form` : "";
  byId("no-own").hidden = !state.own;
}

/** The state after a control was moved. */
function moved(state, control) {
  const { key } = control.dataset;
  const value = valueOf(control);
  if (!(value > 0) && key !== "stack_registers") return state;
  const field = MACHINE.find((one) => one.key === key);
  if (field) return settled({ ...state, machine: { ...state.machine, [key]: rounded(value, field.whole) } });
  return settled({ ...state, sizes: { ...state.sizes, [key]: Math.max(Math.round(value), 0) } });
}
