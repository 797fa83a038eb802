import { z } from "zod";
import { Prng } from "../base/prng.ts";
import { amount } from "../domain/setting.ts";
import { defineStrategy, keepQuotes, setQuotes } from "../strategy/contract.ts";
import type { WantedTake } from "../strategy/wanted-take.ts";

/** Most quotes that the strategy wants on one side. */
export const TAKING_QUOTES = 1;
/** For so long it wants the same take, also after a restart. */
const TAKE_MS = 4_000;

/**
 * Quotes both sides and wants a take with a name that follows from the time alone, so that every process of the bot wants the same one. It
 * earns nothing, but takes through its own quotes and in all troubles.
 */
export const takingStrategy = defineStrategy({
  name: "takes",
  // Accepts the settings of a ladder and uses only the size.
  params: z.looseObject({ size: amount() }),
  init: ({ seed }) => ({ seed, nextMs: 0, number: 0 }),
  state: {
    version: 1,
    save: ({ number }) => number,
    // A kill may have taken the newest number.
    load: (number, _, state) => ({ ...state, number: z.number().parse(number) + 1 }),
  },
  decide({ view, params, state }) {
    const { mid } = view.book;
    // A decision without the take would free its name.
    if (mid === undefined) return keepQuotes();
    if (view.nowMs < state.nextMs && !view.quotesPulled)
      return keepQuotes({ wakeAtMs: state.nextMs });
    state.nextMs = view.nowMs + 500;
    // A clock that goes back must not bring back a name that was left out, which would trade again.
    const number = Math.max(state.number, Math.floor(view.nowMs / TAKE_MS));
    state.number = number;
    const prng = new Prng((state.seed + number) % 2 ** 32);
    const size = params.size.times(0.5);
    const quote = (share: number) => ({ price: mid * (1 + share), size });
    const away = prng.pick([0.0002, 0.001]);
    const wanted: WantedTake = {
      name: `take ${number}`,
      side: prng.pick(["BUY", "SELL"] as const),
      size: params.size.times(prng.pick([0.5, 1, 3])),
      maxSlippage: prng.pick([0, 0.001, 0.004]),
      within: prng.pick([200, 1_000]),
      market: prng.chance(0.2),
    };
    return setQuotes({
      bids: [quote(-away)],
      asks: [quote(away)],
      takes: [wanted],
      tolerance: 0.0005,
      sizeTolerance: 0.1,
      wakeAtMs: state.nextMs,
    });
  },
});
