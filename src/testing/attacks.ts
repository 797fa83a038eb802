import type { TestLevel } from "./trial-market.ts";

/** A book of others in a market at 100; a side that is left out is calm. */
export interface Books {
  readonly bids?: readonly TestLevel[];
  readonly asks?: readonly TestLevel[];
  /** How long it is shown; default 200. */
  readonly forMs?: number;
}

/** Books of an attack that lifts the price. `ownAsk` gives the strategy's best ask in them. */
type Attack = (ownAsk: () => number | undefined) => Generator<Books>;

/** The calm book, in multiples of the best level's size. */
export const calmBids: readonly TestLevel[] = [
  [98, 1],
  [97, 2],
];
export const calmAsks: readonly TestLevel[] = [
  [102, 1],
  [103, 2],
];

/** Books that nobody should believe: a bid of dust, asks that are gone, asks that walk away without a trade. */
export const attacks: Readonly<Record<"dust" | "gap" | "walk", readonly Attack[]>> = {
  dust: [
    function* (ownAsk) {
      for (let at = 0; at < 300; at += 1) yield { bids: dustBelow(ownAsk()) };
    },
    // Gone again before most would look.
    function* (ownAsk) {
      for (let at = 0; at < 50; at += 1) {
        yield { bids: dustBelow(ownAsk()), forMs: 2 };
        yield {};
      }
    },
  ],
  gap: [104, 150, 190].map(
    (top) =>
      function* () {
        for (let at = 0; at < 100; at += 1) yield { asks: [[top, 1]] };
      },
  ),
  walk: [0.5, 2].map(
    (stride) =>
      function* () {
        for (let ask = 102; ask < 148; ask += stride) yield { asks: [[ask, 1]] };
      },
  ),
};

/** Just below the own ask: nobody bids above it without buying it. */
function dustBelow(ownAsk = 102): readonly TestLevel[] {
  return [[Math.max(98.1, Math.min(101.9, ownAsk - 0.01)), 0.0002], ...calmBids];
}

/** The same book from below: prices mirrored at 100, bids for asks. */
export function mirrored({ bids, asks, ...time }: Books): Books {
  const flip = (levels: readonly TestLevel[]): TestLevel[] =>
    levels.map(([price, size]) => [200 - price, size]);
  return { ...time, ...(asks && { bids: flip(asks) }), ...(bids && { asks: flip(bids) }) };
}

/** Books that are odd, not hostile. */
export const oddBooks: Readonly<
  Record<"thin" | "crossed" | "one-sided" | "empty", readonly Books[]>
> = {
  thin: [{ bids: [[98, 0.0002]], asks: [[102, 0.0002]] }],
  crossed: [{ bids: [[101, 1]], asks: [[99, 1]] }],
  "one-sided": [{ bids: [] }, { asks: [] }],
  empty: [{ bids: [], asks: [] }],
};
