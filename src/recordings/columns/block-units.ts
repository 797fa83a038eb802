import type { ColumnEvent } from "./column-event.ts";
import { CommonStep, type DecimalStep, decimalsNeeded, isOnScale } from "./decimal-grid.ts";

/** Ids, and times in µs, from here on do not fit the columns. The year 2041. */
const WHOLE_MAX = 2 ** 51;

/** Units in which a block's numbers are whole. */
export interface BlockUnits {
  readonly tick: DecimalStep;
  readonly lot: DecimalStep;
  /** Unit of exchange times, in µs: 1000, or 1 where some have fractions of a millisecond. */
  readonly timeUs: 1 | 1000;
  /** Events with a number that is not whole in these units; they are stored as doubles. */
  readonly raw: ReadonlySet<ColumnEvent>;
}

/** Chooses the coarsest units that fit the events. */
export function blockUnits(events: readonly ColumnEvent[]): BlockUnits {
  const raw = new Set<ColumnEvent>();
  let decimals: LevelDecimals = { price: 0, quantity: 0 };
  for (const event of events) {
    const needed = hasWholeNumbers(event) ? decimalsOf(event, decimals) : undefined;
    if (needed === undefined) raw.add(event);
    else decimals = needed;
  }
  const tick = new CommonStep(decimals.price);
  const lot = new CommonStep(decimals.quantity);
  let timeUs: 1 | 1000 = 1000;
  for (const event of events) {
    if (raw.has(event)) continue;
    if (!fits(event, decimals)) {
      raw.add(event);
      continue;
    }
    if (!Number.isInteger(event.timeMs)) timeUs = 1;
    for (const { levels } of event.groups) {
      for (let at = 0; at < levels.length; at += 2) {
        tick.take(levels[at] ?? 0);
        lot.take(levels[at + 1] ?? 0);
      }
    }
  }
  return { tick: tick.step, lot: lot.step, timeUs, raw };
}

interface LevelDecimals {
  readonly price: number;
  readonly quantity: number;
}

function hasWholeNumbers({ atMs, timeMs, firstId, finalId }: ColumnEvent): boolean {
  const isWhole = (value: number): boolean =>
    Number.isInteger(value) && value >= 0 && value < WHOLE_MAX;
  const isTime = (ms: number): boolean => {
    const us = Math.round(ms * 1000);
    return isWhole(us) && us / 1000 === ms;
  };
  return isTime(atMs) && isTime(timeMs) && isWhole(firstId) && isWhole(finalId);
}

/** Decimals that this event needs, at least `found`; undefined when they are too many. */
function decimalsOf(event: ColumnEvent, found: LevelDecimals): LevelDecimals | undefined {
  let { price, quantity } = found;
  for (const { levels } of event.groups) {
    for (let at = 0; at < levels.length; at += 2) {
      const ofPrice = decimalsNeeded(levels[at] ?? 0, price);
      const ofQuantity = decimalsNeeded(levels[at + 1] ?? 0, quantity);
      if (ofPrice === undefined || ofQuantity === undefined) return undefined;
      price = ofPrice;
      quantity = ofQuantity;
    }
  }
  return { price, quantity };
}

function fits(event: ColumnEvent, decimals: LevelDecimals): boolean {
  return event.groups.every(({ levels }) =>
    levels.every((value, at) =>
      isOnScale(value, at % 2 === 0 ? decimals.price : decimals.quantity),
    ),
  );
}
