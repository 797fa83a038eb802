/** Worlds that once broke an invariant, and what was wrong. They run with every `npm test`. */
export const storedSeeds: readonly { readonly seed: number; readonly was: string }[] = [
  { seed: 9, was: "a stop that asked a silent venue for its last word for half a minute" },
  { seed: 30, was: "empty steps every millisecond while the venue's clock was not known" },
  { seed: 44, was: "fills of an order that had ended, forgotten over a restart" },
  { seed: 65, was: "empty steps every millisecond while the book was not in sync" },
  { seed: 71, was: "a stop that did not wait for missing fills" },
  {
    seed: 188,
    was: "a balance asked for in the millisecond of an acknowledgement, taken for newer",
  },
  { seed: 193, was: "missing fills asked for by our clock, minutes ahead of the venue's" },
];
