import type { Command, CommandOutcome } from "../domain/command.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { Signer } from "../ports/crypto.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import type { OpenOrdersOptions } from "./final-list.ts";
import type { VenueTime } from "./venue-clock.ts";
import type { VenueMarkets } from "./venue-markets.ts";

/**
 * What a bot needs of a venue. The kernel behind it knows orders, books, fills and `RefusalReason`s, and no protocol.
 * `docs/venue-adapter.md` says method by method what an implementation promises, and which tests check it.
 */
export interface VenueAdapter {
  /** Names the venue in logs. */
  readonly name: string;
  readonly capabilities: VenueCapabilities;
  readonly nonces: NonceRules;
  readonly clock: {
    /** Asks the venue for its time. Rejects with TransportError. */
    read(options?: { readonly timeoutMs?: number }): Promise<VenueTime>;
  };
  /** The venue's markets with their rules. Rejects with VenueError or TransportError. */
  fetchMarkets(): Promise<VenueMarkets>;
  /** A signer of commands for one account. */
  commandSigner(account: AccountKey): VenueCommandSigner;
  /** Streams, reads and commands of one bot. Nothing is connected before `feed.start`. */
  connect(bot: BotConnection): VenueConnections;
  /** Sends one signed command outside a running kernel: the last cancels after a crash. Never rejects. */
  submit(type: Command["type"], signed: SignedCommand): Promise<CommandOutcome>;
  /** Every open order of the account, as far back as the venue keeps them: the last question of a run. */
  fetchOpenOrders(options: OpenOrdersOptions): Promise<readonly OrderReport[]>;
}

export interface VenueCapabilities {
  /** Commands that the venue takes. */
  readonly commands: Readonly<Record<Command["type"], boolean>>;
  /** `place` may carry a take profit and a stop loss. */
  readonly tpsl: boolean;
  /** How an order gets its id before it is sent: the hash of its signed bytes, or a text of ours that the venue repeats. */
  readonly orderIds: "hash-of-signed-bytes" | "chosen-by-client";
}

/** Numbers that make each signed command unique. */
export interface NonceRules {
  /** `time`: the venue's time in milliseconds, each used once, in any order. */
  readonly kind: "time";
  /** A nonce further than this from the venue's clock is refused. */
  readonly windowMs: number;
}

export interface AccountKey {
  /** The account that is traded for. */
  readonly owner: Address;
  /** The owner's key, or that of a session wallet. `sign` is synchronous: it stands between decision and order. */
  readonly signer: Pick<Signer, "sign">;
}

export interface VenueCommandSigner {
  /** The bytes to send and, as `txHash`, the id that the order will have. The same command gives the same bytes. */
  sign(command: Command): SignedCommand;
}

/** The bot, as its venue sees it. */
export interface BotConnection {
  readonly owner: Address;
  readonly markets: readonly MarketId[];
  /** Takes in what happened. `receivedUs`: monotonic time of the socket's callback, for what a stream brought. */
  push(input: Input, receivedUs?: number): void;
}

export interface VenueConnections {
  readonly feed: VenueFeed;
  readonly outlet: VenueOutlet;
}

/** The venue's streams. Pushes `stream` inputs, and market and account data between `opened` and `closed` only. */
export interface VenueFeed {
  start(): void;
  /** Drops the connection and opens a new one: how data that cannot be taken in is shed. */
  restart(reason: string): void;
  /** Ends for good; nothing is pushed any more. */
  stop(): void;
}

/** The venue's requests. Each command and each read comes back as exactly one input. */
export interface VenueOutlet {
  /** Sends now, in the order of the calls. `handedOver` is called, at once, when the request is in the HTTP client's hands. */
  send(command: Command, signed: SignedCommand, handedOver?: () => void): void;
  read(read: Read): void;
  /** So many of the requests that wait for a token of the rate budget may go. */
  grant(count: number): void;
  /** Resolves when the rate budget has a token for a request that no effect stands for. */
  readonly waitForToken: () => Promise<void>;
  /** Gives up all open reads; each becomes `readFailed`. */
  close(): void;
}
