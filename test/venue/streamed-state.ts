import {
  addFixed,
  fixed,
  fixedText,
  mulFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import type { WireAccountEvent, WireOrderEvent } from "../../src/spec/channels/user-event.ts";
import type { WirePublicTrade } from "../../src/spec/resources.ts";
import { decodeServerFrame, type StreamPush } from "../../src/spec/stream.ts";

/** An order as derived from its events. */
export interface StreamedOrder {
  readonly event: WireOrderEvent;
  /** Whether a TRIGGER event has arrived. */
  readonly isTriggered: boolean;
}

/** The state that a client derives from streams alone: every account's events, and the trades and depth of a market. */
export class StreamedState {
  readonly orders = new Map<string, StreamedOrder>();
  /** Executions, oldest first. */
  readonly fills: WireOrderEvent[] = [];
  readonly trades: WirePublicTrade[] = [];
  readonly bids = new Map<string, string>();
  readonly asks = new Map<string, string>();
  /** By account and token: locked and unlocked together. */
  readonly money = new Map<string, Fixed>();
  lastDepthId = 0;
  lastBlock = 0;

  constructor(accounts: readonly string[], start: Readonly<Record<string, string>>) {
    for (const account of accounts) {
      for (const [token, amount] of Object.entries(start)) {
        this.money.set(`${account} ${token}`, fixed(amount));
      }
    }
  }

  apply(frame: unknown): void {
    const decoded = decodeServerFrame(JSON.stringify(frame));
    if (!decoded.ok) throw new Error(decoded.error);
    if (decoded.value.type === "push") this.#push(decoded.value.push);
  }

  of(account: string): StreamedOrder[] {
    return [...this.orders.values()].filter(({ event }) => event.accountAddress === account);
  }

  #push(push: StreamPush): void {
    switch (push.kind) {
      case "userEvent":
        if (push.payload.topic === "ORDER") this.#order(push.payload);
        else this.#account(push.payload);
        return;
      case "trade":
        this.trades.push(push.payload);
        return;
      case "depth": {
        const { firstId, finalId, bids, asks } = push.payload;
        if (firstId !== this.lastDepthId + 1) throw new Error(`a gap before ${firstId}`);
        this.lastDepthId = finalId;
        applyLevels(this.bids, bids);
        applyLevels(this.asks, asks);
        return;
      }
      case "depthSnapshot":
      case "ticker":
        return;
    }
  }

  #order(event: WireOrderEvent): void {
    if (event.blockNumber < this.lastBlock) throw new Error("a block goes back");
    this.lastBlock = event.blockNumber;
    const before = this.orders.get(event.orderId);
    const isTriggered = before?.isTriggered === true || event.eventType === "TRIGGER";
    this.orders.set(event.orderId, { event, isTriggered });
    if (event.eventType !== "TRADE") return;
    this.fills.push(event);
    const [base = "", quote = ""] = event.marketId.split("_");
    const [quantity, fee] = [fixed(event.lastQty), fixed(event.fee)];
    const worth = mulFixed(fixed(event.lastPrice), quantity);
    const buys = event.side === "BUY";
    this.#add(event.accountAddress, base, buys ? subFixed(quantity, fee) : negative(quantity));
    this.#add(event.accountAddress, quote, buys ? negative(worth) : subFixed(worth, fee));
  }

  #account(event: WireAccountEvent): void {
    const { accountAddress, tokenId } = event;
    const amount = fixed(event.amount);
    // A transfer to oneself makes two events, each of which could be either half.
    if (event.eventType === "TRANSFER" && event.fromAddress === event.toAddress) return;
    const isOut =
      event.eventType === "WITHDRAW" ||
      (event.eventType === "TRANSFER" && event.fromAddress === accountAddress);
    this.#add(accountAddress, tokenId, isOut ? negative(amount) : amount);
  }

  #add(account: string, token: string, amount: Fixed): void {
    const key = `${account} ${token}`;
    this.money.set(key, addFixed(this.money.get(key) ?? ZERO, amount));
  }
}

function negative(amount: Fixed): Fixed {
  return subFixed(ZERO, amount);
}

function applyLevels(
  side: Map<string, string>,
  levels: readonly (readonly [string, string])[],
): void {
  for (const [price, quantity] of levels) {
    if (Number(quantity) === 0) side.delete(price);
    else side.set(price, quantity);
  }
}

/** The book that follows from the open orders of the events. `pairOf` gives the other leg of an OCO pair. */
export function bookOf(
  streamed: StreamedState,
  pairOf: ReadonlyMap<string, string>,
  waits: (orderId: string) => boolean,
): { readonly bids: Map<string, string>; readonly asks: Map<string, string> } {
  const sums = { BUY: new Map<string, Fixed>(), SELL: new Map<string, Fixed>() };
  for (const { event, isTriggered } of streamed.orders.values()) {
    const { orderId, status, side, origPrice } = event;
    if (status !== "NEW" && status !== "PARTIALLY_FILLED") continue;
    if (waits(orderId) && !isTriggered) continue;
    // A fill of one leg reduces the other.
    const pair = streamed.orders.get(pairOf.get(orderId) ?? "");
    const used = addFixed(fixed(event.executedQty), fixed(pair?.event.executedQty ?? "0"));
    const left = subFixed(fixed(event.origQty), used);
    sums[side].set(origPrice, addFixed(sums[side].get(origPrice) ?? ZERO, left));
  }
  const texts = (side: Map<string, Fixed>) =>
    new Map([...side].map(([price, quantity]) => [price, fixedText(quantity)]));
  return { bids: texts(sums.BUY), asks: texts(sums.SELL) };
}
