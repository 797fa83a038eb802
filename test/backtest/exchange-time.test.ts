import { describe, expect, test } from "vitest";
import { inExchangeTime } from "../../src/backtest/exchange-time.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { unixMs } from "../../src/domain/time.ts";
import { NOW } from "../support/exchange.ts";
import { book, depth, play, quoteOnce, setupOf, trade } from "./hand-made.ts";

/** A step that was received `delayMs` after it happened, on a clock that is 1,000 ms behind. */
function received(step: RecordedStep, delayMs: number): RecordedStep {
  const atUs = step.atUs + (delayMs - 1_000) * 1000;
  return { ...step, atUs, atMs: unixMs(atUs / 1000) };
}

/** A trade that happened at 80 arrives after the depth event of 100, which shows its level without it. */
const steps = () => [
  received(book(0, [100, 3], [102, 5]), 5),
  received(depth(50, [99, 1], []), 5),
  received(depth(100, [100, 1], []), 5),
  received(trade(80, 100, 2, true), 40),
  received(depth(150, [98, 1], []), 10),
];

describe("recorded delays", () => {
  test("order the events as they happened, with the shortest delay as set", () => {
    const ordered = [...inExchangeTime(steps, 7)];
    const base = NOW - 1_000 + 5 - 7;
    expect(ordered.map(({ event, atMs, feedMs }) => [event.type, atMs - base, feedMs])).toEqual([
      ["book", 0, 7],
      ["depth", 50, 7],
      ["trade", 80, 42],
      ["depth", 100, 7],
      ["depth", 150, 12],
    ]);
  });

  test("are those with which the bot sees the events", () => {
    const seen: string[] = [];
    const setup = setupOf((view) => {
      const [newest] = view.trades;
      seen.push(`${view.nowMs - NOW + 1_000 - 5 + 7} ${newest === undefined ? "" : newest.price}`);
      return quoteOnce([], [])(view);
    });
    play(setup, inExchangeTime(steps, 7));
    // The trade of 80 is seen at 122, after the depth event of 100, which is seen at 107.
    expect(seen.filter((line) => line.endsWith(" 100"))[0]).toBe("122 100");
  });

  test("of one event with a wrong time do not shift the others", () => {
    const many = Array.from({ length: 2_000 }, (_, at) =>
      received(depth(at * 10, [99, at + 1], []), 5),
    );
    const wrong = received(trade(500, 100, 1, true), -900);
    const ordered = [...inExchangeTime(() => [...many.slice(0, 50), wrong, ...many.slice(50)], 7)];
    expect(new Set(ordered.map(({ feedMs }) => feedMs))).toEqual(new Set([7]));
  });
});
