import { isCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Input } from "../kernel/input.ts";
import type { BatchEntry } from "./entry.ts";

/** One measured delay in milliseconds. `way`: the kind of message, as in `models.latency`. */
export type LatencyRow = Readonly<Record<"run" | "time" | "ms", number>> & {
  readonly way: "entry" | "response" | "feed";
};

/** A placement whose way to the venue and back is being measured; times on our clock. */
interface Trip {
  readonly sentMs: number;
  arrivedMs: number | undefined;
  respondedMs: number | undefined;
}

/** A placement without both times after this many later ones is left out. */
const MAX_TRIPS = 1_000;

/**
 * How long messages travelled in a run, as `models.latency` reads it: `entry` from the step that sent a placement to the order's time of
 * creation, `response` from there to the step that handled the response, `feed` from the time of a trade or a depth event to the step that
 * handled it. The venue's times are moved to our clock by the newest reading of it, and no delay is below 0.
 */
export function* latencyRows(run: number, batches: Iterable<BatchEntry>): Generator<LatencyRow> {
  let offsetMs: number | undefined;
  const trips = new Map<OrderId, Trip>();
  const orderOf = new Map<number, OrderId>();
  for (const { batch, effects, signed } of batches) {
    const { nowMs } = batch;
    for (const input of batch.inputs) {
      if (input.type === "venueTime") offsetMs = input.offsetMs;
      if (offsetMs === undefined) continue;
      const atMs = happenedMs(input);
      if (atMs !== undefined) {
        yield rowOf(run, nowMs, "feed", nowMs - (atMs - offsetMs));
      }
      for (const { orderId, createdAtMs } of reportsOf(input)) {
        const trip = trips.get(orderId);
        if (trip !== undefined) trip.arrivedMs ??= createdAtMs - offsetMs;
      }
      if (input.type !== "response") continue;
      const orderId = orderOf.get(input.intent);
      const trip = orderId === undefined ? undefined : trips.get(orderId);
      orderOf.delete(input.intent);
      if (trip !== undefined && input.outcome.type === "accepted") trip.respondedMs ??= nowMs;
    }
    for (const [orderId, { sentMs, arrivedMs, respondedMs }] of trips) {
      if (arrivedMs === undefined || respondedMs === undefined) continue;
      // The venue's clock is known to some milliseconds only; both parts lie within the round trip.
      const arrived = Math.min(Math.max(sentMs, arrivedMs), respondedMs);
      yield rowOf(run, sentMs, "entry", arrived - sentMs);
      yield rowOf(run, sentMs, "response", respondedMs - arrived);
      trips.delete(orderId);
    }
    for (const effect of effects) {
      if (!isCommand(effect) || effect.type !== "place") continue;
      const orderId = signed.find(({ intent }) => intent === effect.intent)?.txHash;
      if (orderId === undefined) continue;
      orderOf.set(effect.intent, orderId);
      trips.set(orderId, { sentMs: nowMs, arrivedMs: undefined, respondedMs: undefined });
    }
    for (const orderId of trips.keys()) {
      if (trips.size <= MAX_TRIPS) break;
      trips.delete(orderId);
    }
  }
}

function rowOf(run: number, time: number, way: LatencyRow["way"], ms: number): LatencyRow {
  return { run, time, way, ms: Math.max(0, ms) };
}

/** When it happened, on the venue's clock; undefined for what has no such time. */
export function happenedMs(input: Input): number | undefined {
  if (input.type === "trade") return input.trade.timeMs;
  return input.type === "depth" && input.event.timeMs > 0 ? input.event.timeMs : undefined;
}

/** The orders that an input reports, own and others. */
export function reportsOf(input: Input): readonly OrderReport[] {
  if (input.type === "orderEvent") return [input.event.order];
  if (input.type === "order" && input.report !== "absent") return [input.report];
  return input.type === "openOrders" ? input.orders : [];
}
