// Questions to the library, which runs in threads of its own so that the page stays at hand.

const byId = (id) => document.getElementById(id);
const content = JSON.parse(byId("content").textContent);
const MODULE = byId("module").textContent;

/** Answers that are kept, at most. */
const KEPT = 4000;

/** A thread that answers one question at a time. */
class Thread {
  constructor(module) {
    const source = new Blob([byId("worker").textContent], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(source));
    this.waiting = [];
    this.asked = undefined;
    this.kept = new Map();
    this.ready = new Promise((ready, failed) => {
      this.worker.onerror = (event) => failed(new Error(event.message || "the thread did not start"));
      this.worker.onmessage = ({ data }) => {
        this.module = data.module;
        this.worker.onmessage = (event) => this.take(event.data);
        ready();
        this.next();
      };
    });
    this.worker.postMessage({ module });
  }

  /** The answer to a question; `undefined` if it was forgotten before its turn. An urgent one goes before those that wait. */
  ask(question, urgent = false) {
    const text = JSON.stringify(question);
    if (this.kept.has(text)) return this.kept.get(text);
    const answer = new Promise((done) => this.waiting[urgent ? "unshift" : "push"]({ text, done }));
    this.kept.set(text, answer);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    this.next();
    return answer;
  }

  /** Drops the questions that wait for their turn. */
  forget() {
    for (const { text, done } of this.waiting.splice(0)) {
      this.kept.delete(text);
      done(undefined);
    }
  }

  next() {
    if (this.asked || !this.module || this.waiting.length === 0) return;
    this.asked = this.waiting.shift();
    this.worker.postMessage({ id: 0, question: this.asked.text });
  }

  take({ text, milliseconds }) {
    const { done } = this.asked;
    this.asked = undefined;
    done({ ...JSON.parse(text), milliseconds });
    this.next();
  }
}

/** The closed form's thread. */
const model = new Thread(MODULE);
let simulating;

/** The simulator's thread, so that the closed form need not wait for it. */
async function simulator() {
  await model.ready;
  simulating ??= new Thread(model.module);
  return simulating;
}
