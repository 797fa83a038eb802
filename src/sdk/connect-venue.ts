import { Prng } from "../base/prng.ts";
import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import {
  type AccountListOptions,
  type CallEndpoint,
  listOpenOrders,
  listOrderHistory,
  listTransfers,
  listUserTrades,
} from "../gateway/account-lists.ts";
import { type CandleListOptions, listCandles } from "../gateway/candle-list.ts";
import { readMovingList } from "../gateway/moving-list.ts";
import { baseAddress } from "../gateway/request.ts";
import { defaultStreamTiming, type StreamTiming } from "../gateway/stream-timing.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { PayloadOf } from "../spec/channel.ts";
import { channels, type ChannelKind, type Channels } from "../spec/channels.ts";
import type { SessionAction } from "../spec/commands/session.ts";
import type { Endpoint, ResultOf } from "../spec/endpoint.ts";
import { type EndpointName, type Endpoints, endpoints } from "../spec/endpoints.ts";
import { listWindow } from "../spec/limits.ts";
import { throwIfAborted } from "./abort.ts";
import { callVenue, type InputOf, queryVenue, type VenueConnection } from "./call.ts";
import { type CamelCase, camelCase } from "./camel-case.ts";
import { type BookOptions, type LocalBook, SyncedLocalBook } from "./local-book.ts";
import { messagesOf, type MessagesOptions } from "./messages.ts";
import { NonceSource, venueClockOf } from "./nonce-source.ts";
import { changeSession } from "./session.ts";
import { methodsOf, namesOf } from "./table-methods.ts";
import { type Listener, type Subscription, VenueStream } from "./venue-stream.ts";
import { openWallet, type Sent, type Wallet, withFreshNonce } from "./wallet.ts";
import type { WithdrawalStructure } from "./withdrawal.ts";

/** The client's access to network, time and cryptography. */
export interface VenueClientPorts {
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly crypto: Crypto;
  /** Cryptographically secure random bytes. */
  randomBytes(count: number): Uint8Array;
}

export interface VenueAddresses {
  /** Base address, `https://…`; the interface's paths are appended to it. */
  readonly rest: string;
  /** `wss://…`; default: `/ws` on the REST address, as on the paper venue. */
  readonly ws?: string | undefined;
  /** Chain id of layer 2. */
  readonly chainId: number;
  /** Chain id of layer 1, for sessions. Default 8217. */
  readonly l1ChainId?: number | undefined;
}

export interface ConnectOptions extends VenueAddresses {
  readonly ports: VenueClientPorts;
  /** Time-out of calls without one of their own. Default 5 s. */
  readonly timeoutMs?: number;
  readonly streamTiming?: Partial<StreamTiming>;
  /** The structure of withdrawals. Without it wallets refuse to withdraw (D9). */
  readonly withdrawal?: WithdrawalStructure | undefined;
  /** Called for stream frames that break the interface. */
  unreadable?(reason: string): void;
}

/** True when an input has no required field; then the whole input is optional. */
type IsOptional<Input> =
  Input extends Record<string, never> ? true : Partial<Input> extends Input ? true : false;

type Call<E extends Endpoint> =
  IsOptional<InputOf<E>> extends true
    ? (input?: InputOf<E>, options?: CallOptions) => Promise<ResultOf<E>>
    : (input: InputOf<E>, options?: CallOptions) => Promise<ResultOf<E>>;

/** Every endpoint of the interface as a method (§4). */
export type EndpointMethods = {
  readonly [Name in EndpointName as CamelCase<Name>]: Call<Endpoints[Name]>;
};

type ForChannel<
  Kind extends ChannelKind,
  Last extends readonly unknown[],
  Result,
> = Channels[Kind]["parameter"] extends "none"
  ? (...rest: Last) => Result
  : (parameter: string, ...rest: Last) => Result;

export interface SubscribeOptions {
  /** Ends the subscription, as its `close` does. */
  readonly signal?: AbortSignal | undefined;
}

/** Every channel as a method (§6.3): `subscribe.trade("1_2", listener)`. */
export type SubscribeMethods = {
  readonly [Kind in ChannelKind]: ForChannel<
    Kind,
    [listener: Listener<PayloadOf<Channels[Kind]>>, options?: SubscribeOptions],
    Subscription
  >;
};

/** Every channel as a method that returns an async iterator: `messages.trade("1_2", { signal })`. */
export type MessagesMethods = {
  readonly [Kind in ChannelKind]: ForChannel<
    Kind,
    [options?: MessagesOptions],
    AsyncGenerator<PayloadOf<Channels[Kind]>, void, undefined>
  >;
};

/** Options of a list. The client fetches the venue's time itself. */
export type ListOf = Omit<AccountListOptions, "venueNowMs">;

/** A session wallet to create, update or delete. */
export interface SessionChange {
  /** Signs the typed data as the owner. */
  readonly owner: OwnerSigner;
  /** Signs the transaction: the session wallet's key, or the owner's (D7). */
  readonly signer: Signer;
  /** Default: the signer's address. */
  readonly sessionWallet?: Address;
  /** Unix seconds; to delete a session, its present expiry. */
  readonly expirySec: number;
}

export interface Venue extends EndpointMethods {
  readonly subscribe: SubscribeMethods;
  readonly messages: MessagesMethods;
  /** One market's book, kept in sync (§6.3). Throws `CHANNEL_INVALID` when `marketId` is malformed. */
  book(marketId: string, options?: BookOptions): LocalBook;
  /**
   * Lists of any length, paged without loss or duplicates (D15), newest first. Without `sinceMs` they return open orders of any age,
   * completed orders and executions of the last 30 days (the venue's default), and all transfers.
   */
  readonly lists: {
    openOrders(list: ListOf): ReturnType<typeof listOpenOrders>;
    orderHistory(list: ListOf): ReturnType<typeof listOrderHistory>;
    userTrades(list: ListOf): ReturnType<typeof listUserTrades>;
    transfers(
      list: Omit<ListOf, "marketId"> & { readonly tokenId?: string },
    ): ReturnType<typeof listTransfers>;
    /** Candles of a time range of any length, oldest first; times are Unix seconds. */
    candles(list: Omit<CandleListOptions, "venueNowMs">): ReturnType<typeof listCandles>;
  };
  /** A wallet that signs with this key. For the key of a session wallet, `owner` is the account it trades for. */
  wallet(options: { readonly signer: Signer; readonly owner?: Address | undefined }): Wallet;
  createSession(
    change: SessionChange & { readonly name?: string },
    options?: CallOptions,
  ): Promise<Sent>;
  /** Changes the session's expiry. */
  updateSession(change: SessionChange, options?: CallOptions): Promise<Sent>;
  deleteSession(change: SessionChange, options?: CallOptions): Promise<Sent>;
  /** Our estimate of the venue's time now, Unix milliseconds. */
  nowMs(options?: CallOptions): Promise<number>;
  /** Closes all subscriptions, books and connections. */
  close(): Promise<void>;
}

const L1_CHAIN_ID = 8217;

/** Makes a client of the venue on the given ports. Its methods come from the tables of endpoints, channels and commands in `spec/`. */
export function connectVenueOn(options: ConnectOptions): Venue {
  const { ports, chainId, l1ChainId = L1_CHAIN_ID, timeoutMs } = options;
  const { crypto, clock, timer } = ports;
  const rest = baseAddress(options.rest);
  const connection: VenueConnection = {
    http: ports.http,
    rest,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const timing = { ...defaultStreamTiming, ...options.streamTiming };
  const stream = new VenueStream({
    connector: ports.connector,
    ws: options.ws ?? `${rest.replace(/^http/, "ws")}/ws`,
    timer,
    prng: new Prng(ports.randomBytes(4).reduce((seed, byte) => seed * 256 + byte, 0)),
    keccak256: (bytes) => crypto.keccak256(bytes),
    timing,
    unreadable: options.unreadable,
  });
  const venueClock = venueClockOf(connection, clock);
  const venueNowMs = async (callOptions: CallOptions = {}): Promise<number> => {
    throwIfAborted(callOptions.signal);
    return venueClock.nowMs(callOptions);
  };
  /** One for each key: two wallets of one key never take the same nonce. */
  const nonces = new Map<Address, NonceSource>();
  const noncesOf = (address: Address): NonceSource => {
    const known = nonces.get(address);
    if (known !== undefined) return known;
    const made = new NonceSource({ venue: connection, clock, timer, venueClock });
    nonces.set(address, made);
    return made;
  };
  const closing = new AbortController();
  const call: CallEndpoint = (endpoint, query, callOptions) =>
    queryVenue(connection, endpoint, query, callOptions);
  /** A list of this account's, at the venue's time. */
  const lister =
    <List extends CallOptions, Row>(
      read: (
        call: CallEndpoint,
        list: List & { readonly venueNowMs: number },
      ) => Promise<readonly Row[]>,
    ) =>
    (list: List): Promise<readonly Row[]> =>
      readMovingList(timer, async () =>
        read(call, { ...list, venueNowMs: await venueNowMs(list) }),
      );
  const session =
    (action: SessionAction) =>
    async (
      change: SessionChange & { readonly name?: string },
      callOptions?: CallOptions,
    ): Promise<Sent> => {
      const { owner, signer, sessionWallet = signer.address, expirySec, name } = change;
      // The owner is asked again, too: the nonce stands in what he signs.
      return withFreshNonce(async () => {
        const nonce = await noncesOf(signer.address).next(callOptions);
        return changeSession(
          connection,
          { owner: owner.address, signer, chainId, l1ChainId, crypto },
          { action, sessionWallet, expirySec: unixSec(expirySec), nonce, owner, name },
          callOptions,
        );
      });
    };

  return {
    ...endpointMethods(connection),
    subscribe: subscribeMethods(stream),
    messages: messagesMethods(stream),
    book(marketId, bookOptions = {}) {
      const signals = [closing.signal, ...(bookOptions.signal ? [bookOptions.signal] : [])];
      const parts = { stream, venue: connection, timer, timing };
      return new SyncedLocalBook(parts, marketId, {
        ...bookOptions,
        signal: AbortSignal.any(signals),
      });
    },
    lists: {
      openOrders: lister((querying, list) =>
        listOpenOrders(querying, {
          ...list,
          sinceMs: list.sinceMs ?? list.venueNowMs - listWindow.historyMs,
        }),
      ),
      orderHistory: lister(listOrderHistory),
      userTrades: lister(listUserTrades),
      transfers: lister((querying, list) => listTransfers(querying, list)),
      candles: lister(listCandles),
    },
    wallet: ({ signer, owner }) =>
      openWallet({
        venue: connection,
        nonces: noncesOf(signer.address),
        owner: owner ?? signer.address,
        signer,
        chainId,
        crypto,
        withdrawal: options.withdrawal,
      }),
    createSession: session("create"),
    updateSession: session("update"),
    deleteSession: session("delete"),
    nowMs: venueNowMs,
    async close() {
      closing.abort();
      stream.close();
      await ports.http.close();
    },
  };
}

function endpointMethods(connection: VenueConnection): EndpointMethods {
  const table: Readonly<Record<EndpointName, Endpoint>> = endpoints;
  return methodsOf<EndpointMethods, EndpointName, [input?: object, options?: CallOptions]>(
    namesOf(table),
    camelCase,
    (name) =>
      (input = {}, callOptions) =>
        callVenue(connection, table[name], input, callOptions),
  );
}

function subscribeMethods(stream: VenueStream): SubscribeMethods {
  return channelMethods<SubscribeMethods, Listener<unknown>, SubscribeOptions | undefined>(
    (kind, parameter, listener, options) => {
      const subscription = stream.subscribe(kind, parameter, listener);
      closeOn(subscription, options?.signal);
      return subscription;
    },
  );
}

function messagesMethods(stream: VenueStream): MessagesMethods {
  return channelMethods<MessagesMethods, MessagesOptions | undefined, undefined>(
    (kind, parameter, options) => messagesOf(stream, kind, parameter, options),
  );
}

/** A method for each channel. Methods of channels without a parameter omit it. */
function channelMethods<Methods extends object, First, Second>(
  make: (kind: ChannelKind, parameter: string, first: First, second: Second) => unknown,
): Methods {
  return methodsOf<Methods, ChannelKind, [unknown?, unknown?, unknown?]>(
    namesOf(channels),
    (kind) => kind,
    (kind) =>
      (...given) => {
        const hasNone = channels[kind].parameter === "none";
        const parameter = hasNone ? "" : String(given[0]);
        const [first, second] = hasNone ? given : given.slice(1);
        return make(kind, parameter, first as First, second as Second);
      },
  );
}

function closeOn(subscription: Subscription, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) subscription.close();
  else signal?.addEventListener("abort", () => subscription.close(), { once: true });
}
