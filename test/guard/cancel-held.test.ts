import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { addressOf, type OrderId } from "../../src/domain/ids.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { cancelHeld } from "../../src/guard/cancel-held.ts";
import { HeldCancels } from "../../src/guard/held-cancels.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { report } from "../journal/journal-fixture.ts";
import { silentLog } from "../support/venue.ts";

const owner = addressOf(`0x${"aa".repeat(20)}`);
const id = (at: number) => `0x${at.toString(16).padStart(64, "0")}` as OrderId;
const WINDOW_MS = 60_000;

/** A venue with these open orders, by the time since the bot fell silent at which they arrive. It judges nonces as D6 says. */
async function run(options: {
  readonly orders: readonly { readonly id: OrderId; readonly arrivesMs?: number }[];
  /** Cancels that the guard holds: order, age of the nonce, whether the nonce was used before. */
  readonly held: readonly {
    readonly id: OrderId;
    readonly ageMs: number;
    readonly isUsed?: true;
    /** The bot has worked for longer than the nonce window since, and has renewed nothing. */
    readonly isForgotten?: true;
  }[];
  readonly isAcknowledged?: boolean;
  readonly unreachableMs?: number;
  /** Orders that are open and that the guard does not know. */
  readonly others?: readonly {
    readonly id: OrderId;
    readonly ageMs: number;
    readonly market?: string;
  }[];
}) {
  if (owner === undefined) throw new Error("an address");
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const held = new HeldCancels();
  const byHash = new Map<OrderId, { order: OrderId; nonce: number; isUsed: boolean }>();
  for (const [at, { id: order, ageMs, isUsed = false }] of options.held.entries()) {
    const txHash = id(1_000 + at);
    const nonce = startMs - ageMs;
    byHash.set(txHash, { order, nonce, isUsed });
    held.add([
      {
        orderId: order,
        orderNonce: nonce - 1,
        isAcknowledged: options.isAcknowledged ?? true,
        bytesHex: "0x1",
        txHash,
        nonce,
      },
    ]);
  }
  for (let beat = 0; beat < 2; beat += 1) {
    if (options.held.some(({ isForgotten }) => isForgotten === true)) held.beat(1);
  }
  const canceled = new Set<OrderId>();
  const ageOf = (order: OrderId) => options.held.find(({ id: each }) => each === order)?.ageMs ?? 0;
  const isReachable = () => clock.nowMs() - startMs >= (options.unreachableMs ?? 0);
  const arrived = (order: OrderId) =>
    options.orders.some(
      ({ id: each, arrivesMs = 0 }) => each === order && clock.nowMs() - startMs >= arrivesMs,
    );
  const refused = (reason: "notFound" | "invalid" | "nonceUsed"): CommandOutcome => {
    return { type: "refused", reason, message: reason, retryAfterMs: undefined };
  };
  const open = (order: OrderId, ageMs: number, marketId = "1_2"): OrderReport => {
    return {
      ...report(order, "NEW"),
      createdAtMs: unixMs(startMs - ageMs),
      marketId: marketId as OrderReport["marketId"],
    };
  };
  const pending = cancelHeld({
    held,
    owner,
    marketIds: ["1_2"],
    rateLimit: { perSecond: 20, burst: 40 },
    clock,
    timer: clock,
    log: silentLog,
    windowMs: WINDOW_MS,
    inFlightMs: 10_000,
    venueOffsetMs: 0,
    lastMessageMs: startMs,
    adapter: {
      clock: {
        read: async () => {
          if (!isReachable()) throw new Error("unreachable");
          return { serverTimeMs: clock.nowMs(), offsetMs: 0, roundTripMs: 1 };
        },
        estimateMs: () => clock.nowMs(),
      },
      async submit(_, { txHash }) {
        const cancel = byHash.get(txHash);
        if (!isReachable() || cancel === undefined) return { type: "unknown", message: "" };
        if (Math.abs(clock.nowMs() - cancel.nonce) > WINDOW_MS) return refused("invalid");
        if (cancel.isUsed) return refused("nonceUsed");
        if (!arrived(cancel.order)) return refused("notFound");
        canceled.add(cancel.order);
        return { type: "accepted" };
      },
      async fetchOrder(order) {
        if (!isReachable()) throw new Error("unreachable");
        if (!arrived(order)) return "absent";
        return report(order, canceled.has(order) ? "CANCELED" : "NEW");
      },
      async fetchOpenOrders() {
        if (!isReachable()) throw new Error("unreachable");
        const own = options.orders.filter(({ id: each }) => arrived(each) && !canceled.has(each));
        const others = options.others ?? [];
        return [
          ...own.map(({ id: each }) => open(each, ageOf(each))),
          ...others.map(({ id: each, ageMs, market }) => open(each, ageMs, market)),
        ];
      },
    },
  });
  let doneMs = Number.NaN;
  void pending.then(() => (doneMs = clock.nowMs() - startMs));
  await clock.runFor(200_000);
  return { ...(await pending), doneMs };
}

describe("the cancels of a guard", () => {
  it("go on while the venue cannot be reached, until it can", async () => {
    const result = await run({
      orders: [{ id: id(1) }, { id: id(2) }],
      held: [
        { id: id(1), ageMs: 10_000 },
        { id: id(2), ageMs: 0 },
      ],
      unreachableMs: 45_000,
    });
    expect(result).toMatchObject({ held: 2, left: [], unheld: [], isListed: true });
  });

  it("that the venue refuses by then leave their orders named", async () => {
    const result = await run({
      orders: [{ id: id(1) }, { id: id(2) }],
      held: [
        { id: id(1), ageMs: 30_000 },
        { id: id(2), ageMs: 0 },
      ],
      unreachableMs: 45_000,
    });
    expect(result).toMatchObject({ left: [id(1)], isListed: true });
  });

  it("meet an order that arrives late, and one that never does counts as gone only once its nonce has expired", async () => {
    const late = await run({
      orders: [{ id: id(1), arrivesMs: 40_000 }],
      held: [{ id: id(1), ageMs: 5_000 }],
      isAcknowledged: false,
    });
    expect(late).toMatchObject({ left: [], isListed: true });
    const never = await run({
      orders: [],
      held: [{ id: id(1), ageMs: 5_000 }],
      isAcknowledged: false,
    });
    expect(never).toMatchObject({ left: [], isListed: true });
    expect(never.doneMs).toBeGreaterThan(WINDOW_MS - 5_000);
  });

  it("are no proof without an answer of the venue", async () => {
    const result = await run({
      orders: [{ id: id(1) }],
      held: [{ id: id(1), ageMs: 0 }],
      unreachableMs: 1_000_000,
    });
    expect(result).toMatchObject({ left: [id(1)], isListed: false });
  });

  it("are missing for orders that the bot placed in its last moment: those are named, others of the account are not", async () => {
    const result = await run({
      orders: [],
      held: [],
      others: [
        { id: id(7), ageMs: 500 },
        { id: id(8), ageMs: 60_000 },
        { id: id(9), ageMs: 500, market: "3_2" },
      ],
    });
    expect(result).toMatchObject({ held: 0, left: [], unheld: [id(7)], isListed: true });
  });

  it("name an order that is open although the guard has forgotten it, and none that has ended", async () => {
    const result = await run({
      orders: [{ id: id(1) }],
      held: [
        { id: id(1), ageMs: 70_000, isForgotten: true },
        { id: id(2), ageMs: 70_000, isForgotten: true },
      ],
    });
    expect(result).toMatchObject({ held: 0, left: [id(1)], unheld: [], isListed: true });
  });
});
