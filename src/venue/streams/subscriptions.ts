import type { ChannelName } from "../../spec/stream.ts";
import type { Connection } from "./connection.ts";

interface Subscribed {
  readonly name: ChannelName;
  readonly connections: Set<Connection>;
}

/** Subscribers by channel; a channel without subscribers costs nothing. */
export class Subscriptions {
  readonly #channels = new Map<string, Subscribed>();
  readonly #left: (name: ChannelName) => void;

  /** `left` is called when a channel loses its last subscriber. */
  constructor(left: (name: ChannelName) => void) {
    this.#left = left;
  }

  /** Number of channels with subscribers. */
  get size(): number {
    return this.#channels.size;
  }

  /** False when the connection was already subscribed; messages are still delivered once (D29). */
  add(name: ChannelName, connection: Connection): boolean {
    let subscribed = this.#channels.get(name.text);
    if (subscribed === undefined) {
      subscribed = { name, connections: new Set() };
      this.#channels.set(name.text, subscribed);
    }
    if (subscribed.connections.has(connection)) return false;
    subscribed.connections.add(connection);
    return true;
  }

  remove(text: string, connection: Connection): void {
    const subscribed = this.#channels.get(text);
    if (subscribed === undefined) return;
    subscribed.connections.delete(connection);
    if (subscribed.connections.size > 0) return;
    this.#channels.delete(text);
    this.#left(subscribed.name);
  }

  has(text: string): boolean {
    return this.#channels.has(text);
  }

  /** Sends one text to all subscribers of a channel. */
  send(text: string, frame: string): void {
    for (const connection of this.#channels.get(text)?.connections ?? []) connection.send(frame);
  }
}
