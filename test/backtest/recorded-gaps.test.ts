import { describe, expect, test } from "vitest";
import { playedSteps } from "../../src/backtest/run-replay.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { withGaps } from "../../src/recordings/recorded-gaps.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { ReplayDetails } from "../../src/backtest/replay-details.ts";
import { ReplayBook } from "../../src/backtest/replay-book.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { scripted } from "../kernel/harness.ts";
import type { MarketEvent } from "../../src/recordings/market-event.ts";
import { NOW, testMarket } from "../support/exchange.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import {
  book,
  depth,
  keccak256,
  market,
  play,
  quoteOnce,
  setupOf,
  trade,
  ways,
} from "./hand-made.ts";

const gap = (at: number): RecordedStep => ({
  atUs: (NOW + at) * 1000,
  atMs: unixMs(NOW + at),
  marketId: market.marketId,
  event: { type: "gap", atMs: unixMs(NOW + at) },
});

/** Fills of a bid of 1 at 999 that waits behind these bids, over a gap that an empty book ends. */
const fillsAfterGap = (bids: number[], after: readonly RecordedStep[]) =>
  play(setupOf(quoteOnce([[999, "1"]], [])), [
    book(0, bids, [1001, 5]),
    depth(1000, [998, 6], []),
    gap(1000),
    book(1300, [], []),
    depth(1300, [998, 7], [1001, 5]),
    ...after,
    depth(9000, [998, 8], []),
  ]).fills;

describe("a gap of a recording", () => {
  const eventOf = ({ event }: RecordedStep): MarketEvent[] =>
    event.type === "gap" || event.type === "open" || event.type === "candle" ? [] : [event];

  test("begins right after the last event before it, and its trades are left out", () => {
    const events = [
      book(0, [999, 1], [1001, 1]),
      trade(1, 1001, 1, false),
      depth(1, [999, 2], []),
      trade(20, 900, 1, true),
      book(60_000, [899, 1], [901, 1]),
      trade(60_001, 901, 1, false),
    ].flatMap(eventOf);
    expect(
      [...withGaps(events, undefined)].map(({ type, atMs }) => `${type} ${atMs - NOW}`),
    ).toEqual(["book 0", "trade 1", "depth 1", "gap 1", "book 60000", "trade 60001"]);
  });

  test("without a later snapshot ends with an empty book, since older levels may be gone", () => {
    const events = [
      book(1, [999, 1], [1001, 1]),
      depth(2, [998, 1], []),
      depth(9, [899, 1], [901, 1]),
    ];
    const seen = [...withGaps(events.flatMap(eventOf), undefined)];
    expect(seen.map(({ type }) => type)).toEqual(["book", "depth", "gap", "book", "depth"]);
    expect(seen[3]).toMatchObject({
      atMs: NOW + 9,
      snapshot: { lastId: 8, bids: Float64Array.of(), asks: Float64Array.of() },
    });
  });

  test("without an end begins where depth ends long before the trades, whose book nobody knows", () => {
    const steps = (lastAt: number) => [
      book(0, [999, 5], [1001, 5]),
      depth(1, [998, 5], []),
      trade(1500, 1001, 1, false),
      trade(lastAt, 997, 5, true),
    ];
    const kinds = (lastAt: number) => [...withGaps(steps(lastAt).flatMap(eventOf), undefined)];
    // Depth may be late.
    expect(kinds(11_500).map(({ type }) => type)).toEqual(["book", "depth", "trade", "trade"]);
    const ended = kinds(11_501);
    expect(ended.map(({ type }) => type)).toEqual(["book", "depth", "gap"]);
    expect(ended.at(-1)?.atMs).toBe(NOW + 1);
  });

  test("shows by trades alone where the ids were made by the import", () => {
    const events = (lastTradeAt: number) =>
      [
        book(0, [999, 5], [1001, 5]),
        depth(1, [998, 5], []),
        trade(1500, 1001, 1, false),
        trade(lastTradeAt, 997, 5, true),
        { ...depth(20_000, [997, 5], [999, 5]), event: next },
      ].flatMap(eventOf);
    const next: RecordedStep["event"] = {
      type: "depth",
      atMs: unixMs(NOW + 20_000),
      event: {
        marketId: market.marketId,
        firstId: 2,
        finalId: 2,
        timeMs: unixMs(NOW + 20_000),
        bids: Float64Array.of(997, 5),
        asks: Float64Array.of(999, 5),
      },
    };
    const kinds = (lastTradeAt: number, ids: "made" | undefined) =>
      [...withGaps(events(lastTradeAt), ids)].map(({ type, atMs }) => `${type} ${atMs - NOW}`);
    const whole = ["book 0", "depth 1", "trade 1500", "trade 11501", "depth 20000"];
    // Ids of the source that go on prove that nothing was missing.
    expect(kinds(11_501, undefined)).toEqual(whole);
    expect(kinds(11_501, "made")).toEqual([
      "book 0",
      "depth 1",
      "gap 1",
      "book 20000",
      "depth 20000",
    ]);
    expect(kinds(11_500, "made")).toEqual(whole.map((text) => text.replace("11501", "11500")));
  });

  test("without an end is named, with the time from which on nothing is played", () => {
    const steps = [book(0, [999, 5], [1001, 5]), depth(1000, [998, 5], []), gap(1000)];
    const setup = setupOf(quoteOnce([[998, "1"]], []));
    const { warnings } = runAll(playedSteps({ setup, steps, keccak256, wallMs: () => 1 }, () => 1));
    const gaps = warnings.filter((warning) => /gap|not known/.test(warning));
    expect(gaps).toEqual([
      `the recorded book of ${market.marketId} is not known after ${new Date(NOW + 1000).toISOString()}: from there to the end the bot does not see this market, and nothing can fill in it.`,
    ]);
  });

  test("is a broken connection for the bot: its quotes are gone before the market comes back elsewhere", () => {
    const steps = (hasGap: boolean) => [
      book(0, [999, 5], [1001, 5]),
      depth(1000, [998, 5], []),
      ...(hasGap ? [gap(1000)] : []),
      book(60_000, [899, 5], [901, 5]),
      depth(61_000, [898, 5], []),
    ];
    const strategy = () => quoteOnce([[998, "1"]], [[1002, "1"]]);
    const seen = play(setupOf(strategy()), steps(true));
    expect(seen.fills).toEqual([]);
    const cancels = seen.decided.filter(({ command }) => command.type === "cancel");
    expect(cancels).toHaveLength(2);
    // `staleBook` after the last event that reached the bot.
    for (const { at } of cancels) expect(at).toBe(1000 + 10 + 10_000 + 1);
    expect(seen.end.finished?.ok).toBe(true);
    // Unseen, the same gap fills the bid that the market passed in between.
    const unseen = play(setupOf(strategy()), steps(false)).fills;
    expect(unseen.filter((fill) => fill.includes(" BUY "))).toHaveLength(1);
  });

  test("leaves an own order behind what was in front of it, also where the book is empty afterwards", () => {
    const fillsOf = (...after: RecordedStep[]) => fillsAfterGap([999, 5, 998, 5], after);
    const sold = (at: number, price = 999) => trade(at, price, 2, true);
    // Nobody knows how much of the 5 is left.
    expect(fillsOf(sold(1400))).toEqual([]);
    expect(fillsOf(sold(1400), depth(1500, [999, 6], []), sold(1600))).toEqual([]);
    expect(fillsOf(depth(1500, [999, 3], []), sold(1600), sold(1700))).toEqual([
      expect.stringMatching(/^1700 BUY 1@999 /),
    ]);
    expect(fillsOf(depth(1500, [999, 0], []), sold(1600))).toHaveLength(1);
    expect(fillsOf(depth(1500, [999, 0], []), depth(1550, [999, 9], []), sold(1600))).toHaveLength(
      1,
    );
    // A price beyond it fills it, as ever.
    expect(fillsOf(sold(1600, 998))).toHaveLength(1);
    expect(fillsOf(depth(1600, [], [999, 1]))).toHaveLength(1);
  });

  test("leaves an order that is placed after it behind what no event has named yet", () => {
    const fillsOf = (...after: RecordedStep[]) =>
      play(
        setupOf(quoteOnce([[999, "1"]], [])),
        [
          book(0, [999, 5], [1001, 5]),
          gap(0),
          book(1000, [], []),
          depth(1000, [997, 7, 996, 0], [1001, 5]),
          ...after,
          depth(9000, [997, 9], []),
        ],
        { fromMs: NOW + 1 },
      ).fills;
    const sold = (at: number, price = 999) => trade(at, price, 2, true);
    expect(fillsOf(sold(1400))).toEqual([]);
    expect(fillsOf(depth(1500, [999, 3], []), sold(1600), sold(1700))).toEqual([
      expect.stringMatching(/^1700 BUY 1@999 /),
    ]);
    expect(fillsOf(depth(1500, [999, 0], []), sold(1600))).toHaveLength(1);
    // A trade or a price beyond it fills it, as ever.
    expect(fillsOf(sold(1600, 998))).toHaveLength(1);
    expect(fillsOf(depth(1600, [], [999, 1]))).toHaveLength(1);
    // A whole book names all prices.
    expect(fillsOf(book(1300, [997, 8], [1001, 5]), sold(1600))).toHaveLength(1);
    // One that was named as empty is known.
    expect(fillsOf(depth(1001, [999, 0], []), sold(1600))).toHaveLength(1);
  });

  test("leaves an own order its place, so trades at its price shorten what was in front of it", () => {
    const fillsOf = (...after: RecordedStep[]) => fillsAfterGap([999, 5], after);
    const sold = (at: number, quantity: number) => trade(at, 999, quantity, true);
    // At most 5 were in front.
    expect(fillsOf(sold(1400, 5))).toEqual([]);
    expect(fillsOf(sold(1400, 5.25))).toEqual([expect.stringMatching(/^1400 BUY 0\.25@999 /)]);
    expect(fillsOf(sold(1400, 3), sold(1500, 3))).toEqual([
      expect.stringMatching(/^1500 BUY 1@999 /),
    ]);
    // Depth that shows more does not put it back.
    expect(fillsOf(sold(1400, 3), depth(1500, [999, 6], []), sold(1600, 3))).toHaveLength(1);
  });

  test("leaves an own order its place over a second gap, also where trades fill orders whole", () => {
    const fillsOf = (quantity: number, partialFills: boolean) => {
      const models = { fills: { ...defaultFills, partialFills } };
      const back = (at: number) => [book(at, [], []), depth(at, [998, 7], [1001, 5])];
      return play(setupOf(quoteOnce([[999, "1"]], []), ways(10, 10), models), [
        book(0, [999, 5], [1001, 5]),
        depth(1000, [998, 6], []),
        gap(1000),
        ...back(1300),
        trade(1400, 999, 2, true),
        depth(1500, [998, 6], []),
        gap(1500),
        ...back(1800),
        trade(1900, 999, quantity, true),
        depth(9000, [998, 8], []),
      ]).fills;
    };
    for (const partialFills of [true, false]) expect(fillsOf(3, partialFills)).toEqual([]);
    expect(fillsOf(3.5, true)).toEqual([expect.stringMatching(/^1900 BUY 0\.5@999 /)]);
    expect(fillsOf(3.5, false)).toEqual([expect.stringMatching(/^1900 BUY 1@999 /)]);
  });

  test("fills the first own order at a price, also where another waits behind it", () => {
    const twice = (again: boolean) => (view: MarketView) => {
      const isSecond = view.nowMs - NOW >= 2000;
      const bids = [{ price: 999, size: "1" }];
      if (again && isSecond) bids.push({ price: 999, size: "2" });
      return setQuotes({ bids, ...(isSecond ? {} : { wakeAtMs: NOW + 2000 }) });
    };
    const fillsOf = (again: boolean) =>
      play(setupOf(twice(again)), [
        book(0, [998, 5], [1001, 5]),
        depth(1000, [998, 6], []),
        gap(1000),
        book(1300, [], []),
        depth(1300, [998, 7], [1001, 5]),
        depth(2500, [998, 6], []),
        trade(3000, 999, 0.5, true),
        depth(9000, [998, 8], []),
      ]).fills;
    expect(fillsOf(false)).toEqual([expect.stringMatching(/^3000 BUY 0\.5@999 /)]);
    expect(fillsOf(true)).toEqual(fillsOf(false));
  });

  test("that ends with a book of few levels leaves prices beyond them unknown", () => {
    const fillsOf = (quotedAt: number, ...after: RecordedStep[]) =>
      play(setupOf(quoteOnce([[quotedAt, "1"]], [])), [
        book(0, [999, 5, 998, 5, 997, 5], [1001, 5]),
        depth(1000, [998, 6], []),
        gap(1000),
        book(1300, [999, 2, 998, 3], [1001, 5]),
        ...after,
        depth(9000, [999, 3], []),
      ]).fills;
    const sold = (at: number, price: number) => trade(at, price, 2, true);
    // The book ends with 998, so the 5 at 997 may still be there.
    expect(fillsOf(997, sold(1400, 997))).toEqual([]);
    // An order within it knows its place.
    expect(fillsOf(998, sold(1400, 998), sold(1500, 998))).toHaveLength(1);
    // What the book leaves out between its levels is gone.
    expect(fillsOf(997, depth(1350, [997, 0], []), sold(1400, 997))).toHaveLength(1);
  });

  test("leaves fills out of the markouts that are due in it, since no mid is known there", () => {
    const details = new ReplayDetails();
    const steps = [
      book(0, [999, 5], [1001, 5]),
      trade(1000, 998, 5, true),
      // The bid of 999 was filled at the mid of 1000.
      depth(1100, [999, 0, 997, 6], [1001, 0, 999, 1]),
      depth(2500, [996, 1], []),
      gap(2500),
      // The same mid as before the gap.
      book(10_000, [997, 6], [999, 1]),
      depth(12_000, [996, 0], []),
      gap(12_000),
    ];
    const setup = setupOf(quoteOnce([[999, "1"]], []));
    const { result } = runAll(
      playedSteps({ setup, steps, keccak256, details, wallMs: () => 1 }, () => 1),
    );
    expect(details.tables.fills.map(({ timeMs, mid }) => [timeMs - NOW, mid])).toEqual([
      [1000, "1000"],
    ]);
    const later = details.tables.markouts.map(({ horizonMs, laterMid }) => [horizonMs, laterMid]);
    expect(Object.fromEntries(later)).toEqual({
      100: "998",
      500: "998",
      1_000: "998",
      5_000: null,
      10_000: "998",
      30_000: null,
      60_000: null,
      300_000: null,
    });
    expect(result.markouts).toMatchObject({
      "1s": { midToMid: -20, midToMidError: null, fillToMid: -10.01, orders: 1 },
      "5s": null,
      "10s": { midToMid: -20 },
      "30s": null,
      "60s": null,
      "300s": null,
    });
  });

  test("a bot that starts inside of it subscribes at its end", () => {
    const seen = play(
      setupOf(quoteOnce([[899, "1"]], [])),
      [
        book(0, [999, 5], [1001, 5]),
        gap(0),
        book(60_000, [899, 5], [901, 5]),
        depth(61_000, [898, 5], []),
        depth(62_000, [897, 5], []),
      ],
      { fromMs: NOW + 1 },
    );
    expect(seen.decided.filter(({ command }) => command.type === "place")).toHaveLength(1);
  });
});

describe("a gap of one market among several", () => {
  const other = testMarket({
    ...market,
    marketId: marketId("3", "2"),
    baseToken: tokenId("3"),
    ticker: "BTC/USDT",
  });
  const inOther = (step: RecordedStep): RecordedStep => ({ ...step, marketId: other.marketId });
  /** Each decision sets a pair of quotes around the mid; the book of the other market moves every second. */
  const maker = (): ((view: MarketView) => Decision) => (view) => {
    const { mid } = view.book;
    const wakeAtMs = view.nowMs + 1_000;
    if (mid === undefined) return setQuotes({ wakeAtMs });
    const bids = [{ price: Math.floor(mid) - 1, size: "1" }];
    return setQuotes({ bids, asks: [{ price: Math.ceil(mid) + 1, size: "1" }], wakeAtMs });
  };
  const setup = (): ReplaySetup => {
    const one = setupOf(maker());
    const { kernel } = one;
    const strategies = [market, other].map(({ marketId: id }, at) => ({
      name: at === 0 ? "first" : "second",
      definition: scripted(maker()),
      params: {},
      marketId: id,
      seed: 1,
    }));
    return {
      ...one,
      kernel: { ...kernel, markets: [market, other], strategies },
      markets: [
        { market, recordedId: market.marketId },
        { market: other, recordedId: other.marketId },
      ],
      balances: new Map([...one.balances, [tokenId("3"), fixed("100")]]),
    };
  };
  /** 40 s of the second market, one tick up every second. */
  const moving = (): RecordedStep[] => [
    inOther(book(1, [999, 5], [1001, 5])),
    ...Array.from({ length: 40 }, (_, at) => {
      const price = 1000 + at;
      return inOther(book((at + 1) * 1000, [price, 5], [price + 2, 5]));
    }),
  ];
  const sorted = (steps: RecordedStep[]): RecordedStep[] =>
    steps.toSorted((left, right) => left.atUs - right.atUs);
  const commandsOf = (seen: ReturnType<typeof play>, strategy: string) =>
    seen.decided.filter(({ command }) => command.strategy === strategy);

  test("leaves the others as they are, where its depth ends before theirs", () => {
    const first = [book(0, [999, 5], [1001, 5]), depth(2000, [998, 5], []), gap(2000)];
    const seen = play(setup(), sorted([...first, ...moving()]));
    // Its own quotes are pulled once its book has not been in sync for as long as `staleBook`.
    const ended = commandsOf(seen, "first");
    expect(ended.filter(({ command }) => command.type === "cancel")).toHaveLength(2);
    expect(ended.at(-1)?.at).toBe(2000 + 10 + 10_000 + 1);
    // The other market is quoted until the end.
    const going = commandsOf(seen, "second").filter(({ command }) => command.type !== "cancel");
    expect(going.at(-1)?.at).toBeGreaterThan(39_000);
    const { finished, ordersLeft } = seen.end;
    expect([finished?.ok, ordersLeft]).toEqual([true, []]);
  });

  test("ends with its own next book", () => {
    const first = [
      book(0, [999, 5], [1001, 5]),
      depth(2000, [998, 5], []),
      gap(2000),
      book(30_000, [899, 5], [901, 5]),
      depth(31_000, [898, 5], []),
    ];
    const seen = play(setup(), sorted([...first, ...moving()]));
    const placed = commandsOf(seen, "first").filter(({ command }) => command.type === "place");
    const again = placed.filter(({ at }) => at >= 30_000);
    expect(again).toHaveLength(2);
    // The book takes a feed, a request and a response.
    expect(again[0]?.at).toBe(30_000 + 10 + 10 + 10);
  });

  test("breaks the connection together with gaps of all the others", () => {
    const first = [book(0, [999, 5], [1001, 5]), depth(2000, [998, 5], []), gap(2000)];
    const second = [inOther(book(1, [999, 5], [1001, 5])), inOther(gap(3000))];
    const end = inOther(book(60_000, [999, 5], [1001, 5]));
    const reasons: string[] = [];
    play(
      setup(),
      sorted([...first, ...second, end]),
      {},
      {
        stepped: ({ notes }) => {
          for (const note of notes) if (note.type === "warning") reasons.push(note.code);
        },
      },
    );
    expect(reasons.filter((code) => code === "STREAM_CLOSED")).toHaveLength(1);
  });

  test("that begins before the bot does not hold up the start", () => {
    const first = [book(0, [999, 5], [1001, 5]), gap(0)];
    const seen = play(setup(), sorted([...first, ...moving()]), { fromMs: NOW + 500 });
    expect(commandsOf(seen, "first")).toEqual([]);
    expect(commandsOf(seen, "second").length).toBeGreaterThan(10);
  });
});

describe("a recording without a whole book", () => {
  const steps = (...after: RecordedStep[]): RecordedStep[] => [
    depth(0, [997, 7, 996, 0], [1001, 5]),
    ...after,
    depth(9000, [997, 9], []),
  ];
  const details = new ReplayDetails();
  const fillsOf = (...after: RecordedStep[]) =>
    play(setupOf(quoteOnce([[999, "1"]], [])), steps(...after)).fills;
  const sold = (at: number, price = 999) => trade(at, price, 2, true);

  test("leaves an order behind what no event has named yet, as after a gap", () => {
    expect(fillsOf(sold(1400))).toEqual([]);
    expect(fillsOf(depth(1500, [999, 3], []), sold(1600), sold(1700))).toEqual([
      expect.stringMatching(/^1700 BUY 1@999 /),
    ]);
    expect(fillsOf(depth(1500, [999, 0], []), sold(1600))).toHaveLength(1);
    expect(fillsOf(sold(1600, 998))).toHaveLength(1);
    expect(fillsOf(depth(1600, [], [999, 1]))).toHaveLength(1);
  });

  test("has no queue in its table of orders where none is known", () => {
    const setup = setupOf(
      quoteOnce(
        [
          [999, "1"],
          [997, "1"],
          [996, "1"],
        ],
        [],
      ),
    );
    runAll(
      playedSteps(
        { setup, steps: steps(depth(5000, [995, 1], [])), keccak256, details, wallMs: () => 1 },
        () => 1,
      ),
    );
    expect(details.tables.orders.map(({ price, queueAhead }) => [price, queueAhead])).toEqual([
      ["999", null],
      ["997", "7"],
      ["996", "0"],
    ]);
  });
});

describe("a first book of few levels", () => {
  test("leaves an order beyond it behind what no event has named yet", () => {
    const fillsOf = (...after: RecordedStep[]) =>
      play(setupOf(quoteOnce([[990, "1"]], [])), [
        book(0, [999, 5, 998, 5], [1001, 5]),
        ...after,
        depth(9000, [999, 3], []),
      ]).fills;
    const sold = (at: number) => trade(at, 990, 2, true);
    expect(fillsOf(sold(1400))).toEqual([]);
    // It was there before the order.
    expect(fillsOf(depth(1300, [990, 3], []), sold(1400), sold(1500))).toEqual([
      expect.stringMatching(/^1500 BUY 1@990 /),
    ]);
  });
});

describe("a recorded trade beyond the known touch", () => {
  test("fills an own order behind levels that the trade proves gone", () => {
    const { fills } = play(setupOf(quoteOnce([], [[1001, "1"]])), [
      book(0, [999, 5], [1000, 5, 1001, 2]),
      depth(1000, [998, 5], []),
      trade(2000, 1003, 0.25, false),
      depth(3000, [997, 5], []),
    ]);
    expect(fills).toEqual([expect.stringMatching(/^2000 SELL 0\.25@1001 /)]);
  });

  test("moves the mid until the next depth event", () => {
    const replayed = new ReplayBook();
    const values = [
      book(0, [999, 5, 990, 1], [1001, 5, 1011, 2]),
      trade(1, 1009, 1, false),
      trade(2, 995, 1, true),
      depth(3, [998, 5], []),
    ].map(({ event }) => {
      if (event.type !== "gap") replayed.apply(event);
      return replayed.mid;
    });
    expect(values).toEqual([1000, 1005, 1000.5, 1000]);
  });
});
