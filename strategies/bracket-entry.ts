import {
  baseAmount,
  defineStrategy,
  duration,
  inBase,
  keepQuotes,
  type MarketView,
  noQuotes,
  type OwnLeg,
  percentText,
  setQuotes,
  share,
  type Side,
  type WantedQuote,
  z,
} from "touchline";
import {
  type FairMemory,
  type FairPrice,
  fairParams,
  followFairPrice,
  newFairMemory,
  quoteParams,
  tickWarnings,
} from "touchline/ladder";

const params = z.strictObject({
  side: z
    .enum(["buy", "sell"])
    .default("buy")
    .describe("Buys below the mid and sells again, or sells above it and buys back."),
  distance: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the mid the entry waits, as a share of the mid.",
  ),
  size: baseAmount().describe(
    "Size of an entry in base token, or `{ quote: 50 }` for its worth at the mid.",
  ),
  takeProfit: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the entry's price its take profit lies, as a share of that price.",
  ),
  stopLoss: share({ min: 0.0001, max: 0.5 }).describe(
    "How far from the entry's price its stop loss fires, on the other side.",
  ),
  stopLimit: share({ max: 0.5 })
    .optional()
    .describe(
      "How far beyond its trigger the stop loss may be filled, as a share of it; without it the stop loss is a market order.",
    ),
  ...fairParams,
  refresh: quoteParams.refresh,
  tolerance: share({ max: 0.5 })
    .prefault("0.02%")
    .describe(
      "How far a waiting entry may be off its target before it is moved, as a share of the mid.",
    ),
  coolDown: duration().prefault("1m").describe("No new entry for this long after a stop loss."),
});

type Settings = z.output<typeof params>;

interface State {
  readonly fair: FairMemory;
  nextMs: number;
  coolUntilMs: number;
  /** Since when a position has a take profit but no stop loss. */
  bareSinceMs: number | undefined;
}

/** What the next run needs of the state. */
const saved = z.object({ coolUntilMs: z.number() });

/** The events of the two exits may arrive this far apart. */
const BARE_MS = 2_000;

/**
 * One entry at a time: a quote away from the mid with a take profit and a stop loss. A partly filled entry stays until the market reaches
 * its take profit; once it is filled whole, the venue holds both exits, and the next entry waits until one of them is done.
 */
export default defineStrategy({
  name: "bracket-entry",
  summary: "Enters away from the mid with a take profit and a stop loss, one position at a time.",
  params,
  init: (): State => ({
    fair: newFairMemory(),
    nextMs: 0,
    coolUntilMs: 0,
    bareSinceMs: undefined,
  }),
  // A restart does not shorten the wait after a stop loss.
  state: {
    version: 1,
    save: ({ coolUntilMs }) => ({ coolUntilMs }),
    load: (data, _version, state) => ({ ...state, ...saved.parse(data) }),
  },
  review: ({ params: settings, makerFee, takerFee, tick }) => [
    ...warnings(settings, makerFee, takerFee),
    ...(["distance", "takeProfit", "stopLoss"] as const).flatMap((name) =>
      tickWarnings(name, settings[name], tick),
    ),
  ],
  demand: ({ params: { refresh } }) => ({ quotes: 1, refreshMs: refresh }),

  decide({ view, params: settings, state }) {
    const side: Side = settings.side === "buy" ? "BUY" : "SELL";
    if (view.fills.some(({ role }) => role === "stopLoss")) {
      state.coolUntilMs = view.nowMs + settings.coolDown;
    }
    const { distance, size } = settings;
    const fair = followFairPrice(state.fair, view, settings, {
      spread: { BUY: distance, SELL: distance },
      size,
    });
    if (view.book.mid === undefined) return noQuotes("a side of the book is empty");
    if (view.nowMs < state.nextMs && view.fills.length === 0 && !view.quotesPulled) {
      return keepQuotes({ wakeAtMs: state.nextMs });
    }
    state.nextMs = view.nowMs + settings.refresh;

    const { tolerance } = settings;
    const wakeAtMs = state.nextMs;
    const want = (
      on: Side,
      quotes: readonly WantedQuote[],
      reason: string,
      drop: readonly number[] = [],
    ) =>
      setQuotes({
        drop,
        ...(on === "BUY" ? { bids: quotes } : { asks: quotes }),
        tolerance,
        // A size in quote token follows the mid as the price does.
        sizeTolerance: tolerance,
        reason: { BUY: reason, SELL: reason },
        wakeAtMs,
      });
    const begun = view.orders.find(
      (order) => order.side === side && order.tpsl && order.executed.gt(0),
    );
    if (begun !== undefined) {
      const { id, price, remaining } = begun;
      return isLeftBehind(view, side, price, settings.takeProfit)
        ? want(
            side,
            [],
            "the market has reached the take profit of an entry that is filled in part",
          )
        : want(
            side,
            [{ price, size: remaining, order: id }],
            "an entry is filled in part and waits until the market reaches its take profit",
          );
    }
    const exits = exitsOf(view);
    // The venue may place one exit and refuse the other. Without a stop loss the position is closed.
    const isBare = exits.length > 0 && exits.every(({ kind }) => kind === "takeProfit");
    state.bareSinceMs = isBare ? (state.bareSinceMs ?? view.nowMs) : undefined;
    if (state.bareSinceMs !== undefined && view.nowMs >= state.bareSinceMs + BARE_MS) {
      const ids = exits.map(({ id }) => id);
      return want(side, [], "a position without a stop loss is closed", ids);
    }
    if (exits.length > 0) return want(side, [], "a position is open: its exits are at the venue");
    const rest = leftOver(view, side);
    if (rest !== undefined) return want(rest.side, [rest.quote], "closing what has no exits");
    if (view.nowMs < state.coolUntilMs) return want(side, [], "cooling down after a stop loss");
    if (fair.doubt !== undefined) return want(side, [], fair.doubt);
    const quote = {
      ...entry(view, settings, side, fair),
      size: view.roundSize(inBase(size, fair.mid)),
    };
    return want(side, [quote], "one entry at a time");
  },
});

/** Whether the best price on the entry's side is at the entry's take profit or beyond it. */
function isLeftBehind(
  { book }: MarketView,
  side: Side,
  price: number,
  takeProfit: number,
): boolean {
  const out = side === "BUY" ? -1 : 1;
  const touch = book.best(side)?.price ?? price;
  return out * (price * (1 - out * takeProfit) - touch) >= 0;
}

/** The entry with its exits. */
function entry(
  view: MarketView,
  settings: Settings,
  side: Side,
  fair: FairPrice,
): Omit<WantedQuote, "size"> {
  const { distance, takeProfit, stopLoss, stopLimit } = settings;
  const out = side === "BUY" ? -1 : 1;
  const wanted = fair[side] + out * distance * fair.mid;
  const price = side === "BUY" ? view.roundDown(wanted) : view.roundUp(wanted);
  const trigger = price * (1 + out * stopLoss);
  const exits = { takeProfit: price * (1 - out * takeProfit), stopLoss: trigger };
  return {
    price,
    tpsl:
      stopLimit === undefined ? exits : { ...exits, stopLimit: trigger * (1 + out * stopLimit) },
  };
}

/** Exits of filled entries. Between an entry's end and the first events of its exits they are still `pending`. */
function exitsOf({ legs, orders }: MarketView): readonly OwnLeg[] {
  const isWaiting = (id: number | undefined): boolean => orders.some((one) => one.id === id);
  return legs.filter(({ state, entry }) => state !== "pending" || !isWaiting(entry));
}

/**
 * A position left by an entry that was canceled after a partial fill (a pause, a restart). Its exits ended with it, so it is closed
 * at the touch. A position of the other sign was not left by an entry: exits of an earlier run closed a position that the journal
 * does not know.
 */
function leftOver(
  view: MarketView,
  entrySide: Side,
): { readonly side: Side; readonly quote: WantedQuote } | undefined {
  const { base } = view.position;
  const side: Side = base.isNegative() ? "BUY" : "SELL";
  if (side === entrySide) return undefined;
  const touch = view.book.best(side);
  const size = view.roundSize(base.abs());
  if (touch === undefined || size.lt(view.minSize(touch.price))) return undefined;
  return { side, quote: { price: touch.price, size } };
}

function warnings(settings: Settings, makerFee: number, takerFee: number): string[] {
  const { takeProfit, stopLoss, distance, tolerance } = settings;
  const found: string[] = [];
  if (takeProfit <= 2 * makerFee) {
    found.push(
      `takeProfit (${percentText(takeProfit)}) does not pay the maker fees of a round trip (${percentText(2 * makerFee)}): even a winning trade loses`,
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
