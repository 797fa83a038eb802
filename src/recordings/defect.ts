import type { RecordedEvent } from "./recorded-event.ts";

/** Kinds of defects, by the names of the counts in `recording check`. */
export const defectNames = [
  /** Ids of depth events are missing before this one. */
  "gaps",
  /** A depth event that was there before: not applied. */
  "duplicates",
  "tradeGaps",
  "tradeDuplicates",
  /** Prices that are not positive decimals, or quantities that are no decimals: the level (or trade) is left out. */
  "badPrices",
  /** Exchange times that cannot be: that of the event's other rows, or else of receipt, stands in. */
  "badTimes",
  /** Rows more than an hour after the previous one of their stream, by either clock: left out. */
  "timeJumps",
] as const;
export type DefectName = (typeof defectNames)[number];

/** How often each occurred. */
export type DefectCounts = Readonly<Record<DefectName, number>>;

/** Something in a recording that cannot be as it stands. */
export interface Defect {
  readonly what: DefectName;
  /** What is seen, for people: `bid -1 × 804627.7`. */
  readonly detail: string;
  readonly event: RecordedEvent;
  /** Which of the event's levels, bids first; undefined when it is not about a level. */
  readonly level?: number;
}

export type ReportDefect = (defect: Defect) => void;

export function noDefects(): Record<DefectName, number> {
  return {
    gaps: 0,
    duplicates: 0,
    tradeGaps: 0,
    tradeDuplicates: 0,
    badPrices: 0,
    badTimes: 0,
    timeJumps: 0,
  };
}
