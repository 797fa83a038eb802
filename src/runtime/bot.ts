import type { Address } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { SummaryFold } from "../metrics/summary.ts";
import type { LiveEnd } from "./live-bot.ts";
import type { Observers } from "./observers.ts";

/** A bot at work, live or on paper, as whoever started it sees it. */
export interface Bot {
  readonly owner: Address;
  readonly markets: readonly Market[];
  /** What happens, step by step: for pages, metrics, recorders. */
  readonly observers: Observers;
  readonly summary: SummaryFold;
  /** The normal end: no more quotes, own orders canceled one by one. */
  stop(): void;
  /** Resolves when the run is over and everything is closed; never rejects. */
  readonly done: Promise<LiveEnd>;
}
