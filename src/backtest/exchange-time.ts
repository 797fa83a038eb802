import { unixMs } from "../domain/time.ts";
import type { ReplayEvent } from "../recordings/recorded-gaps.ts";
import type { RecordedStep } from "./recorded-step.ts";

/** A delay beyond this is no latency, such as that of an event which waited for its market's snapshot. */
const LONGEST_MS = 5_000;
/** This share of the delays is shorter than the one that counts as the shortest, so that one wrong time does not shift all others. */
const OUTLIERS = 0.001;

/**
 * Recorded steps in the order in which they happened at the exchange, each with the delay of its way to the recorder. The two clocks differ, so
 * only differences between delays are known: the shortest delay counts as `minMs`. `passes` gives the steps anew each time.
 */
export function* inExchangeTime(
  passes: () => Iterable<RecordedStep>,
  minMs: number,
): Generator<RecordedStep> {
  const shortest = shortestDelay(passes());
  const waiting: RecordedStep[] = [];
  const booksAtMs = new Map<string, number>();
  for (const step of passes()) {
    const receivedMs = step.atUs / 1000;
    const happened = happenedMs(step);
    const delay = happened === undefined ? 0 : receivedMs - happened - shortest;
    let atMs = receivedMs - minMs - Math.min(LONGEST_MS, Math.max(0, delay));
    if (step.event.type !== "trade") {
      // Books and gaps keep their order.
      atMs = Math.max(atMs, booksAtMs.get(step.marketId) ?? atMs);
      booksAtMs.set(step.marketId, atMs);
    }
    insert(waiting, {
      ...step,
      atUs: Math.round(atMs * 1000),
      atMs: unixMs(Math.floor(atMs)),
      feedMs: receivedMs - atMs,
    });
    const untilUs = (receivedMs - minMs - LONGEST_MS) * 1000;
    let ready = 0;
    while ((waiting[ready]?.atUs ?? Number.POSITIVE_INFINITY) <= untilUs) ready += 1;
    yield* waiting.splice(0, ready);
  }
  yield* waiting;
}

/** Keeps the steps sorted; of equal ones the earlier received first. */
function insert(waiting: RecordedStep[], step: RecordedStep): void {
  let at = waiting.length;
  while (at > 0 && (waiting[at - 1]?.atUs ?? 0) > step.atUs) at -= 1;
  waiting.splice(at, 0, step);
}

/** The shortest delay from the exchange's time of an event to its receipt, in milliseconds, both as their clocks have them. */
export function shortestDelay(steps: Iterable<RecordedStep>): number {
  const delays: number[] = [];
  for (const step of steps) {
    const happened = happenedMs(step);
    if (happened !== undefined) delays.push(step.atUs / 1000 - happened);
  }
  const sorted = Float64Array.from(delays).sort();
  return sorted[Math.floor(sorted.length * OUTLIERS)] ?? 0;
}

/** The exchange's time of a trade or a depth event; a whole book has none that is comparable. */
function happenedMs({ event }: { readonly event: ReplayEvent }) {
  const timeMs =
    event.type === "trade" ? event.trade.timeMs : event.type === "depth" ? event.event.timeMs : 0;
  return timeMs > 0 ? timeMs : undefined;
}
