import { Prng, seedFrom } from "../base/prng.ts";
import type { Address } from "../domain/ids.ts";
import { NONCE_SPREAD_MAX_MS } from "../execution/nonce.ts";
import { baseAddress } from "../gateway/request.ts";
import { defaultStreamTiming, type StreamTiming } from "../gateway/stream-timing.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { Endpoint, ResultOf } from "../spec/endpoint.ts";
import { type EndpointName, type Endpoints, endpoints } from "../spec/endpoints.ts";
import { throwIfAborted } from "./abort.ts";
import { callVenue, type InputOf, type VenueConnection } from "./call.ts";
import { type CamelCase, camelCase } from "./camel-case.ts";
import {
  messagesMethods,
  type MessagesMethods,
  subscribeMethods,
  type SubscribeMethods,
} from "./channel-methods.ts";
import { type BookOptions, type LocalBook, SyncedLocalBook } from "./local-book.ts";
import { NonceSource, venueClockOf } from "./nonce-source.ts";
import { sessionMethods, type SessionMethods } from "./session-methods.ts";
import { methodsOf, namesOf } from "./table-methods.ts";
import { venueLists, type VenueLists } from "./venue-lists.ts";
import { VenueStream } from "./venue-stream.ts";
import { openWallet, type Wallet } from "./wallet.ts";
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

export interface Venue extends EndpointMethods, SessionMethods {
  readonly subscribe: SubscribeMethods;
  readonly messages: MessagesMethods;
  /** One market's book, kept in sync (§6.3). Throws `CHANNEL_INVALID` when `marketId` is malformed. */
  book(marketId: string, options?: BookOptions): LocalBook;
  readonly lists: VenueLists;
  /** A wallet that signs with this key. For the key of a session wallet, `owner` is the account it trades for. */
  wallet(options: { readonly signer: Signer; readonly owner?: Address | undefined }): Wallet;
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
  const prng = new Prng(seedFrom(ports.randomBytes(4)));
  const stream = new VenueStream({
    connector: ports.connector,
    ws: options.ws ?? `${rest.replace(/^http/, "ws")}/ws`,
    timer,
    prng,
    keccak256: (bytes) => crypto.keccak256(bytes),
    timing,
    unreadable: options.unreadable,
  });
  const venueClock = venueClockOf(connection, clock);
  const venueNowMs = async (callOptions: CallOptions = {}): Promise<number> => {
    throwIfAborted(callOptions.signal);
    return venueClock.nowMs(callOptions);
  };
  /** One source per key, so that two wallets of one key never use the same nonce. */
  const nonces = new Map<Address, NonceSource>();
  const noncesOf = (address: Address): NonceSource => {
    const known = nonces.get(address);
    if (known !== undefined) return known;
    const spreadMs = prng.int(0, NONCE_SPREAD_MAX_MS - 1);
    const created = new NonceSource({ venue: connection, clock, venueClock, spreadMs });
    nonces.set(address, created);
    return created;
  };
  const closing = new AbortController();
  return {
    ...endpointMethods(connection),
    ...sessionMethods({ connection, chainId, l1ChainId, crypto, noncesOf }),
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
    lists: venueLists({ connection, timer, venueNowMs }),
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
