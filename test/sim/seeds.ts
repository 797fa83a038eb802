/** A world that broke an invariant before something was mended, and what that was. They run with every `npm test`. */
export interface StoredSeed {
  readonly seed: number;
  readonly was: string;
  /** How many kinds of faults there were; 13 when left out, and then no world had modifies. */
  readonly kinds?: number;
}

export const storedSeeds: readonly StoredSeed[] = [
  { seed: 1, was: "a stop that did not wait for missing fills" },
  { seed: 2, was: "empty steps every millisecond while the book was not in sync" },
  { seed: 4, was: "empty steps every millisecond while the venue's clock was not known" },
  { seed: 23, was: "a stop that asked a silent venue for its last word for half a minute" },
  { seed: 44, was: "fills of an order that had ended, forgotten over a restart" },
  { seed: 5028, was: "an order of a killed run that landed late, taken for one above the limit" },
  { seed: 7023, was: "a lost order whose cancel was not answered, live for ever", kinds: 17 },
  { seed: 10069, was: "exposure measured by what the venue had forgotten", kinds: 17 },
  {
    seed: 70009012,
    was: "balances a second late in a row, taken for too many rejections",
    kinds: 17,
  },
];

/** The same of worlds with `--contingent`. */
export const contingentSeeds: readonly StoredSeed[] = [
  { seed: 106, was: "a position limit that legs of a partly filled quote went beyond" },
  { seed: 131, was: "the same, on the other side" },
  { seed: 5551277, was: "a foreign order of a list from before the venue forgot it", kinds: 17 },
];
