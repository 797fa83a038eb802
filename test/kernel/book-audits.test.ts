import { describe, expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import { Harness, market, readsOf } from "./harness.ts";

const idle = () => new Harness({ decide: () => keepQuotes() });

function audit(bot: Harness, lastId: number, bids: number[], asks: number[]): Input {
  return {
    type: "depthAudit",
    snapshot: {
      marketId: market.marketId,
      lastId,
      timeMs: unixMs(bot.nowMs),
      bids: Float64Array.from(bids),
      asks: Float64Array.from(asks),
    },
  };
}

function audits(bot: Harness): boolean[] {
  return bot.notes.flatMap((note) => (note.type === "bookAudit" ? [note.isSame] : []));
}

function warnings(bot: Harness): string[] {
  return bot.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

describe("audits of the book", () => {
  it("notes each comparison; a newer snapshot is compared once the book reaches it", () => {
    const bot = idle();
    bot.begin();
    bot.after(10, audit(bot, 100, [1999, 5], [2001, 5]));
    bot.after(10, audit(bot, 101, [1999, 7], [2001, 5]));
    expect(audits(bot)).toEqual([true]);
    bot.after(10, bot.depth(101, [1999, 7], []));
    expect(audits(bot)).toEqual([true, true]);
    expect(warnings(bot)).toEqual([]);
  });

  it("a difference makes the book unusable at once, warns, and fetches it again", () => {
    const bot = idle();
    bot.begin();
    const effects = bot.after(10, audit(bot, 100, [1999, 5], [2001, 6]));
    expect(audits(bot)).toEqual([false]);
    expect(warnings(bot)).toEqual(["BOOK_MISMATCH"]);
    expect(bot.kernel.mid(market.marketId)).toBeUndefined();
    expect(readsOf(effects)).toContain("book");
    bot.after(10, bot.snapshot(1999, 2001, 105), audit(bot, 105, [1999, 5], [2001, 5]));
    expect(audits(bot)).toEqual([false, true]);
  });

  it("warns once when a book changes for a minute without a comparison, and never about a quiet book", () => {
    const bot = idle();
    bot.begin();
    bot.after(300_000);
    expect(warnings(bot)).toEqual([]);
    bot.after(0, bot.depth(101, [1999, 6], []));
    expect(bot.kernel.nextDeadlineMs).toBeLessThanOrEqual(bot.nowMs + 60_000);
    bot.after(59_000, bot.depth(102, [1999, 7], []));
    expect(warnings(bot)).toEqual([]);
    bot.after(1_000);
    bot.after(60_000, bot.depth(103, [1999, 8], []));
    expect(warnings(bot)).toEqual(["BOOK_UNAUDITED"]);
    bot.after(10, audit(bot, 103, [1999, 8], [2001, 5]));
    bot.after(1_000, bot.depth(104, [1999, 9], []));
    bot.after(60_000);
    expect(warnings(bot)).toEqual(["BOOK_UNAUDITED", "BOOK_UNAUDITED"]);
  });

  it("does not count time during which the book was not in sync", () => {
    const bot = idle();
    bot.begin();
    bot.after(0, bot.depth(101, [1999, 6], []));
    bot.after(50_000, { type: "stream", state: "closed", reason: "cut" });
    bot.after(20_000, { type: "stream", state: "opened", reason: "" });
    bot.after(10, bot.snapshot(1999, 2001, 200));
    bot.after(0, bot.depth(201, [1999, 6], []));
    bot.after(59_000, bot.depth(202, [1999, 7], []));
    expect(warnings(bot)).not.toContain("BOOK_UNAUDITED");
  });
});
