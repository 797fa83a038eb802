import { describe, expect, it } from "vitest";
import type { Budget } from "../../src/domain/budget.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId as marketIdOf, tokenId } from "../../src/domain/ids.ts";
import { inMarkets, setQuotes } from "../../src/strategy/contract.ts";
import { inventoryOf } from "../../src/strategy/inventory.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { testMarket } from "../support/exchange.ts";
import { Harness, market, placesOf, scripted, unwatched } from "./harness.ts";

const { marketId } = market;
const amounts: Budget = { base: { amount: fixed("10") }, quote: { amount: fixed("5000") } };
const halves: Budget = { base: { share: fixed("0.5") }, quote: { share: fixed("0.5") } };

interface Seen {
  readonly base: string | undefined;
  readonly quote: string | undefined;
  readonly budget: string | undefined;
  readonly inventory: number;
}

/** A bot with 100 base and 1,000,000 quote, whose strategy bids `size` at 1990. */
class BudgetBot extends Harness {
  seen: Seen | undefined;

  constructor(budget: Budget | undefined, size = "1") {
    const definition = scripted((view) => {
      this.seen = shown(view);
      return setQuotes({ bids: [{ price: 1990, size }] });
    });
    const strategies = [{ name: "maker", definition, params: {}, marketId, seed: 1, budget }];
    super({ decide: () => setQuotes({}), config: { timing: unwatched, strategies } });
  }

  get denied(): unknown[] {
    return this.notes.flatMap((note) => (note.type === "denied" ? [note.reason] : []));
  }
}

function shown(view: MarketView): Seen {
  const { balance, budget } = view;
  const text = (token: "base" | "quote") => {
    const { free, total } = balance(token) ?? {};
    return `${free?.toFixed()} of ${total?.toFixed()}`;
  };
  const settings = { inventory: "balance", sizeSkew: 1, priceSkew: 0 } as const;
  return {
    base: text("base"),
    quote: text("quote"),
    budget: budget.quote?.toFixed(),
    inventory: inventoryOf(view, settings, { price: 1000, range: 10 }),
  };
}

describe("a budget", () => {
  it("limits the balance that a strategy sees, and its inventory is measured against it", () => {
    const bot = new BudgetBot(amounts);
    bot.begin();
    // 10 base are worth 10,000 beside 5,000 quote: 2.5 more than half.
    expect(bot.seen).toEqual({
      base: "10 of 10",
      quote: "5000 of 5000",
      budget: "5000",
      inventory: 0.25,
    });
  });

  it("is never more than what the account has free", () => {
    const bot = new BudgetBot(amounts);
    bot.begin(undefined, bot.balances("3", "100"));
    expect(bot.seen).toMatchObject({ base: "3 of 3", quote: "100 of 100" });
  });

  it("lets a strategy use its open orders' room and its fills once", () => {
    const bot = new BudgetBot(amounts);
    const [order] = placesOf(bot.begin());
    if (order === undefined) throw new Error("an order");
    bot.step(bot.accepted(order.intent), bot.event(order.intent, "NEW"));
    bot.step(bot.depth(101, [1999, 6], []));
    expect(bot.seen).toMatchObject({ base: "10 of 10", quote: "3010 of 5000" });
    bot.step(bot.event(order.intent, "FILLED", { quantity: "1", tradeId: "1" }));
    expect(bot.seen?.quote).toBe("3010 of 3010");
    expect(Number(bot.seen?.base?.split(" of ")[0])).toBeCloseTo(11, 2);
  });

  it("in shares is of what the account has without the strategies' fills", () => {
    const bot = new BudgetBot(halves);
    const [order] = placesOf(bot.begin());
    if (order === undefined) throw new Error("an order");
    expect(bot.seen).toMatchObject({ base: "50 of 50", quote: "500000 of 500000" });
    bot.step(bot.accepted(order.intent), bot.event(order.intent, "NEW"));
    bot.step(bot.event(order.intent, "FILLED", { quantity: "1", tradeId: "1" }));
    expect(bot.seen).toMatchObject({ quote: "498010 of 498010", budget: "500000" });
  });

  it("denies an order that needs more, and nothing without a budget", () => {
    const bot = new BudgetBot(amounts, "3");
    expect(placesOf(bot.begin())).toEqual([]);
    expect(bot.denied).toContainEqual({ rule: "budget", limit: "5000", actual: "5970" });
    expect(placesOf(new BudgetBot(undefined, "3").begin())).toHaveLength(1);
    expect(placesOf(new BudgetBot({ base: { amount: fixed("0") } }, "3").begin())).toHaveLength(1);
  });

  it("is one over all markets of a strategy, in which both sides and fills count", () => {
    const hedge = testMarket({ marketId: marketIdOf("1", "3"), quoteToken: tokenId("3") });
    let seen: readonly unknown[] = [];
    const asks = [{ price: 2010, size: "6" }];
    const definition = scripted(({ markets: { main, hedge: other } }) => {
      seen = [main, other].map((view) => view?.balance("base")?.total.toFixed());
      return inMarkets({ main: setQuotes({ asks }), hedge: setQuotes({ asks }) });
    });
    const binding = { params: {}, marketId, otherMarkets: { hedge: hedge.marketId }, seed: 1 };
    const roles = ["main", "hedge"] as const;
    const pair = { ...definition, markets: roles };
    const strategies = [{ name: "pair", definition: pair, budget: amounts, ...binding }];
    const markets = [market, hedge];
    const config = { timing: unwatched, markets, strategies };
    const bot = new Harness({ decide: () => setQuotes({}), config });
    const [order] = placesOf(bot.begin());
    if (order === undefined) throw new Error("an order");
    const book = bot.snapshot(1999, 2001, 100, hedge);
    expect(placesOf(bot.step(bot.accepted(order.intent), book))).toEqual([]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ reason: { rule: "budget", limit: "4", actual: "6" } }),
    );
    const fill = bot.event(order.intent, "FILLED", { quantity: "6", tradeId: "1" });
    bot.step(bot.event(order.intent, "NEW"), fill);
    expect(seen).toEqual(["4", "4"]);
  });
});
