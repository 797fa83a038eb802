import { expect, it } from "vitest";
import { defaultTiming } from "../../src/kernel/config.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, readsOf } from "./harness.ts";

const finished = expect.objectContaining({ type: "finished", ok: true });

/** A bot with one order that stops while a list of open orders is under way, which was requested before the order ended. */
function stopDuringList(): Harness {
  const decide = () => setQuotes({ bids: [{ price: 1998, size: "1" }] });
  const bot = new Harness({ decide });
  bot.begin();
  bot.step(bot.accepted(1), bot.event(1, "NEW"));
  expect(readsOf(bot.after(defaultTiming.reconcileMs))).toContain("openOrders");
  bot.step({ type: "operator", command: "stop" });
  bot.step(bot.accepted(2), bot.event(1, "CANCELED"));
  return bot;
}

const listed = { type: "openOrders", orders: [] } as const;

it("a stop lists the open orders again when the list under way was requested in the same millisecond, before the last order ended", () => {
  const bot = stopDuringList();
  const listing = bot.step(listed);
  expect(listing).not.toContainEqual(finished);
  expect(readsOf(listing)).toContain("openOrders");
  expect(bot.step(listed)).toContainEqual(finished);
});
