import type { BookSnapshot, DepthEvent, FlatLevels } from "../domain/depth.ts";
import { type Side, sides } from "../domain/side.ts";

/**
 * A book as §6.3 lets a bot keep it, from one whole book and the events that follow it without a gap. It is written apart from `src/book/`, since
 * it judges what is made there: plain maps, and no more than the six rules.
 */
export class NaiveBook {
  readonly #levels = { BUY: new Map<number, number>(), SELL: new Map<number, number>() };
  /** Events that follow each other without a gap, while there is no whole book (rule 1). */
  readonly #waiting: DepthEvent[] = [];
  #lastId: number | undefined;
  /** No event has been applied to the whole book yet: the first may begin before it (rule 4). */
  #isFresh = false;

  /** Id of the newest update in the book; undefined while there is no book. */
  get lastId(): number | undefined {
    return this.#lastId;
  }

  get isLive(): boolean {
    return this.#lastId !== undefined;
  }

  /** Quantities by price, in no order. */
  levels(side: Side): ReadonlyMap<number, number> {
    return this.#levels[side];
  }

  /** Undefined when the side is empty. */
  bestPrice(side: Side): number | undefined {
    let best: number | undefined;
    for (const price of this.#levels[side].keys()) {
      if (best === undefined || (side === "BUY" ? price > best : price < best)) best = price;
    }
    return best;
  }

  event(event: DepthEvent): void {
    if (this.#lastId === undefined) this.#wait(event);
    else if (event.finalId > this.#lastId) this.#continue(event, this.#lastId + 1);
  }

  /** Takes a whole book instead of what it has. Returns false when the waiting events do not follow it (rule 4). */
  take(snapshot: BookSnapshot): boolean {
    const next = snapshot.lastId + 1;
    const [first] = this.#waiting;
    if (first !== undefined && first.firstId > next) return false;
    for (const side of sides) this.#levels[side].clear();
    this.#apply(snapshot, snapshot.lastId);
    this.#isFresh = true;
    for (const event of this.#waiting.splice(0)) this.event(event);
    return true;
  }

  /** Whether nothing that may still be delivered can tell the two apart. */
  equals(other: NaiveBook): boolean {
    if (this.#lastId !== other.#lastId || this.#isFresh !== other.#isFresh) return false;
    if (this.#lastId === undefined) {
      return (
        this.#waiting[0]?.firstId === other.#waiting[0]?.firstId &&
        this.#waiting.at(-1)?.finalId === other.#waiting.at(-1)?.finalId
      );
    }
    return sides.every((side) => {
      const [mine, others] = [this.levels(side), other.levels(side)];
      return mine.size === others.size && [...mine].every(([at, held]) => others.get(at) === held);
    });
  }

  /** A gap makes the events before it worthless (rule 5). */
  #wait(event: DepthEvent): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && event.finalId <= last.finalId) return;
    if (last !== undefined && event.firstId !== last.finalId + 1) this.#waiting.length = 0;
    this.#waiting.push(event);
  }

  #continue(event: DepthEvent, next: number): void {
    if (event.firstId === next || (this.#isFresh && event.firstId < next)) {
      this.#apply(event, event.finalId);
      this.#isFresh = false;
    } else {
      this.#lastId = undefined;
      this.#waiting.push(event);
    }
  }

  #apply({ bids, asks }: Pick<DepthEvent, "bids" | "asks">, lastId: number): void {
    setLevels(this.#levels.BUY, bids);
    setLevels(this.#levels.SELL, asks);
    this.#lastId = lastId;
  }
}

function setLevels(levels: Map<number, number>, pairs: FlatLevels): void {
  for (let at = 0; at < pairs.length; at += 2) {
    const [price = 0, quantity = 0] = [pairs[at], pairs[at + 1]];
    if (quantity === 0) levels.delete(price);
    else levels.set(price, quantity);
  }
}
