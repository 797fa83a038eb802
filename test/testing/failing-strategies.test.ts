import { expect, test } from "vitest";
import { setQuotes, type Decision } from "../../src/strategy/contract.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import { scripted } from "../kernel/harness.ts";
import { plainly } from "../kernel/plainly.ts";

const later = scripted((): Decision => plainly(Promise.resolve(setQuotes({}))));
const sentence = "decide returned a Promise; it must be synchronous";

test("tryStrategy throws when decide returns a Promise", async () => {
  await expect(tryStrategy(later)).rejects.toThrow(sentence);
});

test("tryStrategy throws with field and value when a decision is invalid", async () => {
  const definition = scripted(() => setQuotes({ bids: [{ price: Number.NaN, size: "1" }] }));
  await expect(tryStrategy(definition)).rejects.toThrow(
    "The strategy failed: bids[0].price is NaN",
  );
});

test("tryStrategy throws what init throws", async () => {
  const failing = {
    ...later,
    init: () => {
      throw new Error("no state");
    },
  };
  await expect(tryStrategy(failing)).rejects.toThrow("no state");
});

test("replayStrategy warns when decide returns a Promise", async () => {
  const { warnings, quotesPlaced } = await replayStrategy(later, { market: { duration: "1m" } });
  expect(quotesPlaced).toBe(0);
  expect(warnings.join("\n")).toContain(`scripted failed: ${sentence}`);
});
