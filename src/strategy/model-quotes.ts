import { z } from "zod";
import { baseAmount, inBase } from "../domain/base-amount.ts";
import type { Decimal } from "../domain/decimal.ts";
import type { Side } from "../domain/side.ts";
import {
  type DecideInput,
  type Decision,
  keepQuotes,
  setQuotes,
  type StateKeeping,
} from "./contract.ts";
import {
  followMarket,
  type MarketModel,
  marketModel,
  modelParams,
  type ModelState,
  startMarket,
} from "./market-model.ts";
import { type FairMemory, followFairPrice, newFairMemory } from "./fair-price.ts";
import { fairParams, quoteParams } from "./params.ts";
import { type QuoteLimit, smallestOrder, withinLimits } from "./quote-limit.ts";
import {
  newRequoteMemory,
  quotesSet,
  requoteDue,
  type RequoteMemory,
  requoteOf,
  unquoted,
} from "./requote.ts";
import type { MarketView } from "./view.ts";
import { tickWarnings } from "./warnings.ts";
import { withinBalance } from "./within-balance.ts";

/** Parameters of strategies that quote one bid and one ask from a model of the market. */
export const modelQuoteParams = {
  size: baseAmount().describe(
    "Size of each quote in base token, or `{ quote: 50 }` for its worth at the mid.",
  ),
  riskAversion: z
    .number()
    .min(1e-12)
    .max(1e6)
    .describe(
      "Risk aversion γ, by quote token: the larger, the more the quotes move against the inventory.",
    ),
  maxInventory: baseAmount()
    .optional()
    .describe("A side that would take the position beyond this is not quoted, in base token.")
    .meta({ limit: true }),
  ...modelParams,
  refresh: quoteParams.refresh,
  tolerance: quoteParams.tolerance,
  requote: quoteParams.requote,
  sizeTolerance: quoteParams.sizeTolerance,
  ...fairParams,
};

const settingsSchema = z.object(modelQuoteParams);
type Settings = z.output<typeof settingsSchema>;

/** What such a strategy keeps. */
export interface ModelMemory {
  readonly market: ModelState;
  readonly fair: FairMemory;
  /** Half the spread of the newest quotes, as a share of the mid. */
  halfSpread: number;
  readonly requote: RequoteMemory;
}

/** Longest time between two decisions: time without one is not measured (`maxGapMs` of `tradeIntensity`). */
const WATCH_MS = 5_000;

/** `init` and `state` of such a strategy. What was measured survives a restart. */
export function modelState(version: number) {
  const state: StateKeeping<ModelMemory> = {
    version,
    save: ({ market }) => market,
    load: (data, _version, begun) => ({ ...begun, market: data as ModelState }),
  };
  const init = ({ params }: { readonly params: Settings }): ModelMemory => ({
    market: startMarket(params),
    fair: newFairMemory(),
    halfSpread: params.tradeReach ?? 0,
    requote: newRequoteMemory(),
  });
  return { init, state };
}

/** What the formula of a strategy gives: prices in quote token, before rounding and without fees. */
export type ModelQuotes = (input: {
  readonly mid: number;
  /** In base token; below 0 when short. */
  readonly inventory: number;
  /** Of each quote, base token. */
  readonly size: number;
  readonly model: MarketModel;
}) => { readonly bid: number; readonly ask: number };

/**
 * The decision of a strategy whose quotes are those of `quotesOf`, each moved away from the mid by the maker fee: with fills at the
 * rate A·e^(−kδ), a cost of each fill moves the best distance by that cost.
 */
export function quoteFromModel<Params extends Settings>(
  { view, params, state }: DecideInput<Params, ModelMemory>,
  quotesOf: ModelQuotes,
): Decision {
  const spread = { BUY: state.halfSpread, SELL: state.halfSpread };
  const fair = followFairPrice(state.fair, view, params, { spread, size: params.size });
  const { nowMs, trades } = view;
  const known = fair.doubt === undefined ? fair.mid : undefined;
  followMarket(state.market, { nowMs, trades, mid: known }, params);
  // A quiet market is measured too.
  const watchMs = nowMs + WATCH_MS;
  const none = (reason: string): Decision => unquoted(state.requote, reason, { wakeAtMs: watchMs });
  if (fair.doubt !== undefined) return none(fair.doubt);
  const { mid } = fair;
  const model = marketModel(state.market, params, mid);
  if (model === undefined) return none("volatility and market orders are not measured yet");
  const size = view.roundSize(inBase(params.size, mid));
  if (!size.gt(0)) return none("the size is below a lot");

  const market = { inventory: view.position.base.toNumber(), size: size.toNumber(), model };
  const around = quotesOf({ ...market, mid });
  state.halfSpread = Math.min(1, (around.ask - around.bid) / 2 / mid);
  // A price beyond the other side's best would cross it, and is moved back inside.
  const fee = view.makerFee * mid;
  const { bid } = quotesOf({ ...market, mid: fair.BUY });
  const { ask } = quotesOf({ ...market, mid: fair.SELL });
  const starts = {
    BUY: Math.min(bid - fee, view.book.best("SELL")?.price ?? mid),
    SELL: Math.max(ask + fee, view.book.best("BUY")?.price ?? mid),
  };
  return quoteOneASide(state.requote, view, params, {
    starts,
    mid,
    size,
    halfSpread: state.halfSpread,
    watchMs,
  });
}

/**
 * The decision to quote `size` at the price that each side should have (`starts`), within `maxInventory`, when it is due. `halfSpread`:
 * what tolerances are a share of, as a share of the mid; `watchMs`: when the strategy wants to be called at the latest.
 */
export function quoteOneASide(
  memory: RequoteMemory,
  view: MarketView,
  params: Pick<Settings, "maxInventory" | "refresh" | "tolerance" | "requote" | "sizeTolerance">,
  wanted: {
    readonly starts: Readonly<Record<Side, number>>;
    readonly mid: number;
    readonly size: Decimal;
    readonly halfSpread: number;
    readonly watchMs: number;
  },
): Decision {
  const { starts, mid, size, watchMs } = wanted;
  const requote = requoteOf(params, wanted.halfSpread);
  const limits = requoteDue(memory, view, starts, requote);
  if (limits === undefined) {
    return keepQuotes({ wakeAtMs: Math.min(watchMs, memory.wakeAtMs) });
  }

  const most = params.maxInventory && inBase(params.maxInventory, mid);
  const side = (on: Side) => {
    const far = { quotes: [], reason: "its price is too far from the mid" };
    const target = starts[on];
    if (!(target > 0 && target < 2 * mid)) return far;
    const price = on === "BUY" ? view.roundDown(target) : view.roundUp(target);
    const held = view.position.base.times(on === "BUY" ? 1 : -1);
    return withinLimits(withinBalance([{ price, size }], on, view), [
      inventoryLimit(held, most),
      smallestOrder(view),
    ]);
  };
  const [bids, asks] = [side("BUY"), side("SELL")];
  const quotes = { BUY: bids.quotes, SELL: asks.quotes };
  quotesSet(memory, view, { quotes, starts, limits, mid }, requote);
  return setQuotes({
    bids: quotes.BUY,
    asks: quotes.SELL,
    ...limits,
    sizeTolerance: params.sizeTolerance,
    reason: { BUY: bids.reason, SELL: asks.reason },
    wakeAtMs: Math.min(watchMs, memory.wakeAtMs),
  });
}

/** `held` is the position in the direction of the side. */
function inventoryLimit(held: Decimal, most: Decimal | undefined): QuoteLimit {
  return {
    reason: "the position would be above maxInventory",
    allows: ({ size }) => most === undefined || held.plus(size).lte(most),
  };
}

/** Warnings for `review` about these of `modelQuoteParams`. */
export function modelWarnings(
  { tradeReach }: Pick<Settings, "tradeReach">,
  tick: number | undefined,
): string[] {
  return tradeReach === undefined ? [] : tickWarnings("tradeReach", tradeReach, tick);
}
