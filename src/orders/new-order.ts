import { fixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { RestoredOrder } from "./restored-order.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** From here on a nonce is a time in milliseconds (D6). */
const FIRST_TIME_NONCE = 1_000_000_000_000;

interface Wanted {
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  readonly quantity: Fixed;
}

/** An order of which nothing is known but that we want it. */
export function blankOrder(wanted: Wanted, madeAtMs: UnixMs): TrackedOrder {
  return {
    intent: wanted.intent,
    orderId: undefined,
    nonce: wanted.nonce,
    strategy: wanted.strategy,
    marketId: wanted.marketId,
    side: wanted.side,
    price: wanted.price,
    quantity: wanted.quantity,
    replaced: undefined,
    executed: ZERO,
    filled: ZERO,
    phase: "in-flight",
    status: undefined,
    cancel: "none",
    cancelIntent: 0,
    cancelEndedAtMs: undefined,
    cancelFailures: 0,
    madeAtMs,
    requestEndedAtMs: undefined,
    ackedAtMs: undefined,
    endedAtMs: undefined,
    eventBlock: undefined,
    askAtMs: undefined,
    asks: 0,
  };
}

/** An order of an earlier run: its request is over, its fate unknown. A time nonce tells about when it was made. */
export function restoredOrder(saved: RestoredOrder, intent: number, nowMs: UnixMs): TrackedOrder {
  const madeAtMs = saved.nonce >= FIRST_TIME_NONCE ? unixMs(saved.nonce) : nowMs;
  const order = blankOrder({ ...saved, intent, quantity: fixed(saved.quantity) }, madeAtMs);
  order.orderId = saved.orderId;
  order.executed = fixed(saved.executed);
  order.filled = order.executed;
  order.phase = "unknown";
  order.requestEndedAtMs = nowMs;
  // Filled before, so the venue had it.
  if (order.executed > ZERO) order.ackedAtMs = nowMs;
  return order;
}
