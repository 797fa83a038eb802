import type { AccountEvent, OrderEvent } from "../../domain/order.ts";
import type { Address } from "../../domain/ids.ts";
import type { Block } from "../../exchange/records.ts";
import { channels } from "../../spec/channels.ts";
import { type ChannelName, encodePush } from "../../spec/stream.ts";
import { wireAccountEvent, wireLevels, wireOrderEvent, wirePublicTrade } from "../wire.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Turns a block into messages for subscribed channels; nothing else is encoded. */
export class BlockPushes {
  readonly #subscriptions: Subscriptions;
  /** Channel names of subscribed addresses, so that no checksum is computed per event. */
  readonly #users = new Map<Address, ChannelName>();

  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions;
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
    for (const event of block.orderEvents) this.#pushUser(event.account, event);
    for (const event of block.accountEvents) this.#pushUser(event.account, event);
  }

  #pushUser(address: Address, event: OrderEvent | AccountEvent): void {
    const name = this.#users.get(address);
    if (name === undefined) return;
    this.#send(name, "order" in event ? wireOrderEvent(event) : wireAccountEvent(event));
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
