import { describe, expect, it } from "vitest";
import { fixed, type Fixed, fixedFromNumber } from "../../src/domain/fixed.ts";
import { marketId, type OrderId, type TokenId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { ExchangeCommand, OrderTerms, TpslRequest } from "../../src/exchange/command.ts";
import { testAddress } from "../support/exchange.ts";
import { stopped, liveWorld, type World } from "./live-world.ts";

/** Stop orders, legs, transfers and withdrawals that another program makes on the bot's account do not disturb the bot. */

const other = testAddress(5);
const market = marketId("1", "2");
const hash = (number: number) => `0x${"c0de".repeat(15)}0${number}00` as OrderId;

interface TestOrder extends Partial<OrderTerms> {
  readonly tpsl?: TpslRequest;
  readonly stopPrice?: Fixed;
}

function place(world: World, account: typeof other, txHash: OrderId, order: TestOrder): void {
  const { tpsl, stopPrice, ...given } = order;
  const terms: OrderTerms = {
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed("0"),
    quantity: fixed("1"),
    ...given,
  };
  const command: ExchangeCommand =
    stopPrice === undefined
      ? { type: "place", ...terms, tpsl }
      : { type: "stop", ...terms, stopPrice };
  const now = unixMs(world.clock.nowMs());
  const response = world.venue.exchange.execute(account, command, now, { txHash });
  expect(response).toMatchObject({ type: "accepted", rejected: undefined });
}

describe("another program's stop orders and legs", () => {
  it("do not disturb the bot, which keeps quoting, counts them and leaves them open", async () => {
    const world = await liveWorld(21);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const { exchange } = world.venue;
    const now = (): ReturnType<typeof unixMs> => unixMs(world.clock.nowMs());
    const amounts = new Map([["1" as TokenId, fixed("1000")]]);
    exchange.deposit(other, amounts, now());
    const quoting = () => world.openOrders(bot).filter(({ orderType }) => orderType === "LIMIT");
    expect(quoting().length).toBeGreaterThan(0);
    const bid = exchange.book(market, 1).bids[0]?.price ?? 0;
    const at = (share: number) => fixedFromNumber(gridRules.roundDown(bid * share));

    // One order is filled, so that its legs rest and wait; one stays open with pending legs; two stop orders wait.
    const tpsl = { tpLimit: at(1.2), slTrigger: at(0.8), slLimit: undefined };
    place(world, bot.owner, hash(1), { price: fixedFromNumber(bid), tpsl });
    place(world, bot.owner, hash(2), { price: at(0.85), tpsl });
    place(world, bot.owner, hash(3), { side: "SELL", stopPrice: at(0.82), price: at(0.81) });
    place(world, bot.owner, hash(4), { orderType: "MARKET", stopPrice: at(1.3) });
    await world.clock.runFor(1_000);
    exchange.execute(
      other,
      {
        type: "place",
        marketId: market,
        side: "SELL",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixedFromNumber(bid),
        quantity: fixed("100"),
      },
      now(),
    );
    exchange.execute(other, { type: "cancel-all" }, now());
    expect(exchange.order(legIdsOf(hash(1)).stopLoss)?.status).toBe("NEW");
    await world.clock.runFor(10_000);
    // Another program transfers and withdraws money.
    const move = { to: other, tokenId: "2" as TokenId, amount: fixed("1000") };
    exchange.execute(bot.owner, { type: "token-transfer", ...move }, now());
    exchange.execute(
      other,
      { type: "token-transfer", ...move, to: bot.owner, amount: fixed("10") },
      now(),
    );
    exchange.execute(bot.owner, { type: "withdraw", ...move }, now());
    exchange.execute(bot.owner, { type: "cancel", orderId: legIdsOf(hash(2)).takeProfit }, now());
    exchange.execute(
      bot.owner,
      { type: "modify", orderId: hash(3), price: at(0.8), quantity: undefined },
      now(),
      {
        txHash: hash(5),
      },
    );
    await world.clock.runFor(10_000);
    expect(quoting().length).toBeGreaterThan(0);

    const foreign = world
      .openOrders(bot)
      .filter(({ orderId }) => orderId.startsWith(hash(1).slice(0, 50)));
    expect(foreign.length).toBeGreaterThan(3);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersLeft: 0, foreignOrders: foreign.length });
    expect(world.openOrders(bot)).toHaveLength(foreign.length);
    expect(exchange.order(hash(2))?.status).toBe("NEW");
  });
});
