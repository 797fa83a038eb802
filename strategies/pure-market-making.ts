import {
  baseAmount,
  Decimal,
  defineStrategy,
  duration,
  inBase,
  keepQuotes,
  type MarketView,
  percentText,
  setQuotes,
  share,
  type Side,
  type WantedQuote,
  z,
} from "touchline";
import { secondVolatility, volatility } from "touchline/estimators";
import {
  asksAbove,
  costBound,
  type FairPrice,
  fairParams,
  followFairPrice,
  followPairs,
  forgetFar,
  hangingParams,
  hangingQuotes,
  inventoryOf,
  inventoryParams,
  inventoryWarnings,
  keepYoung,
  ladderDistances,
  ladderSizes,
  ladderWarnings,
  mergeLevels,
  limitParams,
  newFairMemory,
  newPairs,
  newRequoteMemory,
  nowhere,
  perLevel,
  priceLimits,
  type QuoteLimit,
  quoteParams,
  quotesSet,
  quoteWarnings,
  type Requote,
  requoteDue,
  requoteOf,
  reservationPrice,
  sizeSkew,
  smallestOrder,
  unquoted,
  withinBalance,
  withinLimits,
} from "touchline/ladder";

const params = z
  .strictObject({
    bidSpread: perLevel(share({ max: 0.5 })).describe(
      "Distance of the first bid from the mid, as a share of the mid; a list gives one for each level.",
    ),
    askSpread: perLevel(share({ max: 0.5 })).describe("The same for the asks."),
    size: perLevel(baseAmount()).describe(
      "Size of each quote in base token, or `{ quote: 50 }` for its worth at the mid; a list gives one for each level.",
    ),
    levels: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe("Quotes per side; default: the length of the longest list."),
    levelSpread: share({ max: 0.5 })
      .prefault("0.1%")
      .describe("Distance of each further quote from the one before it, as a share of the mid."),
    volatilitySpread: z
      .strictObject({
        usual: share({ min: 0.00001, max: 10 }).describe(
          "Standard deviation of a day's return up to which spreads are as given (σ0); assumed until it is measured.",
        ),
        most: z.number().min(1).max(100).default(3).describe("Largest factor of the spreads."),
        halfLife: duration({ min: 60_000 })
          .prefault("10m")
          .describe("After this time a measured price move counts half."),
      })
      .optional()
      .describe("Spreads and steps grow with volatility: times σ/σ0, at least 1; default: never."),
    sizeFactor: z
      .number()
      .min(0.1)
      .max(10)
      .default(1)
      .describe("Size of each further quote as a multiple of the one before it."),
    sizeStep: baseAmount({ zero: true })
      .prefault("0")
      .describe("Added to the size of each further quote, base token."),
    sides: z.enum(["both", "bids", "asks"]).default("both").describe("Which sides are quoted."),

    ...fairParams,
    touch: z
      .enum(["free", "join", "step"])
      .default("free")
      .describe(
        "How good the first quote may be against the others' best on its side: free at its spread, join no better, step one tick better; the ladder moves out with it.",
      ),
    touchDepth: baseAmount({ zero: true })
      .prefault("0")
      .describe("Base token at the front of a side that `touch` looks past."),

    ...quoteParams,
    ...hangingParams,
    ...inventoryParams,
    ...limitParams,

    pingPong: z
      .boolean()
      .default(false)
      .describe(
        "Sells what was bought before it buys more, and the other way round: the levels nearest the mid are left out.",
      ),
  })
  .superRefine((settings, context) => {
    const { levels, inventory, inventoryTarget, inventoryTargetBase } = settings;
    for (const key of ["bidSpread", "askSpread"] as const) {
      const nearer = settings[key].findIndex((spread, at, all) => spread < (all[at - 1] ?? 0));
      if (nearer < 0) continue;
      const message = "is nearer than the level before it";
      context.addIssue({ code: "custom", path: [key, nearer], message });
    }
    for (const key of ["bidSpread", "askSpread", "size"] as const) {
      const { length } = settings[key];
      if (levels === undefined || length <= levels) continue;
      const message = `has ${length} entries, more than levels: ${levels}`;
      context.addIssue({ code: "custom", path: [key], message });
    }
    if (inventoryTarget !== undefined && inventoryTargetBase !== undefined) {
      const message = "stands beside inventoryTarget, give one of the two";
      context.addIssue({ code: "custom", path: ["inventoryTargetBase"], message });
    } else if (inventoryTarget !== undefined && inventory === "position") {
      const message =
        "is a share of the account's value: add inventory: balance, or give inventoryTargetBase";
      context.addIssue({ code: "custom", path: ["inventoryTarget"], message });
    }
  });

const ZERO = new Decimal(0);

type Settings = z.output<typeof params>;
type State = ReturnType<typeof init>;

const init = ({ params: settings }: { readonly params: Settings }) => ({
  layout: layoutOf(settings),
  requote: newRequoteMemory(),
  fair: newFairMemory(),
  coolUntilMs: { BUY: 0, SELL: 0 },
  pairs: newPairs(),
  band: { centre: 0, untilMs: 0 },
  volatility: volatility({ halfLifeMs: 600_000 }).start(),
});

/** The sizes of one side's quotes in base token. */
interface Sizes {
  readonly exact: readonly Decimal[];
  readonly sum: number;
}

/** What the settings alone say about the ladders; it never changes in a run. */
interface Layout {
  /** Undefined where sizes are given in quote token, so that they follow the mid. */
  readonly sizes: Sizes | undefined;
  /** Distances from the fair price, as shares of the mid. */
  readonly distances: Readonly<Record<Side, readonly number[]>>;
  /** The first quotes' spreads and size. */
  readonly first: Parameters<typeof followFairPrice>[3];
  readonly requote: Requote;
}

function layoutOf(settings: Settings): Layout {
  const { bidSpread, askSpread, levelSpread, size, sizeStep } = settings;
  const levels = levelsOf(settings);
  const isInBase = [...size, sizeStep].every((one) => one instanceof Decimal);
  const [bid = 0] = bidSpread;
  const [ask = 0] = askSpread;
  return {
    sizes: isInBase ? sizesAt(settings, 1) : undefined,
    distances: {
      BUY: ladderDistances(bidSpread, levelSpread, levels),
      SELL: ladderDistances(askSpread, levelSpread, levels),
    },
    first: { spread: { BUY: bid, SELL: ask }, size: size[0] ?? ZERO },
    requote: requoteOf(settings, nearestGap(settings)),
  };
}

function sizesAt(settings: Settings, mid: number): Sizes {
  const { size, sizeFactor: factor, sizeStep } = settings;
  const growth = { factor, step: inBase(sizeStep, mid) };
  const given = size.map((one) => inBase(one, mid));
  const exact = ladderSizes(given, growth, levelsOf(settings));
  return {
    exact,
    sum: exact.reduce((sum, one) => sum + one.toNumber(), 0),
  };
}

/** The input of both sides' ladders. */
interface Frame {
  readonly sizes: Sizes;
  readonly view: MarketView;
  readonly settings: Settings;
  readonly state: State;
  readonly fair: FairPrice;
  /** Deviation of the inventory, -1 to 1. */
  readonly q: number;
  /** Factor of the spreads. */
  readonly scale: number;
}

/** A side's quotes, and the reason when there are none. */
interface Ladder {
  readonly quotes: readonly WantedQuote[];
  readonly reason?: string;
}

/**
 * Quotes a ladder on both sides of a fair price. Spreads and sizes are set by level, shifted and weighted by inventory, limited by
 * fees, bands and cool-downs, and reconsidered every `refresh`. Orders within tolerance are kept.
 */
export default defineStrategy({
  name: "pure-market-making",
  summary: "Quotes a ladder on both sides of the mid and keeps orders that are within tolerance.",
  params,
  init,
  review: ({ params: settings, makerFee, priceCollar, tick }) =>
    warnings(settings, { makerFee, tick }, priceCollar ?? undefined),
  tuned({ params: settings, state }) {
    state.layout = layoutOf(settings);
    state.requote.timerMs = 0;
  },
  demand: ({ params: settings }) => ({
    quotes: levelsOf(settings) * (settings.sides === "both" ? 2 : 1),
    refreshMs: settings.refresh,
  }),

  decide({ view, params: settings, state }) {
    follow(view, settings, state);
    const { layout } = state;
    const fair = followFairPrice(state.fair, view, settings, layout.first);
    if (fair.doubt !== undefined) return unquoted(state.requote, fair.doubt);
    const { mid } = fair;
    const sizes = layout.sizes ?? sizesAt(settings, mid);
    const scale = volatilityScale(view.nowMs, mid, settings, state);
    const q = inventoryOf(view, settings, { price: mid, range: 2 * sizes.sum });
    const frame = { view, settings, state, sizes, fair, q, scale };
    const starts = { BUY: startOf("BUY", frame), SELL: startOf("SELL", frame) };
    const limits = requoteDue(state.requote, view, starts, layout.requote);
    if (limits === undefined) return keepQuotes({ wakeAtMs: state.requote.wakeAtMs });

    if (view.nowMs >= state.band.untilMs) {
      state.band = { centre: mid, untilMs: view.nowMs + settings.movingBandPeriod };
    }
    const bounds = { BUY: edgeBound("BUY", -1, frame), SELL: edgeBound("SELL", 1, frame) };
    const drop = [...ordersToDrop(frame), ...ordersBeyond(bounds, view)];
    const bids = ladder("BUY", starts.BUY, frame);
    const asks = ladder("SELL", starts.SELL, frame);
    const quotes = {
      BUY: [...bids.quotes, ...hangingQuotes(state.pairs, view, "BUY")],
      SELL: [
        ...asksAbove(bids.quotes, asks.quotes, view.rules),
        ...hangingQuotes(state.pairs, view, "SELL"),
      ],
    };
    quotesSet(state.requote, view, { quotes, starts, bounds, limits, mid }, layout.requote);
    return setQuotes({
      bids: quotes.BUY,
      asks: quotes.SELL,
      ...limits,
      sizeTolerance: settings.sizeTolerance,
      drop,
      reason: { BUY: bids.reason, SELL: asks.reason },
      wakeAtMs: state.requote.wakeAtMs,
    });
  },
});

/** Takes note of fills, which are shown once. */
function follow(view: MarketView, settings: Settings, state: State): void {
  for (const { side, isComplete } of view.fills) {
    if (isComplete) state.coolUntilMs[side] = view.nowMs + settings.coolDown;
  }
  if (settings.hangingOrders) followPairs(state.pairs, view, settings.hangingMax);
}

/** Orders to cancel even if they fit: hanging ones too far from the fair price, and old ones. */
function ordersToDrop({ view, settings, state, fair: { mid } }: Frame): readonly number[] {
  const { hangingOrders, hangingCancel, maxOrderAge } = settings;
  const far = hangingOrders ? forgetFar(state.pairs, view, mid, hangingCancel * mid) : [];
  if (maxOrderAge === undefined) return far;
  const old = view.orders.filter(({ ageMs }) => ageMs >= maxOrderAge).map(({ id }) => id);
  return [...far, ...old.filter((id) => !state.pairs.hanging.includes(id))];
}

/** Orders that would earn less than `minEdge`. The bounds are rounded as quotes are, so that a quote at one of them stays. */
function ordersBeyond(
  bounds: Readonly<Record<Side, number | undefined>>,
  { orders, roundDown, roundUp }: MarketView,
): readonly number[] {
  const { BUY = Number.POSITIVE_INFINITY, SELL = 0 } = bounds;
  if (bounds.BUY === undefined && bounds.SELL === undefined) return [];
  const [most, least] = [roundDown(BUY), roundUp(SELL)];
  return orders
    .filter(({ side, price }) => (side === "BUY" ? price > most : price < least))
    .map(({ id }) => id);
}

/** A side's ladder without the quotes that a limit forbids. */
function ladder(side: Side, start: number, frame: Frame): Ladder {
  const { view, settings, state } = frame;
  const isBid = side === "BUY";
  // Without a reason, since a side that nobody wants has no uptime.
  if (!isQuoted(side, settings)) return { quotes: [] };
  const bought = settings.pingPong ? view.position.base.toNumber() : 0;
  const { quotes, reason } = withinLimits(
    withinBalance(mergeLevels(layOut(side, start, frame)), side, view),
    [
      ...priceLimits(side, settings, state.band.centre),
      pingPongLimit(isBid ? bought : -bought),
      smallestOrder(view),
    ],
  );
  const isCooling = view.nowMs < state.coolUntilMs[side];
  const wanted = isCooling ? quotes.map((quote) => ({ ...quote, place: false })) : quotes;
  if (reason !== undefined) return { quotes: wanted, reason };
  const kept = keepYoung(
    wanted,
    view.orders.filter((order) => order.side === side && !state.pairs.hanging.includes(order.id)),
    settings.minOrderLifetime,
  );
  return isCooling ? { quotes: kept, reason: "cooling down after a fill" } : { quotes: kept };
}

/** Leaves the nearest levels out until they cover `owed`, the base token that the other side has to trade back first. */
function pingPongLimit(owed: number): QuoteLimit {
  let left = owed;
  return {
    reason: "ping-pong: the other side's turn",
    allows(quote) {
      if (left <= 0) return true;
      const size = Number(quote.size);
      if (left < size / 2) return true;
      left -= size;
      return false;
    },
  };
}

/** max(1, σ/σ0), at most `most`: σ is measured from the fair price, and both are of one second. */
function volatilityScale(
  timeMs: number,
  price: number,
  { volatilitySpread: scaling }: Settings,
  state: State,
): number {
  if (scaling === undefined) return 1;
  const usual = secondVolatility(scaling.usual);
  const sigma = volatility({ halfLifeMs: scaling.halfLife, prior: usual });
  sigma.update(state.volatility, { timeMs, price });
  return Math.min(scaling.most, Math.max(1, (sigma.value(state.volatility) ?? usual) / usual));
}

function isQuoted(side: Side, { sides }: Settings): boolean {
  return sides !== (side === "BUY" ? "asks" : "bids");
}

/** The first level's price, before it is rounded. */
function startOf(side: Side, frame: Frame): number {
  const { view, settings, state, fair, q, scale } = frame;
  const out = side === "BUY" ? -1 : 1;
  if (!isQuoted(side, settings)) return nowhere[side];
  const [given = 0] = state.layout.distances[side];
  const first = scale * given;
  const rebalanced = scale * (settings.rebalanceSpread ?? given);
  // The side that leads back to the target comes nearer with the deviation.
  const nearer = Math.max(0, out * q) * Math.max(0, first - rebalanced);
  const centre = reservationPrice(fair[side], q, settings.priceSkew * fair.mid);
  const start = centre + out * (first - nearer) * fair.mid;
  const bounds = [
    edgeBound(side, out, frame),
    touchBound(side, out, frame),
    settings.pingPong ? costBound(side, view) : undefined,
  ];
  return out * Math.max(...[start, ...bounds].map((price = start) => out * price));
}

/** Levels of a side from the best outwards, at legal prices. */
function layOut(side: Side, start: number, frame: Frame): readonly WantedQuote[] {
  const { view, settings, state, sizes, fair, q, scale } = frame;
  const out = side === "BUY" ? -1 : 1;
  const shares = state.layout.distances[side];
  const [first = 0] = shares;
  const weight = sizeSkew(side, q, settings.sizeSkew);
  return sizes.exact.map((size, level) => {
    const wanted = start + out * scale * ((shares[level] ?? 0) - first) * fair.mid;
    const price = side === "BUY" ? view.roundDown(wanted) : view.roundUp(wanted);
    // Without the noise of doubles, which could cost a lot.
    const weighted = weight === 1 ? size : size.times(weight).toSignificantDigits(12);
    return { price, size: view.roundSize(weighted), key: String(level + 1) };
  });
}

/** The price nearest to the mid that earns `minEdge` after the maker fee. */
function edgeBound(side: Side, out: number, { view, settings, fair }: Frame): number | undefined {
  if (settings.minEdge === undefined) return undefined;
  return fair[side] + out * (view.makerFee + settings.minEdge) * fair.mid;
}

/** The best price that `touch` allows. */
function touchBound(side: Side, out: number, { view, settings, fair }: Frame): number | undefined {
  if (settings.touch === "free") return undefined;
  const best = view.book.priceFor(side, inBase(settings.touchDepth, fair.mid).toNumber());
  if (best === undefined || settings.touch === "join") return best;
  return best - out * view.rules.tickAt(best);
}

function levelsOf({ levels, bidSpread, askSpread, size }: Settings): number {
  return levels ?? Math.max(bidSpread.length, askSpread.length, size.length);
}

/** The least distance between two levels of a side. */
function nearestStep({ bidSpread, askSpread, levelSpread }: Settings, levels: number): number {
  const steps = [bidSpread, askSpread].flatMap((spreads) => {
    const distances = ladderDistances(spreads, levelSpread, levels);
    return distances.slice(1).map((distance, at) => Math.abs(distance - (distances[at] ?? 0)));
  });
  return Math.min(...steps, Number.MAX_SAFE_INTEGER);
}

/** The nearer first spread, or the step between levels where that is smaller: what tolerances are a share of. */
function nearestGap(settings: Settings): number {
  const [bid = 0] = settings.bidSpread;
  const [ask = 0] = settings.askSpread;
  const step = nearestStep(settings, levelsOf(settings));
  return Math.min(bid, ask, step === 0 ? Number.POSITIVE_INFINITY : step);
}

/** Distance of the outermost quote from the mid without inventory, as a share of the mid. */
function farthestOf(settings: Settings, makerFee: number): number {
  const { sides, bidSpread, askSpread, levelSpread, minEdge, volatilitySpread } = settings;
  const quoted = [
    ...(sides === "asks" ? [] : [bidSpread]),
    ...(sides === "bids" ? [] : [askSpread]),
  ];
  const leastFirst = minEdge === undefined ? 0 : makerFee + minEdge;
  return Math.max(
    ...quoted.map((spreads) => {
      const distances = ladderDistances(spreads, levelSpread, levelsOf(settings));
      const moveOut = Math.max(0, leastFirst - (distances[0] ?? 0));
      return (volatilitySpread?.most ?? 1) * Math.max(...distances) + moveOut;
    }),
  );
}

/** Warnings about settings that lose money, or whose quotes are never placed. */
function warnings(
  settings: Settings,
  { makerFee, tick }: { readonly makerFee: number; readonly tick: number | undefined },
  priceCollar = Infinity,
): string[] {
  const [bidSpread = 0] = settings.bidSpread;
  const [askSpread = 0] = settings.askSpread;
  const first = { bidSpread, askSpread, makerFee };
  const { nearer } = requoteOf(settings, nearestGap(settings));
  const levels = levelsOf(settings);
  const levelSpread = nearestStep(settings, levels);
  const found = [
    ...ladderWarnings({ ...settings, ...first, tolerance: nearer, levels, levelSpread, tick }),
    ...quoteWarnings(settings),
    ...inventoryWarnings({ ...settings, ...first }),
  ];
  const farthest = farthestOf(settings, makerFee);
  const from = `a quote ${percentText(farthest)} from the mid`;
  const collar = `risk.priceCollar (${percentText(priceCollar)})`;
  if (farthest > priceCollar) found.push(`${from} is beyond ${collar}: it is never placed`);
  if (farthest === priceCollar) {
    found.push(`${from} is at ${collar}: it is placed only when its price needs no rounding`);
  }
  if (settings.hangingOrders && settings.hangingCancel <= Math.max(bidSpread, askSpread)) {
    found.push("hangingCancel is not above the spread: orders are canceled as soon as they hang");
  }
  if (settings.pingPong && settings.sides !== "both") {
    found.push(
      `pingPong with sides: ${settings.sides}: after its fills nothing is quoted any more`,
    );
  }
  return found;
}
