// The state of the page: a launch on a machine; as a question, as a command, as an address.

/** The machine's values that have a control: key, label, unit, whether only whole numbers are possible. */
const MACHINE = [
  { key: "smx", label: "Multiprocessors", unit: "", whole: true },
  { key: "clock", label: "Clock", unit: "MHz", whole: false },
  { key: "l2.port_bytes_per_cycle", label: "Path to the L2", unit: "bytes per cycle", whole: false },
  { key: "dram_bandwidth", label: "DRAM bandwidth", unit: "GB/s", whole: false },
];

/** The sizes of a launch: key, field of the question, label, unit. */
const SIZES = [
  { key: "threads", field: "threads_per_block", label: "Threads per block", unit: "" },
  { key: "stack_dim", field: "stack_dim", label: "Second dimension of the stack", unit: "cases per thread" },
  { key: "stack_registers", field: "stack_registers", label: "Stack levels in registers", unit: "" },
  { key: "case_blocks", field: "case_blocks", label: "Blocks that share the cases", unit: "" },
  { key: "l1", field: "l1_kib", label: "L1 size", unit: "KiB" },
  { key: "population", field: "population", label: "Programs", unit: "" },
  { key: "cases", field: "cases", label: "Fitness cases", unit: "" },
  { key: "threads_per_program", field: "threads_per_program", label: "Threads that share a program's tests", unit: "" },
];

/** Sizes whose usual values depend on the kernel. */
const OF_KERNEL = ["stack_dim", "stack_registers", "case_blocks"];

/** A label within a sentence. */
const lowered = (label) => label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
const inWords = ({ label }) => lowered(label);

const start = content.start;
/** Descriptions of devices, by name. */
const devices = {};
/** All presets. */
let catalogue = [];

/** The state that the page begins with. */
function initial() {
  const sizes = {};
  for (const { key, field } of SIZES) if (start.launch[field]) sizes[key] = start.launch[field];
  return { device: start.device, kernel: start.launch.kernel, problem: start.launch.problem, sizes, machine: {}, programs: start.programs, own: start.own };
}

const deviceOf = (state) => devices[state.device];
const isPaper = (kernel) => kernel !== undefined && Object.values(kernel.problems).some((variants) => variants.length > 0);
/** The kernel whose controls the launch has: a kernel of one's own has those of its encoding's. */
function kernelOf(state) {
  const name = state.own ? state.own.encoding : state.kernel;
  const known = deviceOf(state).kernels;
  return known.find((one) => one.name === name) ?? known[0];
}

/** Second dimensions and stack levels in registers that the kernel was compiled for; none for other papers' kernels. */
const variantsOf = (state) => kernelOf(state)?.problems[state.problem] ?? [];

const listOf = (state) => state.programs.split("\n").map((line) => line.trim()).filter((line) => line !== "");

/** A state that the device can run, as near to this one as possible. */
function settled(state) {
  const next = { ...state, sizes: { ...state.sizes }, machine: { ...state.machine } };
  const known = deviceOf(next).kernels;
  if (!next.own && !known.some((one) => one.name === next.kernel)) next.kernel = known[0].name;
  const kernel = kernelOf(next);
  if (!(next.problem in kernel.problems)) next.problem = Object.keys(kernel.problems).includes("sextic") ? "sextic" : Object.keys(kernel.problems)[0];
  const variants = variantsOf(next);
  if (variants.length > 0 && !next.own) {
    const fits = ([dim, levels]) => dim === next.sizes.stack_dim && levels === (next.sizes.stack_registers ?? 0);
    if (!variants.some(fits)) {
      const near = variants.find(([dim]) => dim === next.sizes.stack_dim) ?? variants[0];
      [next.sizes.stack_dim, next.sizes.stack_registers] = near;
    }
    next.sizes.threads ??= 256;
  }
  const allowed = new Set(sizesOf(next).map((size) => size.key));
  for (const key of Object.keys(next.sizes)) if (!allowed.has(key)) delete next.sizes[key];
  for (const { key } of MACHINE) if (next.machine[key] === machineValue(next.device, key)) delete next.machine[key];
  return next;
}

/** The sizes that the kernel's launch has, with their ranges. */
function sizesOf(state) {
  const kernel = kernelOf(state);
  const device = deviceOf(state);
  const extra = Object.fromEntries(kernel.sizes.map((one) => [one.key, one]));
  const variants = variantsOf(state);
  const one = (size) => {
    if (size.key in extra) {
      const { allowed, default: usual } = extra[size.key];
      return Array.isArray(allowed) ? { ...size, usual, values: allowed } : { ...size, usual, ...allowed };
    }
    const largest = device.l1[device.l1.length - 1];
    if (size.key === "l1" && largest > 0) return { ...size, usual: device.default_l1 ?? largest, least: 4, most: 2 * largest };
    if (!isPaper(kernel)) return undefined;
    const column = (nth) => [...new Set(variants.map((variant) => variant[nth]))].sort((a, b) => a - b);
    if (size.key === "threads") return { ...size, usual: 256, least: 32, most: 1024, step: 32 };
    if (size.key === "stack_dim") return { ...size, usual: column(0)[0], values: state.own ? [1, 2, 3, 4, 5, 6, 8] : column(0) };
    if (size.key === "stack_registers" && column(1).length > 1) return { ...size, usual: column(1)[0], values: column(1) };
    if (size.key === "population") return { ...size, usual: listOf(state).length || 1000, least: 1, most: 100000, log: true };
    return undefined;
  };
  return SIZES.map(one).filter((size) => size !== undefined && (size.values ? size.values.length > 1 : size.least < size.most));
}

const machineValue = (device, key) => devices[device].values[MACHINE.findIndex((one) => one.key === key)] ?? undefined;
const sizeOf = (state, size) => state.sizes[size.key] ?? size.usual;
const sizeNamed = (state, key) => sizesOf(state).find((size) => size.key === key);

/** Whether the L1 has a size that the device offers. */
const isOwnL1 = (state) => state.sizes.l1 === undefined || deviceOf(state).l1.includes(state.sizes.l1);
const changed = (state) => MACHINE.filter(({ key }) => key in state.machine);
const isUnchanged = (state) => changed(state).length === 0 && isOwnL1(state);
/** The same launch of another kernel. */
const withKernel = (state, kernel) => settled({ ...state, own: undefined, kernel, sizes: Object.fromEntries(Object.entries(state.sizes).filter(([key]) => key === "stack_dim" || !OF_KERNEL.includes(key))) });
/** The same launch on the device as it is. */
const unchanged = (state) => ({ ...state, machine: {}, sizes: isOwnL1(state) ? state.sizes : { ...state.sizes, l1: undefined } });

/** A question of the library about the state. */
function question(state, ask, engine = "analytical", more = {}) {
  const launch = { kernel: state.kernel, problem: state.problem };
  for (const { key, field } of SIZES) if (state.sizes[key] !== undefined) launch[field] = state.sizes[key];
  const kernel = kernelOf(state);
  const programs = { list: listOf(state) };
  // A population of programs belongs to the launch only where the kernel leaves it open.
  if (isPaper(kernel) && launch.population) {
    programs.population = launch.population;
    delete launch.population;
  }
  const preset = state.device === start.device && start.preset ? { file: start.device, text: start.preset } : undefined;
  return { ask, device: state.device, preset, changes: changed(state).map(({ key }) => [key, String(state.machine[key])]), engine, launch, programs, own: state.own ?? undefined, ...more };
}

/** The command that prints the same number. */
function commandOf(state, engine = "analytical") {
  const isWhatif = !isUnchanged(state);
  const parts = [isWhatif ? "warpstack whatif" : "warpstack predict"];
  if (engine !== "simulator") parts.push(`--engine ${engine}`);
  parts.push(`--device ${state.device}`);
  parts.push(state.own ? `--sass ${state.own.file} --encoding ${state.own.encoding}` : `--kernel ${state.kernel}`, `--problem ${state.problem}`);
  for (const { key } of sizesOf(state)) {
    if (state.sizes[key] === undefined || (key === "l1" && !isOwnL1(state))) continue;
    parts.push(`--${key.replaceAll("_", "-")} ${state.sizes[key]}`);
  }
  if (listOf(state).length > 0) parts.push("--programs programs.txt");
  if (!isOwnL1(state)) parts.push(`--vary l1=${state.sizes.l1}`);
  for (const { key } of changed(state)) parts.push(`--vary ${key}=${state.machine[key]}`);
  return parts.join(" ");
}

/** The state as the part of an address behind #. */
function fragmentOf(state) {
  const parts = [["device", state.device], ["problem", state.problem], ["kernel", state.kernel]];
  for (const { key } of sizesOf(state)) if (state.sizes[key] !== undefined) parts.push([key.replaceAll("_", "-"), state.sizes[key]]);
  for (const { key } of changed(state)) parts.push([key, state.machine[key]]);
  if (state.programs.length > 0 && state.programs.length < 2000) parts.push(["programs", state.programs]);
  return parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** The state that a fragment names, how the page looks, and what of it is not known. The device's description is fetched. */
async function read(fragment) {
  const state = initial();
  const view = {};
  const unknown = [];
  for (const [key, value] of new URLSearchParams(fragment)) {
    const size = SIZES.find((one) => one.key === key.replaceAll("-", "_"));
    const field = MACHINE.find((one) => one.key === key);
    const number = Number(value);
    if (["theme", "size", "over", "compare"].includes(key)) view[key] = value;
    else if (key === "device") {
      if (value === start.device || catalogue.some((one) => one.name === value)) state.device = value;
      else unknown.push(`device=${value}; allowed: ${catalogue.map((one) => one.name).join(", ")}`);
    } else if (["problem", "kernel", "programs"].includes(key)) state[key] = value;
    else if (size && number > 0 && Number.isInteger(number)) state.sizes[size.key] = number;
    else if (field && number > 0) state.machine[field.key] = number;
    else if (size || field) unknown.push(`${key}=${value}; allowed: a number above 0`);
    else if (value !== "") unknown.push(`${key}; allowed: device, problem, kernel, programs, ${[...SIZES, ...MACHINE].map((one) => one.key.replaceAll("_", "-")).join(", ")}`);
  }
  await describe(state.device);
  // Another kernel has its own usual sizes.
  if (state.kernel !== start.launch.kernel) for (const key of OF_KERNEL) if (!new URLSearchParams(fragment).has(key.replaceAll("_", "-"))) delete state.sizes[key];
  const asked = { kernel: state.kernel, problem: state.problem };
  const next = settled(state);
  if (next.kernel !== asked.kernel) unknown.push(`kernel=${asked.kernel}; allowed: ${deviceOf(next).kernels.map((one) => one.name).join(", ")}`);
  else if (next.problem !== asked.problem && asked.problem) unknown.push(`problem=${asked.problem}; allowed: ${Object.keys(kernelOf(next).problems).join(", ")}`);
  return { state: next, view, unknown };
}

/** Fetches the description of a device. */
async function describe(name) {
  if (devices[name]) return;
  const preset = name === start.device && start.preset ? { file: name, text: start.preset } : undefined;
  const { answer, refused } = await model.ask({ ask: "device", device: name, preset, fields: MACHINE.map((one) => one.key) }, true);
  if (!answer) throw new Error(refused);
  devices[name] = answer;
}

/** The measured speeds of the launch's problem and kernel on the device as it is, with the corpus. */
function measuredLike(state) {
  if (!isUnchanged(state) || state.own || listOf(state).length > 0 || (state.sizes.population ?? 1000) !== 1000) return [];
  const here = deviceOf(state);
  const l1 = (launch) => launch.l1_kib ?? here.default_l1;
  return content.measured.filter(
    ({ device, launch }) => device === state.device && launch.kernel === state.kernel && (launch.problem ?? "sextic") === state.problem && l1(launch) === (state.sizes.l1 ?? here.default_l1),
  );
}

const isSame = (launch, sizes) => launch.threads_per_block === sizes.threads && (launch.stack_dim ?? 1) === (sizes.stack_dim ?? 1) && (launch.stack_registers ?? 0) === (sizes.stack_registers ?? 0);
const measuredAt = (state) => measuredLike(state).find(({ launch }) => isSame(launch, state.sizes));
