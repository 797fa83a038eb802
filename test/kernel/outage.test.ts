import { describe, expect, it } from "vitest";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

const notSent = (intent: number): Input => ({
  type: "response",
  intent,
  outcome: { type: "not-sent", message: "connection refused" },
});

/** A bot that has to cancel its two quotes during an outage. */
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

/** Runs the kernel by its own deadlines; no command can be sent. Returns when it tried cancels. */
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
    const nextMs = bot.kernel.nextDeadlineMs ?? endMs + 1;
    bot.nowMs = responses.length > 0 ? bot.nowMs + 1 : Math.max(bot.nowMs + 1, nextMs);
  }
  return times;
}

/** A bot whose two bids rest, and whose ask has been sent. */
function withTwoBidsResting(): Harness {
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
  return bot;
}

describe("cancels during an outage", () => {
  it("are tried one at a time, with growing waits of at most a second", () => {
    const bot = strandedBot();
    const times = tries(bot, 10_000);
    expect(times[0]).toBe(0);
    expect(times.length).toBeLessThan(20);
    for (const [at, time] of times.entries()) {
      if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeLessThanOrEqual(1_001);
    }
  });

  it("all leave once the one that tries hangs: it was sent", () => {
    const bot = strandedBot();
    tries(bot, 5_000);
    let [first] = cancelsOf(bot.step());
    while (first === undefined) [first] = cancelsOf(bot.after(100));
    expect(cancelsOf(bot.after(500))).toEqual([]);
    const others = cancelsOf(bot.after(101));
    expect(new Set([first, ...others])).toEqual(new Set([bot.ids.get(1), bot.ids.get(2)]));
  });

  it("that have to be tried again never make a side count as quoted", () => {
    const bot = strandedBot();
    tries(bot, 10_000);
    const reasons = bot.notes.flatMap((note) => (note.type === "quoteReason" ? [note.reason] : []));
    expect(reasons.slice(-2)).toEqual(["paused", "paused"]);
    expect(reasons.filter((reason) => reason === "paused")).toHaveLength(2);
  });

  it.each([
    [
      "a response to a command",
      (intent: number): Input => ({
        type: "response",
        intent,
        outcome: { type: "refused", reason: "unavailable", message: "no", retryAfterMs: undefined },
      }),
    ],
    [
      "a command of unknown outcome",
      (intent: number): Input => ({
        type: "response",
        intent,
        outcome: { type: "unknown", message: "no answer" },
      }),
    ],
    ["a new stream", (): Input => ({ type: "stream", state: "opened", reason: "" })],
  ])("are all sent at once after %s", (_name, sign) => {
    const bot = strandedBot();
    tries(bot, 5_000);
    const first = bot.after(1_000).find((effect) => effect.type === "cancel");
    if (first?.type !== "cancel") throw new Error("a try");
    const other = first.orderId === hashOf(1) ? hashOf(2) : hashOf(1);
    expect(cancelsOf(bot.step())).toEqual([]);
    expect(cancelsOf(bot.step(sign(first.intent)))).toContain(other);
  });

  it("keep waiting when the stream delivers data, which proves nothing about connections for commands", () => {
    const bot = strandedBot();
    tries(bot, 5_000);
    bot.after(1_000);
    expect(cancelsOf(bot.step(bot.depth(101, [1998, 3], [])))).toEqual([]);
  });

  it("delay placements too", () => {
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

  it("are not delayed when our own journal held back a placement", () => {
    const bot = withTwoBidsResting();
    const outcome = { type: "not-sent", message: "disk full", isHeldBack: true } as const;
    const effects = bot.step(
      { type: "journalFailed", message: "disk full" },
      { type: "response", intent: 3, outcome },
    );
    expect(cancelsOf(effects)).toEqual([hashOf(1), hashOf(2)]);
  });

  it("are not delayed after the disk kept a placement waiting for too long", () => {
    const bot = withTwoBidsResting();
    const outcome = {
      type: "not-sent",
      message: "the disk took 2000 ms",
      isHeldBack: true,
    } as const;
    const effects = bot.step(
      { type: "response", intent: 3, outcome },
      { type: "operator", command: "pause" },
    );
    expect(cancelsOf(effects)).toEqual([hashOf(1), hashOf(2)]);
  });

  /** A bot whose bid is to move up to 1990 at the moment when its ask could not be sent. */
  function movesInOutage() {
    let bid = 1980;
    const bot = new Harness({
      decide: () =>
        setQuotes({ bids: [{ price: bid, size: "1" }], asks: [{ price: 2010, size: "1" }] }),
    });
    bot.begin();
    bot.step(bot.accepted(1), bot.event(1, "NEW"));
    bid = 1990;
    return { bot, moved: bot.step(notSent(2), bot.depth(101, [1998, 3], [])) };
  }

  it("of an order to be replaced come before its replacement, which follows when the venue is reached", () => {
    const { bot, moved } = movesInOutage();
    expect(cancelsOf(moved)).toEqual([hashOf(1)]);
    expect(placesOf(moved)).toEqual([]);
    const [cancel] = moved.flatMap((effect) => (effect.type === "cancel" ? [effect.intent] : []));
    const next = bot.step(bot.accepted(cancel ?? 0));
    expect(placesOf(next).map(({ price }) => price)).toContain(1990);
  });
});
