import { DecisionLog } from "../../src/sim/decision-log.ts";
import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { MarketWatches } from "../../src/sim/market-watches.ts";
import { faults, SEVERAL_MARKETS } from "../../src/sim/faults.ts";
import { scenarioOf, SECOND_MARKET_MAKER } from "../../src/sim/scenario.ts";
import { SECOND_MARKET } from "../../src/sim/simulated-markets.ts";
import { SentCommands } from "../../src/sim/sent-commands.ts";
import { funds, limit, NOW, testExchange, testMarket, USDT } from "../support/exchange.ts";
import { goodEnd, observed, owner, plain, quietWorld, sent } from "./watched-invariant.ts";

const second = testMarket({
  marketId: SECOND_MARKET,
  baseToken: tokenId("3"),
  ticker: "BTC/USDT",
});

/** Invariants of two markets that watch an exchange. The position limit is 1 in the first market and 2 in the second. */
function twoMarkets() {
  const held = new Map([...funds("1000", "1000000"), [second.baseToken, fixed("1000")]]);
  const { exchange } = testExchange({
    markets: [testMarket(), second],
    accounts: new Map([[owner, held]]),
  });
  const kinds = faults.filter(({ name }) => name === SEVERAL_MARKETS);
  const given = scenarioOf({ seed: 1, owner, faults: kinds });
  if (given.secondMarket === undefined) throw new Error("a second market");
  const world = quietWorld();
  const commands = new SentCommands(() => world.nowMs);
  const watches = new MarketWatches({
    scenario: {
      ...given,
      maxPosition: "1",
      secondMarket: { ...given.secondMarket, maxPosition: "2" },
    },
    owner,
    quotesPerSide: 1,
    world: observed(world, commands),
    shown: () => undefined,
    booksRead: () => [],
    decisions: new DecisionLog(),
  });
  watches.start(exchange);
  watches.watch();
  const tick = (): readonly string[] => {
    watches.violations.length = 0;
    watches.tick();
    return watches.violations;
  };
  const placeSecond = (quantity: string): void => {
    const order = { ...limit("BUY", "100", quantity), marketId: SECOND_MARKET };
    exchange.execute(owner, order, NOW);
  };
  return { exchange, world, commands, watches, tick, placeSecond };
}

describe("invariants of several markets", () => {
  it("judge each market by its own orders and limits", () => {
    const { exchange, tick, placeSecond } = twoMarkets();
    exchange.execute(owner, limit("BUY", "100", "1"), NOW);
    placeSecond("2");
    expect(tick()).toEqual([]);
    placeSecond("0.1");
    expect(tick()).toEqual(["0.000 s: exposure: in 3_2: BUY 2.1, limit 2.002"]);
  });

  it("count a command under way in its market only", () => {
    const { exchange, commands, tick } = twoMarkets();
    exchange.execute(owner, limit("BUY", "100", "1"), NOW);
    commands.sent(sent(NOW, "0x", { ...plain("BUY", "100", "2"), marketId: SECOND_MARKET }));
    expect(tick()).toEqual([]);
    commands.sent(sent(NOW + 1, "0x", plain("BUY", "100", "1")));
    expect(tick()).toEqual(["0.000 s: exposure: BUY 2, limit 1.001"]);
  });

  it("judge the whole bot once, over all markets", () => {
    const { world, watches } = twoMarkets();
    world.appended = "0x01 0x02";
    watches.request(sent(7, "0x01"));
    expect(watches.violations).toEqual([]);
    watches.request(sent(7, "0x02", { ...plain("BUY", "100", "1"), marketId: SECOND_MARKET }));
    expect(watches.violations).toEqual([
      "0.000 s: one-nonce-one-command: nonce 7 signs two commands",
    ]);
  });

  it("compare the summary's inventory of a shared token with the fills of each market", () => {
    const { watches } = twoMarkets();
    const { summary } = goodEnd;
    const fields = { ...summary, position: null };
    const strategies = [
      { ...fields, name: "maker", inventory: { [USDT]: "0" } },
      { ...fields, name: SECOND_MARKET_MAKER, inventory: { [USDT]: "5" } },
    ];
    watches.check((hooks) => hooks.ended?.({ ...goodEnd, summary: { ...summary, strategies } }));
    expect(watches.violations).toEqual([
      "0.000 s: same-money: in 3_2: the summary has an inventory of 5 of token 2, the fills of the run sum to 0",
    ]);
  });
});
