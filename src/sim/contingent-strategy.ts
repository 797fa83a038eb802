import { z } from "zod";
import { Prng } from "../base/prng.ts";
import type { Decimal } from "../domain/decimal.ts";
import { amount } from "../domain/setting.ts";
import type { Side } from "../domain/side.ts";
import {
  defineStrategy,
  keepQuotes,
  noQuotes,
  setQuotes,
  type WantedQuote,
  type WantedStop,
} from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";
import type { WantedTpsl } from "../strategy/wanted-tpsl.ts";

/** Most quotes that the strategy wants on one side. */
export const CONTINGENT_QUOTES = 2;
/** Names that the stop orders use. */
const NAMES = ["a", "b", "c"] as const;

/**
 * Places quotes with take profit and stop loss, and stop orders, at random. It earns nothing, but leads orders through all of
 * their states.
 */
export const contingentStrategy = defineStrategy({
  name: "stops-and-brackets",
  // Accepts the settings of a ladder and uses only the size.
  params: z.looseObject({ size: amount() }),
  init: ({ seed }) => ({
    prng: new Prng(seed),
    nextMs: 0,
    quotes: { bids: [] as WantedQuote[], asks: [] as WantedQuote[] },
    stops: [] as WantedStop[],
  }),
  decide({ view, params, state }) {
    const { prng } = state;
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty", { stops: state.stops });
    if (view.nowMs < state.nextMs && !view.quotesPulled)
      return keepQuotes({ wakeAtMs: state.nextMs });
    state.nextMs = view.nowMs + prng.pick([100, 400, 1_500]);
    if (prng.chance(0.3)) {
      const quotes = (side: Side): WantedQuote[] =>
        Array.from({ length: prng.int(0, CONTINGENT_QUOTES) }, () =>
          quote(prng, side, mid, params.size),
        );
      state.quotes = { bids: quotes("BUY"), asks: quotes("SELL") };
    }
    const market = { view, mid, size: params.size };
    state.stops = NAMES.flatMap((name) => stop(prng, name, market, state.stops));
    return setQuotes({
      ...state.quotes,
      stops: state.stops,
      tolerance: prng.pick([0, 0.0005, 0.002]),
      sizeTolerance: 0.1,
      drop: view.legs.filter(() => prng.chance(0.02)).map(({ id }) => id),
      wakeAtMs: state.nextMs,
    });
  },
});

function quote(prng: Prng, side: Side, mid: number, size: Decimal): WantedQuote {
  const out = side === "BUY" ? -1 : 1;
  const price = mid * (1 + out * prng.pick([0, 0.0002, 0.001]));
  const plain = { price, size: size.times(prng.pick([1, 1, 0.5])) };
  if (prng.chance(0.25)) return plain;
  const exit = (share: number): number => price * (1 - out * share);
  const takeProfit = exit(prng.pick([0.0003, 0.001, 0.005]));
  const stopLoss = exit(-prng.pick([0.0003, 0.001, 0.005]));
  const tpsl: WantedTpsl = prng.chance(0.3)
    ? { takeProfit, stopLoss, stopLimit: stopLoss * (1 + out * 0.001) }
    : { takeProfit, stopLoss };
  return { ...plain, tpsl };
}

/** Keeps, moves, drops or adds the stop order of this name at random. */
function stop(
  prng: Prng,
  name: string,
  market: { readonly view: MarketView; readonly mid: number; readonly size: Decimal },
  before: readonly WantedStop[],
): readonly WantedStop[] {
  const { view, mid, size } = market;
  const old = before.find((one) => one.name === name);
  const isOver = view.stops.some((one) => one.name === name && one.state === "over");
  if (old !== undefined && !isOver && prng.chance(0.85)) return [old];
  if (prng.chance(0.5)) return [];
  const side = prng.pick(["BUY", "SELL"] as const);
  const kind = prng.pick(["stop-loss", "stop-loss", "take-profit"] as const);
  const isAbove = (side === "BUY") === (kind === "stop-loss");
  const stopPrice = mid * (1 + (isAbove ? 1 : -1) * prng.pick([-0.001, 0.0003, 0.001, 0.003]));
  const wanted: WantedStop = { name, side, kind, size: size.times(0.5), stopPrice };
  return [
    prng.chance(0.3) ? { ...wanted, price: stopPrice * (side === "BUY" ? 1.001 : 0.999) } : wanted,
  ];
}
