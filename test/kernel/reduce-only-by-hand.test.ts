import { describe, expect, it } from "vitest";
import { fixedText } from "../../src/domain/fixed.ts";
import { type Side, sides } from "../../src/domain/side.ts";
import type { LadderConfig } from "../../src/kernel/config.ts";
import type { CarriedItem } from "../../src/kernel/input.ts";
import { carriedKey } from "../../src/orders/carried.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import type { RiskView } from "../../src/strategy/view.ts";
import { cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

/** A bot whose quotes, intents 1 (bid) and 2 (ask), are acknowledged. */
function quoting(ladder?: LadderConfig, carried: readonly CarriedItem[] = [], askSize = "3") {
  const seen: RiskView[] = [];
  const bot = new Harness({
    decide(view) {
      seen.push(view.risk);
      return setQuotes({
        bids: [{ price: 1990, size: "1" }],
        asks: [{ price: 2010, size: askSize }],
        tolerance: 0.000001,
      });
    },
    config: { ladder },
  });
  bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } });
  const begun = bot.begin();
  for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  return { bot, seen, begun };
}

const reduceOnly = { type: "operator", command: "reduceOnly" } as const;
const resume = { type: "operator", command: "resume" } as const;

const shown = (effects: ReturnType<Harness["step"]>): string[] =>
  placesOf(effects).map(({ side, price, quantity }) => `${side} ${price} ${fixedText(quantity)}`);

/** The reason why a side is not quoted in full at present. */
const reasonsOf = ({ notes }: Harness, side: Side): readonly string[] => {
  const newest = notes.findLast((note) => note.type === "quoteReason" && note.side === side);
  return newest?.type === "quoteReason" && newest.reason !== undefined ? [newest.reason] : [];
};

const ladder: LadderConfig = {
  bot: triggersSchema("bot").parse({ position: { widen: "1500" } }),
  strategies: {},
  widenBy: 2,
};

describe("reduce only, set by an operator", () => {
  it.each([
    ["without a risk ladder", undefined],
    ["with a risk ladder at a milder step", ladder],
  ])("cancels what opens and places only what reduces, until the resume: %s", (_, limits) => {
    const { bot, seen } = quoting(limits);
    bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "first" }));
    const open = [...bot.ids.keys()].filter((intent) => intent > 1);
    for (const intent of open.slice(1)) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    expect(cancelsOf(bot.step(reduceOnly))).not.toEqual([]);
    expect(seen.at(-1)).toEqual({ step: "reduceOnly", reason: "set by an operator" });
    const ended = [...bot.ids.keys()].filter((intent) => intent > 1);
    for (const intent of ended) bot.step(bot.event(intent, "CANCELED"));
    const sides = shown(bot.after(1_000)).map((text) => text.split(" ")[0]);
    expect(sides.filter((side) => side === "BUY")).toEqual([]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "quoteReason",
        side: "BUY",
        reason: "reduce only: set by an operator",
      }),
    );
    expect(bot.kernel.resumeReport(undefined, false).lifted).toContain("reduce only of the bot");
    expect(shown([...bot.step(resume), ...bot.after(1_000)]).join()).toContain("BUY");
  });

  it.each([
    ["in full has no reason", "1", []],
    ["in part has it", "3", ["reduce only: set by an operator"]],
  ])("a side that reduces and is quoted %s", (_, askSize, expected) => {
    const { bot } = quoting(undefined, [], askSize);
    bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "first" }));
    let effects = bot.step(reduceOnly);
    for (let round = 0; round < 4; round += 1) {
      const canceled = cancelsOf(effects);
      const ended = [...bot.ids.keys()].filter((intent) => canceled.includes(hashOf(intent)));
      const placed = placesOf(effects).map(({ intent }) => intent);
      effects = [
        ...ended.flatMap((intent) => bot.step(bot.event(intent, "CANCELED"))),
        ...placed.flatMap((intent) => bot.step(bot.accepted(intent), bot.event(intent, "NEW"))),
        ...bot.after(1_000),
      ];
    }
    expect(reasonsOf(bot, "SELL")).toEqual(expected);
    expect(reasonsOf(bot, "BUY")).toEqual(["reduce only: set by an operator"]);
  });

  it("of a strategy that is flat by a fill says so, and not what its quote waited for", () => {
    const { bot } = quoting();
    bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "first" }));
    bot.step(reduceOnly);
    expect(reasonsOf(bot, "SELL")).toEqual(["reduce only: set by an operator"]);
    bot.step(bot.event(2, "PARTIALLY_FILLED", { quantity: "1", tradeId: "second" }));
    for (const intent of bot.ids.keys()) {
      if (intent > 1) bot.step(bot.event(intent, "CANCELED"));
    }
    bot.after(1_000);
    expect(reasonsOf(bot, "SELL")).toEqual(["reduce only: set by an operator"]);
  });

  it("of a flat strategy leaves no order, and its sides say why", () => {
    const { bot } = quoting();
    expect(cancelsOf(bot.step({ ...reduceOnly, strategy: "maker" })).toSorted()).toEqual(
      [hashOf(1), hashOf(2)].toSorted(),
    );
    expect(bot.kernel.resumeReport("maker", false).lifted).toEqual(["reduce only of maker"]);
    for (const intent of [1, 2]) bot.step(bot.event(intent, "CANCELED"));
    bot.after(1_000);
    for (const side of sides)
      expect(reasonsOf(bot, side)).toEqual(["reduce only: set by an operator"]);
  });

  it.each([{}, { strategy: "maker" }])("lasts over a restart, and so does its end: %o", (of) => {
    const first = quoting().bot;
    first.step({ ...reduceOnly, ...of });
    const newest = () => [
      ...new Map(first.carried.map((item) => [carriedKey(item), item])).values(),
    ];
    const second = quoting(undefined, newest());
    expect(shown(second.begun)).toEqual([]);
    expect(second.bot.notes).toContainEqual({
      type: "riskStanding",
      strategy: "maker",
      step: "reduceOnly",
      reason: "set by an operator",
    });
    first.step({ ...resume, ...of });
    expect(shown(quoting(undefined, newest()).begun)).toHaveLength(2);
  });

  it("leaves a pause and a strategy's own setting as they are", () => {
    const { bot } = quoting();
    bot.step({ ...reduceOnly, strategy: "maker" }, { type: "operator", command: "pause" });
    expect(bot.kernel.standstill()).toBe("paused");
    bot.step(resume);
    expect(bot.kernel.standstill()).toBeUndefined();
    expect(bot.kernel.resumeReport("maker", false).lifted).toEqual(["reduce only of maker"]);
  });
});
