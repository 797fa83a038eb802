import type { FlatLevels } from "../../src/domain/depth.ts";

/** The plainest book there is, for comparison: a map a side, sorted when read. */
export class NaiveBook {
  readonly bids = new Map<number, number>();
  readonly asks = new Map<number, number>();

  apply(event: { readonly bids: FlatLevels; readonly asks: FlatLevels }): void {
    applyTo(this.bids, event.bids);
    applyTo(this.asks, event.asks);
  }

  levels(side: "bids" | "asks"): number[] {
    const sorted = [...this[side]].sort(([left], [right]) => left - right);
    return (side === "bids" ? sorted.reverse() : sorted).flat();
  }
}

function applyTo(side: Map<number, number>, levels: FlatLevels): void {
  for (let at = 0; at < levels.length; at += 2) {
    const price = levels[at] ?? 0;
    const quantity = levels[at + 1] ?? 0;
    if (quantity === 0) side.delete(price);
    else side.set(price, quantity);
  }
}

export function flat(...values: number[]): FlatLevels {
  return Float64Array.from(values);
}
