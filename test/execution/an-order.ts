import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, orderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { TrackedOrder } from "../../src/orders/tracked-order.ts";

let count = 0;

/** A working order of ours, bid 1 at 100 unless said otherwise. */
export function anOrder(
  said: Partial<Omit<TrackedOrder, "quantity" | "executed">> & {
    readonly quantity?: string;
    readonly executed?: string;
  } = {},
): TrackedOrder {
  count += 1;
  const { quantity = "1", executed = "0", ...rest } = said;
  return {
    intent: count,
    orderId: orderId(`0x${count.toString(16).padStart(64, "0")}`),
    nonce: 1_700_000_000_000 + count,
    strategy: "maker",
    origin: "placed",
    marketId: marketId("1", "2"),
    side: "BUY",
    price: 100,
    phase: "working",
    status: "NEW",
    cancel: "none",
    cancelIntent: 0,
    cancelEndedAtMs: undefined,
    cancelFailures: 0,
    madeAtMs: unixMs(count),
    requestEndedAtMs: unixMs(count),

    ackedAtMs: unixMs(count),
    endedAtMs: undefined,
    unlisted: 0,
    isAbsent: false,

    isLost: false,
    isRefused: false,
    isCountedReject: false,
    reason: "",
    queueAhead: undefined,
    snapshot: undefined,
    published: undefined,
    queryAtMs: undefined,
    queries: 0,
    replaced: undefined,
    stopName: undefined,
    take: undefined,
    key: undefined,
    trigger: undefined,
    tpsl: undefined,
    bracket: undefined,
    leg: undefined,
    eventBlock: undefined,
    ...rest,
    quantity: fixed(quantity),
    executed: fixed(executed),
    filled: rest.filled ?? ZERO,
  };
}
