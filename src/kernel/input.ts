import type { FlattenTerms } from "./takes/flatten-left.ts";
import type { StreamChannel } from "../domain/stream-channel.ts";
import type { MarketCandle, Resolution } from "../domain/candle.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import type { CommandOutcome, RefusalReason } from "../domain/command.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type {
  AccountEvent,
  Balance,
  Fill,
  OrderEvent,
  OrderReport,
  Transfer,
} from "../domain/order.ts";
import type { ReadName } from "../domain/read-order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { CarriedItem } from "../orders/carried.ts";
import type { RestoredOrder } from "../orders/restored-order.ts";

export type { CarriedItem, ReadName, RestoredOrder };

/** What happened, as plain data: the journal keeps it as it is, and a re-run of the session feeds it again. */
export type Input =
  // The venue's streams (§6).
  | { readonly type: "depth"; readonly event: DepthEvent }
  /** `depthSnapshot@`: top 100, for auditing the book. */
  | { readonly type: "depthAudit"; readonly snapshot: BookSnapshot }
  | { readonly type: "trade"; readonly trade: Trade }
  | { readonly type: "orderEvent"; readonly event: OrderEvent }
  | { readonly type: "accountEvent"; readonly event: AccountEvent }
  /**
   * `opened`: connected and every channel confirmed. `closed`: nothing arrives until the next `opened`. `alive`: the venue answered
   * our ping. `stalled`: the socket is alive, but no data came for a while, or a frame could not be read, so REST has to be queried.
   */
  | {
      readonly type: "stream";
      readonly state: "opened" | "closed" | "alive" | "stalled";
      readonly reason: string;
    }
  /** The venue confirmed the effect `resubscribe`: what the channel sent before may be missing. */
  | { readonly type: "resubscribed"; readonly channel: StreamChannel }
  /** A value of a price source. `timeMs`: its own time, where it has one. */
  | {
      readonly type: "source";
      readonly name: string;
      readonly bid: number;
      readonly ask: number;
      readonly timeMs?: number;
    }
  // Our own commands.
  /** A command was signed, so its hash is known. These are the first inputs of the batch after a step with commands. */
  | {
      readonly type: "signed";
      readonly intent: number;
      readonly txHash: OrderId;
    }
  | {
      readonly type: "response";
      readonly intent: number;
      readonly outcome: CommandOutcome;
    }
  // Responses to reads.
  | { readonly type: "book"; readonly snapshot: BookSnapshot }
  | {
      readonly type: "order";
      readonly orderId: OrderId;
      readonly report: OrderReport | "absent";
    }
  | { readonly type: "openOrders"; readonly orders: readonly OrderReport[] }
  /** Newest first. `isPart`: a page of a list whose other pages follow. */
  | { readonly type: "fills"; readonly fills: readonly Fill[]; readonly isPart?: true }
  | {
      readonly type: "balances";
      readonly balances: readonly Balance[];
      readonly blockNumber: number;
    }
  /** Newest first. */
  | { readonly type: "transfers"; readonly transfers: readonly Transfer[] }
  | { readonly type: "markets"; readonly markets: readonly Market[] }
  /** The market's candles that start at `fromMs` or later, oldest first; those without a trade may be missing. */
  | {
      readonly type: "candles";
      readonly marketId: MarketId;
      readonly resolution: Resolution;
      readonly fromMs: number;
      readonly candles: readonly MarketCandle[];
    }
  /** Oldest first. */
  | { readonly type: "trades"; readonly marketId: MarketId; readonly trades: readonly Trade[] }
  /** Venue clock minus ours, and the round trip of the query. */
  | {
      readonly type: "venueTime";
      readonly offsetMs: number;
      readonly roundTripMs: number;
    }
  /** A read got no usable response. `read` is the type of its effect. */
  | {
      readonly type: "readFailed";
      readonly read: ReadName;
      readonly key: string;
      readonly message: string;
      /** Why no answer came. */
      readonly reason: RefusalReason;
      /** How long the venue asks to wait: before every request when `reason` is `rateLimited`, else before this read alone. */
      readonly retryAfterMs: number | undefined;
    }
  /** A request outside the kernel's effects, or a further page of a read, waits for a rate token. The effect `tokens` grants it. */
  | { readonly type: "tokenWanted" }
  /** The machine's clock was set, or the machine slept: its time is now this far ahead of our clock. */
  | { readonly type: "clockStepped"; readonly byMs: number }
  // Start and operators.
  | { readonly type: "restored"; readonly restored: Restored }
  | ({ readonly type: "operator"; readonly by?: CommandOrigin } & OperatorCommand)
  /** The bot has to stop without an operator's command. `limitMs`: how long it may try to settle its orders. */
  | { readonly type: "mustStop"; readonly reason: string; readonly limitMs: number }
  /** A warning from outside the kernel, for example that a session wallet is about to end. */
  | { readonly type: "warning"; readonly code: string; readonly message: string }
  /** The first guard process has connected, or the last one has gone. */
  | { readonly type: "guard"; readonly isConnected: boolean }
  /** The driver could not write the journal. The kernel sends only cancels from now on, then stops. */
  | { readonly type: "journalFailed"; readonly message: string }
  /** New parameters of strategies, as written. All of them count from the next decision on, or none. */
  | {
      readonly type: "params";
      readonly strategies: readonly WrittenParams[];
      readonly by?: CommandOrigin;
    }
  /** Another session wallet signs from the next step on. */
  | { readonly type: "signerChanged" };

/**
 * `stop` cancels every own order, or with `keepsOrders` leaves open what the plans want open. `pause` cancels the quotes, of one strategy or of all; stop orders and legs stay. `halt` cancels every own order. `reduceOnly` is
 * the step of the risk ladder, set by hand. The three last until the `resume` of what they name: the bot or one strategy. `flatten` pauses, cancels every own order and works the positions off with takes; with
 * `isAlone` no strategy quotes in this run.
 * `cancel` cancels these own orders, of one strategy or of all, once: without a pause the strategies quote again. It cancels foreign orders that it names, too.
 * `takeOver` makes a foreign order a strategy's own.
 * `book` adds a trade that was made by hand to a strategy's position.
 */
export type OperatorCommand =
  | {
      readonly command: "stop";
      readonly keepsOrders?: true;
      /** Strategies whose positions are worked off first. */
      readonly flattens?: FlattenTerms & { readonly strategies: readonly string[] };
    }
  | ({
      readonly command: "flatten";
      readonly strategy?: string;
      readonly isAlone?: true;
    } & FlattenTerms)
  | { readonly command: "pause"; readonly strategy?: string }
  | { readonly command: "reduceOnly"; readonly strategy?: string }
  /** `force`: the risk ladder counts losses anew from here on. */
  | { readonly command: "resume"; readonly strategy?: string; readonly force?: true }
  | { readonly command: "halt"; readonly strategy?: string; readonly reason: string }
  /** Without `orderIds`: every order that is open now. */
  | {
      readonly command: "cancel";
      readonly strategy?: string;
      readonly orderIds?: readonly string[];
    }
  | { readonly command: "takeOver"; readonly strategy: string; readonly orderId: string }
  | { readonly command: "book"; readonly strategy: string; readonly fill: Fill };

/** The parameters of a strategy, before its plugin's schema parses them. */
export interface WrittenParams {
  readonly name: string;
  readonly params: unknown;
}

/** What earlier runs left in the journal. */
export interface Restored {
  /** Highest nonce ever signed with this key. */
  readonly nonceHighWater: number;
  readonly orders: readonly RestoredOrder[];
  /** Positions, strategies' states and pauses. */
  readonly carried: readonly CarriedItem[];
  /** The newest entry that has a reading of the venue's clock; left out before the first. */
  readonly lastEntry?: LastEntry;
  /** After a power cut, unless other programs trade on the account too. */
  readonly lost?: LostSpan;
}

/** The account's orders in these markets that were created since then, venue time, and are not in the journal. */
export interface LostSpan {
  readonly sinceMs: number;
  readonly marketIds: readonly MarketId[];
}

/** The time of a journal's newest entry, by our clock, and the newest reading of the venue's clock minus ours before it. */
export interface LastEntry {
  readonly nowMs: number;
  readonly offsetMs: number;
  /** Orders may follow it that are missing in the journal: the run has placed one, and did not end cleanly. */
  readonly isOpen: boolean;
}

/** All inputs that were queued when the driver woke. */
export interface Batch {
  /** 1, 2, 3, … within a run. */
  readonly seq: number;
  readonly nowMs: UnixMs;
  readonly inputs: readonly Input[];
}
