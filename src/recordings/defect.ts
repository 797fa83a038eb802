import type { RecordedEvent } from "./recorded-event.ts";

/** Kinds of defects; `recording check` reports its counts under these names. */
export const defectNames = [
  /** Ids of depth events are missing before this one. */
  "gaps",
  /** A depth event that repeats an earlier one; not applied. */
  "duplicates",
  "tradeGaps",
  "tradeDuplicates",
  /** A price that is not a positive decimal or a quantity that is not a decimal; the level or trade is left out. */
  "badPrices",
  /** An impossible exchange time; replaced by the time of the event's other rows, or else by the time of receipt. */
  "badTimes",
  /** A row more than an hour after the one before it, by either clock, that no later one confirms; the import leaves it out. */
  "timeJumps",
  /** A trade whose taker's side is a word that is not known; the import leaves it out. */
  "badSides",
] as const;
export type DefectName = (typeof defectNames)[number];

export type DefectCounts = Readonly<Record<DefectName, number>>;

/** Something in a recording that cannot be right. */
export interface Defect {
  readonly what: DefectName;
  /** What was read, as text for people: `bid -1 × 804627.7`. */
  readonly detail: string;
  readonly event: RecordedEvent;
  /** Index of the affected level, bids before asks; undefined when the defect does not concern a level. */
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
    badSides: 0,
  };
}
