import type { MarketDataListener } from "../../src/exchange/block-builder.ts";
import { expect } from "vitest";
import { fixed, fixedText, type Fixed } from "../../src/domain/fixed.ts";
import {
  marketId,
  tokenId,
  type Address,
  type OrderId,
  type TokenId,
} from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import type { ExchangeConfig } from "../../src/exchange/config.ts";
import type { ChangeSession, PlaceOrder, VerifiedTransaction } from "../../src/exchange/command.ts";
import type { WireCommand } from "../../src/spec/commands.ts";
import { decodeCommand } from "../../src/spec/context.ts";
import type { Block, CommandResult } from "../../src/exchange/records.ts";
import type { RefusalReason } from "../../src/domain/command.ts";

/** A small exchange for tests: token 1 (base) against token 2 (quote), and accounts with plenty of both. */

export const ETH = tokenId("1");
export const USDT = tokenId("2");
export const ETH_USDT = marketId("1", "2");
/** Every row that a list of the exchange can give. */
export const WHOLE_HISTORY = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 500 };
export const NOW: UnixMs = unixMs(1_767_225_600_000);

export function testMarket(change: Partial<Market> = {}): Market {
  return {
    marketId: ETH_USDT,
    baseToken: ETH,
    quoteToken: USDT,
    ticker: "ETH/USDT",
    makerFee: fixed("0.0002"),
    takerFee: fixed("0.0005"),
    listed: true,
    rules: { type: "grid" },
    ...change,
  };
}

/** The `number`-th account of a test. */
export function testAddress(number: number): Address {
  return `0x${number.toString(16).padStart(40, "a")}` as Address;
}

/** The `number`-th hash of a test. */
export function testHash(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

/** The `number`-th hash whose two successors, the ids of an order's legs, belong to no other of these. */
export function testHashWithLegs(number: number): OrderId {
  return testHash(number * 256);
}

export function funds(eth: string, usdt: string): Map<TokenId, Fixed> {
  return new Map([
    [ETH, fixed(eth)],
    [USDT, fixed(usdt)],
  ]);
}

export interface TestExchange {
  readonly exchange: Exchange;
  readonly blocks: Block[];
  /** The newest block. */
  last(): Block;
}

export function testExchange(
  config: Partial<ExchangeConfig> = {},
  accounts: readonly [eth: string, usdt: string][] = Array.from(
    { length: 5 },
    () => ["1000", "1000000"] as const,
  ).map(([eth, usdt]) => [eth, usdt]),
  marketData?: MarketDataListener,
): TestExchange {
  const blocks: Block[] = [];
  const exchange = new Exchange(
    {
      markets: [testMarket()],
      accounts: new Map(accounts.map(([eth, usdt], at) => [testAddress(at + 1), funds(eth, usdt)])),
      ...config,
    },
    (block) => blocks.push(block),
    marketData,
  );
  const last = (): Block => {
    const block = blocks.at(-1);
    if (block === undefined) throw new Error("no block yet");
    return block;
  };
  return { exchange, blocks, last };
}

/** The state of an exchange as the rows of its snapshot. */
export const stateOf = (exchange: Exchange): Record<string, unknown[]> =>
  Object.fromEntries(
    exchange
      .save()
      .map((part) => [
        part.name,
        Array.from({ length: part.size }, (_, at): unknown =>
          JSON.parse(JSON.stringify(part.row(at))),
        ),
      ]),
  );

export function limit(side: Side, price: string, quantity: string): PlaceOrder {
  return {
    type: "place",
    marketId: ETH_USDT,
    side,
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed(price),
    quantity: fixed(quantity),
  };
}

/** `mode` 1: the quantity is in quote token. */
export function market(side: Side, quantity: string, mode: 0 | 1 = 0): PlaceOrder {
  return { ...limit(side, "0", quantity), orderType: "MARKET", orderMode: mode };
}

/** `[price, quantity]` texts of one side, best first. */
export function levels(exchange: Exchange, side: Side): (readonly [number, string])[] {
  const book = exchange.book(ETH_USDT, 5000);
  return (side === "BUY" ? book.bids : book.asks).map((level) => [
    level.price,
    fixedText(level.quantity),
  ]);
}

/** `unlocked/locked` of a token as text. */
export function money(exchange: Exchange, account: Address, token: TokenId): string {
  const balance = exchange.balances(account).find((line) => line.tokenId === token);
  return balance === undefined
    ? "none"
    : `${fixedText(balance.unlocked)}/${fixedText(balance.locked)}`;
}

/** A verified transaction whose command comes as its wire context, as the venue reads it. */
export function transactionOf({
  command: wire,
  session = { l1signer: testAddress(1), name: "" },
  ...head
}: Pick<VerifiedTransaction, "signer" | "txHash" | "nonce"> & {
  readonly command: WireCommand;
  /** Of a session command. */
  readonly session?: Pick<ChangeSession, "l1signer" | "name">;
}): VerifiedTransaction {
  const { command, ...decoded } = decodeCommand(wire);
  return {
    ...head,
    ...decoded,
    command: command.type === "session" ? { ...command, ...session } : command,
  };
}

/** `accepted`, or the reason of a refusal. */
export function outcomeOf(result: CommandResult): "accepted" | RefusalReason {
  return result.type === "accepted" ? "accepted" : result.reason;
}

/** A trade of 1 at this price between the second and the third account, with nothing of theirs left behind. */
export function tradeAt({ exchange }: TestExchange, price: string): void {
  exchange.execute(testAddress(2), limit("SELL", price, "1"), NOW);
  exchange.execute(testAddress(3), limit("BUY", price, "1"), NOW);
}

/** `[type, order id]` of each order event in the newest block. */
export function lastEvents({ last }: TestExchange): (readonly [string, string])[] {
  return last().orderEvents.map((event) => [event.eventType, event.order.orderId]);
}

/** Expects the balances of all accounts to add up to the deposits. */
export function expectConservation({ exchange }: TestExchange): void {
  const totals = [...exchange.ledger.audit().values()];
  expect(totals).not.toEqual([]);
  for (const { held, deposited } of totals) expect(held).toBe(deposited);
}
