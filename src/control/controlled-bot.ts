import type { CommandOrigin } from "../domain/command-origin.ts";
import type { Fill } from "../domain/order.ts";
import type { LineConnection } from "../ports/line-connection.ts";
import type { LeftPosition, Resumed, Tuned } from "./protocol.ts";

/** What a resume did. */
export interface ResumeOutcome extends Resumed {
  /** Why the bot or the strategy still may not quote; undefined when it may. */
  readonly problem: string | undefined;
}

/** What a bot lets its operator do from its first step on. `by` stands in the journal. */
export interface RunningBot {
  /** Nothing reaches its journal any more, since its run is over or the disk has failed. */
  readonly isEnding: boolean;
  pause(strategy: string | undefined, by: CommandOrigin): void;
  reduceOnly(strategy: string | undefined, by: CommandOrigin): void;
  resume(
    strategy: string | undefined,
    force: boolean | undefined,
    by: CommandOrigin,
  ): ResumeOutcome;
  flatten(
    terms: { readonly maxSlippage: number; readonly withinMs: number },
    strategy: string | undefined,
    by: CommandOrigin,
  ): void;
  /** Cancels these own orders, or all that are open, of one strategy or of all. */
  cancel(
    orderIds: readonly string[] | undefined,
    strategy: string | undefined,
    by: CommandOrigin,
  ): void;
  /** Makes a foreign order a strategy's own. False when one has been given it already. */
  takeOver(strategy: string, orderId: string, by: CommandOrigin): boolean;
  /** Open orders of the account that are not its own, and the strategies that can take each over. */
  readonly foreignOrders: readonly {
    readonly orderId: string;
    readonly takers: readonly string[];
  }[];
  /** What the newest flatten left; undefined while one is under way. */
  flattened(strategy?: string): readonly LeftPosition[] | undefined;
  /** Own orders that have not ended, quotes only or all, those that wait for the disk included: their ids, `intent N` before the signing. */
  openOrders(which: "quotes" | "all", strategy?: string): readonly string[];
  /** Adds a trade that was made by hand to the strategy's position. Returns why not; undefined when it is booked. */
  book(strategy: string, fill: Fill, by: CommandOrigin): string | undefined;
}

/** Both reject with an error whose message says why nothing was changed. */
export interface Tuner {
  tune(strategy: string, settings: readonly string[], by: CommandOrigin): Promise<Tuned>;
  reload(by: CommandOrigin): Promise<Tuned>;
}

/** What requests reach: a running bot, or one that is still starting, which can be halted and stopped, and shows its status. */
export interface ControlledBot {
  /** Undefined before its first step. */
  readonly running: { readonly bot: RunningBot; readonly tuner: Tuner } | undefined;
  /** Cancels every own order, of one strategy or of all, and refuses to quote, at once. Resolves with a sentence when the halt would not survive a restart. */
  halt(
    reason: string,
    strategy: string | undefined,
    by: CommandOrigin,
  ): Promise<string | undefined>;
  /** Ends the run; resolves when it is over. `keepsOrders`: leaves its orders open. */
  stop(
    keepsOrders: boolean,
    by: CommandOrigin,
  ): Promise<{
    readonly ok: boolean;
    readonly reason: string;
    readonly inQuestion: readonly string[];
    readonly kept: readonly string[];
  }>;
  readonly strategies: readonly string[];
  /** Folder of its journal, without symbolic links. */
  readonly journal: string;
  /** Takes over the connection of a guard; undefined when this bot has nothing to guard. */
  readonly addGuard: ((connection: LineConnection) => void) | undefined;
  /** A one-time login link of the page; rejects with an error whose message says why there is none. */
  login(role: "read" | "control"): Promise<string>;
  /** Plain data for `touchline status`. */
  status(): unknown;
}
