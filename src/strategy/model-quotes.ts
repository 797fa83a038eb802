import { z } from "zod";
import { baseAmount, inBase } from "../domain/base-amount.ts";
import type { Decimal } from "../domain/decimal.ts";
import { percentText, share } from "../domain/setting.ts";
import type { Side } from "../domain/side.ts";
import {
  type DecideInput,
  type Decision,
  keepQuotes,
  noQuotes,
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
import { limitParams, quoteParams } from "./params.ts";
import { type QuoteLimit, smallestOrder, withinLimits } from "./quote-limit.ts";
import { tickWarnings } from "./warnings.ts";

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
    .describe("A side that would take the position beyond this is not quoted, in base token."),
  ...modelParams,
  refresh: quoteParams.refresh,
  tolerance: share({ max: 1 })
    .prefault("20%")
    .describe(
      "How far a resting quote may be off its target before it is replaced, as a share of half the spread.",
    ),
  sizeTolerance: quoteParams.sizeTolerance,
  maxSpread: limitParams.maxSpread,
};

const settingsSchema = z.object(modelQuoteParams);
type Settings = z.output<typeof settingsSchema>;

interface State {
  readonly market: ModelState;
  nextMs: number;
}

/** `init` and `state` of such a strategy. What was measured survives a restart. */
export function modelState(version: number) {
  const state: StateKeeping<State> = {
    version,
    save: ({ market }) => market,
    load: (data, _version, begun) => ({ ...begun, market: data as ModelState }),
  };
  const init = ({ params }: { readonly params: Settings }): State => ({
    market: startMarket(params),
    nextMs: 0,
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
 * The decision of a strategy whose quotes are those of `quotesOf`, each moved away from the mid by the maker fee: in a model with fills at
 * the rate A·e^(−kδ), a cost of each fill moves the best distance by just that cost.
 */
export function quoteFromModel<Params extends Settings>(
  { view, params, state }: DecideInput<Params, State>,
  quotesOf: ModelQuotes,
): Decision {
  followMarket(state.market, view, params);
  const { mid, spread } = view.book;
  if (mid === undefined || spread === undefined) return noQuotes("a side of the book is empty");
  if (spread > params.maxSpread * mid) {
    return noQuotes(`the market's own spread is above ${percentText(params.maxSpread)}`);
  }
  const isDue = view.nowMs >= state.nextMs || view.fills.length > 0 || view.quotesPulled;
  if (!isDue) return keepQuotes({ wakeAtMs: state.nextMs });
  state.nextMs = view.nowMs + params.refresh;
  const wakeAtMs = state.nextMs;
  const model = marketModel(state.market, params, mid);
  if (model === undefined) {
    return noQuotes("volatility and market orders are not measured yet", { wakeAtMs });
  }
  const size = view.roundSize(inBase(params.size, mid));
  if (!size.gt(0)) return noQuotes("the size is below a lot", { wakeAtMs });
  const inventory = view.position.base.toNumber();
  const { bid, ask } = quotesOf({ mid, inventory, size: size.toNumber(), model });
  const most = params.maxInventory && inBase(params.maxInventory, mid);
  const side = (on: Side, target: number) => {
    const far = { quotes: [], reason: "its price is too far from the mid" };
    if (!(target > 0 && target < 2 * mid)) return far;
    const price = on === "BUY" ? view.roundDown(target) : view.roundUp(target);
    const held = view.position.base.times(on === "BUY" ? 1 : -1);
    return withinLimits([{ price, size }], [inventoryLimit(held, most), smallestOrder(view)]);
  };
  // A price beyond the others' best is as good as that: it is moved back inside.
  const fee = view.makerFee * mid;
  const bids = side("BUY", Math.min(bid - fee, mid + spread / 2));
  const asks = side("SELL", Math.max(ask + fee, mid - spread / 2));
  return setQuotes({
    bids: bids.quotes,
    asks: asks.quotes,
    tolerance: Math.min(1, (params.tolerance * (ask - bid)) / 2 / mid),
    sizeTolerance: params.sizeTolerance,
    reason: {
      ...(bids.reason === undefined ? {} : { BUY: bids.reason }),
      ...(asks.reason === undefined ? {} : { SELL: asks.reason }),
    },
    wakeAtMs,
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
