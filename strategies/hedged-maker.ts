import {
  amount,
  type DecideInput,
  type Decision,
  defineStrategy,
  duration,
  inMarkets,
  keepQuotes,
  type MarketDecision,
  type MarketView,
  percentText,
  setQuotes,
  share,
  opposite,
  type Side,
  sides,
  sourceName,
  type WantedQuote,
  z,
} from "touchline";
import {
  fairParams,
  followFairPrice,
  newFairMemory,
  newRequoteMemory,
  nowhere,
  quoteParams,
  quotesSet,
  requoteDue,
  requoteOf,
  unquoted,
} from "touchline/ladder";

const { priceSource: _, ...guards } = fairParams;

const params = z.strictObject({
  size: amount().describe("Size of each quote in base token."),
  profit: share({ max: 0.5 })
    .prefault("0.1%")
    .describe("What a quote and its hedge earn after both fees, as a share of the price (p)."),
  maxSlippage: share({ min: 0.00001, max: 0.5 })
    .prefault("0.2%")
    .describe(
      "How far beyond the touch of the hedge market its orders may trade; a side that would need more is not quoted.",
    )
    .meta({ limit: true }),
  clip: amount()
    .optional()
    .describe("Largest order in the hedge market, base token; default: `size`.")
    .meta({ limit: true }),
  every: duration({ min: 10 })
    .prefault("250ms")
    .describe("Time between two orders in the hedge market."),
  rate: sourceName()
    .optional()
    .describe(
      "Name of the price source that says what a price of the hedge market is multiplied with to compare it with one of the main market; default: 1.",
    ),
  refresh: quoteParams.refresh,
  tolerance: quoteParams.tolerance,
  requote: quoteParams.requote,
  sizeTolerance: quoteParams.sizeTolerance,
  ...guards,
});

type Settings = z.output<typeof params>;
type Input = DecideInput<Settings, State, "main" | "hedge">;

/** Nothing in it has to survive a restart: what is to be hedged follows from the positions. */
function init() {
  return { fair: newFairMemory(), requote: newRequoteMemory(), waits: false };
}
type State = ReturnType<typeof init>;

/** The quotes' prices from those that the hedge trades at, before rounding: T_sell for the bid and T_buy for the ask, fees as shares of what is received. */
export function hedgedQuotes(
  hedge: { readonly sell: number; readonly buy: number },
  fees: { readonly maker: number; readonly taker: number },
  profit: number,
): { readonly bid: number; readonly ask: number } {
  const left = (1 - fees.taker) * (1 - fees.maker) * (1 - profit);
  return { bid: hedge.sell * left, ask: hedge.buy / left };
}

/** Quotes in one market from the prices of another, where every fill is traded back at once. */
export default defineStrategy({
  name: "hedged-maker",
  summary: "Quotes in one market and hedges every fill in another one.",
  markets: ["main", "hedge"],
  params,
  init,
  review: ({ params: { profit, tolerance, requote } }) => {
    const { nearer } = requoteOf({ refresh: 0, tolerance, requote }, profit);
    return profit > 0 && nearer < profit
      ? []
      : [
          `a quote may rest ${percentText(nearer)} nearer to the market than wanted, which leaves nothing of the profit (${percentText(profit)})`,
        ];
  },
  demand: ({ params: { refresh } }) => ({ quotes: 2, refreshMs: refresh }),
  decide: (input): Decision => {
    const { main } = input.view.markets;
    const { size, clip = size, every, maxSlippage } = input.params;
    const position = main.position.base.negated();
    return inMarkets({
      main: quotes(input),
      hedge: setQuotes({ workTo: { position, clip, every, maxSlippage } }),
    });
  },
});

function quotes({ view, params: settings, state }: Input): MarketDecision {
  const { main, hedge } = view.markets;
  const none = (reason: string) => unquoted(state.requote, reason);
  if (!hedge.isFresh) {
    // Prices after a gap are compared with none before it.
    state.fair = newFairMemory();
    return none("the hedge market is not fresh");
  }
  const { size, profit } = settings;
  const spread = profit + main.makerFee + hedge.takerFee;
  const fair = followFairPrice(
    state.fair,
    hedge,
    { ...settings, priceSource: "mid" },
    { spread: { BUY: spread, SELL: spread }, size },
  );
  if (fair.doubt !== undefined) return none(`in the hedge market, ${fair.doubt}`);
  const { mid } = main.book;
  if (mid === undefined) return none("a side of the book is empty");
  const rate = settings.rate === undefined ? one : view.sources[settings.rate];
  if (rate === undefined) return none(`the source ${settings.rate} has no price`);

  const sell = hedgePrice("SELL", hedge, settings);
  const buy = hedgePrice("BUY", hedge, settings);
  const { bid, ask } = hedgedQuotes(
    {
      sell: Math.min(sell ?? 0, fair.BUY) * rate.bid,
      buy: Math.max(buy ?? Number.POSITIVE_INFINITY, fair.SELL) * rate.ask,
    },
    { maker: main.makerFee, taker: hedge.takerFee },
    profit,
  );
  const reason = {
    BUY: refusal("BUY", sell, main, hedge, settings),
    SELL: refusal("SELL", buy, main, hedge, settings),
  };
  const starts = {
    BUY: reason.BUY === undefined ? bid : nowhere.BUY,
    SELL: reason.SELL === undefined ? ask : nowhere.SELL,
  };

  const isLeaving = (side: Side) =>
    main.orders.some((order) => order.side === side && order.isLeaving);
  const waits = sides.some(isLeaving);
  const requote = requoteOf(settings, profit);
  const news = {
    nowMs: view.nowMs,
    orders: main.orders,
    fills: [...main.fills, ...hedge.fills],
    quotesPulled: main.quotesPulled || (state.waits && !waits),
  };
  const limits = requoteDue(state.requote, news, starts, requote);
  if (limits === undefined) return keepQuotes({ wakeAtMs: state.requote.wakeAtMs });
  state.waits = waits;

  const quoted = (side: Side): WantedQuote[] => {
    if (reason[side] !== undefined) return [];
    const price = side === "BUY" ? main.roundDown(bid) : main.roundUp(ask);
    // One that leaves and one that rests may both be filled; a third one never may.
    return [{ price, size, place: !isLeaving(side) }];
  };
  const set = { BUY: quoted("BUY"), SELL: quoted("SELL") };
  quotesSet(state.requote, news, { quotes: set, starts, limits, mid }, requote);
  return setQuotes({
    bids: set.BUY,
    asks: set.SELL,
    ...limits,
    sizeTolerance: settings.sizeTolerance,
    reason,
    wakeAtMs: state.requote.wakeAtMs,
  });
}

const one = { bid: 1, ask: 1 };

/** The average price of a hedge of one quote; undefined while too little is offered within the slippage. A purchase pays its fee in base token. */
function hedgePrice(
  side: Side,
  { book, takerFee }: MarketView,
  { size, maxSlippage }: Settings,
): number | undefined {
  const quantity = side === "BUY" ? size.toNumber() / (1 - takerFee) : size.toNumber();
  const from = opposite(side);
  const touch = book.best(from)?.price;
  const worst = book.priceFor(from, quantity);
  if (touch === undefined || worst === undefined) return undefined;
  return Math.abs(worst - touch) > maxSlippage * touch
    ? undefined
    : book.averageFor(from, quantity);
}

/** Why a side is not quoted: it cannot be hedged, or something is not hedged yet that its fills would add to. */
function refusal(
  side: Side,
  price: number | undefined,
  main: MarketView,
  hedge: MarketView,
  { size }: Settings,
): string | undefined {
  if (price === undefined) return "too little is offered in the hedge market";
  const least = hedge.minSize(price);
  if (size.lt(least)) return `size is below the hedge market's smallest order, ${least.toString()}`;
  if (unhedged(side, main, hedge) >= least.toNumber()) return "its fills are not hedged yet";
  return isPaid(side, price, main, hedge, size.toNumber())
    ? undefined
    : "the balance does not pay for the hedge";
}

/** What is not hedged in the direction of a side, at most: orders in the hedge market may fill or not. */
function unhedged(side: Side, main: MarketView, hedge: MarketView): number {
  const held = main.position.base.plus(hedge.position.base).toNumber();
  let most = side === "BUY" ? held : -held;
  for (const take of hedge.takes) {
    if (take.side !== side || take.state === "wanted" || take.state === "over") continue;
    most += (take.size?.toNumber() ?? 0) - take.executed.toNumber();
  }
  return most;
}

/** A fill brings one of its two tokens; where the hedge needs another one, the account must have it. */
function isPaid(
  side: Side,
  price: number,
  main: MarketView,
  hedge: MarketView,
  size: number,
): boolean {
  const token = side === "BUY" ? "base" : "quote";
  const name = side === "BUY" ? "baseToken" : "quoteToken";
  if (main.market[name] === hedge.market[name]) return true;
  const free = hedge.balance(token)?.free.toNumber() ?? Number.POSITIVE_INFINITY;
  return free >= (side === "BUY" ? size : (size * price) / (1 - hedge.takerFee));
}
