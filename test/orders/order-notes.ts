import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { isTerminal } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { OrderSnapshot, ShownStatus } from "../../src/orders/order-snapshot.ts";
import { idOf, marketId } from "./order-fixture.ts";

/** A quote that was just sent: bid 1 at 2000, with overrides. */
export function aSnapshot(overrides: Partial<OrderSnapshot> = {}): OrderSnapshot {
  const { intent = 1, quantity = fixed("1") } = overrides;
  return {
    intent,
    orderId: idOf(intent),
    strategy: "maker",
    marketId,
    role: "quote",
    origin: "placed",
    key: undefined,
    entry: undefined,
    side: "BUY",
    price: 2000,
    stopPrice: undefined,
    tpsl: undefined,
    executed: ZERO,
    remaining: quantity,
    phase: "in-flight",
    state: "sent",
    status: "UNKNOWN",
    isResting: false,
    waitsForTrigger: false,
    isTriggered: false,
    wasCanceled: false,
    isRejected: false,
    reason: "",
    nonce: 1_800_000_000_000 + intent,
    madeAtMs: unixMs(1),
    ...overrides,
    quantity,
  };
}

/** The other fields of an order with this status while no cancel is under way. */
export function standing(status: ShownStatus): Partial<OrderSnapshot> {
  if (status === "UNKNOWN") return { status, phase: "unknown", state: "unknown" };
  if (status === "PENDING_NEW") return { status, phase: "pending", state: "pending" };
  const isOver = status === "NEVER_PLACED" || status === "LOST" || isTerminal(status);
  if (!isOver) return { status, phase: "working", state: "working", isResting: true };
  const isRejected = status === "REJECTED";
  return { status, phase: "ended", state: "ended", isResting: false, remaining: ZERO, isRejected };
}

/** Makes a sequence of order notes as the kernel would publish them. */
export class OrderNotes {
  readonly #known = new Map<number, OrderSnapshot>();

  /** The next note of an order. Fields without an override stay as they were. */
  next(intent: number, overrides: Partial<OrderSnapshot> = {}): Extract<Note, { type: "order" }> {
    const before = this.#known.get(intent);
    const order =
      before === undefined ? aSnapshot({ intent, ...overrides }) : { ...before, ...overrides };
    this.#known.set(intent, order);
    return { type: "order", strategy: order.strategy, order, before };
  }
}
