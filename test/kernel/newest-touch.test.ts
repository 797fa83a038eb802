import { describe, expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { isCommand, makesOrder } from "../../src/domain/command.ts";
import type { Input } from "../../src/kernel/input.ts";
import { keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market } from "./harness.ts";

/** Begins with a book of 1999 to 2001 at id 100; `decide` wants a bid and an ask inside of it once it may. */
class NarrowQuotes {
  mayQuote = false;
  readonly bot: Harness;

  constructor() {
    this.bot = new Harness({
      decide: () =>
        this.mayQuote
          ? setQuotes({ bids: [{ price: 2000, size: "1" }], asks: [{ price: 2000.5, size: "1" }] })
          : keepQuotes(),
    });
    this.bot.begin();
  }

  /** A snapshot of the stream that is five updates ahead of the book. */
  newer(bid: number, ask: number): Input {
    return {
      type: "depthAudit",
      snapshot: {
        marketId: market.marketId,
        lastId: 105,
        timeMs: unixMs(this.bot.nowMs),
        bids: Float64Array.of(bid, 5),
        asks: Float64Array.of(ask, 5),
      },
    };
  }

  /** Prices of the quotes that are sent with the next depth event. */
  prices(): readonly number[] {
    this.mayQuote = true;
    const effects = this.bot.after(10, this.bot.depth(101, [1998, 1], []));
    return effects.flatMap((effect) =>
      isCommand(effect) && makesOrder(effect) && effect.type === "place" ? [effect.price] : [],
    );
  }
}

describe("quotes while a newer book waits for its comparison", () => {
  it("keep a tick behind the best ask of the newer book", () => {
    const quotes = new NarrowQuotes();
    quotes.bot.after(10, quotes.newer(1998, 1999.5));
    expect(quotes.prices()).toEqual([1999.4, 2000.5]);
  });

  it("keep a tick behind the best bid of the newer book", () => {
    const quotes = new NarrowQuotes();
    quotes.bot.after(10, quotes.newer(2000.7, 2003));
    expect(quotes.prices()).toEqual([2000, 2000.8]);
  });

  it("are placed as wanted where the newer book leaves room", () => {
    const roomy = new NarrowQuotes();
    roomy.bot.after(10, roomy.newer(1998, 2002));
    expect(roomy.prices()).toEqual([2000, 2000.5]);
  });

  it("are placed as wanted again when the book has passed the newer one", () => {
    const quotes = new NarrowQuotes();
    quotes.bot.after(10, quotes.newer(1998, 1999.5));
    quotes.bot.after(10, quotes.bot.depth(101, [1999, 0], [1999.5, 5]));
    for (let id = 102; id <= 106; id += 1) {
      quotes.bot.after(10, quotes.bot.depth(id, [], [1999.5, id === 106 ? 0 : 5]));
    }
    quotes.bot.after(10, quotes.bot.snapshot(1999, 2001, 106));
    quotes.mayQuote = true;
    const effects = quotes.bot.after(10, quotes.bot.depth(107, [1998, 1], []));
    expect(effects.flatMap((effect) => (effect.type === "place" ? [effect.price] : []))).toEqual([
      2000, 2000.5,
    ]);
  });
});
