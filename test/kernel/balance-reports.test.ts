import { describe, expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market, placesOf, readsOf, unwatched } from "./harness.ts";

function codesOf(bot: Harness): string[] {
  return bot.notes.flatMap((note) => (note.type === "doubt" ? [note.code] : []));
}

function driftsOf(bot: Harness): Extract<Note, { type: "balanceDrift" }>[] {
  return bot.notes.flatMap((note) => (note.type === "balanceDrift" ? [note] : []));
}

describe("a report of the balances", () => {
  it("of an earlier block is not used, and the balances are read again a second later", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
    });
    bot.block = 50;
    const [placed] = placesOf(bot.begin());
    if (placed === undefined) throw new Error("no quote");
    expect(readsOf(bot.after(defaultTiming.balancesMs))).toContain("balances");
    bot.block = 20;
    const effects = bot.after(10, bot.balances("0", "0"));
    expect(codesOf(bot)).toEqual(["BALANCES_OLD"]);
    expect(readsOf(effects)).not.toContain("balances");
    const again = bot.after(1_000);
    expect(readsOf(again)).toContain("balances");
    bot.block = 51;
    bot.after(10, bot.balances("7", "8"));
    expect(codesOf(bot)).toEqual(["BALANCES_OLD"]);
  });

  it("of a block that never comes holds back later reports for ten seconds only", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
      config: { timing: unwatched },
    });
    bot.block = 1_000_000_000;
    bot.begin(undefined, bot.balances("0", "0"));
    bot.block = 50;
    bot.after(defaultTiming.balancesMs);
    const placed: number[] = [];
    for (let second = 0; second < 11; second += 1) {
      placed.push(placesOf(bot.after(0, bot.balances())).length);
      bot.after(1_000);
    }
    expect(placed).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(codesOf(bot).slice(0, 2)).toEqual(["BALANCES_OLD", "BALANCES_OLD"]);
  });
});

it("a thousand tokens that change without an event in one report are noted one by one only as far as ten, and the bot's own always", () => {
  const bot = new Harness({
    decide: () => setQuotes({}),
    config: { timing: { ...defaultTiming, driftMs: 5_000 } },
  });
  const told = (ownBase: string, count: number): Input => {
    const input = bot.balances(ownBase);
    if (input.type !== "balances") throw new Error("no balances");
    const others = Array.from({ length: count }, (_, at) => ({
      tokenId: tokenId(String(1_000 + at)),
      locked: ZERO,
      unlocked: fixed("1"),
    }));
    // The bot's own tokens come last, behind those that nobody asked for.
    return { ...input, balances: [...others, ...input.balances] };
  };
  bot.begin(undefined, told("100", 0));
  for (let at = 0; at < 100 && driftsOf(bot).length === 0; at += 1) {
    const reads = [...readsOf(bot.after(1_000))];
    for (let read = reads.shift(); read !== undefined; read = reads.shift()) {
      if (read === "fills") reads.push(...readsOf(bot.step({ type: "fills", fills: [] })));
      if (read === "book") bot.step(bot.snapshot(1999, 2001));
      if (read === "transfers") reads.push(...readsOf(bot.step({ type: read, transfers: [] })));
      if (read === "balances") reads.push(...readsOf(bot.step(told("99", 1_000))));
    }
  }
  const tokens = driftsOf(bot).map((note) => note.tokenId);
  expect(tokens).toHaveLength(11);
  expect(tokens).toContain(market.baseToken);
  const warnings = bot.notes.flatMap((note) => (note.type === "warning" ? [note] : []));
  expect(warnings).toEqual([
    expect.objectContaining({
      code: "BALANCE_DRIFT",
      message: expect.stringContaining("990 more tokens"),
    }),
  ]);
});
