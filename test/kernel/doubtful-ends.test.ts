import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelCommandsOf, Harness, placesOf } from "./harness.ts";

/** Ends of orders that only an event tells, and that are false. */

/** A bot with one bid of 2, which the venue shows open. `reprices` moves the bid. */
function quoting() {
  const price = { of: 1990 };
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price: price.of, size: "2" }] }),
  });
  const [placed] = placesOf(bot.begin());
  if (placed === undefined) throw new Error("no quote");
  const { intent } = placed;
  bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  const cancel = (): number => {
    price.of = 1980;
    const [command] = cancelCommandsOf(bot.after(10, bot.depth(101, [1997, 1], [2003, 1])));
    if (command === undefined) throw new Error("no cancel");
    return command.intent;
  };
  const isQueried = (effects: readonly Effect[]): boolean =>
    effects.some((effect) => effect.type === "order" && effect.orderId === bot.ids.get(intent));
  return { bot, intent, cancel, isQueried };
}

function queriedWithin(run: ReturnType<typeof quoting>, ms: number): boolean {
  let isQueried = false;
  for (let at = 0; at < ms; at += 250) isQueried = run.isQueried(run.bot.after(250)) || isQueried;
  return isQueried;
}

describe("an order that an event ends", () => {
  it("as filled with nothing executed is queried, and counts again when it is open", () => {
    const run = quoting();
    const { bot, intent } = run;
    bot.after(10, bot.event(intent, "FILLED"));
    expect(queriedWithin(run, 1_250)).toBe(true);
    const report = bot.report(intent, "NEW");
    const { orderId } = report;
    const effects = bot.after(10, { type: "order", orderId, report });
    expect(effects).toContainEqual(
      expect.objectContaining({ type: "adopt", order: expect.objectContaining({ orderId }) }),
    );
  });

  it("as filled in full without a fill is queried, and counts again with what fills show", () => {
    const run = quoting();
    const { bot, intent } = run;
    const told = bot.event(intent, "FILLED");
    if (told.type !== "orderEvent") throw new Error("no event");
    const order = { ...told.event.order, executedQty: told.event.order.origQty };
    bot.after(10, { ...told, event: { ...told.event, order } });
    expect(queriedWithin(run, 1_250)).toBe(true);
    const report = bot.report(intent, "NEW");
    const effects = bot.after(10, { type: "order", orderId: report.orderId, report });
    expect(effects).toContainEqual(
      expect.objectContaining({ type: "adopt", order: expect.objectContaining({ executed: "0" }) }),
    );
    expect(bot.kernel.sizes["missingFills"]).toBe(0);
  });

  it("as filled with all of it executed is not queried", () => {
    const run = quoting();
    const { bot, intent } = run;
    bot.after(10, bot.event(intent, "FILLED", { quantity: "2", tradeId: "t1" }));
    expect(queriedWithin(run, 1_250)).toBe(false);
  });

  const timedOut: CommandOutcome = { type: "unknown", message: "" };
  const refused: CommandOutcome = {
    type: "refused",
    reason: "invalid",
    message: "",
    retryAfterMs: undefined,
  };
  it.each([
    { when: "before its cancel times out", outcome: timedOut, isFirst: true, isQueried: true },
    { when: "after its cancel timed out", outcome: timedOut, isFirst: false, isQueried: true },
    { when: "before its cancel is refused", outcome: refused, isFirst: true, isQueried: true },
    {
      when: "before its cancel is accepted",
      outcome: { type: "accepted" } as const,
      isFirst: true,
      isQueried: false,
    },
    {
      when: "after its cancel was accepted",
      outcome: { type: "accepted" } as const,
      isFirst: false,
      isQueried: false,
    },
  ])("$when is queried: $isQueried", ({ outcome, isFirst, isQueried }) => {
    const run = quoting();
    const { bot, intent } = run;
    const response = { type: "response", intent: run.cancel(), outcome } as const;
    const ended = bot.event(intent, "CANCELED");
    bot.after(10, isFirst ? ended : response);
    bot.after(10, isFirst ? response : ended);
    expect(queriedWithin(run, 1_250)).toBe(isQueried);
  });
});
