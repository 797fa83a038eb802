import type { OrderId } from "../domain/ids.ts";

/** What a bot knows of foreign orders in one of its markets around its start (watch-others.ts). */
export interface OtherBots {
  /** `listening`: until the first list of open orders. */
  phase: "listening" | "observing" | "watching" | "over";
  /** When this phase ends, our clock. */
  untilMs: number;
  /** When the last list of the observation was requested; undefined before. */
  lastListMs: number | undefined;
  /** Foreign orders that are not counted any more, and their legs. */
  readonly known: Set<OrderId>;
  /** How many foreign orders were placed. */
  placed: number;
  /** The first placements of others and of ours. */
  foreignFirst: FirstOrder | undefined;
  ownFirst: FirstOrder | undefined;
  hasWarned: boolean;
}

export interface FirstOrder {
  /** Venue time. */
  readonly timeMs: number;
  readonly orderId: OrderId;
}

/** `isTraded`: a strategy trades the market; others are not watched. */
export function newOtherBots(isTraded: boolean): OtherBots {
  return {
    phase: isTraded ? "listening" : "over",
    untilMs: Number.POSITIVE_INFINITY,
    lastListMs: undefined,
    known: new Set(),
    placed: 0,
    foreignFirst: undefined,
    ownFirst: undefined,
    hasWarned: !isTraded,
  };
}
