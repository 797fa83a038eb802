import { getOrMake } from "../../base/get-or-make.ts";
import type { ChannelName } from "../../spec/stream.ts";
import type { Connection } from "./connection.ts";

interface Subscribed {
  readonly name: ChannelName;
  /** With the number of the newest block that was pushed when the connection subscribed. */
  readonly connections: Map<Connection, number>;
}

/** Subscribers by the key of a channel; a channel without subscribers costs nothing. */
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

  /**
   * The connection gets the messages of later blocks than `newestBlock`. False when it was already subscribed; messages are still
   * delivered once (D29).
   */
  add(name: ChannelName, connection: Connection, newestBlock: number): boolean {
    const { connections } = getOrMake(this.#channels, name.key, () => ({
      name,
      connections: new Map(),
    }));
    if (connections.has(connection)) return false;
    connections.set(connection, newestBlock);
    return true;
  }

  remove(key: string, connection: Connection): void {
    const subscribed = this.#channels.get(key);
    if (subscribed === undefined) return;
    subscribed.connections.delete(connection);
    if (subscribed.connections.size > 0) return;
    this.#channels.delete(key);
    this.#left(subscribed.name);
  }

  has(key: string): boolean {
    return this.#channels.has(key);
  }

  /** Sends one frame to the subscribers of a channel; that of a block only to those who subscribed before the block was pushed. */
  send(key: string, frame: string, block = Infinity): void {
    for (const [connection, newestBlock] of this.#channels.get(key)?.connections ?? []) {
      if (block > newestBlock) connection.send(frame);
    }
  }
}
