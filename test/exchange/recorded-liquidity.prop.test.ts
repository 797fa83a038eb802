import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import {
  addFixed,
  fixed,
  fixedFromNumber,
  fixedText,
  fixedToNumber,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import type { DepthEvent, Trade } from "../../src/domain/depth.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import type { ExchangeCommand } from "../../src/exchange/command.ts";
import { riskAverseQueue } from "../../src/exchange/queue-model.ts";
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
 * The recorded market as numbers against the one in which each recorded level is an order: the same random recording and the same commands have to
 * give the same fills, balances and book.
 */
test.each(isSoak ? [1, 2, 3, 4, 5, 6] : [1, 2, 3])(
  "numbers and exact orders play a recording alike, seed %i",
  (seed) => {
    const random = new Prng(seed);
    const exact = testExchange({}, START);
    /** What a listener of market data got since the last comparison; with an odd seed all of it is in blocks. */
    const passed: { readonly depth: DepthEvent[]; readonly trades: Trade[] } = {
      depth: [],
      trades: [],
    };
    const numeric = testExchange(
      {},
      START,
      seed % 2 === 1
        ? undefined
        : {
            depth: (event) => passed.depth.push(event),
            trade: (trade) => passed.trades.push(trade),
          },
    );
    const orders = exact.exchange.recordedFlow(ETH_USDT);
    const numbers = numeric.exchange.recordedLiquidity(ETH_USDT, riskAverseQueue);
    const recorded: Record<Side, Map<number, number>> = { BUY: new Map(), SELL: new Map() };
    // What a subscriber of the depth channel holds.
    const followed = new LevelBook();
    const ids: OrderId[] = [];
    let followedBlocks = 0;
    let passedEvents = 0;
    let prints: (readonly [number, string])[] = [];
    let mid = 1000;
    for (let step = 1; step <= 600; step += 1) {
      mid += random.int(-2, 2);
      const [bids, asks] = [changes("BUY"), changes("SELL")];
      for (const flow of [orders, numbers]) {
        if (step % 150 === 1) flow.snapshot(flat("BUY"), flat("SELL"), NOW);
        else flow.depth(Float64Array.from(bids), Float64Array.from(asks), NOW);
      }
      compare();
      for (let action = random.int(0, 4); action > 0; action -= 1) {
        act(step * 8 + action);
        compare();
      }
    }
    expectConservation(exact);
    expectConservation(numeric);
    expect(passedEvents > 100).toBe(seed % 2 === 0);
    const made = numeric.exchange.userTrades(testAddress(1), {
      fromMs: 0,
      toMs: 1e15,
      limit: 9999,
    });
    expect(made.some((trade) => trade.isMaker)).toBe(true);
    expect(made.some((trade) => !trade.isMaker)).toBe(true);

    /** A whole book that ends far behind any own order, since numbers know nothing of what is beyond its end. */
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
        // A larger trade would print its rest in one form only.
        const most = reachable(isBuyerMaker ? "BUY" : "SELL", price);
        const trade = { price, quantity: Math.min(quantity, most), isBuyerMaker };
        if (most === 0) return;
        orders.trade(trade, NOW);
        numbers.trade(trade, NOW);
        return;
      }
      const account = testAddress(random.int(1, ACCOUNTS));
      const txHash = testHashWithLegs(number);
      const command = commandOf(kind, side, price, quantity);
      for (const { exchange } of [exact, numeric])
        exchange.execute(account, command, NOW, { txHash });
      ids.push(txHash);
    }

    /** What a trade at this price can trade with: own orders up to the price, and the recorded level at it. */
    function reachable(side: Side, price: number): number {
      let sum = 0;
      for (const [level, quantity] of levels(exact.exchange, side)) {
        if (side === "BUY" ? level < price : level > price) break;
        const isBetter = level !== price;
        sum += Number(quantity) - (isBetter ? fixedToNumber(orders.quantityAt(side, level)) : 0);
      }
      return Math.floor(sum * 100 + 1e-6) / 100;
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
      for (const id of ids.slice(-30)) expect(stateOf(numeric, id)).toEqual(stateOf(exact, id));
      for (let account = 1; account <= ACCOUNTS; account += 1) {
        for (const token of [ETH, USDT]) {
          const address = testAddress(account);
          expect(money(numeric.exchange, address, token)).toBe(
            money(exact.exchange, address, token),
          );
        }
      }
      const { blocks } = numeric;
      for (; followedBlocks < blocks.length; followedBlocks += 1) {
        for (const event of blocks[followedBlocks]?.recordedDepth ?? []) followed.apply(event);
        prints = printsOf(numeric.last().trades);
      }
      for (const event of passed.depth) followed.apply(event);
      if (passed.depth.length + passed.trades.length > 0) {
        prints = printsOf(
          passed.trades.map((trade) => ({ ...trade, quantity: fixedFromNumber(trade.quantity) })),
        );
      }
      passedEvents += passed.depth.length;
      passed.depth.length = 0;
      passed.trades.length = 0;
      for (const side of ["BUY", "SELL"] as const) {
        const book = levels(numeric.exchange, side);
        expect(book).toEqual(levels(exact.exchange, side));
        expect(pairs(followed.side(side).top(5000))).toEqual(
          book.map(([price, quantity]) => [price, Number(quantity)]),
        );
      }
      expect(prints).toEqual(printsOf(exact.last().trades));
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

/** What one block traded at each price. The exact flow has an order for each increase of a level, the other one for the level. */
function printsOf(
  trades: readonly { readonly price: number; readonly quantity: Fixed }[],
): (readonly [number, string])[] {
  const prints = new Map<number, Fixed>();
  for (const { price, quantity } of trades) {
    prints.set(price, addFixed(prints.get(price) ?? ZERO, quantity));
  }
  return [...prints].map(([price, quantity]) => [price, fixedText(quantity)]);
}

test("a recorded trade is public whole, also what traded with orders that the depth does not show", () => {
  const numeric = testExchange({}, START);
  const numbers = numeric.exchange.recordedLiquidity(ETH_USDT, riskAverseQueue);
  const prints = () =>
    numeric.last().trades.map(({ price, quantity }) => [price, fixedText(quantity)]);
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
