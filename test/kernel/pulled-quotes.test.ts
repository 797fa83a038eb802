import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/kernel/effect.ts";
import { type Decision, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { cancelsOf, Harness, placesOf } from "./harness.ts";

/** A ladder of three bids and one ask around the mid. */
function ladder({ book, nowMs }: MarketView): Decision {
  const { mid = 0 } = book;
  return setQuotes({
    bids: [20, 30, 40].map((off) => ({ price: mid - off, size: "1" })),
    asks: [{ price: mid + 20, size: "1" }],
    wakeAtMs: nowMs + 60_000,
  });
}

/** A bot with a working ladder around 2000. After its first decision the strategy decides by `then`. */
function quoting(then: (view: MarketView) => Decision) {
  const views: MarketView[] = [];
  const bot = new Harness({
    decide(view) {
      views.push(view);
      return views.length === 1 ? ladder(view) : then(view);
    },
    config: { rate: { perSecond: 20, burst: 40, concurrency: 20 } },
  });
  const placed = placesOf(bot.begin());
  expect(placed.map(({ price }) => price)).toEqual([1980, 2020, 1970, 1960]);
  for (const { intent } of placed) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  views.splice(1);
  return { bot, views, placed };
}

/** The stream is cut for 45 seconds, the quotes are canceled, and the market is around 1920 when it comes back. */
function outage({ bot, placed }: Pick<ReturnType<typeof quoting>, "bot" | "placed">): Effect[] {
  bot.step({ type: "stream", state: "closed", reason: "cut" });
  const effects = bot.after(11_000);
  expect(cancelsOf(effects)).toHaveLength(placed.length);
  for (const effect of effects) {
    if (effect.type === "cancel") bot.step(bot.accepted(effect.intent));
  }
  for (const { intent } of placed) bot.step(bot.event(intent, "CANCELED"));
  bot.after(34_000, { type: "stream", state: "opened", reason: "" });
  return [...bot.step(bot.snapshot(1919, 1921, 500)), ...bot.after(1000)];
}

const prices = (effects: readonly Effect[]) => placesOf(effects).map(({ price }) => price);

describe("quotes that an outage pulled", () => {
  it("stay away while the strategy keeps its quotes, and the reason says so", () => {
    const trial = quoting(() => keepQuotes());
    expect(prices(outage(trial))).toEqual([]);
    const reasons = trial.bot.notes.flatMap((note) =>
      note.type === "quoteReason" ? [`${note.side} ${note.reason}`] : [],
    );
    expect(reasons.slice(-2)).toEqual([
      "BUY its quotes were pulled, and it has set none since",
      "SELL its quotes were pulled, and it has set none since",
    ]);
  });

  it("are placed at prices of now when the strategy sets them after it, at once", () => {
    const trial = quoting((view) => (view.quotesPulled ? ladder(view) : keepQuotes()));
    expect(prices(outage(trial))).toEqual([1900, 1940, 1890, 1880]);
  });

  it("are known to the strategy until it sets quotes", () => {
    let keeps = 0;
    const trial = quoting((view) => {
      if (view.quotesPulled) keeps += 1;
      return keeps <= 2 ? keepQuotes() : ladder(view);
    });
    const { bot, views } = trial;
    const effects = outage(trial);
    effects.push(...bot.after(10, bot.depth(501, [1919, 4], [])));
    effects.push(...bot.after(10, bot.depth(502, [1919, 5], [])));
    bot.after(10, bot.depth(503, [1919, 4], []));
    expect(views.map(({ quotesPulled }) => quotesPulled).slice(0, 4)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(prices(effects)).toEqual([1900, 1940, 1890, 1880]);
    expect(views.at(-1)?.quotesPulled).toBe(false);
  });

  it("are canceled after it when they could not be canceled in time", () => {
    const { bot, placed } = quoting(() => keepQuotes());
    bot.step({ type: "stream", state: "closed", reason: "cut" });
    // No connection: no cancel is sent.
    for (const effect of bot.after(11_000)) {
      if (effect.type !== "cancel") continue;
      const outcome = { type: "not-sent", message: "connection refused" } as const;
      bot.step({ type: "response", intent: effect.intent, outcome });
    }
    expect(leaving(bot).size).toBeLessThan(placed.length);
    const effects = [
      ...bot.after(34_000, { type: "stream", state: "opened", reason: "" }),
      ...bot.step(bot.snapshot(1919, 1921, 500)),
      ...bot.after(1000),
    ];
    expect(placesOf(effects)).toEqual([]);
    expect(leaving(bot).size).toBe(placed.length);
  });
});

/** Intents of the orders that are being canceled. */
function leaving({ notes }: Harness): Set<number> {
  const intents = new Set<number>();
  for (const note of notes) {
    if (note.type !== "order") continue;
    if (note.order.state === "canceling") intents.add(note.order.intent);
    else intents.delete(note.order.intent);
  }
  return intents;
}

it("a pause pulls quotes, and keepQuotes brings none of them back", () => {
  const { bot, placed } = quoting(() => keepQuotes());
  expect(cancelsOf(bot.step({ type: "operator", command: "pause" }))).toHaveLength(4);
  expect(bot.notes).toContainEqual(
    expect.objectContaining({ type: "quoteReason", reason: "paused" }),
  );
  for (const { intent } of placed) bot.step(bot.event(intent, "CANCELED"));
  expect(prices(bot.after(100, { type: "operator", command: "resume" }))).toEqual([]);
});

describe("levels that the touch moves to one price", () => {
  it("are placed as one", () => {
    const bot = new Harness({
      decide: () =>
        setQuotes({
          bids: [2010, 2005, 2002, 1990].map((price, at) => ({ price, size: `${at + 1}` })),
          asks: [2005].map((price, at) => ({ price, size: `${at + 1}` })),
        }),
    });
    const placed = placesOf(bot.begin()).map(
      ({ side, price, quantity }) => `${side} ${Number(quantity) / 1e26} at ${price}`,
    );
    expect(placed.sort()).toEqual(["BUY 1 at 2000.9", "BUY 4 at 1990", "SELL 1 at 2005"]);
  });

  it("are placed as one when the touch moves while they wait for the rate budget", () => {
    const wanted = Array.from({ length: 10 }, (_, at) => ({ price: 1998 - at, size: "1" }));
    let isSet = false;
    const bot = new Harness({
      decide() {
        if (isSet) return keepQuotes();
        isSet = true;
        return setQuotes({ bids: wanted });
      },
      config: { rate: { perSecond: 1, burst: 8, concurrency: 20 } },
    });
    const before = prices(bot.begin());
    const shown = new Set<number>();
    const effects = [...bot.after(10, bot.depth(101, [1999, 0, 1989, 5], [2001, 0, 1991, 5]))];
    for (let at = 0; at < 20; at += 1) {
      const waiting = [...bot.ids.keys()].filter((intent) => !shown.has(intent));
      for (const intent of waiting) shown.add(intent);
      const answers = waiting.flatMap((intent) => [bot.accepted(intent), bot.event(intent, "NEW")]);
      effects.push(...bot.after(900, { type: "stream", state: "alive", reason: "" }, ...answers));
    }
    expect(before.length).toBeLessThan(6);
    expect(prices(effects)).toEqual([1990.9, 1990, 1989]);
  });
});

describe("a quote with place: false that no order fits", () => {
  it.each([true, false])("leaves no order behind, with modify %s", (useModify) => {
    let hasQuoted = false;
    const bot = new Harness({
      config: { useModify },
      decide: () => {
        const wanted = hasQuoted
          ? { price: 1990, size: "1", place: false }
          : { price: 1998, size: "1" };
        hasQuoted = true;
        return setQuotes({ bids: [wanted] });
      },
    });
    const [first] = placesOf(bot.begin());
    if (first === undefined) throw new Error("a quote");
    const effects = [
      ...bot.step(bot.accepted(first.intent)),
      ...bot.after(500, bot.event(first.intent, "NEW")),
    ];
    expect(cancelsOf(effects)).toEqual([bot.ids.get(first.intent)]);
  });
});
