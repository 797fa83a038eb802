import { expect, it } from "vitest";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness } from "../kernel/harness.ts";

it("a name that setQuotes does not know is warned about once, with the nearest one that it knows", () => {
  const quotes = { bidz: [{ price: 1999, size: "0.1" }], asks: [] };
  const bot = new Harness({ decide: () => setQuotes(quotes) });
  bot.begin();
  bot.after(1_000, bot.depth(101, [1998, 1], []));
  bot.after(1_000, bot.depth(102, [1998, 2], []));
  const warnings = bot.notes.filter((note) => note.type === "warning");
  expect(warnings).toEqual([
    {
      type: "warning",
      code: "UNKNOWN_NAME",
      message: 'strategy maker: setQuotes has no "bidz", which is ignored; did you mean "bids"?',
    },
  ]);
});

it("a decision with known names has none that are unknown", () => {
  expect(setQuotes({ bids: [], reason: { BUY: "" }, wakeAtMs: 5 })).not.toHaveProperty(
    "unknownNames",
  );
});
