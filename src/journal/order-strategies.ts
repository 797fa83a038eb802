import type { OrderId } from "../domain/ids.ts";
import type { Store } from "../ports/store.ts";
import { recordKindOf, recordKindOfFrame } from "./record-kinds.ts";
import { entriesOf, listSegments, readSegment, type Segment } from "./segments.ts";

/** Orders and fills carry the venue's time, entries our time. The clocks may differ by this much. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Which strategy placed each of these orders or its quote; orders that the journal does not know are left out. `openAtMs` has for each
 * order a time at which it was open. Returns undefined when there is no journal. Throws JOURNAL_DAMAGED.
 *
 * Every checkpoint lists the open orders, so only the parts written around those times are decoded: from the end back, one segment in
 * memory at a time.
 */
export function orderStrategies(
  store: Store,
  folder: string,
  openAtMs: ReadonlyMap<OrderId, number>,
): ReadonlyMap<OrderId, string> | undefined {
  const left = new Map(openAtMs);
  const found = new Map<OrderId, string>();
  let isJournal = false;
  /** When the stretch after the current one begins. */
  let endMs = Number.POSITIVE_INFINITY;
  for (const name of listSegments(store, folder).toReversed()) {
    const segment = readSegment(store, name);
    if (segment.head === undefined) continue;
    isJournal = true;
    for (const stretch of stretchesOf(segment)) {
      // A stretch without batches lists the orders that are open when the next one begins.
      const startMs = firstBatchMs(stretch) ?? endMs;
      if (
        startMs === endMs ||
        hasTimeIn(left, startMs - CLOCKS_DIFFER_MS, endMs + CLOCKS_DIFFER_MS)
      ) {
        for (const entry of entriesOf(stretch)) {
          for (const { orderId, strategy } of recordKindOf(entry).orders(entry)) {
            if (left.delete(orderId)) found.set(orderId, strategy);
          }
        }
      }
      // Orders that were open at a later time have been looked up in later stretches.
      if (!hasTimeIn(left, Number.NEGATIVE_INFINITY, startMs + CLOCKS_DIFFER_MS)) return found;
      endMs = startMs;
    }
  }
  return isJournal ? found : undefined;
}

/** Whether one of the times is from `fromMs` to `toMs`. */
function hasTimeIn(orders: ReadonlyMap<OrderId, number>, fromMs: number, toMs: number): boolean {
  return orders.values().some((timeMs) => timeMs >= fromMs && timeMs <= toMs);
}

/** The parts of a segment that can be decoded separately, newest first. */
function* stretchesOf(segment: Segment): Generator<Segment> {
  const { frames } = segment;
  let end = frames.length;
  for (let at = end - 1; at >= 0; at -= 1) {
    const kind = frames[at]?.kind;
    if (kind === undefined || recordKindOfFrame(kind)?.startsStretch !== true) continue;
    yield { ...segment, frames: frames.slice(at, end) };
    end = at;
  }
}

function firstBatchMs(stretch: Segment): number | undefined {
  for (const entry of entriesOf(stretch)) {
    if (entry.type === "batch") return entry.entry.batch.nowMs;
  }
  return undefined;
}
