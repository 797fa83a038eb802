import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { addFixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { isLegalPrice } from "../../src/domain/grid-rules.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { RecordedMarketEvent } from "../../src/venue/flow/recorded-market.ts";
import { twoWaySteps } from "../../src/venue/flow/two-way-recording.ts";
import { testVenue } from "../support/venue.ts";

const ETH_USDT = marketId("1", "2");
const flat = (...numbers: number[]): Float64Array => Float64Array.of(...numbers);
const at = (ms: number) => unixMs(1_600_000_000_000 + ms);

/** 1 s of recording: a snapshot, two changes, a trade at the bid, and the change after it. */
const recording: RecordedMarketEvent[] = [
  { type: "book", atMs: at(0), snapshot: { bids: flat(1000, 2, 999, 5), asks: flat(1001, 3) } },
  { type: "depth", atMs: at(200), event: { bids: flat(1000, 4), asks: flat(1001, 0, 1002, 1) } },
  { type: "trade", atMs: at(400), trade: { price: 1000, quantity: 3, isBuyerMaker: true } },
  { type: "depth", atMs: at(600), event: { bids: flat(1000, 1), asks: flat() } },
  { type: "depth", atMs: at(1000), event: { bids: flat(998, 7), asks: flat(1003, 2) } },
];

const replay = { flow: { replay: "somewhere", speed: 1 } };

describe("replay flow (D35)", () => {
  test("plays by the recording's clock, then backwards with sides swapped, then forwards again", async () => {
    const { venue, clock } = await testVenue(replay, [{ marketId: ETH_USDT, events: recording }]);
    const book = (): string => {
      const { bids, asks } = venue.exchange.book(ETH_USDT, 100);
      const text = (levels: typeof bids) =>
        levels.map((level) => `${level.price}x${fixedText(level.quantity)}`).join(" ");
      return `${text(bids)} | ${text(asks)}`;
    };
    /** Base traded against resting bids and against resting asks. */
    const traded = (): string[] =>
      [true, false].map((isBuyerMaker) => {
        const found = venue.exchange
          .publicTrades(ETH_USDT, 100)
          .filter((trade) => trade.isBuyerMaker === isBuyerMaker);
        return fixedText(found.reduce((sum, trade) => addFixed(sum, trade.quantity), ZERO));
      });
    expect(book()).toBe("1000x2 999x5 | 1001x3");
    clock.advance(200);
    expect(book()).toBe("1000x4 999x5 | 1002x1");
    clock.advance(200);
    expect(book()).toBe("1000x1 999x5 | 1002x1");
    expect(traded()).toEqual(["3", "0"]);
    clock.advance(600);
    // At 1000 ms the last event is played and undone at once, since the direction changes there.
    expect(book()).toBe("1000x1 999x5 | 1002x1");
    clock.advance(400);
    expect(book()).toBe("1000x4 999x5 | 1002x1");
    clock.advance(400);
    expect(book()).toBe("1000x2 999x5 | 1001x3");
    clock.advance(200);
    // At 2000 ms the snapshot is undone and played again.
    expect(book()).toBe("1000x2 999x5 | 1001x3");
    clock.advance(400);
    expect(traded()).toEqual(["6", "3"]);
    await venue.close();
    clock.advance(60_000);
    expect(traded()).toEqual(["6", "3"]);
  });

  test("plays faster with speed", async () => {
    const { venue, clock } = await testVenue({ flow: { replay: "x", speed: 10 } }, [
      { marketId: ETH_USDT, events: recording },
    ]);
    clock.advance(40);
    expect(venue.exchange.publicTrades(ETH_USDT, 10)).not.toHaveLength(0);
    clock.advance(40);
    expect(fixedText(venue.exchange.book(ETH_USDT, 10).bids[0]?.quantity ?? ZERO)).toBe("1");
  });

  test("fills accounts' orders in their queue position, and keeps levels as recorded after each event", async () => {
    const { venue, clock, post, get, alice } = await testVenue(replay, [
      { marketId: ETH_USDT, events: recording },
    ]);
    const front = alice.limit("BUY", 1000.5, "1");
    await post("/api/v1/order", front);
    const crossed = alice.limit("SELL", 1001.5, "0.5");
    await post("/api/v1/order", crossed);
    clock.advance(400);
    // The recorded sell of 3 to 1000 meets the better bid first.
    expect((await get(`/api/v1/order/${front.txHash}`)).body).toMatchObject({
      result: { status: "FILLED", executedQty: "1" },
    });
    const level = () => venue.exchange.book(ETH_USDT, 10).bids.find(({ price }) => price === 1000);
    expect(fixedText(level()?.quantity ?? ZERO)).toBe("2");
    clock.advance(200);
    expect(fixedText(level()?.quantity ?? ZERO)).toBe("1");
    for (const { held, deposited } of venue.exchange.ledger.audit().values())
      expect(held).toBe(deposited);
  });

  test("needs a recording of this venue's markets", async () => {
    await expect(
      testVenue(replay, [{ marketId: marketId("9", "2"), events: recording }]),
    ).rejects.toMatchObject({ code: "RECORDING_MARKET" });
    await expect(testVenue(replay, [])).rejects.toMatchObject({ code: "RECORDING_MARKET" });
    await expect(testVenue(replay)).rejects.toMatchObject({ code: "RECORDING_MISSING" });
  });
});

test("playing forwards and then backwards gives the same books, step by step", () => {
  const random = new Prng(5);
  const events: RecordedMarketEvent[] = Array.from({ length: 300 }, (_, step) => {
    const level = (): number[] => [
      random.int(990, 1010),
      random.chance(0.3) ? 0 : random.int(1, 9),
    ];
    const levels = (): Float64Array =>
      Float64Array.from([level(), level(), level(), level()].flat());
    const sides = { bids: levels(), asks: levels() };
    return random.chance(0.05)
      ? { type: "book", atMs: at(step), snapshot: sides }
      : { type: "depth", atMs: at(step), event: sides };
  });
  const books: string[] = [];
  const book = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  const apply = (side: Map<number, number>, levels: Float64Array): void => {
    for (let index = 0; index < levels.length; index += 2) {
      const [price, quantity] = [levels[index] ?? 0, levels[index + 1] ?? 0];
      if (quantity === 0) side.delete(price);
      else side.set(price, quantity);
    }
  };
  const text = (): string =>
    JSON.stringify([book.bids, book.asks].map((side) => [...side].sort((a, b) => a[0] - b[0])));
  const steps = twoWaySteps(events).filter((step) => step.type === "depth");
  for (const step of steps) {
    books.push(text());
    apply(book.bids, step.bids);
    apply(book.asks, step.asks);
  }
  for (const step of steps.toReversed()) {
    apply(book.bids, step.bidsBefore);
    apply(book.asks, step.asksBefore);
    expect(text()).toBe(books.pop());
  }
});

describe("synthetic flow", () => {
  const document = (seed: number) => ({ flow: { synthetic: { seed, prices: { "1_2": 1834.5 } } } });

  test("makes a plausible market: several legal levels on both sides, a tight spread, trades, and a moving price", async () => {
    const { venue, clock } = await testVenue(document(1));
    const mids: number[] = [];
    for (let second = 0; second < 300; second += 1) {
      clock.advance(1000);
      const { bids, asks } = venue.exchange.book(ETH_USDT, 100);
      const [bid, ask] = [bids[0]?.price ?? 0, asks[0]?.price ?? 0];
      expect(bids.length).toBeGreaterThanOrEqual(4);
      expect(asks.length).toBeGreaterThanOrEqual(4);
      expect(bid).toBeLessThan(ask);
      expect((ask - bid) / bid).toBeLessThan(0.005);
      expect([...bids, ...asks].every((level) => isLegalPrice(level.price))).toBe(true);
      mids.push((bid + ask) / 2);
    }
    expect(new Set(mids).size).toBeGreaterThan(30);
    expect(Math.max(...mids) / Math.min(...mids)).toBeLessThan(1.1);
    const trades = venue.exchange.publicTrades(ETH_USDT, 1000);
    expect(trades.length).toBeGreaterThan(100);
    expect(
      trades.some((trade) => trade.isBuyerMaker) && trades.some((trade) => !trade.isBuyerMaker),
    ).toBe(true);
    for (const { held, deposited } of venue.exchange.ledger.audit().values())
      expect(held).toBe(deposited);
  });

  test("gives the same market with the same seed, and another with another seed", async () => {
    const run = async (seed: number): Promise<string> => {
      const { venue, clock } = await testVenue(document(seed));
      clock.advance(20_000);
      const plain = (_: string, value: unknown): unknown =>
        typeof value === "bigint" ? String(value) : value;
      return JSON.stringify(
        [venue.exchange.book(ETH_USDT, 100), venue.exchange.publicTrades(ETH_USDT, 100)],
        plain,
      );
    };
    const first = await run(3);
    expect(await run(3)).toBe(first);
    expect(await run(4)).not.toBe(first);
  });
});
