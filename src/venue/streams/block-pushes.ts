import type { Address } from "../../domain/ids.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { Block } from "../../exchange/records.ts";
import { channels } from "../../spec/channels.ts";
import { type ChannelName, encodePush } from "../../spec/stream.ts";
import { wireAccountEvent, wireLevels, wireOrderEvent, wirePublicTrade } from "../wire.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Trades and user events that are encoded in one turn of the event loop, a few milliseconds: one block may have 20,000. */
const MESSAGES_AT_ONCE = 1_000;

type Payload = Parameters<typeof encodePush>[1];

type UserEvent = Block["orderEvents" | "accountEvents"][number];

/** A message that is not encoded yet. */
interface Message {
  readonly name: ChannelName;
  readonly block: number;
  readonly payload: () => Payload;
}

/** Turns a block into messages for subscribed channels; nothing else is encoded. */
export class BlockPushes {
  readonly #subscriptions: Subscriptions;
  /** Channel names of subscribed addresses, so that no checksum is computed per event. */
  readonly #users = new Map<Address, ChannelName>();
  readonly #timer: Timer;
  /** Messages for a later turn, oldest first. */
  #waiting: Message[] = [];
  #next: TimerHandle | undefined;
  #newestBlock = 0;

  constructor(subscriptions: Subscriptions, timer: Timer) {
    this.#subscriptions = subscriptions;
    this.#timer = timer;
  }

  /** Number of the newest block whose messages were sent, or wait for a later turn. */
  get newestBlock(): number {
    return this.#newestBlock;
  }

  close(): void {
    this.#next?.cancel();
    this.#waiting = [];
  }

  /** Called when a client subscribes to this address's events. */
  watchUser(address: Address, name: ChannelName): void {
    this.#users.set(address, name);
  }

  /** Called when no client is subscribed to them any more. */
  forgetUser(address: Address): void {
    this.#users.delete(address);
  }

  /** Depth is sent at once, so that no snapshot of the book overtakes it; of a block with many trades it comes before the last ones. */
  push(block: Block): void {
    const { blockNumber } = block;
    this.#newestBlock = blockNumber;
    for (const trade of block.trades) {
      const name = marketChannel("trade", trade.marketId);
      if (this.#subscriptions.has(name.key)) {
        this.#waiting.push({ name, block: blockNumber, payload: () => wirePublicTrade(trade) });
      }
    }
    this.#pushNow();
    for (const change of block.depth) {
      const name = marketChannel("depth", change.marketId);
      if (!this.#subscriptions.has(name.key)) continue;
      const payload = {
        marketId: change.marketId,
        bids: wireLevels(change.bids),
        asks: wireLevels(change.asks),
        firstId: change.firstId,
        finalId: change.finalId,
        time: change.timeMs,
      };
      this.#subscriptions.send(name.key, encodePush(name, payload), blockNumber);
    }
    for (const event of block.orderEvents) this.#takeUser(event, () => wireOrderEvent(event));
    for (const event of block.accountEvents) this.#takeUser(event, () => wireAccountEvent(event));
    this.#pushNow();
  }

  #takeUser({ account, blockNumber: block }: UserEvent, payload: () => Payload): void {
    const name = this.#users.get(account);
    if (name !== undefined) this.#waiting.push({ name, block, payload });
  }

  /** Pushes in this turn, unless earlier messages wait for the next one. */
  #pushNow(): void {
    if (this.#next === undefined && this.#waiting.length > 0) this.#pushSome();
  }

  #pushSome(): void {
    this.#next = undefined;
    const isAll = this.#waiting.length <= MESSAGES_AT_ONCE;
    const messages = isAll ? this.#waiting : this.#waiting.splice(0, MESSAGES_AT_ONCE);
    if (isAll) this.#waiting = [];
    else this.#next = this.#timer.soon(() => this.#pushSome());
    for (const { name, block, payload } of messages) {
      if (!this.#subscriptions.has(name.key)) continue;
      this.#subscriptions.send(name.key, encodePush(name, payload()), block);
    }
  }
}

/** The canonical name of a market's channel. */
export function marketChannel<Kind extends "trade" | "depth" | "depthSnapshot">(
  kind: Kind,
  marketId: string,
): ChannelName & { readonly kind: Kind } {
  const text = `${channels[kind].name}@${marketId}`;
  return { kind, parameter: marketId, key: text, text };
}
