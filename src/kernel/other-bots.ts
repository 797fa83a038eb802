import type { OrderId } from "../domain/ids.ts";

/** What a bot knows of foreign orders in its markets around its start (watch-others.ts). */
export interface OtherBots {
  /** `listening`: until the first list of open orders. `observing`: before the first quote. */
  phase: "listening" | "observing" | "over";
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
  hasWarned: boolean;
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
    hasWarned: false,
  };
}
