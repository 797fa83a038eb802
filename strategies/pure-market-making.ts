import {
  amount,
  defineStrategy,
  duration,
  keepQuotes,
  noQuotes,
  setQuotes,
  share,
  z,
} from "touchline";

/**
 * Quotes both sides around the mid of the book less our own orders: `levels` quotes a side, the first `bidSpread` or
 * `askSpread` away, each next one `levelSpread` further, reconsidered every `refresh`.
 */
export default defineStrategy({
  name: "pure-market-making",
  summary: "Quotes a ladder on both sides of the mid and keeps what is near enough.",
  params: z.strictObject({
    /** Distance of the first bid from the mid, as a share of the mid. */
    bidSpread: share({ min: 0, max: 0.5 }),
    /** Distance of the first ask from the mid, as a share of the mid. */
    askSpread: share({ min: 0, max: 0.5 }),
    /** Size of each quote, base token. */
    size: amount(),
    /** Quotes a side. */
    levels: z.int().min(1).max(50).default(1),
    /** Distance between two neighbouring quotes of a side, as a share of the mid. */
    levelSpread: share({ min: 0, max: 0.5 }).prefault("0.1%"),
    /** How often the quotes are reconsidered. */
    refresh: duration({ min: 50 }).prefault("2s"),
    /** How far a resting quote may be off its target before it is replaced, as a share of the mid. */
    tolerance: share({ min: 0, max: 0.5 }).prefault("0.02%"),
  }),

  init: () => ({ nextMs: 0 }),

  decide({ view, params: settings, state }) {
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");
    if (view.nowMs < state.nextMs) return keepQuotes({ wakeAtMs: state.nextMs });
    state.nextMs = view.nowMs + settings.refresh;

    const ladder = (spread: number, direction: 1 | -1) =>
      Array.from({ length: settings.levels }, (_, level) => ({
        price: mid * (1 + direction * (spread + level * settings.levelSpread)),
        size: settings.size,
      }));
    return setQuotes({
      bids: ladder(settings.bidSpread, -1),
      asks: ladder(settings.askSpread, 1),
      tolerance: settings.tolerance,
      wakeAtMs: state.nextMs,
    });
  },
});
