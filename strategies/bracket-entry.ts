import {
  amount,
  defineStrategy,
  duration,
  keepQuotes,
  type MarketView,
  noQuotes,
  percentText,
  quoteParams,
  setQuotes,
  share,
  type Side,
  type WantedQuote,
  z,
} from "touchline";

const params = z.strictObject({
  side: z
    .enum(["buy", "sell"])
    .default("buy")
    .describe("Buys below the mid and sells again, or sells above it and buys back."),
  distance: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the mid the entry waits, as a share of the mid.",
  ),
  size: amount().describe("Size of an entry in base token."),
  takeProfit: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the entry's price its take profit lies, as a share of that price.",
  ),
  stopLoss: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the entry's price its stop loss fires, on the other side.",
  ),
  stopLimit: share({ max: 0.5 })
    .optional()
    .describe(
      "How far beyond its trigger the stop loss may be filled, as a share of it; left out, it is a market order.",
    ),
  refresh: quoteParams.refresh,
  tolerance: quoteParams.tolerance,
  coolDown: duration()
    .prefault("1m")
    .describe("After a stop loss nothing new is entered for so long."),
});

type Settings = z.output<typeof params>;

/**
 * One entry at a time: a quote away from the mid that brings its take profit and its stop loss along. While it is filled in part it
 * stays; filled whole, the venue holds both exits, and the next entry waits until one of them is done.
 */
export default defineStrategy({
  name: "bracket-entry",
  summary: "Enters away from the mid with a take profit and a stop loss, one position at a time.",
  params,
  init: () => ({ nextMs: 0, coolUntilMs: 0 }),
  review: ({ params: settings, makerFee, takerFee }) => warnings(settings, makerFee, takerFee),

  decide({ view, params: settings, state }) {
    if (view.fills.some(({ role }) => role === "stopLoss")) {
      state.coolUntilMs = view.nowMs + settings.coolDown;
    }
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");
    if (view.nowMs < state.nextMs && view.fills.length === 0) {
      return keepQuotes({ wakeAtMs: state.nextMs });
    }
    state.nextMs = view.nowMs + settings.refresh;

    const side: Side = settings.side === "buy" ? "BUY" : "SELL";
    const { tolerance } = settings;
    const wakeAtMs = state.nextMs;
    const want = (on: Side, quotes: readonly WantedQuote[], why: string) =>
      setQuotes({
        ...(on === "BUY" ? { bids: quotes } : { asks: quotes }),
        tolerance,
        why: { BUY: why, SELL: why },
        wakeAtMs,
      });
    const begun = view.orders.find(
      (order) => order.side === side && order.tpsl && order.remaining.lt(settings.size),
    );
    if (begun !== undefined) {
      const { id, price, remaining } = begun;
      return want(side, [{ price, size: remaining, order: id }], "an entry is filled in part");
    }
    // Between the entry's end and the news of its exits they stand as pending, without it.
    const isWaiting = (id: number | undefined): boolean => view.orders.some((one) => one.id === id);
    if (view.legs.some((leg) => leg.state !== "pending" || !isWaiting(leg.entry))) {
      return want(side, [], "a position is open: its exits are at the venue");
    }
    const rest = leftOver(view);
    if (rest !== undefined) return want(rest.side, [rest.quote], "closing what has no exits");
    if (view.nowMs < state.coolUntilMs) return want(side, [], "cooling down after a stop loss");
    return want(side, [entry(view, settings, side, mid)], "one entry at a time");
  },
});

/** The entry with its exits. */
function entry(view: MarketView, settings: Settings, side: Side, mid: number): WantedQuote {
  const { distance, takeProfit, stopLoss, stopLimit, size } = settings;
  const out = side === "BUY" ? -1 : 1;
  const wanted = mid * (1 + out * distance);
  const price = side === "BUY" ? view.roundDown(wanted) : view.roundUp(wanted);
  const trigger = price * (1 + out * stopLoss);
  const exits = { takeProfit: price * (1 - out * takeProfit), stopLoss: trigger };
  return {
    price,
    size,
    tpsl:
      stopLimit === undefined ? exits : { ...exits, stopLimit: trigger * (1 + out * stopLimit) },
  };
}

/** What an entry left that was canceled after a part (a pause, a restart): its exits went with it, so it is closed at the touch. */
function leftOver(
  view: MarketView,
): { readonly side: Side; readonly quote: WantedQuote } | undefined {
  const { base } = view.position;
  const side: Side = base.isNegative() ? "BUY" : "SELL";
  const touch = view.book.best(side);
  const size = base.abs().toDecimalPlaces(8, 1);
  if (touch === undefined || size.lt(view.minSize(touch.price))) return undefined;
  return { side, quote: { price: touch.price, size } };
}

function warnings(settings: Settings, makerFee: number, takerFee: number): string[] {
  const { takeProfit, stopLoss, distance, tolerance } = settings;
  const found: string[] = [];
  if (takeProfit <= 2 * makerFee) {
    found.push(
      `takeProfit (${percentText(takeProfit)}) does not pay the maker fees of both ways (${percentText(2 * makerFee)}): even a good trade loses`,
    );
  }
  if (stopLoss <= takerFee) {
    found.push(
      `stopLoss (${percentText(stopLoss)}) is not above the taker fee (${percentText(takerFee)}): it fires on noise`,
    );
  }
  if (tolerance >= distance) {
    found.push(
      `tolerance (${percentText(tolerance)}) is not below the distance (${percentText(distance)}): an entry may rest at the mid or beyond it`,
    );
  }
  return found;
}
