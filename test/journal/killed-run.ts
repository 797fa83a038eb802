import { vi } from "vitest";
import { isCommand, type CommandOutcome } from "../../src/domain/command.ts";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Fill, OrderReport } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import { OrderLedger } from "../../src/journal/order-ledger.ts";
import type { KernelConfig } from "../../src/kernel/config.ts";
import type { Input, Restored } from "../../src/kernel/input.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { bidReport, Harness, hashOf, market, placesOf } from "../kernel/harness.ts";

/** Runs of a kernel with one bid, and what the journal leaves to the run after a kill. */

const settings: Partial<KernelConfig> = {
  // Most reads of these tests get no response.
  rate: { perSecond: 1_000, burst: 1_000, concurrency: 1_000 },
};
/** The bid of all tests: 2 at 1990. */
export const size = fixed("2");

/** A run whose steps are kept as a journal has them. */
export class Run {
  readonly bot: Harness;
  readonly #steps;
  readonly #restored: Restored;

  constructor(restored: Restored, isQuoting: boolean, more: Partial<KernelConfig> = {}) {
    const bids = isQuoting ? [{ price: 1990, size: "2" }] : [];
    this.bot = new Harness({ decide: () => setQuotes({ bids }), config: { ...settings, ...more } });
    this.#restored = restored;
    this.#steps = vi.spyOn(this.bot.kernel, "step");
  }

  get entries(): readonly BatchEntry[] {
    return this.#steps.mock.calls.map(([batch], at) => {
      const step = this.#steps.mock.results[at]?.value as ReturnType<Kernel["step"]>;
      const { effects, ended, booked, carried } = step;
      const signed = effects.flatMap((effect) =>
        isCommand(effect)
          ? [{ intent: effect.intent, txHash: hashOf(effect.intent), bytesHex: "0x" }]
          : [],
      );
      return { batch, effects, signed, ended, booked, carried };
    });
  }

  /** What a start after a kill reads from the journal. */
  restored(): Restored {
    const ledger = new OrderLedger(this.#restored);
    for (const entry of this.entries) ledger.apply(entry);
    return ledger.restored();
  }

  /** An order as a next run would get it; undefined when it has ended and all its fills are known. */
  saved(id: OrderId): Pick<Restored["orders"][number], "executed" | "tradeIds"> | undefined {
    const order = this.restored().orders.find(({ orderId }) => orderId === id);
    return order && { executed: order.executed, tradeIds: order.tradeIds };
  }

  /** The venue's response to the list of fills that the bot reads, or a page of it. */
  list(fills: readonly Fill[], page: { readonly isPart?: true } = {}): void {
    for (let at = 0; at < 100 && !this.#isListWanted; at += 1) this.bot.after(100);
    this.bot.after(10, { type: "fills", fills, ...page });
  }

  get #isListWanted(): boolean {
    let isWanted = false;
    for (const { batch, effects } of this.entries) {
      if (batch.inputs.some(({ type }) => type === "fills")) isWanted = false;
      isWanted ||= effects.some(({ type }) => type === "fills");
    }
    return isWanted;
  }

  booked(): readonly Fill[] {
    return this.bot.notes.flatMap((note) => (note.type === "fill" ? [note.fill] : []));
  }
}

/** A run with a bid, which the venue shows open, or to which it gives another response. */
export function quoting(
  more: Partial<KernelConfig> = {},
  outcome?: CommandOutcome,
): { readonly run: Run; readonly id: OrderId } {
  const run = new Run({ nonceHighWater: 0, orders: [], carried: [] }, true, more);
  const { bot } = run;
  const [placed] = placesOf(bot.begin());
  const id = placed === undefined ? undefined : bot.ids.get(placed.intent);
  if (placed === undefined || id === undefined) throw new Error("no quote");
  const { intent } = placed;
  if (outcome !== undefined) bot.after(10, { type: "response", intent, outcome });
  else bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  return { run, id };
}

/** The run after a kill of another one. It quotes nothing. */
export function next(killed: Run): Run {
  const restored = killed.restored();
  const run = new Run(restored, false);
  run.bot.step({ type: "restored", restored });
  run.bot.begin();
  return run;
}

export function reportOf(id: OrderId, more: Partial<OrderReport> = {}): OrderReport {
  return { ...bidReport(id, 1), origQty: size, ...more };
}

export function fillOf(
  id: OrderId,
  tradeId: string,
  quantity: string,
  more: Partial<Fill> = {},
): Fill {
  return {
    tradeId,
    orderId: id,
    marketId: market.marketId,
    side: "BUY",
    price: fixed("1990"),
    quantity: fixed(quantity),
    fee: ZERO,
    feeToken: market.baseToken,
    isMaker: true,
    timeMs: unixMs(2),
    ...more,
  };
}

export function eventOf(order: OrderReport, fill?: Fill): Input {
  const eventType = fill !== undefined ? "TRADE" : order.status === "NEW" ? "NEW" : "CANCEL";
  return {
    type: "orderEvent",
    event: { eventType, order, fill, blockNumber: 9, timeMs: unixMs(2), txHash: order.orderId },
  };
}
