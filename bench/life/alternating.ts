import { defineStrategy, keepQuotes, setQuotes, z } from "../../src/index.ts";
import { REST_MS } from "./life-terms.ts";

/**
 * The strategy of both bots in the case G1c: two quotes at a fixed distance from the mid. A frame moves one of them, in turn, and changes
 * its size, so that each move is exactly one command; the other quote stays.
 */
export default defineStrategy({
  name: "alternating",
  params: z.strictObject({ halfSpread: z.number(), sizes: z.array(z.string()).min(1) }),
  init: () => ({
    turn: 0,
    nextMs: 0,
    bids: [] as { price: number; size: string }[],
    asks: [] as { price: number; size: string }[],
  }),
  decide({ view, params, state }) {
    const { mid } = view.book;
    if (mid === undefined || view.nowMs < state.nextMs) return keepQuotes();
    state.nextMs = view.nowMs + REST_MS;
    const size = params.sizes[state.turn % params.sizes.length] ?? "";
    if (state.turn % 2 === 0) {
      state.bids = [{ price: view.roundDown(mid - params.halfSpread), size }];
    } else {
      state.asks = [{ price: view.roundUp(mid + params.halfSpread), size }];
    }
    state.turn += 1;
    return setQuotes({ bids: state.bids, asks: state.asks });
  },
});
