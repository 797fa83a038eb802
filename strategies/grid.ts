import {
  baseAmount,
  Decimal,
  defineStrategy,
  inBase,
  keepQuotes,
  type MarketView,
  noQuotes,
  percentText,
  price,
  setQuotes,
  opposite,
  type Side,
  type WantedQuote,
  z,
} from "touchline";
import {
  fairParams,
  followFairPrice,
  mergeLevels,
  newFairMemory,
  quoteParams,
  smallestOrder,
  tickWarnings,
  withinBalance,
  withinLimits,
} from "touchline/ladder";

const params = z
  .strictObject({
    low: price().describe("Lowest line, in quote token."),
    high: price().describe("Highest line, in quote token."),
    levels: z.int().min(3).max(500).describe("Lines from `low` to `high`."),
    spacing: z
      .enum(["geometric", "arithmetic"])
      .default("geometric")
      .describe(
        "Distance of lines: the same share of the price (geometric), or the same in quote token (arithmetic).",
      ),
    size: baseAmount().describe(
      "Size of each order in base token, or `{ quote: 50 }` for its worth at the line where it is bought.",
    ),
    maxOrders: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe("Orders that rest on each side; those nearest to the price come first.")
      .meta({ limit: true }),
    refresh: quoteParams.refresh,
    sizeTolerance: quoteParams.sizeTolerance,
    ...fairParams,
  })
  .superRefine(({ low, high }, context) => {
    if (high > low) return;
    context.addIssue({ code: "custom", path: ["high"], message: "is not above low" });
  });

type Settings = z.output<typeof params>;

/** Where the grid began: plain data for JSON. */
const began = z.object({
  /** The settings that say what each cell holds. */
  grid: z.string(),
  /** The line that stayed empty, and the position then, base token. */
  line: z.int(),
  base: z.string(),
});
type Start = z.output<typeof began>;

/** The lines from `low` to `high`. */
export function gridLines({
  low,
  high,
  levels,
  spacing,
}: Pick<Settings, "low" | "high" | "levels" | "spacing">): readonly number[] {
  const last = levels - 1;
  return Array.from({ length: levels }, (_, at) =>
    spacing === "geometric" ? low * (high / low) ** (at / last) : low + (at * (high - low)) / last,
  );
}

/** A cell between two lines: bought at the lower one, sold at the upper one. */
interface Cell {
  readonly buyAt: number;
  readonly sellAt: number;
  readonly size: Decimal;
}

/**
 * What each cell holds. `line`: the start, below which cells held nothing and above which they held all; `moved`: base token bought since.
 * What is bought goes to the highest cells that have room, what is sold comes from the lowest that hold something.
 */
export function heldByCells(
  sizes: readonly Decimal[],
  line: number,
  moved: Decimal,
): readonly Decimal[] {
  const whole = sizes.slice(line).reduce((sum, size) => sum.plus(size), moved);
  let left = whole;
  return sizes
    .toReversed()
    .map((size) => {
      const held = Decimal.max(0, Decimal.min(size, left));
      left = left.minus(held);
      return held;
    })
    .toReversed();
}

/** Orders on fixed lines: each filled bid is followed by an ask one line above, each filled ask by a bid one line below. */
export default defineStrategy({
  name: "grid",
  summary: "Buys and sells on the fixed lines of a grid, each fill one line from its opposite.",
  params,
  init: () => ({
    start: undefined as Start | undefined,
    fair: newFairMemory(),
    nextMs: 0,
  }),
  state: {
    version: 1,
    save: ({ start }) => start ?? null,
    load: (data, _version, state) => ({
      ...state,
      start: began.nullable().parse(data) ?? undefined,
    }),
  },
  tuned({ state }) {
    state.nextMs = 0;
  },
  review: ({ params: settings, makerFee, tick, priceCollar }) =>
    warnings(settings, { makerFee, tick, priceCollar }),
  demand: ({ params: { refresh, maxOrders } }) => ({ quotes: 2 * maxOrders, refreshMs: refresh }),

  decide({ view, params: settings, state }) {
    const step = (settings.high / settings.low) ** (1 / (settings.levels - 1)) - 1;
    const spread = { BUY: step, SELL: step };
    const { size } = settings;
    const fair = followFairPrice(state.fair, view, settings, { spread, size });
    const isDue = view.quotesPulled || view.nowMs >= state.nextMs;
    // A fill moves the grid at once.
    if (!isDue && view.fills.length === 0) return keepQuotes({ wakeAtMs: state.nextMs });

    const cells = cellsOf(settings, view);
    const grid = JSON.stringify([
      settings.low,
      settings.high,
      settings.levels,
      settings.spacing,
      size,
    ]);
    if (state.start?.grid !== grid) {
      if (fair.doubt !== undefined) return noQuotes(fair.doubt);
      const lines = cells.map(({ buyAt }) => buyAt).concat(cells.at(-1)?.sellAt ?? []);
      const line = nearest(lines, fair.mid);
      state.start = { grid, line, base: view.position.base.toString() };
    }
    state.nextMs = view.nowMs + settings.refresh;
    const { line, base } = state.start;
    const held = heldByCells(
      cells.map((cell) => cell.size),
      line,
      view.position.base.minus(base),
    );
    const asks = cells.map(({ sellAt }, at) => ({ price: sellAt, size: held[at] ?? "0" }));
    const bids = cells.map(({ buyAt, size: whole }, at) => ({
      price: buyAt,
      size: whole.minus(held[at] ?? 0),
    }));
    const best = (side: Side, quotes: readonly WantedQuote[]) =>
      onSide(side, quotes, view, settings);
    const [buy, sell] = [best("BUY", bids.toReversed()), best("SELL", asks)];
    return setQuotes({
      bids: buy.quotes,
      asks: sell.quotes,
      sizeTolerance: settings.sizeTolerance,
      reason: {
        BUY: buy.reason ?? (buy.quotes.length > 0 ? undefined : "all cells are bought"),
        SELL: sell.reason ?? (sell.quotes.length > 0 ? undefined : "all cells are sold"),
      },
      wakeAtMs: state.nextMs,
    });
  },
});

/** Lines that meet on one legal price are one. */
function cellsOf(settings: Settings, view: MarketView): readonly Cell[] {
  const lines = [...new Set(gridLines(settings).map((line) => view.roundDown(line)))];
  return lines.slice(1).map((sellAt, at) => {
    const buyAt = lines[at] ?? 0;
    return { buyAt, sellAt, size: view.roundSize(inBase(settings.size, buyAt)) };
  });
}

function nearest(lines: readonly number[], mid: number): number {
  const away = lines.map((line) => Math.abs(line - mid));
  return away.indexOf(Math.min(...away));
}

/** The nearest quotes of a side, best first. Those that the market has passed come together behind the other side's best price. */
function onSide(
  side: Side,
  quotes: readonly WantedQuote[],
  view: MarketView,
  { maxOrders }: Settings,
) {
  const out = side === "BUY" ? -1 : 1;
  const other = view.book.best(opposite(side))?.price;
  const behind = other === undefined ? undefined : other + out * view.rules.tickAt(other);
  const legal = quotes
    .filter(({ size }) => new Decimal(size).gt(0))
    .map((quote) => {
      const { price: line } = quote;
      if (behind === undefined || out * (line - behind) >= 0) return quote;
      return { ...quote, price: side === "BUY" ? view.roundDown(behind) : view.roundUp(behind) };
    });
  return withinLimits(withinBalance(mergeLevels(legal).slice(0, maxOrders), side, view), [
    smallestOrder(view),
  ]);
}

function warnings(
  settings: Settings,
  market: {
    readonly makerFee: number;
    readonly tick: number | undefined;
    readonly priceCollar: number | null | undefined;
  },
): string[] {
  const { low, high, maxOrders } = settings;
  const lines = gridLines(settings);
  // The steps between lines are smallest, as shares of the price, at one of the ends.
  const steps = [0, lines.length - 2].map((at) => (lines[at + 1] ?? 0) / (lines[at] ?? 1) - 1);
  const step = Number(Math.min(...steps).toPrecision(4));
  const found = tickWarnings("the step between lines", step, market.tick);
  if (market.makerFee > 0 && step <= 2 * market.makerFee) {
    found.push(
      `the step between lines (${percentText(step)}) does not pay the maker fees of a round trip (${percentText(2 * market.makerFee)}): every pair of fills loses money; take fewer levels`,
    );
  }
  const reach = Number(Math.min(high / low - 1, maxOrders * Math.max(...steps)).toPrecision(4));
  const collar = market.priceCollar ?? Number.POSITIVE_INFINITY;
  if (reach > collar) {
    found.push(
      `the outermost of maxOrders lines are up to ${percentText(reach)} from the price, beyond risk.priceCollar (${percentText(collar)}): they are placed when the price is nearer`,
    );
  }
  return found;
}
