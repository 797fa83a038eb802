import { TouchlineError } from "../base/error.ts";
import type { OrderId } from "../domain/ids.ts";
import { placedOrders } from "../journal/placed-orders.ts";
import { entriesOfRun, type RecordedRun } from "../journal/segments.ts";
import type { Store } from "../ports/store.ts";
import { momentStory, type MomentStory } from "../runtime/moment-story.ts";
import { decisionText, orderStory, type StoryEvent } from "../runtime/order-story.ts";
import { rerun, type RerunStep } from "../runtime/rerun.ts";
import { entriesFromStart, type PluginTrust } from "./journal-run.ts";
import { recordedStrategies } from "./journal-tools.ts";
import { right, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";

/** What a story of a journal needs. */
export interface StorySource {
  readonly store: Store;
  readonly runs: readonly RecordedRun[];
  /** The number of the only run to look at; undefined: all. */
  readonly only: number | undefined;
  readonly trust: PluginTrust;
}

/** What a run that knew an order says about it. */
export interface RunStory {
  readonly run: number;
  readonly events: readonly StoryEvent[];
  /** Why decisions, denials and reasons are missing; undefined when they are not. */
  readonly warning: string | undefined;
}

export interface RecordedMoment {
  readonly run: number;
  readonly story: MomentStory;
  /** As of `RunStory`. */
  readonly warning: string | undefined;
}

/** The story of an order, in every run that knew it. Throws `ORDER_UNKNOWN`. */
export async function storiesOf(source: StorySource, orderId: OrderId): Promise<RunStory[]> {
  const { store, runs, only } = source;
  const stories: RunStory[] = [];
  for (const [at, run] of runs.entries()) {
    const number = at + 1;
    if ((only !== undefined && only !== number) || !knows(store, run, orderId)) continue;
    const { steps, warning } = await stepsOf(source, run);
    const events = orderStory(steps, orderId);
    stories.push({ run: number, events, warning: warning() });
  }
  if (stories.length > 0) return stories;
  throw new TouchlineError("ORDER_UNKNOWN", `The journal does not know order ${orderId}.`, {
    hint: "`touchline journal export DIR --table orders` lists its orders.",
  });
}

/** What the run at a time was doing, and the events of the second around it. Throws `TIME_NOT_RECORDED`. */
export async function momentOf(source: StorySource, atMs: number): Promise<RecordedMoment> {
  const { runs, only } = source;
  const started = runs.findLastIndex(({ header }) => header.startedAtMs <= atMs);
  const at = only === undefined ? started : only - 1;
  const run = runs[at];
  if (run === undefined) {
    throw new TouchlineError("TIME_NOT_RECORDED", `The journal begins after ${timeText(atMs)}.`);
  }
  const { steps, warning } = await stepsOf(source, run);
  const story = momentStory(steps, atMs);
  return { run: at + 1, story, warning: warning() };
}

/** As JSON, over HTTP and with `--json`. */
export function orderEvents({ run, events }: RunStory) {
  return events.map(({ seq, timeMs, what, text, data }) => {
    return { run, seq, time: timeMs, what, text, data };
  });
}

/** As JSON, over HTTP and with `--json`. */
export function momentFields({ run, story }: RecordedMoment, atMs: number) {
  return {
    run,
    time: atMs,
    seq: story.seq ?? null,
    endedTime: story.endedMs ?? null,
    strategies: story.strategies,
    events: story.events.map(({ timeMs, ...event }) => ({ time: timeMs, ...event })),
  };
}

/** Prints the story of an order. Throws `ORDER_UNKNOWN`. */
export async function tellOrder(
  source: StorySource,
  orderId: OrderId,
  terminal: Terminal,
): Promise<void> {
  for (const story of await storiesOf(source, orderId)) {
    for (const event of orderEvents(story)) terminal.emit("journal.order", event);
    terminal.print(`${orderId}, run ${story.run}`);
    terminal.print(rows(story.events));
    if (story.warning !== undefined) terminal.warn(story.warning);
  }
}

/** Prints what the run at a time was doing. Throws `TIME_NOT_RECORDED`. */
export async function tellMoment(
  source: StorySource,
  atMs: number,
  terminal: Terminal,
): Promise<void> {
  const moment = await momentOf(source, atMs);
  const { run, story, warning } = moment;
  terminal.emit("journal.moment", momentFields(moment, atMs));
  const ended =
    story.endedMs === undefined ? "" : `, the run's last, of ${timeText(story.endedMs)}`;
  terminal.print(`${timeText(atMs)}, run ${run}, batch ${story.seq ?? "none yet"}${ended}`);
  for (const line of momentLines(story)) terminal.print(line);
  terminal.print(rows(story.events));
  if (warning !== undefined) terminal.warn(warning);
}

/** Whether a run placed the order, adopted it or began with it. */
function knows(store: Store, run: RecordedRun, orderId: OrderId): boolean {
  for (const entry of entriesOfRun(store, run)) {
    if (entry.type !== "batch") continue;
    if (placedOrders(entry.entry).some((order) => order.orderId === orderId)) return true;
    for (const input of entry.entry.batch.inputs) {
      if (input.type !== "restored") continue;
      if (input.restored.orders.some((order) => order.orderId === orderId)) return true;
    }
  }
  return false;
}

function* momentLines({ strategies }: MomentStory): Generator<string> {
  for (const { strategy, targets, notQuoted, orders } of strategies) {
    yield targets === undefined
      ? `${strategy} has not decided yet`
      : `${decisionText(targets)}, since ${timeText(targets.timeMs)} (batch ${targets.seq})`;
    for (const [side, reason] of Object.entries(notQuoted)) yield `  no ${side}: ${reason}`;
    for (const { side, quantity, price, executed, state, orderId, reason } of orders) {
      const ending = reason === "" ? "" : `, ${reason}`;
      yield `  ${side} ${quantity} at ${price}, executed ${executed}, ${state}${ending}  ${orderId ?? ""}`;
    }
  }
}

/** The steps of a run's re-run, and what is missing in them, which is known afterwards. */
async function stepsOf(
  { store, trust }: StorySource,
  run: RecordedRun,
): Promise<{ readonly steps: Iterable<RerunStep>; warning(): string | undefined }> {
  const strategies = await recordedStrategies(run.header, trust);
  const entries = entriesFromStart(store, run);
  let leftAt: number | undefined;
  const watch = function* (): Generator<RerunStep> {
    for (const step of rerun(run.header, entries, strategies)) {
      if (!step.isFaithful) leftAt ??= step.entry.batch.seq;
      yield step;
    }
  };
  return {
    steps: watch(),
    warning: () =>
      leftAt === undefined
        ? undefined
        : `from batch ${leftAt} on, this version decides differently from the recording (by ${run.header.codeVersion}), so decisions, denials and reasons are missing.`,
  };
}

function rows(
  events: readonly { seq: number; timeMs: number; what: string; text: string }[],
): string {
  return table(
    ["time (UTC)", right("batch"), "what", ""],
    events.map(({ seq, timeMs, what, text }) => [timeText(timeMs), String(seq), what, text]),
  );
}
