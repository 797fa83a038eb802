import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, type OrderId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { CarriedItem, Restored } from "../../src/kernel/input.ts";
import { setQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { Harness, market, owner } from "./harness.ts";

const position = {
  type: "position",
  strategy: "maker",
  marketId: market.marketId,
  base: "1.5",
  quote: "-3000",
  cost: "3000",
  fees: {},
  peak: "0",
  maxDrawdown: "0",
} as const;

const quotes = () =>
  setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [{ price: 2010, size: "1" }] });

function restored(carried: readonly CarriedItem[], more: Partial<Restored> = {}): Restored {
  return { nonceHighWater: 0, orders: [], carried, ...more };
}

/** A kernel that begins with these items and everything it needs to quote. */
function begun(
  carried: readonly CarriedItem[],
  options: Partial<ConstructorParameters<typeof Harness>[0]> = {},
): Harness {
  const harness = new Harness({ decide: quotes, ...options });
  harness.step({ type: "restored", restored: restored(carried) });
  harness.begin();
  return harness;
}

const placed = (harness: Harness): string[] =>
  [...harness.places.values()].map(({ side }) => side).sort();

describe("a run after others", () => {
  test("shows strategies their earlier position", () => {
    const seen: (string | undefined)[] = [];
    begun([position], {
      decide: ({ position: { base, averagePrice } }) => {
        seen.push(base.toFixed(), averagePrice?.toFixed());
        return quotes();
      },
    });
    expect(seen.slice(0, 2)).toEqual(["1.5", "2000"]);
  });

  test.each([
    ["of the strategy", "maker"],
    ["of a strategy that is gone", "gone"],
  ])("counts the earlier position %s in maxPosition", (_, strategy) => {
    const risk = riskSchema.parse({ maxPosition: "2" });
    const harness = begun([{ ...position, strategy }], { config: { risk } });
    expect(placed(harness)).toEqual(["SELL"]);
  });

  test("leaves a position in another market alone", () => {
    const risk = riskSchema.parse({ maxPosition: "2" });
    const harness = begun([{ ...position, marketId: marketId("7", "8") }], { config: { risk } });
    expect(placed(harness)).toEqual(["BUY", "SELL"]);
  });

  test.each<[CarriedItem, string]>([
    [{ type: "pause", isPaused: true }, "paused"],
    [{ type: "pause", strategy: "maker", isPaused: true }, "paused"],
    [{ type: "pause", strategy: "maker", isPaused: false, haltReason: "lunch" }, "halted: lunch"],
  ])("quotes nothing after %j", (item, reason) => {
    const harness = begun([item]);
    expect(placed(harness)).toEqual([]);
    expect(harness.notes).toContainEqual({
      type: "quoteReason",
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      reason,
      inPart: false,
    });
  });

  test("books fills of orders that another strategy, or this one in another market, left", () => {
    const other = marketId("7", "8");
    const id = `0x${"ab".repeat(32)}` as OrderId;
    const harness = new Harness({ decide: quotes });
    const order = {
      orderId: id,
      nonce: 1,
      strategy: "maker",
      marketId: other,
      side: "BUY",
      price: 10,
      quantity: "2",
      executed: "0",
      tradeIds: [],
    } as const;
    harness.step({ type: "restored", restored: restored([position], { orders: [order] }) });
    const fill = {
      tradeId: "t1",
      orderId: id,
      marketId: other,
      side: "BUY",
      price: fixed("10"),
      quantity: fixed("2"),
      fee: fixed("0"),
      feeToken: tokenId("7"),
      isMaker: true,
      timeMs: unixMs(harness.nowMs),
    } as const;
    harness.step({
      type: "orderEvent",
      event: {
        eventType: "TRADE",
        fill,
        blockNumber: 1,
        timeMs: fill.timeMs,
        txHash: id,
        order: {
          orderId: id,
          account: owner,
          marketId: other,
          side: "BUY",
          orderType: "LIMIT",
          orderMode: 0,
          price: fixed("10"),
          origQty: fixed("2"),
          origQuoteOrderQty: fixed("0"),
          executedQty: fixed("2"),
          executedQuoteQty: fixed("20"),
          status: "FILLED",
          createdAtMs: fill.timeMs,
          updatedAtMs: fill.timeMs,
        },
      },
    });
    expect(harness.last.carried).toMatchObject([
      { type: "position", strategy: "maker", marketId: other, base: "2", quote: "-20" },
    ]);
  });
});

describe("a strategy's state", () => {
  /** Counts its decisions. */
  const counting = (more: Partial<StrategyDefinition<z.ZodType, { count: number }>> = {}) =>
    ({
      name: "counting",
      params: z.unknown(),
      init: () => ({ count: 0 }),
      decide({ state, view }) {
        state.count += 1;
        return setQuotes({ reason: { BUY: `${state.count}` }, wakeAtMs: view.nowMs + 500 });
      },
      state: {
        version: 2,
        save: ({ count }) => ({ count }),
        load: (data, version) => {
          if (version !== 2) throw new Error("only version 2");
          return z.object({ count: z.number() }).parse(data);
        },
      },
      ...more,
    }) satisfies StrategyDefinition<z.ZodType, { count: number }>;

  const { state: _, ...stateless } = counting();

  const of = (definition: StrategyDefinition) => ({
    config: {
      strategies: [{ name: "maker", definition, params: {}, marketId: market.marketId, seed: 1 }],
    },
  });
  const saved = {
    type: "state",
    strategy: "maker",
    marketId: market.marketId,
    definition: "counting",
    version: 2,
    data: '{"count":40}',
  } as const;
  const reasons = ({ notes }: Harness): (string | undefined)[] =>
    notes.flatMap((note) =>
      note.type === "quoteReason" && note.side === "BUY" ? [note.reason] : [],
    );

  test("continues in the next run and is saved at most once a second", () => {
    const harness = begun([saved], of(counting()));
    expect(reasons(harness)).toContain("41");
    const found: string[] = [];
    for (let step = 0; step < 26; step += 1) {
      harness.after(100);
      for (const item of harness.last.carried) if (item.type === "state") found.push(item.data);
    }
    expect(found).toHaveLength(2);
    harness.after(10, { type: "operator", command: "stop" });
    expect(harness.last.carried).toEqual([{ ...saved, data: '{"count":46}' }]);
  });

  test("of another version that the plugin cannot load ends the strategy with its reason", () => {
    const harness = begun([{ ...saved, version: 1 }], of(counting()));
    const fault =
      "the state that an earlier run saved (version 1) cannot be loaded: only version 2";
    expect(harness.notes).toContainEqual(
      expect.objectContaining({ type: "strategyFault", strategy: "maker", message: fault }),
    );
    expect(harness.last.carried).toEqual([]);
  });

  test.each([
    ["another plugin", counting({ name: "other" })],
    ["a plugin without a state", stateless],
  ])("is not given to %s", (_, definition) => {
    const harness = begun([saved], of(definition));
    expect(reasons(harness)).toContain("1");
    expect(harness.notes).toContainEqual(
      expect.objectContaining({ type: "warning", code: "STATE_NOT_USED" }),
    );
  });

  test("that is no data ends the strategy", () => {
    const broken = counting({
      state: { version: 1, save: () => ({ amount: 1n }), load: (_data, _version, state) => state },
    });
    const harness = begun([], of(broken));
    harness.after(2_000);
    expect(harness.notes).toContainEqual(
      expect.objectContaining({
        type: "strategyFault",
        message: expect.stringContaining("its state cannot be saved"),
      }),
    );
  });
});
