import type { StreamChannel } from "../domain/stream-channel.ts";
import type { Command, CommandOutcome } from "../domain/command.ts";
import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { Signer } from "../ports/crypto.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import type { OpenOrdersOptions } from "./final-list.ts";
import type { ReadTimeOptions, VenueTime } from "./venue-clock.ts";
import type { VenueMarkets } from "./venue-markets.ts";

/**
 * Everything a bot needs from a venue. The kernel works with orders, books, fills and `RefusalReason`s and knows no protocol.
 * `docs/venue-adapter.md` says what an implementation of each method promises and which tests check it.
 */
export interface VenueAdapter {
  readonly capabilities: VenueCapabilities;
  readonly nonces: NonceRules;
  readonly clock: {
    /** Queries the venue's time until enough answers agree, or one is as expected. Rejects with TransportError. */
    read(options?: ReadTimeOptions): Promise<VenueTime>;
    /** The venue's time by the last reading; our own before the first. */
    estimateMs(): number;
  };
  /** The venue's markets with their rules. `waitForToken` is awaited before each request. Rejects with VenueError or TransportError. */
  fetchMarkets(waitForToken?: () => Promise<void>): Promise<VenueMarkets>;
  /** A signer of commands for one account. */
  commandSigner(account: AccountKey): VenueCommandSigner;
  /** Makes the streams and the request side of one bot. It opens no connection before `feed.start`. */
  connect(bot: ConnectedBot): VenueConnections;
  /** Sends one signed command outside a running kernel, for the last cancels after a crash. Never rejects. */
  submit(type: Command["type"], signed: SignedCommand): Promise<CommandOutcome>;
  /**
   * Queries an order by id outside a running kernel; `absent` when the venue knows no such order. Rejects with VenueError or
   * TransportError when the response does not tell.
   */
  fetchOrder(orderId: OrderId): Promise<OrderReport | "absent">;
  /** Lists every open order of the account, as far back as our oldest. A run calls it last, before it ends. */
  fetchOpenOrders(options: OpenOrdersOptions): Promise<readonly OrderReport[]>;
}

export interface VenueCapabilities {
  /** The commands that the venue accepts. */
  readonly commands: Readonly<Record<Command["type"], boolean>>;
  /** `place` may carry a take profit and a stop loss. */
  readonly tpsl: boolean;
  /** How an order gets its id before it is sent: the hash of its signed bytes, or a client order id that the venue returns. */
  readonly orderIds: "hash-of-signed-bytes" | "chosen-by-client";
}

/** How the venue's nonces work: the numbers that make each signed command unique. */
export interface NonceRules {
  /** `time`: a nonce is the venue's time in milliseconds; each value may be used once, in any order. */
  readonly kind: "time";
  /** The venue refuses a nonce further than this from its clock. */
  readonly windowMs: number;
}

export interface AccountKey {
  /** The account that owns the orders. */
  readonly owner: Address;
  /** The key of the owner or of a session wallet. `sign` is synchronous, because its time adds to the latency of every order. */
  readonly signer: Pick<Signer, "sign">;
}

export interface VenueCommandSigner {
  /** Returns the bytes to send and, as `txHash`, the future id of the order. The same command gives the same bytes. */
  sign(command: Command): SignedCommand;
}

/** What a venue adapter needs from the bot. */
export interface ConnectedBot {
  readonly owner: Address;
  readonly markets: readonly MarketId[];
  /** Takes the next input of the kernel. `receivedUs`: monotonic time of the socket's callback, for stream data only. */
  push(input: Input, receivedUs?: number): void;
}

export interface VenueConnections {
  readonly feed: VenueFeed;
  readonly outlet: VenueOutlet;
}

/** A venue's streams, real or simulated. They push `stream` inputs, and market and account data only between `opened` and `closed`. */
export interface VenueFeed {
  start(): void;
  /** Drops the connection and opens a new one: to shed data when the bot falls behind, or because a channel does not deliver. */
  restart(reason: string): void;
  /**
   * Unsubscribes from one channel and subscribes again, while the others go on. Pushes `resubscribed` once the venue has confirmed it;
   * nothing when the connection is closed or ends before that.
   */
  resubscribe(channel: StreamChannel): void;
  /** Ends the feed for good. It pushes nothing afterwards. */
  stop(): void;
}

/** The requests to the venue. Each command and each read results in exactly one input. */
export interface VenueOutlet {
  /** Sends now, in the order of the calls. Calls `handedOver` synchronously once the HTTP client has the request. */
  send(command: Command, signed: SignedCommand, handedOver?: () => void): void;
  read(read: Read): void;
  /** Releases up to `count` requests that wait for a token of the rate budget, oldest first. */
  grant(count: number): void;
  /** Resolves when the rate budget has a token for a request that the kernel did not issue as an effect. */
  readonly waitForToken: () => Promise<void>;
  /** Aborts all open reads; each becomes `readFailed`. */
  close(): void;
}
