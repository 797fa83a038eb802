import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCommand } from "../../src/domain/command.ts";
import { fixedText, type Fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { OrderLedger } from "../../src/journal/order-ledger.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Batch } from "../../src/kernel/input.ts";
import type { Step } from "../../src/kernel/kernel.ts";
import { OwnOrders } from "../../src/orders/own-orders.ts";
import { play } from "../kernel/wild-game.ts";
import { wildHash } from "../kernel/wild-venue.ts";
import { eventOf, fillOf, next, quoting, reportOf, type Run } from "./killed-run.ts";

/** What the kernel said in its notes until now: live orders, and the fills of each order. */
class Said {
  readonly orders = new OwnOrders();
  readonly trades = new Map<OrderId, string[]>();

  step({ batch, step }: { readonly batch: Batch; readonly step: Step }): void {
    for (const input of batch.inputs) {
      if (input.type === "signed") this.orders.signed(input.intent, input.txHash);
    }
    for (const note of step.notes) {
      if (note.type === "order") this.orders.apply(note);
      if (note.type !== "fill") continue;
      const { orderId, tradeId } = note.fill;
      this.trades.set(orderId, [...(this.trades.get(orderId) ?? []), tradeId]);
    }
  }
}

function isListOfOrders({ type }: Effect): boolean {
  return type === "openOrders";
}

/** The venue's response to the next list of open orders that the bot reads. */
function lists({ bot }: Run, orders: readonly OrderReport[]): void {
  for (let at = 0; at < 100; at += 1) {
    if (bot.after(1_000).some(isListOfOrders)) break;
  }
  bot.after(10, { type: "openOrders", orders });
}

const foreign = expect.objectContaining({ code: "FOREIGN_ORDERS" });

describe("the ledger of a killed run", () => {
  it("has the orders that the kernel said are open, and the fills that it said it booked", () => {
    const seeds = fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
      const ledger = new OrderLedger();
      const said = new Said();
      const booked = new Map<OrderId, Fixed>();
      play({
        seed,
        steps: 150,
        isSane: true,
        stepped(batch, step) {
          const { effects, ended } = step;
          const signed = effects.flatMap((effect) =>
            isCommand(effect)
              ? [{ intent: effect.intent, txHash: wildHash(effect.intent), bytesHex: "0x" }]
              : [],
          );
          ledger.apply({ batch, effects, signed, ended, booked: step.booked });
          said.step({ batch, step });
          for (const { orderId, quantity } of step.booked) {
            booked.set(orderId, ((booked.get(orderId) ?? 0n) + quantity) as Fixed);
          }
          if (batch.seq % 10 !== seed % 10) return;
          const { orders } = ledger.restored();
          const open = new Set(orders.map(({ orderId }) => orderId));
          for (const { orderId } of said.orders.live()) {
            if (orderId !== undefined) expect(open).toContain(orderId);
          }
          for (const { orderId, executed, tradeIds } of orders) {
            expect(tradeIds).toEqual(said.trades.get(orderId) ?? []);
            expect(executed).toBe(fixedText(booked.get(orderId) ?? (0n as Fixed)));
            // An order that has ended stays while a fill of it is missing, a refused one until a list does not show it.
            const order = said.orders.byId(orderId);
            if (order?.state === "ended" && order.status !== "NEVER_PLACED")
              expect(order.executed).not.toBe(booked.get(orderId) ?? 0n);
          }
        },
      });
    });
    fc.assert(seeds, { numRuns: 10 });
  });

  it("has an order again that a list shows after an event ended it, and so has the next run", () => {
    const { run, id } = quoting();
    run.bot.after(500, eventOf(reportOf(id, { status: "CANCELED" })));
    expect(run.saved(id)).toBeUndefined();
    lists(run, [reportOf(id)]);
    expect(run.saved(id)).toEqual({ executed: "0", tradeIds: [] });
    expect(next(run).saved(id)).toBeDefined();
  });

  it("has an order that the venue refused until a list does not show it, and the next run takes it for its own", () => {
    const { run, id } = quoting(
      {},
      {
        type: "refused",
        reason: "rateLimited",
        message: "too many requests",
        retryAfterMs: undefined,
      },
    );
    expect(run.saved(id)).toBeDefined();
    const second = next(run);
    lists(second, [reportOf(id)]);
    expect(second.bot.notes).not.toContainEqual(foreign);
    const listed = [1, 2, 3].some(() => run.bot.after(1_000).some(isListOfOrders));
    expect(listed).toBe(true);
    run.bot.after(10, { type: "openOrders", orders: [] });
    expect(run.saved(id)).toBeUndefined();
  });

  it("does not book a fill twice that the next run lists again", () => {
    const { run, id } = quoting();
    const fill = fillOf(id, "t1", "0.5");
    const some = reportOf(id, { status: "PARTIALLY_FILLED", executedQty: fill.quantity });
    run.bot.after(500, eventOf(some, fill));
    expect(run.saved(id)).toEqual({ executed: "0.5", tradeIds: ["t1"] });
    const second = next(run);
    second.list([fill, fillOf(id, "t2", "0.25")]);
    expect(second.booked().map(({ tradeId }) => tradeId)).toEqual(["t2"]);
  });
});
