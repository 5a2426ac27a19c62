// What the report does beyond being read: shows one section at a time, copies commands, sorts tables, says the values of points.

const status = document.getElementById("status");

const sections = [...document.querySelectorAll("main > section")];
const headingOf = (section) => section.querySelector("h2");

/** Shows the section that the address names and returns it; hidden ones can be searched for. */
function turn() {
  const named = document.getElementById(location.hash.slice(1))?.closest("section");
  const now = named ?? (location.hash ? sections.find((section) => !section.hidden) : sections[0]);
  for (const section of sections) section.hidden = section !== now && "until-found";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash !== `#${headingOf(now).id}`) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "page");
    const bar = link.closest("ul");
    bar.scrollLeft = link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2;
  }
  document.title = `${headingOf(now).textContent} – warpstack`;
  return named;
}

/** Addresses name sections, so that links and the browser's own buttons turn the pages. */
function paging() {
  turn();
  addEventListener("hashchange", () => {
    const named = turn();
    if (!named) return;
    headingOf(named).focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  addEventListener("beforematch", (event) => {
    const address = `#${headingOf(event.target).id}`;
    if (location.hash !== address) history.pushState(null, "", address);
    turn();
  });
}

/** Every command gets its button. */
function copying() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await copyWords(button.previousElementSibling.textContent, "Command");
      status.textContent = "Command copied.";
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    });
  }
}

/** The number that a text begins with; not a number where there is none. */
const numberOf = (text) => parseFloat(text.replace("−", "-").replace("†", ""));

/** Both as numbers if they are; what has none comes last in either order. */
function compared(a, b, sign) {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return sign * (Number.isNaN(x) ? a.localeCompare(b) : x - y);
}

function sort(table, header) {
  const column = header.cellIndex;
  const isUp = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", isUp ? "ascending" : "descending");
  const text = (row) => row.cells[column].textContent.trim();
  const sign = isUp ? 1 : -1;
  const orders = {
    text: (a, b) => sign * a.localeCompare(b, "en", { numeric: true }),
    number: (a, b) => compared(a, b, sign),
  };
  const kind = header.classList.contains("text") ? "text" : "number";
  const order = (a, b) => orders[kind](text(a), text(b));
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  status.textContent = `Sorted by ${header.textContent.trim()}, ${isUp ? "ascending" : "descending"}.`;
}

/** The headers of the columns become buttons. */
function sorting() {
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sort(table, header));
      header.append(button);
    }
  }
}

const tip = document.getElementById("tip");
let shown;

function hide() {
  shown?.classList.remove("on");
  shown = undefined;
  tip.hidden = true;
}

/** Says a point's value beside it, within the window. */
function say(note) {
  if (note === shown) return;
  hide();
  if (!note) return;
  shown = note;
  note.classList.add("on");
  tip.textContent = note.dataset.words;
  tip.hidden = false;
  const [at, box] = [note.getBoundingClientRect(), tip.getBoundingClientRect()];
  const width = document.documentElement.clientWidth;
  const left = Math.min(Math.max(at.left + at.width / 2 - box.width / 2, 8), width - box.width - 8);
  const above = at.top - box.height - 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${above < 4 ? at.bottom + 6 : above}px`;
}

/** The point of a chart that is nearest to the pointer, if any is near. */
function nearest(svg, x, y) {
  let [best, least] = [undefined, 30];
  for (const note of svg.querySelectorAll(".note")) {
    const box = note.getBoundingClientRect();
    const far = Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
    if (far < least) [best, least] = [note, far];
  }
  return best;
}

/** Points say their values under the pointer, under a finger, and with the arrow keys. */
function hovering() {
  for (const svg of document.querySelectorAll("figure svg")) {
    const notes = [...svg.querySelectorAll(".note")];
    if (!notes.length) continue;
    for (const note of notes) {
      // The browser's own box would say it a second time.
      note.dataset.words = note.textContent;
      note.textContent = "";
    }
    svg.tabIndex = 0;
    for (const kind of ["pointermove", "pointerdown"]) svg.addEventListener(kind, (event) => say(nearest(svg, event.clientX, event.clientY)));
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const now = notes.indexOf(shown);
      say(notes[now < 0 ? (step > 0 ? 0 : notes.length - 1) : (now + step + notes.length) % notes.length]);
      status.textContent = tip.textContent;
    });
  }
  document.addEventListener("scroll", hide, { capture: true, passive: true });
}

/** On paper nothing can be opened. */
function printing() {
  const closed = new Set();
  addEventListener("beforeprint", () => {
    hide();
    for (const part of document.querySelectorAll("details:not([open])")) {
      closed.add(part);
      part.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
    closed.clear();
  });
}

paging();
copying();
sorting();
hovering();
printing();
