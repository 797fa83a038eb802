import type { Command } from "../../domain/command.ts";
import type { FlatLevels } from "../../domain/depth.ts";
import {
  addFixed,
  type Fixed,
  fixedFromNumber,
  mulFixed,
  subFixed,
  ZERO,
} from "../../domain/fixed.ts";
import type { Address, OrderId } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import type { OrderReport } from "../../domain/order.ts";
import type { Side } from "../../domain/side.ts";
import { unixMs } from "../../domain/time.ts";
import type { Read } from "../../kernel/effect.ts";
import type { Input } from "../../kernel/input.ts";

export interface StandInVenueOptions {
  readonly owner: Address;
  readonly market: Market;
  /** The book that a read gives: best first, before any depth event. */
  readonly book: {
    readonly lastId: number;
    readonly bids: FlatLevels;
    readonly asks: FlatLevels;
  };
  /** Balances of the account in base and quote token. */
  readonly funds: { readonly base: Fixed; readonly quote: Fixed };
}

/**
 * The responses of a venue that takes every command and fills nothing, for the compiling of the order path and benchmarks: it has no network, no time and no
 * other accounts.
 */
export class StandInVenue {
  readonly #options: StandInVenueOptions;
  readonly #live = new Map<OrderId, OrderReport>();
  #block = 0;

  constructor(options: StandInVenueOptions) {
    this.#options = options;
  }

  /** What the bot hears of a command that it has sent. Stop orders are refused. */
  take(command: Command, txHash: OrderId, nowMs: number): Input[] {
    const { intent } = command;
    const accepted: Input = { type: "response", intent, outcome: { type: "accepted" } };
    switch (command.type) {
      case "place": {
        const { side, price, quantity } = command;
        return [accepted, this.#opened({ orderId: txHash, side, price, quantity }, txHash, nowMs)];
      }
      case "modify": {
        const { orderId, side, newPrice: price, newQty: quantity } = command;
        return [
          accepted,
          ...this.#canceled(orderId, txHash, nowMs),
          this.#opened({ orderId: txHash, side, price, quantity }, txHash, nowMs),
        ];
      }
      case "cancel":
        return [accepted, ...this.#canceled(command.orderId, txHash, nowMs)];
      case "stop": {
        const message = "no stop orders";
        const refused = { type: "refused", reason: "invalid", message } as const;
        return [{ type: "response", intent, outcome: { ...refused, retryAfterMs: undefined } }];
      }
    }
  }

  /** Cancels all orders, or those of one side, without a command. */
  cancelAll(nowMs: number, side?: Side): Input[] {
    return [...this.#live.values()]
      .filter((order) => side === undefined || order.side === side)
      .flatMap(({ orderId }) => this.#canceled(orderId, orderId, nowMs));
  }

  /** Undefined for a read of a single order: the outcome of no command is open. */
  response(read: Read, nowMs: number): Input | undefined {
    switch (read.type) {
      case "venueTime":
        return { type: "venueTime", offsetMs: 0, roundTripMs: 1 };
      case "openOrders":
        return { type: "openOrders", orders: [...this.#live.values()] };
      case "fills":
        return { type: "fills", fills: [] };
      case "transfers":
        return { type: "transfers", transfers: [] };
      case "markets":
        return { type: "markets", markets: [this.#options.market] };
      case "candles":
        return { ...read, candles: [] };
      case "trades":
        return { type: "trades", marketId: read.marketId, trades: [] };
      case "balances":
        return this.#balances();
      case "book": {
        const { book, market } = this.#options;
        const { marketId } = market;
        return { type: "book", snapshot: { ...book, marketId, timeMs: unixMs(nowMs) } };
      }
      case "order":
        return undefined;
    }
  }

  #balances(): Input {
    this.#block += 1;
    const { funds, market } = this.#options;
    let base = ZERO;
    let quote = ZERO;
    for (const { side, price, origQty } of this.#live.values()) {
      if (side === "SELL") base = addFixed(base, origQty);
      else quote = addFixed(quote, mulFixed(price, origQty));
    }
    return {
      type: "balances",
      blockNumber: this.#block,
      balances: [
        { tokenId: market.baseToken, locked: base, unlocked: subFixed(funds.base, base) },
        { tokenId: market.quoteToken, locked: quote, unlocked: subFixed(funds.quote, quote) },
      ],
    };
  }

  #opened(
    {
      orderId,
      side,
      price,
      quantity,
    }: {
      readonly orderId: OrderId;
      readonly side: Side;
      readonly price: number;
      readonly quantity: Fixed;
    },
    txHash: OrderId,
    nowMs: number,
  ): Input {
    const order: OrderReport = {
      orderId,
      account: this.#options.owner,
      marketId: this.#options.market.marketId,
      side,
      orderType: "LIMIT",
      orderMode: 0,
      price: fixedFromNumber(price),
      origQty: quantity,
      origQuoteOrderQty: ZERO,
      executedQty: ZERO,
      executedQuoteQty: ZERO,
      status: "NEW",
      createdAtMs: unixMs(nowMs),
      updatedAtMs: unixMs(nowMs),
    };
    this.#live.set(orderId, order);
    return this.#event("NEW", order, txHash, nowMs);
  }

  /** Empty for an order that is not open. */
  #canceled(orderId: OrderId, txHash: OrderId, nowMs: number): Input[] {
    const order = this.#live.get(orderId);
    if (order === undefined) return [];
    this.#live.delete(orderId);
    return [this.#event("CANCEL", { ...order, status: "CANCELED" }, txHash, nowMs)];
  }

  #event(eventType: "NEW" | "CANCEL", order: OrderReport, txHash: OrderId, nowMs: number): Input {
    this.#block += 1;
    return {
      type: "orderEvent",
      event: {
        eventType,
        order,
        fill: undefined,
        blockNumber: this.#block,
        timeMs: unixMs(nowMs),
        txHash,
      },
    };
  }
}
