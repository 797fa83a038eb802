import type { OrderId } from "../../domain/ids.ts";

/** What a bot knows of foreign orders in its markets around its start (watch-others.ts). */
export interface OtherBots {
  /**
   * `listening`: until the first list of open orders. `observing`: before the first quote. `watching`: until `timing.observeMs` after the
   * first own quote of the run, or after a pause or halt of the whole bot.
   */
  phase: "listening" | "observing" | "watching" | "over";
  /** When the observation or the watch ends; Infinity before its time has begun. */
  untilMs: number;
  /** When the last list of the observation was requested; undefined before. */
  lastListMs: number | undefined;
  /** Foreign orders in our markets that were there before the observation. */
  readonly known: Set<OrderId>;
  /** Ids that take profits and stop losses of foreign orders have: they come and go with their order. */
  readonly legs: Set<OrderId>;
  /** Those that appeared since, and how many were canceled. */
  readonly placed: Set<OrderId>;
  canceled: number;
  /** When a foreign order was last placed or canceled while watching, our clock. */
  lastMs: number;
  /** The first orders of others and of ours since the watch began. */
  foreignFirst: FirstOrder | undefined;
  ownFirst: FirstOrder | undefined;
  hasWarned: boolean;
}

export interface FirstOrder {
  /** Venue time. */
  readonly timeMs: number;
  readonly orderId: OrderId;
}

export function newOtherBots(): OtherBots {
  return {
    phase: "listening",
    untilMs: Number.POSITIVE_INFINITY,
    lastListMs: undefined,
    known: new Set(),
    legs: new Set(),
    placed: new Set(),
    canceled: 0,
    lastMs: Number.NEGATIVE_INFINITY,
    foreignFirst: undefined,
    ownFirst: undefined,
    hasWarned: false,
  };
}
