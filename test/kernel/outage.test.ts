import { describe, expect, it } from "vitest";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

const notSent = (intent: number): Input => ({
  type: "response",
  intent,
  outcome: { type: "not-sent", message: "connection refused" },
});

/** A bot with two quotes at the venue that it was told to take away; nobody can connect. */
function strandedBot(): Harness {
  const bot = new Harness({
    decide: () =>
      setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [{ price: 2010, size: "1" }] }),
  });
  bot.begin();
  bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
  bot.step({ type: "operator", command: "pause" });
  return bot;
}

/** Runs the kernel by its own deadlines, every command answered as not sent. Gives when cancels left. */
function tries(bot: Harness, forMs: number): number[] {
  const endMs = bot.nowMs + forMs;
  const startMs = bot.nowMs;
  const times: number[] = [];
  let responses: Input[] = [notSent(3), notSent(4)];
  while (bot.nowMs <= endMs) {
    const effects = bot.step(...responses);
    responses = [];
    for (const effect of effects) {
      if (effect.type !== "cancel") continue;
      times.push(bot.nowMs - startMs);
      responses.push(notSent(effect.intent));
    }
    const nextMs = bot.last.nextDeadlineMs ?? endMs + 1;
    bot.nowMs = responses.length > 0 ? bot.nowMs + 1 : Math.max(bot.nowMs + 1, nextMs);
  }
  return times;
}

describe("cancels that nobody can carry", () => {
  it("are tried one at a time, more and more rarely, at least once a second", () => {
    const bot = strandedBot();
    const times = tries(bot, 10_000);
    expect(times[0]).toBe(0);
    expect(times.length).toBeLessThan(20);
    for (const [at, time] of times.entries()) {
      if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeLessThanOrEqual(1_001);
    }
  });

  it.each([
    [
      "an answer to a command",
      (intent: number): Input => ({
        type: "response",
        intent,
        outcome: { type: "refused", reason: "rateLimited", message: "slow down", retryAfterMs: 0 },
      }),
    ],
    [
      "a command whose fate is unknown",
      (intent: number): Input => ({
        type: "response",
        intent,
        outcome: { type: "unknown", message: "no answer" },
      }),
    ],
    ["a new stream", (): Input => ({ type: "stream", state: "opened", reason: "" })],
  ])("all leave at once after %s", (_name, sign) => {
    const bot = strandedBot();
    tries(bot, 5_000);
    const first = bot.after(1_000).find((effect) => effect.type === "cancel");
    if (first?.type !== "cancel") throw new Error("a try");
    const other = first.orderId === hashOf(1) ? hashOf(2) : hashOf(1);
    expect(cancelsOf(bot.step())).toEqual([]);
    expect(cancelsOf(bot.step(sign(first.intent)))).toContain(other);
  });

  it("data of a living stream says nothing of the connections for commands", () => {
    const bot = strandedBot();
    tries(bot, 5_000);
    bot.after(1_000);
    expect(cancelsOf(bot.step(bot.depth(101, [1998, 3], [])))).toEqual([]);
  });

  it("holds back placements, too", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
    });
    bot.begin();
    let placed = 0;
    let responses = [notSent(1)];
    for (let turn = 0; turn < 200; turn += 1) {
      const places = placesOf(bot.after(10, ...responses));
      placed += places.length;
      responses = places.map(({ intent }) => notSent(intent));
    }
    expect(placed).toBeLessThan(10);
  });

  it("but not what has to go when our own journal kept a placement back", () => {
    const bot = new Harness({
      decide: () =>
        setQuotes({
          bids: [
            { price: 1990, size: "1" },
            { price: 1980, size: "1" },
          ],
          asks: [{ price: 2010, size: "1" }],
        }),
    });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const effects = bot.step({ type: "journalFailed", message: "disk full" }, notSent(3));
    expect(cancelsOf(effects)).toEqual([hashOf(1), hashOf(2)]);
  });
});
