import { getOrMake } from "../base/get-or-make.ts";
import type { BookSnapshot, DepthEvent, FlatLevels } from "../domain/depth.ts";
import {
  addFixed,
  fixedFromNumber,
  fixedToNumber,
  maxFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { isContingent, type OrderReport } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";

/** From this time of the venue on, own orders at a price have this quantity in the book. */
interface Held {
  readonly timeMs: number;
  readonly quantity: Fixed;
}

interface Change {
  readonly timeMs: number;
  readonly place: string;
  readonly by: Fixed;
}

/** How much of the venue's book was the bot's own, at each price and time of the venue, from the reports of its orders. */
export class OwnLiquidity {
  readonly #held = new Map<string, Held[]>();

  /** The reports of own orders in any order, and repeated. */
  constructor(reports: Iterable<OrderReport>) {
    const byOrder = Map.groupBy(reports, ({ orderId }) => orderId);
    const changes = [...byOrder.values()].flatMap(changesOf);
    for (const { timeMs, place, by } of changes.toSorted((a, b) => a.timeMs - b.timeMs)) {
      const held = getOrMake(this.#held, place, () => []);
      held.push({ timeMs, quantity: addFixed(held.at(-1)?.quantity ?? ZERO, by) });
    }
  }

  /** The own quantity at a price, after everything that happened at `timeMs`. */
  at(marketId: string, side: Side, price: number, timeMs: number): Fixed {
    const held = this.#held.get(placeOf(marketId, side, price)) ?? [];
    // Binary search for the first change after `timeMs`: a price may have thousands of changes.
    let [from, to] = [0, held.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((held[middle]?.timeMs ?? 0) <= timeMs) from = middle + 1;
      else to = middle;
    }
    return held[from - 1]?.quantity ?? ZERO;
  }
}

/** What one order adds to the book and takes from it, in the venue's time. */
function changesOf(reports: readonly OrderReport[]): readonly Change[] {
  const changes: Change[] = [];
  let resting: Fixed = ZERO;
  for (const report of reports.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs)) {
    const { marketId, side, price, updatedAtMs: timeMs } = report;
    const next = restingOf(report);
    if (next === resting) continue;
    const place = placeOf(marketId, side, fixedToNumber(price));
    changes.push({ timeMs, place, by: subFixed(next, resting) });
    resting = next;
  }
  return changes;
}

function restingOf({ status, orderType, isTriggered, origQty, executedQty }: OrderReport): Fixed {
  const isOpen = status === "NEW" || status === "PARTIALLY_FILLED" || status === "PENDING_CANCEL";
  const rests = isOpen && (!isContingent(orderType) || isTriggered === true);
  return rests ? subFixed(origQty, executedQty) : ZERO;
}

/** A depth event or a book with the levels that other traders had. */
export function withoutOwn<Levels extends DepthEvent | BookSnapshot>(
  event: Levels,
  own: OwnLiquidity,
): Levels {
  const { marketId, timeMs, bids, asks } = event;
  const others = (side: Side, levels: FlatLevels): FlatLevels => {
    const left = Float64Array.from(levels);
    for (let at = 0; at + 1 < left.length; at += 2) {
      const mine = own.at(marketId, side, left[at] ?? 0, timeMs);
      if (mine === ZERO) continue;
      const all = fixedFromNumber(left[at + 1] ?? 0);
      left[at + 1] = fixedToNumber(maxFixed(ZERO, subFixed(all, mine)));
    }
    return left;
  };
  return { ...event, bids: others("BUY", bids), asks: others("SELL", asks) };
}

function placeOf(marketId: string, side: Side, price: number): string {
  return `${marketId} ${side} ${price}`;
}
