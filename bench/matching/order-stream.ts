import { createHash } from "node:crypto";
import { Prng } from "../../src/base/prng.ts";
import { fixed, fixedFromNumber, type Fixed } from "../../src/domain/fixed.ts";
import {
  type Address,
  marketId,
  type OrderId,
  tokenId,
  type TokenId,
} from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import { isTerminal } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { type UnixMs, unixMs } from "../../src/domain/time.ts";
import type { PlaceOrder } from "../../src/exchange/command.ts";
import type { ExchangeConfig } from "../../src/exchange/config.ts";
import { Exchange } from "../../src/exchange/exchange.ts";

/** One action of an account. Each side receives it in its own form, so that no parsing is measured. */
export type Operation =
  | {
      readonly type: "limit" | "market";
      readonly account: Address;
      readonly txHash: OrderId;
      readonly side: Side;
      /** 0 for a market order. */
      readonly price: number;
      readonly lots: number;
      readonly request: PlaceOrder;
      readonly timeMs: UnixMs;
    }
  | {
      readonly type: "cancel";
      readonly account: Address;
      readonly txHash: OrderId;
      readonly orderId: OrderId;
      readonly timeMs: UnixMs;
    };

/** Quantities are whole lots, so that a peer that adds doubles makes no error. */
export const LOT = fixed("0.0001");

const ACCOUNTS = 64;
const addresses = Array.from({ length: ACCOUNTS }, (_, at) => addressOf(at));
const START = unixMs(1_767_225_600_000);
/** Orders that rest before the mix begins; the number stays about the same. */
const RESTING = 10_000;
const BASE = tokenId("1");
const QUOTE = tokenId("2");

export const market: Market = {
  marketId: marketId(BASE, QUOTE),
  baseToken: BASE,
  quoteToken: QUOTE,
  ticker: "BTC/USDT",
  makerFee: fixed("0.0002"),
  takerFee: fixed("0.0005"),
  listed: true,
  rules: { type: "grid" },
};

/** An exchange with the settings of the paper venue, and accounts that can pay for every order. */
export const exchangeConfig: ExchangeConfig = {
  markets: [market],
  accounts: new Map(addresses.map((address) => [address, funds()])),
};

/** Accounts with a subscriber to their events. */
export const listeningAccounts: ReadonlySet<Address> = new Set(addresses.slice(0, 4));

/**
 * Random operations of 64 accounts: 60 % limit orders, 30 % cancels, 10 % market orders. Prices scatter around a walking mid,
 * most of them near the touch and some across it; about 10,000 orders rest at any time, and cancels mostly hit the newer ones.
 * An exchange that executes the same operations tells which orders can still be canceled.
 */
export function orderStream(count: number): Operation[] {
  const random = new Prng(9);
  const live = new LiveOrders();
  const exchange = new Exchange(exchangeConfig, ({ orderEvents }) => {
    for (const { order } of orderEvents) {
      if (isTerminal(order.status)) live.delete(order.orderId);
      else live.add(order.orderId, order.account);
    }
  });
  const operations: Operation[] = [];
  let mid = 61_800;
  while (operations.length < RESTING + count) {
    const number = operations.length;
    const timeMs = unixMs(START + Math.floor(number / 100));
    const txHash = hashOf(number);
    mid += random.normal() * 0.2;
    const draw = number < RESTING ? 0 : random.unit();
    const canceled = draw > 0.7 ? live.pick(random) : undefined;
    if (canceled !== undefined) {
      const { orderId, account } = canceled;
      exchange.execute(account, { type: "cancel", orderId }, timeMs, { txHash });
      operations.push({ type: "cancel", account, txHash, orderId: copyOf(orderId), timeMs });
      continue;
    }
    const account = random.pick(addresses);
    const side = random.pick(["BUY", "SELL"] as const);
    const type = draw < 0.6 ? ("limit" as const) : ("market" as const);
    const away = random.exponential(200) - (number < RESTING ? 0 : 3);
    const price = type === "market" ? 0 : Math.round(side === "BUY" ? mid - away : mid + away);
    // The more orders rest, the larger the market orders, so that the book keeps its depth.
    const mean = type === "market" ? (400 * live.size) / RESTING : 100;
    const lots = 1 + Math.floor(random.exponential(mean));
    const request: PlaceOrder = {
      type: "place",
      marketId: market.marketId,
      side,
      orderType: type === "limit" ? "LIMIT" : "MARKET",
      orderMode: 0,
      price: fixedFromNumber(price),
      quantity: (BigInt(lots) * LOT) as Fixed,
    };
    exchange.execute(account, request, timeMs, { txHash });
    operations.push({ type, account, txHash, side, price, lots, request, timeMs });
  }
  return operations;
}

/** Orders that are not over, to pick those to cancel. */
class LiveOrders {
  /** Includes ended orders. */
  readonly #placed: Placed[] = [];
  readonly #live = new Set<OrderId>();

  get size(): number {
    return this.#live.size;
  }

  add(orderId: OrderId, account: Address): void {
    if (this.#live.has(orderId)) return;
    this.#live.add(orderId);
    this.#placed.push({ orderId, account });
  }

  delete(orderId: OrderId): void {
    this.#live.delete(orderId);
  }

  /** Mostly a new order, as when a quote is moved; otherwise any. Undefined when the draws found no live one. */
  pick(random: Prng): Placed | undefined {
    const count = this.#placed.length;
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const age = random.chance(0.8) ? random.exponential(1000) : random.unit() * count;
      const placed = this.#placed[count - 1 - Math.floor(age)];
      if (placed !== undefined && this.#live.has(placed.orderId)) return placed;
    }
    return undefined;
  }
}

interface Placed {
  readonly orderId: OrderId;
  readonly account: Address;
}

function addressOf(number: number): Address {
  return `0x${createHash("sha1").update(`account ${number}`).digest("hex")}` as Address;
}

function hashOf(number: number): OrderId {
  return `0x${createHash("sha256").update(`order ${number}`).digest("hex")}` as OrderId;
}

/** A copy of the text: a cancel's id comes from the wire, not from the order. */
function copyOf(orderId: OrderId): OrderId {
  return Buffer.from(orderId, "latin1").toString("latin1") as OrderId;
}

function funds(): Map<TokenId, Fixed> {
  return new Map([
    [BASE, fixed("1000000")],
    [QUOTE, fixed("100000000000")],
  ]);
}
