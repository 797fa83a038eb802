import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import type { Block } from "../../src/exchange/records.ts";
import { exchangeConfig, listeningAccounts, LOT, market, type Operation } from "./order-stream.ts";

/** A trade in the terms that both sides report. */
export interface Traded {
  readonly price: number;
  readonly lots: number;
  readonly maker: string;
}

/** A level of the book: price and lots. */
export type Level = readonly [price: number, lots: number];

/** An exchange under test. */
export interface MatchingSide {
  /** Carries out the operation and reads its effects; adds every trade to `trades` if it is given. */
  take(operation: Operation, trades?: Traded[]): void;
  /** Best first. */
  book(): { readonly bids: Level[]; readonly asks: Level[] };
  /** Describes an inconsistency of its own state; undefined when there is none. */
  problem(): string | undefined;
}

/**
 * Ours, as the paper venue has it: fees, balances, locks, history, and a listener that receives every order event, trade and
 * changed level. It reads the complete records of the subscribed accounts, as the streams of the venue do.
 */
export function touchlineSide(): MatchingSide {
  let trades: Traded[] | undefined;
  let observed = 0;
  const listener = ({ orderEvents, trades: printed, depth }: Block): void => {
    for (const event of orderEvents) {
      observed += 1;
      if (!listeningAccounts.has(event.account)) continue;
      observed += event.order.orderId.length + (event.fill?.tradeId.length ?? 0);
    }
    for (const { bids, asks } of depth) {
      for (const { price } of bids) observed += price;
      for (const { price } of asks) observed += price;
    }
    for (const { price, quantity, isBuyerMaker, buyOrderId, sellOrderId } of printed) {
      observed += price;
      const maker = isBuyerMaker ? buyOrderId : sellOrderId;
      trades?.push({ price, lots: lotsOf(quantity), maker });
    }
  };
  const exchange = new Exchange(exchangeConfig, listener);
  return {
    take(operation, into) {
      trades = into;
      const { account, txHash, timeMs } = operation;
      const response =
        operation.type === "cancel"
          ? exchange.execute(account, { type: "cancel", orderId: operation.orderId }, timeMs, {
              txHash,
            })
          : exchange.execute(account, operation.request, timeMs, { txHash });
      if (response.type === "refused") throw new Error(response.message);
    },
    book() {
      const { bids, asks } = exchange.book(market.marketId, Number.POSITIVE_INFINITY);
      const levels = (side: typeof bids): Level[] =>
        side.map(({ price, quantity }) => [price, lotsOf(quantity)]);
      return { bids: levels(bids), asks: levels(asks) };
    },
    problem() {
      for (const [token, { held, deposited }] of exchange.ledger.audit()) {
        if (held !== deposited)
          return `token ${token}: ${held} are held, ${deposited} were paid in`;
      }
      return observed > 0 ? undefined : "nothing was observed";
    },
  };
}

function lotsOf(quantity: Fixed): number {
  return Number(quantity / LOT);
}

/** The part of nodejs-order-book that the benchmark uses. */
interface PeerOrder {
  readonly id: string;
  readonly price: number;
  readonly size: number;
}
interface PeerResult {
  readonly done: readonly PeerOrder[];
  readonly partial: PeerOrder | null;
  readonly partialQuantityProcessed: number;
}
interface PeerTerms {
  readonly side: "buy" | "sell";
  readonly size: number;
  readonly accountId: string;
  readonly stpMode: string;
}
interface PeerBook {
  limit(order: PeerTerms & { readonly id: string; readonly price: number }): PeerResult;
  market(order: PeerTerms): PeerResult;
  cancel(orderId: string): unknown;
  depth(): [asks: Level[], bids: Level[]];
}

export const PEER_MISSING = "nodejs-order-book is not installed: npm ci --prefix bench";

/** Makes peers; undefined when it is not installed. Its orders carry their account, so that it prevents self-trades as ours does. */
export function nodejsOrderBook(): (() => MatchingSide) | undefined {
  const folder = path.join(import.meta.dirname, "../node_modules/nodejs-order-book");
  if (!existsSync(folder)) return undefined;
  const { OrderBook } = createRequire(import.meta.url)(folder) as {
    readonly OrderBook: new () => PeerBook;
  };
  return () => {
    const book = new OrderBook();
    const tell = (id: OrderId, result: PeerResult, trades: Traded[] | undefined): void => {
      for (const order of result.done) {
        // A filled limit order is the last entry of `done`.
        if (order.id !== id)
          trades?.push({ price: order.price, lots: order.size, maker: order.id });
      }
      const { partial, partialQuantityProcessed: lots } = result;
      if (partial !== null && partial.id !== id) {
        trades?.push({ price: partial.price, lots, maker: partial.id });
      }
    };
    return {
      take(operation, trades) {
        if (operation.type === "cancel") {
          book.cancel(operation.orderId);
          return;
        }
        const { txHash: id, account: accountId, price, lots: size } = operation;
        const side = operation.side === "BUY" ? "buy" : "sell";
        const stpMode = "EXPIRE_TAKER";
        const result =
          operation.type === "limit"
            ? book.limit({ id, side, size, price, accountId, stpMode })
            : book.market({ side, size, accountId, stpMode });
        tell(id, result, trades);
      },
      book() {
        const [asks, bids] = book.depth();
        return { asks, bids };
      },
      problem: () => undefined,
    };
  };
}
