import { expect, it } from "vitest";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness } from "../kernel/harness.ts";

it.each([
  ["bidz", 'setQuotes has no "bidz", did you mean bids'],
  ["why", 'setQuotes has no "why"'],
])("a name that setQuotes does not know, %s, ends the strategy", (name, message) => {
  const target = { [name]: [{ price: 1999, size: "0.1" }], asks: [] };
  const bot = new Harness({ decide: () => setQuotes(target) });
  bot.begin();
  expect(bot.notes).toContainEqual(
    expect.objectContaining({
      type: "strategyFault",
      message: expect.stringContaining(message),
    }),
  );
});
