import type { Address } from "../../domain/ids.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { Block } from "../../exchange/records.ts";
import { channels } from "../../spec/channels.ts";
import { type ChannelName, encodePush } from "../../spec/stream.ts";
import { wireAccountEvent, wireLevels, wireOrderEvent, wirePublicTrade } from "../wire.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** User events that are encoded in one turn of the event loop, a few milliseconds: one block may cancel 20,000 orders. */
const EVENTS_AT_ONCE = 1_000;

type UserEvent = Block["orderEvents" | "accountEvents"][number];

/** Turns a block into messages for subscribed channels; nothing else is encoded. */
export class BlockPushes {
  readonly #subscriptions: Subscriptions;
  /** Channel names of subscribed addresses, so that no checksum is computed per event. */
  readonly #users = new Map<Address, ChannelName>();
  readonly #timer: Timer;
  /** User events for a later turn, oldest first. */
  #waiting: UserEvent[] = [];
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

  push(block: Block): void {
    this.#newestBlock = block.blockNumber;
    for (const trade of block.trades) {
      const name = marketChannel("trade", trade.marketId);
      if (this.#subscriptions.has(name.text)) this.#send(name, wirePublicTrade(trade));
    }
    for (const change of block.depth) {
      const name = marketChannel("depth", change.marketId);
      if (!this.#subscriptions.has(name.text)) continue;
      this.#send(name, {
        marketId: change.marketId,
        bids: wireLevels(change.bids),
        asks: wireLevels(change.asks),
        firstId: change.firstId,
        finalId: change.finalId,
        time: change.timeMs,
      });
    }
    for (const event of block.orderEvents) this.#take(event);
    for (const event of block.accountEvents) this.#take(event);
    if (this.#next === undefined && this.#waiting.length > 0) this.#pushSome();
  }

  #take(event: UserEvent): void {
    if (this.#users.has(event.account)) this.#waiting.push(event);
  }

  #pushSome(): void {
    this.#next = undefined;
    const isAll = this.#waiting.length <= EVENTS_AT_ONCE;
    const events = isAll ? this.#waiting : this.#waiting.splice(0, EVENTS_AT_ONCE);
    if (isAll) this.#waiting = [];
    else this.#next = this.#timer.soon(() => this.#pushSome());
    for (const event of events) this.#pushUser(event);
  }

  #pushUser(event: UserEvent): void {
    const name = this.#users.get(event.account);
    if (name === undefined) return;
    const payload = "order" in event ? wireOrderEvent(event) : wireAccountEvent(event);
    this.#subscriptions.send(name.text, encodePush(name, payload), event.blockNumber);
  }

  #send(name: ChannelName, payload: Parameters<typeof encodePush>[1]): void {
    this.#subscriptions.send(name.text, encodePush(name, payload));
  }
}

/** The canonical name of a market's channel. */
export function marketChannel<Kind extends "trade" | "depth" | "depthSnapshot">(
  kind: Kind,
  marketId: string,
): ChannelName & { readonly kind: Kind } {
  return { kind, parameter: marketId, text: `${channels[kind].name}@${marketId}` };
}
