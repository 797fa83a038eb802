import { describe, expect, test } from "vitest";
import { playedSteps } from "../../src/backtest/run-replay.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { withGaps } from "../../src/recordings/recorded-gaps.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { ReplayBook } from "../../src/backtest/replay-book.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { MarketEvent } from "../../src/recordings/market-event.ts";
import { NOW } from "../support/exchange.ts";
import { book, depth, keccak256, market, play, quoteOnce, setupOf, trade } from "./hand-made.ts";

const gap = (at: number): RecordedStep => ({
  atUs: (NOW + at) * 1000,
  atMs: unixMs(NOW + at),
  marketId: market.marketId,
  event: { type: "gap", atMs: unixMs(NOW + at) },
});

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
    expect([...withGaps(events)].map(({ type, atMs }) => `${type} ${atMs - NOW}`)).toEqual([
      "book 0",
      "trade 1",
      "depth 1",
      "gap 1",
      "book 60000",
      "trade 60001",
    ]);
  });

  test("without a later snapshot ends with an empty book, since older levels may be gone", () => {
    const events = [
      book(1, [999, 1], [1001, 1]),
      depth(2, [998, 1], []),
      depth(9, [899, 1], [901, 1]),
    ];
    const seen = [...withGaps(events.flatMap(eventOf))];
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
    const kinds = (lastAt: number) => [...withGaps(steps(lastAt).flatMap(eventOf))];
    // Depth may be late.
    expect(kinds(11_500).map(({ type }) => type)).toEqual(["book", "depth", "trade", "trade"]);
    const ended = kinds(11_501);
    expect(ended.map(({ type }) => type)).toEqual(["book", "depth", "gap"]);
    expect(ended.at(-1)?.atMs).toBe(NOW + 1);
  });

  test("without an end is named, with the time from which on nothing is played", () => {
    const steps = [book(0, [999, 5], [1001, 5]), depth(1000, [998, 5], []), gap(1000)];
    const setup = setupOf(quoteOnce([[998, "1"]], []));
    const { warnings } = runAll(playedSteps({ setup, steps, keccak256, wallMs: () => 1 }, () => 1));
    const gaps = warnings.filter((warning) => /gap|not known/.test(warning));
    expect(gaps).toEqual([
      `the recorded book of ${market.marketId} is not known after ${new Date(NOW + 1000).toISOString()}: from there to the end the bot is without its streams, and nothing can fill.`,
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
