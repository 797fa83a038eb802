import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { orderId } from "../domain/ids.ts";
import type { StoryRequest, StoryResponse } from "../dashboard/story-reader.ts";
import { openJournal } from "./journal-run.ts";
import { momentFields, momentOf, orderEvents, storiesOf } from "./journal-story.ts";

/** Reads one story of the bot's own journal for the page's thread, then ends; see `StoryReader`. */

assert(parentPort !== null, "runs as a thread");
const { journal, subject } = workerData as StoryRequest;

async function read(): Promise<StoryResponse> {
  const { store, runs } = await openJournal(journal);
  // The bot has loaded the plugins that its own journal names.
  const source = { store, runs, only: undefined, trust: { config: undefined, trust: true } };
  if (typeof subject === "number") {
    const moment = await momentOf(source, subject);
    return {
      ok: true,
      story: { ...momentFields(moment, subject), warning: moment.warning ?? null },
    };
  }
  const id = orderId(subject);
  if (id === undefined) throw new TouchlineError("ORDER_UNKNOWN", `${subject} is no order id.`);
  const stories = await storiesOf(source, id);
  const warning = stories.find((story) => story.warning !== undefined)?.warning ?? null;
  return { ok: true, story: { orderId: id, events: stories.flatMap(orderEvents), warning } };
}

const response = await read().catch((error: unknown): StoryResponse => {
  if (!(error instanceof TouchlineError)) throw error;
  return { ok: false, code: error.code, message: error.message };
});
parentPort.postMessage(response, []);
