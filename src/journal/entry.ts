import type { Budget } from "../domain/budget.ts";
import { type TradesIn } from "../domain/market-roles.ts";
import type { Market } from "../domain/market.ts";
import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { KernelConfig } from "../kernel/config.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Batch, CarriedItem, Restored } from "../kernel/input.ts";
import type { UptimeShares } from "./uptime-sum.ts";

/** The journal's format: names and shapes of all records. A segment of another one is not read. */
export const FORMAT_VERSION = 1;

/** A strategy in the header of a journal: enough to load and start it again. */
export interface RecordedStrategy extends TradesIn {
  readonly name: string;
  /** As in the configuration: the name of a built-in strategy, a path or a package. */
  readonly plugin: string;
  /** As written in the configuration, before the plugin's schema parses them. */
  readonly params: unknown;
  readonly seed: number;
  /** The price sources that it sees; left out: all. */
  readonly sources?: readonly string[];
  readonly budget?: Budget;
}

/** Everything that a re-run of a session needs besides the plugins' code. Each segment of the run starts with it. */
export interface RunHeader {
  /** Unique among the runs of a journal. */
  readonly runId: string;
  /** Names the machine's start, where the system tells: data that no sync made durable is lost only in a restart of the machine. */
  readonly bootId?: string;
  readonly startedAtMs: UnixMs;
  /** The program's version and, in a clone, its commit. */
  readonly codeVersion: string;
  /** The configuration as written; environment variables are not filled in. */
  readonly configText: string;
  readonly chainId: number;
  /** Address whose key signs from this record on: the owner's or a session wallet's. */
  readonly signer: Address;
  /** The kernel's settings without strategies and markets, which follow. */
  readonly kernel: Omit<KernelConfig, "strategies" | "markets">;
  readonly markets: readonly Market[];
  readonly strategies: readonly RecordedStrategy[];
}

/** A command that was signed in a step. */
export interface SignedEntry {
  readonly intent: number;
  readonly txHash: OrderId;
  /** The complete signed transaction, `0x…`. */
  readonly bytesHex: string;
}

/** One step: inputs, effects and signed commands. Written before any command is sent. */
export interface BatchEntry {
  readonly batch: Batch;
  readonly effects: readonly Effect[];
  readonly signed: readonly SignedEntry[];
  /** Own orders that have ended and whose fills are all booked, since this step. */
  readonly ended: readonly OrderId[];
  /** The fills that were booked in this step. */
  readonly booked: readonly Fill[];
  /** What the next run needs to know and has changed in this step; left out when nothing has. */
  readonly carried?: readonly CarriedItem[];
}

/** Cancels that no kernel decided: after a bug, of a start that takes long or fails, and of orders that the last list shows. */
export interface CrashEntry {
  readonly message: string;
  readonly nowMs: UnixMs;
  readonly nonceHighWater: number;
  readonly signed: readonly SignedEntry[];
}

/** Start of a segment, or of a new key's signatures in it: the run, and the orders that were open then. */
export interface SegmentHead {
  readonly formatVersion: number;
  /** The number in the segment's name. */
  readonly segment: number;
  readonly header: RunHeader;
  readonly restored: Restored;
}

/** A trade of a strategy. */
export interface StrategyFill {
  readonly strategy: string;
  readonly fill: Fill;
}

/** What a person set by hand between two runs, and everything that the next run needs to know after it. */
export interface AdjustedEntry {
  readonly nowMs: UnixMs;
  readonly items: readonly CarriedItem[];
  /** The trade that the person booked, which `items` contain. */
  readonly trade?: StrategyFill;
  readonly restored: Restored;
}

/** What a bot measured since its previous such record, which only the bot itself knows. Times are those of batches. */
export interface MeasuredEntry {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly parts: readonly MeasuredPart[];
  /** Of the books without own orders. */
  readonly mids: readonly (readonly [MarketId, number])[];
}

/** How long quotes of a strategy rested in a market, in milliseconds; below 0 where the bot took earlier time back. */
export interface MeasuredPart {
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly upMs: UptimeShares;
}

export type Entry =
  | { readonly type: "run"; readonly head: SegmentHead }
  | { readonly type: "batch"; readonly entry: BatchEntry }
  | { readonly type: "checkpoint"; readonly restored: Restored }
  | { readonly type: "crash"; readonly crash: CrashEntry }
  | { readonly type: "adjusted"; readonly adjusted: AdjustedEntry }
  | { readonly type: "measured"; readonly measured: MeasuredEntry }
  /** The first `bytes` bytes of the segment were durable when this was written. */
  | { readonly type: "synced"; readonly bytes: number }
  /** The run ended, and all that it sent is in the journal. */
  | { readonly type: "end" };
