import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { orderId } from "../domain/ids.ts";
import type { JournalRequest, JournalResponse } from "../dashboard/journal-reader.ts";
import { restore } from "../journal/restore.ts";
import { createStore } from "../platform/store.ts";
import { openJournal } from "./journal-run.ts";
import { momentFields, momentOf, orderEvents, storiesOf } from "./journal-story.ts";
import { refuseBooked } from "./refuse-booked.ts";

/** Reads one subject of the bot's own journal for the page's thread, then ends; see `JournalReader`. */

assert(parentPort !== null, "runs as a thread");
const { journal, subject } = workerData as JournalRequest;

// The bot has loaded the plugins that its own journal names.
const trust = { config: undefined, trust: true };

async function read(): Promise<unknown> {
  if (typeof subject === "object" && "tradeId" in subject) {
    return refuseBooked(restore(createStore(), journal).restored.carried, subject.tradeId);
  }
  if (typeof subject === "object") {
    const { propose } = await import("./proposal.ts");
    return propose(journal, trust, subject);
  }
  const { store, runs } = await openJournal(journal);
  const source = { store, runs, only: undefined, trust };
  if (typeof subject === "number") {
    const moment = await momentOf(source, subject);
    return { ...momentFields(moment, subject), warning: moment.warning ?? null };
  }
  const id = orderId(subject);
  if (id === undefined) throw new TouchlineError("ORDER_UNKNOWN", `${subject} is no order id.`);
  const stories = await storiesOf(source, id);
  const warning = stories.find((story) => story.warning !== undefined)?.warning ?? null;
  return { orderId: id, events: stories.flatMap(orderEvents), warning };
}

const response = await read().then(
  (found): JournalResponse => ({ ok: true, found }),
  (error: unknown): JournalResponse => {
    if (!(error instanceof TouchlineError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message: hint === undefined ? message : `${message} ${hint}` };
  },
);
parentPort.postMessage(response, []);
