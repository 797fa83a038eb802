import { amount, defineStrategy, noQuotes, setQuotes, share, z } from "touchline";

/**
 * Keeps at least `value` of orders in each band of distances from the mid. Orders are placed in the middle of a band and moved when the
 * market has left them outside it, so that few are canceled.
 */
export default defineStrategy({
  name: "my-strategy",
  summary: "Orders in bands of distances from the mid, moved only when they leave their band.",
  params: z.strictObject({
    /** From and to which distance from the mid each band reaches, as shares of it. They must not overlap. */
    bands: z
      .array(
        z.strictObject({ from: share({ max: 0.5 }), to: share({ max: 0.5 }), value: amount() }),
      )
      .min(1)
      .prefault([
        { from: "0.05%", to: "0.15%", value: "100" },
        { from: "0.25%", to: "0.35%", value: "200" },
      ]),
  }),
  init: () => ({}),

  decide({ view, params }) {
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");
    const side = (out: number) =>
      params.bands.map(({ from, to, value }) => ({
        price: mid * (1 + (out * (from + to)) / 2),
        size: value.div(mid).clamp(view.minSize(mid), Infinity),
      }));
    // Half the width of the narrowest band: what is farther off than that is outside its band.
    const tolerance = Math.min(...params.bands.map(({ from, to }) => Math.abs(to - from) / 2));
    return setQuotes({ bids: side(-1), asks: side(1), tolerance, sizeTolerance: 0.5 });
  },
});
