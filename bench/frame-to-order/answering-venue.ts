import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixed, fixedFromNumber, mulFixed, subFixed, ZERO } from "../../src/domain/fixed.ts";
import type { Address, OrderId } from "../../src/domain/ids.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Read } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";
import { benchMarket } from "../recorded-frames.ts";
import { baseToken, quoteToken, type Terms } from "./terms.ts";

/**
 * A venue's responses between the frames: it accepts every order, cancels the quote of the other side, and answers reads from
 * the orders it holds and the recording's first book.
 */
export class AnsweringVenue {
  readonly #book: RecordedBook;
  readonly #terms: Terms;
  readonly #owner: Address;
  readonly #live: Partial<Record<Side, OrderReport>> = {};
  #block = 0;

  constructor(options: {
    readonly book: RecordedBook;
    readonly terms: Terms;
    readonly owner: Address;
  }) {
    this.#book = options.book;
    this.#terms = options.terms;
    this.#owner = options.owner;
  }

  /** Makes the order rest, and ends the order of the other side. */
  take(command: PlaceCommand, orderId: OrderId, nowMs: number): Input[] {
    const { intent, side } = command;
    const order = this.#reportOf(command, orderId, nowMs);
    const inputs: Input[] = [
      { type: "response", intent, outcome: { type: "accepted" } },
      this.#event("NEW", order, nowMs),
    ];
    const other: Side = side === "BUY" ? "SELL" : "BUY";
    const gone = this.#live[other];
    this.#live[side] = order;
    delete this.#live[other];
    if (gone !== undefined) inputs.push(this.#canceled(gone, nowMs));
    return inputs;
  }

  cancelAll(nowMs: number): Input[] {
    const left = Object.values(this.#live);
    delete this.#live.BUY;
    delete this.#live.SELL;
    return left.map((order) => this.#canceled(order, nowMs));
  }

  /** Undefined for a read that this benchmark does not need. */
  response(read: Read, nowMs: number): Input | undefined {
    switch (read.type) {
      case "venueTime":
        return { type: "venueTime", offsetMs: 0, roundTripMs: 1 };
      case "openOrders":
        return { type: "openOrders", orders: Object.values(this.#live) };
      case "fills":
        return { type: "fills", fills: [] };
      case "balances":
        return this.#balances();
      case "book":
        return this.#snapshot(nowMs);
      default:
        return undefined;
    }
  }

  #balances(): Input {
    this.#block += 1;
    const { base, quote } = this.#terms;
    const { BUY, SELL } = this.#live;
    const lockedQuote = BUY === undefined ? ZERO : mulFixed(BUY.price, BUY.origQty);
    const lockedBase = SELL === undefined ? ZERO : SELL.origQty;
    return {
      type: "balances",
      blockNumber: this.#block,
      balances: [
        { tokenId: baseToken, locked: lockedBase, unlocked: subFixed(fixed(base), lockedBase) },
        { tokenId: quoteToken, locked: lockedQuote, unlocked: subFixed(fixed(quote), lockedQuote) },
      ],
    };
  }

  #snapshot(nowMs: number): Input {
    const { lastId, bids, asks } = this.#book;
    const flat = (levels: RecordedBook["bids"]) => Float64Array.from(levels.flat(), Number);
    const snapshot = {
      marketId: benchMarket,
      lastId,
      timeMs: unixMs(nowMs),
      bids: flat(bids),
      asks: flat(asks),
    };
    return { type: "book", snapshot };
  }

  #canceled(order: OrderReport, nowMs: number): Input {
    return this.#event("CANCEL", { ...order, status: "CANCELED" }, nowMs);
  }

  #event(eventType: "NEW" | "CANCEL", order: OrderReport, nowMs: number): Input {
    this.#block += 1;
    return {
      type: "orderEvent",
      event: {
        eventType,
        order,
        fill: undefined,
        blockNumber: this.#block,
        timeMs: unixMs(nowMs),
        txHash: order.orderId,
      },
    };
  }

  #reportOf(command: PlaceCommand, orderId: OrderId, nowMs: number): OrderReport {
    return {
      orderId,
      account: this.#owner,
      marketId: command.marketId,
      side: command.side,
      orderType: "LIMIT",
      orderMode: 0,
      price: fixedFromNumber(command.price),
      origQty: command.quantity,
      origQuoteOrderQty: ZERO,
      executedQty: ZERO,
      executedQuoteQty: ZERO,
      status: "NEW",
      createdAtMs: unixMs(nowMs),
      updatedAtMs: unixMs(nowMs),
    };
  }
}
