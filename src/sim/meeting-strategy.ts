import { z } from "zod";
import { Prng } from "../base/prng.ts";
import { amount } from "../domain/setting.ts";
import { defineStrategy, keepQuotes, noQuotes, setQuotes } from "../strategy/contract.ts";

/**
 * Wants one quote, most often right at or beyond the touch of the other side, where the quotes of another strategy of the bot rest. It
 * earns nothing, but meets them. Only its own orders and fills wake it before its time.
 */
export const meetingStrategy = defineStrategy({
  name: "meets-own-quotes",
  // Accepts the settings of a ladder and uses only the size.
  params: z.looseObject({ size: amount() }),
  init: ({ seed }) => ({ prng: new Prng(seed), nextMs: 0 }),
  decide({ view, params, state }) {
    const { prng } = state;
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");
    if (view.nowMs < state.nextMs && !view.quotesPulled)
      return keepQuotes({ wakeAtMs: state.nextMs, wakeOn: "orders" });
    state.nextMs = view.nowMs + prng.pick([200, 700, 2_500]);
    const share = prng.pick([-0.0002, 0, 0.0002, 0.0006]);
    const isBid = prng.chance(0.5);
    const price = mid * (1 + (isBid ? share : -share));
    const quote = { price, size: params.size.times(0.5) };
    return setQuotes({
      bids: isBid ? [quote] : [],
      asks: isBid ? [] : [quote],
      wakeAtMs: state.nextMs,
      wakeOn: "orders",
    });
  },
});
