import type { TextLevel } from "../recorded-event.ts";

interface SnapshotRow {
  readonly atUs: number;
  readonly timeUs: number;
  readonly isAsk: boolean;
  readonly level: TextLevel;
}

/** Pieces of a snapshot follow one another faster than two snapshots do. */
const PIECES_US = 10_000;

/** The rows of a market's newest snapshot. It names each price once, and a piece that was received later does not cross it. */
export class SnapshotPieces {
  readonly #timeUs: number;
  #lastUs: number;
  readonly #prices = new Set<string>();
  #bid = 0;
  #ask = Number.POSITIVE_INFINITY;

  constructor(first: SnapshotRow) {
    this.#timeUs = first.timeUs;
    this.#lastUs = first.atUs;
    this.#add(first);
  }

  /** Takes the market's next snapshot row if it belongs to this snapshot; else returns false. */
  takes(row: SnapshotRow): boolean {
    const { atUs, timeUs, isAsk, level } = row;
    const price = Number(level[0]);
    const isNear = timeUs === this.#timeUs || Math.abs(atUs - this.#lastUs) < PIECES_US;
    const isCrossing = isAsk ? price < this.#bid : price > this.#ask;
    if (!isNear || this.#prices.has(keyOf(row))) return false;
    if (isCrossing && atUs !== this.#lastUs) return false;
    this.#add(row);
    return true;
  }

  #add(row: SnapshotRow): void {
    const price = Number(row.level[0]);
    this.#prices.add(keyOf(row));
    this.#lastUs = row.atUs;
    if (row.isAsk) this.#ask = Math.min(this.#ask, price);
    else this.#bid = Math.max(this.#bid, price);
  }
}

function keyOf({ isAsk, level }: SnapshotRow): string {
  return `${isAsk} ${level[0]}`;
}
