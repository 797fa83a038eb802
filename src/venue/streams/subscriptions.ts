import type { ChannelName } from "../../spec/stream.ts";
import type { Connection } from "./connection.ts";

interface Subscribed {
  readonly name: ChannelName;
  readonly connections: Set<Connection>;
}

/** Who listens to which channel; a channel nobody listens to costs nothing. */
export class Subscriptions {
  readonly #channels = new Map<string, Subscribed>();
  readonly #left: (name: ChannelName) => void;

  /** `left` hears of a channel that nobody listens to any more. */
  constructor(left: (name: ChannelName) => void) {
    this.#left = left;
  }

  /** Channels that somebody listens to. */
  get size(): number {
    return this.#channels.size;
  }

  /** False when the connection had it already: it is delivered once all the same (D29). */
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

  /** Sends one text to everybody on a channel. */
  send(text: string, frame: string): void {
    for (const connection of this.#channels.get(text)?.connections ?? []) connection.send(frame);
  }
}
