import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { SummaryFold } from "../../src/metrics/summary-fold.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { hashOf, market, start } from "../kernel/harness.ts";

const hedge: Market = {
  ...market,
  marketId: marketId("1", "3"),
  quoteToken: tokenId("3"),
  ticker: "ETH/EUR",
};
const end = {
  durationMs: 60_000,
  ordersLeft: [],
  foreignOrders: 0,
  signer: "ethers",
  described: new Map(),
} as const;

/** Feeds the fills of one strategy with two markets; times are milliseconds after the start. */
class Pair {
  readonly fold = new SummaryFold({
    strategies: [
      { name: "pair", market },
      { name: "pair", role: "hedge", market: hedge },
    ],
    startMs: start,
    reportingCurrency: market.quoteToken,
  });
  #seq = 0;
  readonly #held = new Map<string, number>();

  /** A fill at a time; `mid` is that of the other market then. */
  fill(
    ms: number,
    where: Market,
    side: Side,
    [size, price, mid]: readonly [number, number, number?],
    fee = 0,
  ) {
    this.#seq += 1;
    const held = (this.#held.get(where.marketId) ?? 0) + (side === "BUY" ? size - fee : -size);
    this.#held.set(where.marketId, held);
    const { marketId: id, baseToken, quoteToken } = where;
    const another = where === market ? hedge.marketId : market.marketId;
    this.fold.observe({
      batch: { seq: this.#seq, nowMs: unixMs(start + ms), inputs: [] },
      effects: [],
      notes: [
        {
          type: "fill",
          strategy: "pair",
          intent: this.#seq,
          role: "quote",
          paramsVersion: 1,
          position: fixed(String(held)),
          mids: mid === undefined ? {} : { [another]: mid },
          fill: {
            tradeId: String(this.#seq),
            orderId: hashOf(this.#seq),
            marketId: id,
            side,
            price: fixed(String(price)),
            quantity: fixed(String(size)),
            fee: fixed(String(fee)),
            feeToken: side === "BUY" ? baseToken : quoteToken,
            isMaker: true,
            timeMs: unixMs(start + ms),
          },
        },
      ],
    });
  }

  /** Two seconds before the start, the positions of an earlier run. */
  restored(...positions: readonly (readonly [Market, string])[]) {
    const carried = positions.map(([{ marketId: id }, base]) => ({
      ...flatPosition("pair", id),
      base,
    }));
    for (const [{ marketId: id }, base] of positions) this.#held.set(id, Number(base));
    this.fold.observe({
      batch: {
        seq: 0,
        nowMs: unixMs(start - 2_000),
        inputs: [{ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } }],
      },
      effects: [],
      notes: [],
    });
  }

  get net() {
    return this.fold.result(end).nets?.[0];
  }
}

describe("a strategy with two markets", () => {
  test("has a row for each, the other one named after its role", () => {
    const pair = new Pair();
    pair.fill(0, market, "BUY", [1, 2000]);
    pair.fill(1, hedge, "SELL", [0.5, 1800]);
    const { strategies, fills } = pair.fold.result({
      ...end,
      ordersLeft: [{ strategy: "pair", marketId: hedge.marketId }],
    });
    expect(fills).toBe(2);
    expect(strategies).toMatchObject([
      { name: "pair", fills: 1, volumeBase: "1", ordersLeft: 0 },
      { name: "pair/hedge", fills: 1, volumeBase: "0.5", ordersLeft: 1 },
    ]);
  });

  test("has its PnL over both in the reporting currency, null without a mid for it", () => {
    const pair = new Pair();
    pair.fill(0, market, "BUY", [1, 2000]);
    pair.fill(1, hedge, "SELL", [1, 1000]);
    expect(pair.net?.pnl).toBeNull();
    pair.fold.mid(market.marketId, 2000);
    pair.fold.mid(hedge.marketId, 800);
    // 1,000 EUR less 800 for the base sold are 200 EUR, at 800 EUR = 2,000 USDT.
    expect(pair.net?.pnl).toBe("500");
  });

  test("is unhedged by the net position over both, from the positions of earlier runs on", () => {
    const pair = new Pair();
    pair.restored([hedge, "-3"]);
    pair.fill(0, market, "BUY", [3, 2000]);
    pair.fill(10_000, market, "SELL", [1, 2000]);
    pair.fill(14_000, hedge, "BUY", [0.5, 1800]);
    expect(pair.net?.exposure).toEqual([
      { token: "1", position: "-0.5", baseSeconds: 3 * 2 + 1 * 4, max: "3" },
    ]);
  });

  test("hedges its fills first in first out, with delay and slippage against the mid at the fill", () => {
    const pair = new Pair();
    pair.fill(0, market, "BUY", [1, 2000, 1800]);
    pair.fill(100, market, "BUY", [1, 2000, 1810]);
    // Half of the first one is hedged, then the rest and the second one.
    pair.fill(400, hedge, "SELL", [0.5, 1800]);
    pair.fill(1_000, hedge, "SELL", [1.5, 1791]);
    const { count, delayMs, slippageBps } = pair.net?.hedges ?? {};
    expect(count).toBe(2);
    expect(delayMs?.max).toBe(1_000);
    expect(Math.abs((delayMs?.p50 ?? 0) - 900)).toBeLessThan(10);
    expect(slippageBps).toBeCloseTo((0.5 * 0 + 0.5 * 50 + (19 / 1810) * 10_000) / 2, 9);
  });

  test("hedges what an earlier run left without a figure for it, and its own fills with theirs", () => {
    const pair = new Pair();
    pair.restored([market, "1.5"], [hedge, "-0.5"]);
    pair.fill(0, hedge, "SELL", [1, 1800]);
    pair.fill(60_000, market, "SELL", [1, 2000, 1800]);
    pair.fill(60_200, hedge, "BUY", [1, 1800]);
    expect(pair.net?.hedges).toEqual({
      count: 1,
      delayMs: { p50: 200, p90: 200, max: 200 },
      slippageBps: 0,
    });
    expect(pair.net?.exposure).toMatchObject([{ position: "0", max: "1" }]);
  });

  test("a purchase that pays its fee in base is hedged by a sale of what it brought, in whole lots", () => {
    const pair = new Pair();
    for (let round = 0; round < 5; round += 1) {
      pair.fill(round * 8_000, market, "BUY", [1, 2000, 1800], 0.0002345);
      const size = round === 4 ? 1.0001 : 0.9997;
      pair.fill(round * 8_000 + 300, hedge, "SELL", [size, 1800]);
    }
    expect(pair.net?.hedges).toMatchObject({ count: 5, delayMs: { max: 300 } });
  });

  test("a fill that its own market takes back is no hedge", () => {
    const pair = new Pair();
    pair.fill(0, market, "BUY", [1, 2000, 1800]);
    pair.fill(100, market, "SELL", [1, 2001, 1800]);
    pair.fill(200, hedge, "SELL", [1, 1800]);
    expect(pair.net?.hedges).toEqual({ count: 0, delayMs: null, slippageBps: null });
  });

  test("one market alone has no net figures", () => {
    const fold = new SummaryFold({ strategies: [{ name: "maker", market }], startMs: start });
    expect(fold.result(end)).not.toHaveProperty("nets");
  });
});
