import { type Address, addressOf, type MarketId } from "../../domain/ids.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerSocket, ServerSocketHandlers } from "../../ports/server.ts";
import type { Block } from "../../exchange/records.ts";
import {
  type ChannelName,
  decodeStreamRequest,
  encodeStreamReply,
  parseChannelName,
  type StreamRequest,
} from "../../spec/stream.ts";
import { REQUEST_CHANNELS_MAX, type StreamLimits } from "../../spec/limits.ts";
import type { VenueContext } from "../venue-context.ts";
import { startBalances } from "../config.ts";
import { BlockPushes } from "./block-pushes.ts";
import { Connection, connectionContext, type ConnectionContext } from "./connection.ts";
import { PeriodicPushes } from "./periodic-pushes.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Most channels per connection. */
const CHANNELS_MAX = REQUEST_CHANNELS_MAX;
/** Users that are funded in one turn of the event loop. */
const SEEN_AT_ONCE = 8;
/** Distinct channels from which an address gets no new channel unless the configuration names it; channels of markets are few and always accepted. */
const ALL_CHANNELS_MAX = 20_000;

const binaryRefused = {
  error: { code: 400, message: "request is binary, requests are text" },
  id: null,
};

/** The address whose events a channel carries. */
function userOf(name: ChannelName): Address | undefined {
  return name.kind === "userEvent" ? addressOf(name.parameter) : undefined;
}

type StreamContext = Pick<
  VenueContext,
  "config" | "exchange" | "clock" | "crypto" | "log" | "settle"
>;

interface RequestError {
  readonly code: number;
  readonly message: string;
}

/** The WebSocket side of the venue (§6): connections, subscriptions, pushes. */
export class StreamApi {
  readonly #context: StreamContext;
  /** Accounts of the configuration: strangers cannot take the room for their channels. */
  readonly #exempt: ReadonlySet<Address>;
  readonly #shared: ConnectionContext;
  readonly #timer: Timer;
  /** Users that are still to be seen (D33), oldest first. */
  readonly #unseen = new Set<Address>();
  #seeing: TimerHandle | undefined;
  readonly #connections = new Set<Connection>();
  readonly #subscriptions = new Subscriptions((name) => {
    const address = userOf(name);
    if (address !== undefined) this.#blockPushes.forgetUser(address);
  });
  readonly #blockPushes: BlockPushes;
  readonly #periodic: PeriodicPushes;
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(context: StreamContext, timer: Timer, limits: StreamLimits) {
    this.#context = context;
    this.#exempt = new Set(startBalances(context.config).keys());
    this.#shared = connectionContext(timer, limits);
    this.#timer = timer;
    this.#blockPushes = new BlockPushes(this.#subscriptions, timer);
    this.#periodic = new PeriodicPushes(context, timer, this.#subscriptions);
  }

  /** Sends a block's messages at once. */
  publish(block: Block): void {
    this.#periodic.note(block);
    this.#blockPushes.push(block);
  }

  connected(socket: ServerSocket): ServerSocketHandlers {
    const connection = new Connection(socket, this.#shared, (reason) => {
      this.#context.log.info({ reason }, "stream client dropped");
      this.#forget(connection);
    });
    this.#connections.add(connection);
    return {
      frame: (data, isBinary = false) => {
        if (isBinary) connection.send(encodeStreamReply(binaryRefused));
        else this.#respond(connection, this.#utf8.decode(data));
      },
      pong: () => connection.pong(),
      closed: () => {
        connection.closed();
        this.#forget(connection);
      },
    };
  }

  close(): void {
    this.#periodic.close();
    this.#blockPushes.close();
    this.#seeing?.cancel();
    for (const connection of this.#connections) {
      connection.goingAway();
      connection.closed();
    }
    this.#connections.clear();
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    for (const key of connection.channels) this.#subscriptions.remove(key, connection);
    connection.channels.clear();
  }

  #respond(connection: Connection, text: string): void {
    const request = decodeStreamRequest(text);
    if (!request.ok) {
      const { message, id } = request.error;
      connection.send(encodeStreamReply({ error: { code: 400, message }, id }));
      return;
    }
    const { id, method } = request.value;
    const names = this.#namesOf(connection, request.value);
    if (!Array.isArray(names)) {
      connection.send(encodeStreamReply({ error: names, id }));
      return;
    }
    if (method === "subscribe") for (const name of names) this.#subscribe(connection, name);
    else for (const name of names) this.#unsubscribe(connection, name);
    connection.send(encodeStreamReply({ result: "ok", id }));
    // After the reply, so that the faucet's deposits reach the subscription that caused them (D33).
    if (method === "subscribe") this.#seeUsers(names);
  }

  /** The channels of a request, or why the whole request fails (D28). */
  #namesOf(connection: Connection, request: StreamRequest): ChannelName[] | RequestError {
    const names: ChannelName[] = [];
    const { exchange, crypto } = this.#context;
    for (const text of request.params.channels) {
      const name = parseChannelName(text, (bytes) => crypto.keccak256(bytes));
      if (name === undefined)
        return { code: 400, message: `there is no channel ${text.slice(0, 80)}` };
      const isOfMarket = name.kind !== "userEvent" && name.kind !== "ticker";
      if (
        request.method === "subscribe" &&
        isOfMarket &&
        !exchange.hasMarket(name.parameter as MarketId)
      ) {
        return { code: 404, message: `there is no market ${name.parameter.slice(0, 80)}` };
      }
      names.push(name);
    }
    const wanted = new Set([...connection.channels, ...names.map(({ key }) => key)]);
    if (request.method === "subscribe" && wanted.size > CHANNELS_MAX) {
      return { code: 400, message: `a connection has at most ${CHANNELS_MAX} channels` };
    }
    const isNew = (name: ChannelName): boolean => {
      const user = userOf(name);
      if (user === undefined || this.#exempt.has(user)) return false;
      return !this.#subscriptions.has(name.key);
    };
    if (
      request.method === "subscribe" &&
      this.#subscriptions.size + names.length > ALL_CHANNELS_MAX &&
      names.some(isNew)
    ) {
      return { code: 503, message: `there are ${ALL_CHANNELS_MAX} channels already` };
    }
    return names;
  }

  #subscribe(connection: Connection, name: ChannelName): void {
    connection.channels.add(name.key);
    const { newestBlock } = this.#blockPushes;
    if (!this.#subscriptions.add(name, connection, newestBlock)) return;
    if (name.kind === "depthSnapshot") this.#periodic.watchSnapshots(name.parameter as MarketId);
    if (name.kind === "ticker") this.#periodic.watchTickers();
    const address = userOf(name);
    if (address !== undefined) this.#blockPushes.watchUser(address, name);
  }

  #unsubscribe(connection: Connection, name: ChannelName): void {
    connection.channels.delete(name.key);
    this.#subscriptions.remove(name.key, connection);
  }

  /** Funds new users, a few at a time: each is a block of its own, and a request may name a thousand. */
  #seeUsers(names: readonly ChannelName[]): void {
    for (const name of names) {
      const address = userOf(name);
      // Those that find no room are seen with their first request.
      if (address !== undefined && this.#unseen.size < ALL_CHANNELS_MAX) this.#unseen.add(address);
    }
    if (this.#seeing === undefined) this.#seeSome();
  }

  #seeSome(): void {
    this.#seeing = undefined;
    let seen = 0;
    for (const address of this.#unseen) {
      this.#unseen.delete(address);
      this.#context.exchange.see(address, this.#context.clock.nowMs());
      seen += 1;
      if (seen === SEEN_AT_ONCE) break;
    }
    if (this.#unseen.size > 0) this.#seeing = this.#timer.after(1, () => this.#seeSome());
  }
}
