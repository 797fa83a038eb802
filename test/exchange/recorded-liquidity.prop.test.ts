import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import { fixed, fixedFromNumber, fixedText, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import type { DepthEvent, Trade } from "../../src/domain/depth.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import type { ExchangeCommand } from "../../src/exchange/command.ts";
import {
  ETH,
  ETH_USDT,
  expectConservation,
  levels,
  limit,
  market,
  money,
  NOW,
  testAddress,
  testExchange,
  testHashWithLegs,
  USDT,
} from "../support/exchange.ts";
import { isSoak } from "../support/soak.ts";

const ACCOUNTS = 3;
const START: [string, string][] = Array.from({ length: ACCOUNTS }, () => ["100000", "100000000"]);

/**
 * The same recording and the same commands in an exchange that has all market data in blocks, with exact quantities, and in one that passes it to
 * a listener, in numbers, have to give the same fills, balances and book.
 */
test.each(isSoak ? [1, 2, 3, 4, 5, 6] : [1])(
  "a recording gives the same in blocks and to a listener of market data, seed %i",
  (seed) => {
    const random = new Prng(seed);
    const inBlocks = testExchange({}, START);
    /** What the listener got since the last comparison. */
    const passed: { readonly depth: DepthEvent[]; readonly trades: Trade[] } = {
      depth: [],
      trades: [],
    };
    const passing = testExchange({}, START, {
      depth: (event) => passed.depth.push(event),
      trade: (trade) => passed.trades.push(trade),
    });
    const worlds = [inBlocks, passing];
    const flows = worlds.map(({ exchange }) => exchange.recordedLiquidity(ETH_USDT));
    const recorded: Record<Side, Map<number, number>> = { BUY: new Map(), SELL: new Map() };
    // What subscribers of the depth channel hold.
    const followed = new LevelBook();
    const exact: Record<Side, Map<number, string>> = { BUY: new Map(), SELL: new Map() };
    const ids: OrderId[] = [];
    const done = [0, 0];
    let passedTrades = 0;
    let mid = 1000;
    for (let step = 1; step <= 600; step += 1) {
      mid += random.int(-2, 2);
      const [bids, asks] = [changes("BUY"), changes("SELL")];
      for (const flow of flows) {
        if (step % 150 === 1) flow.snapshot(flat("BUY"), flat("SELL"), NOW);
        else flow.depth(Float64Array.from(bids), Float64Array.from(asks), NOW);
      }
      compare();
      for (const side of ["BUY", "SELL"] as const) checkLevels(side);
      for (let action = random.int(0, 4); action > 0; action -= 1) {
        act(step * 8 + action);
        compare();
      }
    }
    for (const world of worlds) expectConservation(world);
    expect(passedTrades).toBeGreaterThan(20);
    const made = passing.exchange.userTrades(testAddress(1), {
      fromMs: 0,
      toMs: 1e15,
      limit: 9999,
    });
    expect(made.some((trade) => trade.isMaker)).toBe(true);
    expect(made.some((trade) => !trade.isMaker)).toBe(true);

    /** After each depth event every recorded level is as recorded, whatever traded in between, unless it fired stop orders or legs. */
    function checkLevels(side: Side): void {
      if (inBlocks.last().orderEvents.some(({ fill }) => fill?.isMaker === false)) return;
      const held = levels(inBlocks.exchange, side).map(([price]) => price);
      for (const price of new Set([...held, ...recorded[side].keys()])) {
        for (const flow of flows)
          expect(flow.quantityAt(side, price)).toBe(recorded[side].get(price) ?? 0);
      }
    }

    /** A whole book that ends far behind any own order. */
    function flat(side: Side): Float64Array {
      recorded[side].set(side === "BUY" ? mid - 300 : mid + 300, 1);
      return Float64Array.from([...recorded[side]].flat());
    }

    function changes(side: Side): number[] {
      const sign = side === "BUY" ? -1 : 1;
      const changed: number[] = [];
      const set = (price: number, quantity: number): void => {
        if (quantity === 0) recorded[side].delete(price);
        else recorded[side].set(price, quantity);
        changed.push(price, quantity);
      };
      for (const price of recorded[side].keys()) {
        if ((price - mid) * sign < 1 || Math.abs(price - mid) > 12) set(price, 0);
      }
      for (let rank = 1; rank <= 6; rank += 1) {
        const quantity = random.chance(0.2) ? 0 : random.int(1, 500) / 100;
        if (random.chance(0.4)) set(mid + sign * rank, quantity);
      }
      return changed;
    }

    function act(number: number): void {
      const kind = random.unit();
      const side = random.pick(["BUY", "SELL"] as const);
      const price = mid + random.int(-4, 4);
      const quantity = random.int(1, 900) / 100;
      if (kind < 0.35) {
        const isBuyerMaker = side === "SELL";
        for (const flow of flows) flow.trade({ price, quantity, isBuyerMaker }, NOW);
        return;
      }
      const account = testAddress(random.int(1, ACCOUNTS));
      const txHash = testHashWithLegs(number);
      const command = commandOf(kind, side, price, quantity);
      for (const { exchange } of worlds) exchange.execute(account, command, NOW, { txHash });
      ids.push(txHash);
    }

    function commandOf(kind: number, side: Side, price: number, quantity: number): ExchangeCommand {
      const size = String(quantity);
      if (kind < 0.7) return limit(side, String(price), size);
      if (kind < 0.8) return market(side, size);
      if (kind < 0.84) return market(side, String(quantity * 1000), 1);
      if (kind < 0.88)
        return { ...market(side, size), type: "stop", stopPrice: fixed(String(price)) };
      if (kind < 0.95) {
        const [tpLimit, slTrigger] =
          side === "BUY" ? [price + 2, price - 2] : [price - 2, price + 2];
        const tpsl = {
          tpLimit: fixedFromNumber(tpLimit),
          slTrigger: fixedFromNumber(slTrigger),
          slLimit: undefined,
        };
        return { ...limit(side, String(price), size), tpsl };
      }
      const orderId = random.pick(ids.length === 0 ? [testHashWithLegs(1)] : ids.slice(-20));
      if (kind < 0.98) return { type: "cancel", orderId };
      return { type: "cancel-all" };
    }

    function compare(): void {
      for (const id of ids.slice(-30)) expect(stateOf(passing, id)).toEqual(stateOf(inBlocks, id));
      for (let account = 1; account <= ACCOUNTS; account += 1) {
        for (const token of [ETH, USDT]) {
          const address = testAddress(account);
          expect(money(passing.exchange, address, token)).toBe(
            money(inBlocks.exchange, address, token),
          );
        }
      }
      const [blocks, others] = worlds.map((world, at) => world.blocks.slice(done[at]));
      worlds.forEach((world, at) => (done[at] = world.blocks.length));
      for (const change of blocks?.flatMap(({ depth }) => depth) ?? []) {
        for (const [side, changed] of [
          ["BUY", change.bids],
          ["SELL", change.asks],
        ] as const) {
          for (const { price, quantity } of changed) {
            if (quantity === ZERO) exact[side].delete(price);
            else exact[side].set(price, fixedText(quantity));
          }
        }
      }
      for (const event of passed.depth) followed.apply(event);
      const prints = [
        ...(others?.flatMap(({ trades }) => trades) ?? []),
        ...passed.trades.map((trade) => ({ ...trade, quantity: fixedFromNumber(trade.quantity) })),
      ];
      expect(printsOf(prints)).toEqual(printsOf(blocks?.flatMap(({ trades }) => trades) ?? []));
      passedTrades += passed.trades.length;
      passed.depth.length = 0;
      passed.trades.length = 0;
      for (const side of ["BUY", "SELL"] as const) {
        const book = levels(passing.exchange, side);
        expect(book).toEqual(levels(inBlocks.exchange, side));
        expect(new Map(book)).toEqual(exact[side]);
        expect(pairs(followed.side(side).top(5000))).toEqual(
          book.map(([price, quantity]) => [price, Number(quantity)]),
        );
      }
    }
  },
);

function stateOf({ exchange }: ReturnType<typeof testExchange>, id: OrderId) {
  const order = exchange.order(id);
  return (
    order && [
      order.status,
      fixedText(order.executedQty),
      fixedText(order.executedQuoteQty),
      fixedText(order.origQty),
    ]
  );
}

function pairs(flat: Float64Array): number[][] {
  const found: number[][] = [];
  for (let at = 0; at < flat.length; at += 2) found.push([flat[at] ?? 0, flat[at + 1] ?? 0]);
  return found;
}

function printsOf(trades: readonly { readonly price: number; readonly quantity: Fixed }[]) {
  return trades.map(({ price, quantity }) => [price, fixedText(quantity)]);
}

test("a recorded trade is public whole, also what traded with orders that the depth does not show", () => {
  const numeric = testExchange({}, START);
  const numbers = numeric.exchange.recordedLiquidity(ETH_USDT);
  const prints = () => printsOf(numeric.last().trades);
  numbers.depth(Float64Array.of(999, 1), Float64Array.of(1001, 2), NOW);
  numeric.exchange.execute(testAddress(1), limit("SELL", "1001", "0.5"), NOW);
  numbers.trade({ price: 1001, quantity: 4, isBuyerMaker: false }, NOW);
  expect(prints()).toEqual([
    [1001, "2"],
    [1001, "0.5"],
    [1001, "1.5"],
  ]);
  numbers.trade({ price: 998, quantity: 3, isBuyerMaker: true }, NOW);
  expect(prints()).toEqual([[998, "3"]]);
  expect(numbers.quantityAt("BUY", 999)).toBe(0);
});
