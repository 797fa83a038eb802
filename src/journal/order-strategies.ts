import type { OrderId } from "../domain/ids.ts";
import type { Store } from "../ports/store.ts";
import { recordKindOf, recordKindOfFrame } from "./record-kinds.ts";
import { entriesOf, listSegments, readSegment, type Segment } from "./segments.ts";

/** The venue's clock tells when an order or a fill came to be, ours when an entry did. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Which strategies made these orders, legs too, as far back as the journal goes; the others are left out. `wanted` has for each
 * a time at which it lived. Undefined when there is no journal. What was open stands in every checkpoint, so only what was
 * written about those times is read closely, from the end back, one segment in memory at a time. Throws JOURNAL_DAMAGED.
 */
export function orderStrategies(
  store: Store,
  folder: string,
  wanted: ReadonlyMap<OrderId, number>,
): ReadonlyMap<OrderId, string> | undefined {
  const left = new Map(wanted);
  const found = new Map<OrderId, string>();
  let isJournal = false;
  /** When what follows begins. */
  let endMs = Number.POSITIVE_INFINITY;
  for (const name of listSegments(store, folder).toReversed()) {
    const segment = readSegment(store, name);
    if (segment.head === undefined) continue;
    isJournal = true;
    for (const stretch of stretchesOf(segment)) {
      // One that nothing followed yet says what lives when the next one begins.
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
      // What lived later was open in what has been read, or placed there.
      if (!hasTimeIn(left, Number.NEGATIVE_INFINITY, startMs + CLOCKS_DIFFER_MS)) return found;
      endMs = startMs;
    }
  }
  return isJournal ? found : undefined;
}

/** Whether one lived at a time from `fromMs` to `toMs`. */
function hasTimeIn(orders: ReadonlyMap<OrderId, number>, fromMs: number, toMs: number): boolean {
  return orders.values().some((timeMs) => timeMs >= fromMs && timeMs <= toMs);
}

/** The parts of a segment that can be read by themselves, the newest first. */
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
