import { fixedOf } from "../../domain/decimal.ts";
import { ReportingCurrency } from "../../domain/reporting-currency.ts";
import {
  addFixed,
  divUp,
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedText,
  truncFixed,
  truncSignificant,
  ZERO,
} from "../../domain/fixed.ts";
import { type MarketId, type TokenId, tokensOf } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import { type CarriedLimit, type LimitPlace, placeText } from "../../orders/carried.ts";
import { deriveBounds, deriveDayLoss, valueAt } from "../../risk/derived-limits.ts";
import type { Note } from "../note.ts";
import { bookLessOwn } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import { isBookFresh } from "../freshness/needs.ts";
import { MIDS_MAX_MS } from "./risk-state.ts";

/** A mid is a double, so more decimals than these are noise. */
const SHOWN_DECIMALS = 8;
/** Of a token that several loss stops share. */
const SHARE_DECIMALS = 18;
/** Derived limits have this many significant digits. */
const DERIVED_DIGITS = 4;

type LimitNote = Extract<Note, { type: "limit" }>;

/** Continues with a limit of an earlier run, unless the configuration sets it now or it counts in another token. */
export function restoreLimit(state: KernelState, item: CarriedLimit): void {
  const isMissing = state.derived?.missing.has(placeText(item)) === true;
  if (!isMissing || quoteTokenOf(state, item) !== item.quoteToken) return;
  const value = fixedText(rounded(fixed(item.value)));
  apply(state, { ...item, value }, "LIMIT_KEPT");
}

/** Derives what is missing as soon as balances and mids are known. Before a market's first mid the price collar lets nothing pass. */
export function deriveLimits(state: KernelState): void {
  const { derived, phase, nowMs } = state;
  if (derived === undefined || derived.missing.size === 0 || phase !== "running") return;
  derived.runsSinceMs ??= nowMs;
  for (const place of derived.missing.values()) {
    const value = place.limit === "dayLoss" ? lossOf(state, place) : boundOf(state, place);
    const quoteToken = quoteTokenOf(state, place);
    if (value === undefined || quoteToken === undefined) continue;
    const text = fixedText(rounded(value));
    const item: CarriedLimit = { type: "limit", ...place, quoteToken, value: text };
    // A loss stop without the value of some token is smaller than meant: the next run derives it anew.
    if (marketsOf(state, place).every((market) => midOf(state, market) !== undefined)) {
      state.step.carried.push(item);
    }
    apply(state, item, "LIMIT_DERIVED");
  }
}

/** Down, which is the safe side of every derived limit. */
function rounded(value: Fixed): Fixed {
  return truncSignificant(value, DERIVED_DIGITS);
}

function boundOf(
  state: KernelState,
  { limit, marketId }: Extract<LimitPlace, { marketId: MarketId }>,
): Fixed | undefined {
  const market = state.markets.get(marketId)?.market;
  const mid = market === undefined ? undefined : midOf(state, market);
  if (market === undefined || mid === undefined) return undefined;
  return deriveBounds({
    base: totalOf(state, market.baseToken),
    quote: totalOf(state, market.quoteToken),
    mid,
  })?.[limit];
}

/**
 * Each token counts once, in the bot's stop or in equal shares in those of the strategies that trade it; a token without a mid on the way to
 * the currency not at all, once others have waited for it. Undefined before the first mid.
 */
function lossOf(state: KernelState, place: LimitPlace): Fixed | undefined {
  const currency = currencyOf(state, place);
  const markets = marketsOf(state, place);
  if (currency === undefined || markets.every((market) => midOf(state, market) === undefined)) {
    return undefined;
  }
  const tokens = new Set(markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken]));
  let equity: Fixed = ZERO;
  for (const token of tokens) {
    const rate = currency.rate(token, (marketId) => freshMid(state, marketId));
    if (rate === undefined && waitsForMids(state)) return undefined;
    const amount = divUp(totalOf(state, token), sharesOf(state, place, token), SHARE_DECIMALS);
    if (rate !== undefined) equity = addFixed(equity, valueAt(amount, fixedOf(rate)));
  }
  return deriveDayLoss(equity);
}

/** Among how many derived loss stops a token is shared. */
function sharesOf({ config, slots }: KernelState, place: LimitPlace, token: TokenId): Fixed {
  if (place.limit !== "dayLoss" || place.strategy === undefined) return fixed("1");
  const names = config.limitsToDerive?.dayLoss ?? [];
  const sharers = slots.filter(({ name, marketId }) => {
    const { base, quote } = tokensOf(marketId);
    return names.includes(name) && (base === token || quote === token);
  });
  const sharing = new Set(sharers.map(({ name }) => name));
  return fixed(String(Math.max(1, sharing.size)));
}

/** Currency in which a loss stop counts: the bot's in the reporting currency, a strategy's in its quote token. */
function currencyOf(state: KernelState, place: LimitPlace): ReportingCurrency | undefined {
  if (place.limit === "dayLoss" && place.strategy === undefined) return state.risk?.bot.currency;
  const markets = marketsOf(state, place);
  const [first] = markets;
  return first === undefined ? undefined : new ReportingCurrency(first.quoteToken, markets);
}

/** Whether another market may still get its first mid in time. */
function waitsForMids({ derived, nowMs }: KernelState): boolean {
  return nowMs < (derived?.runsSinceMs ?? nowMs) + MIDS_MAX_MS;
}

function freshMid(state: KernelState, marketId: MarketId): number | undefined {
  const market = state.markets.get(marketId);
  const isFresh = market !== undefined && isBookFresh(state, market);
  return isFresh ? bookLessOwn(state, market)?.mid : undefined;
}

function midOf(state: KernelState, { marketId }: Market): Fixed | undefined {
  const mid = freshMid(state, marketId);
  return mid === undefined ? undefined : fixedFromNumber(mid);
}

function totalOf({ balances }: KernelState, tokenId: TokenId): Fixed {
  return balances.total(tokenId) ?? ZERO;
}

function marketsOf({ markets, slots }: KernelState, place: LimitPlace): readonly Market[] {
  const ids =
    place.limit === "dayLoss"
      ? slots.flatMap(({ name, marketId }) =>
          place.strategy === undefined || place.strategy === name ? [marketId] : [],
        )
      : [place.marketId];
  return [...new Set(ids)].flatMap((id) => markets.get(id)?.market ?? []);
}

function quoteTokenOf(state: KernelState, place: LimitPlace): TokenId | undefined {
  return currencyOf(state, place)?.token;
}

function apply(state: KernelState, item: CarriedLimit, code: LimitNote["code"]): void {
  state.derived?.missing.delete(placeText(item));
  const value = fixed(item.value);
  if (item.limit === "dayLoss") {
    const { risk } = state;
    const scope = item.strategy === undefined ? risk?.bot : risk?.byStrategy.get(item.strategy);
    scope?.ladder.add(item.limit, { steps: [{ step: "halt", from: value }] });
    // Losses count from this step on.
    if (risk !== undefined) risk.isDue = true;
  } else {
    state.gate.setLimits(item.marketId, { [item.limit]: value });
  }
  const { limit } = item;
  const of = item.limit === "dayLoss" ? item.strategy : item.marketId;
  const source =
    code === "LIMIT_DERIVED" ? "derived from balances and mid" : "as an earlier run derived it";
  const message = `${sentenceOf(item, fixedText(truncFixed(value, SHOWN_DECIMALS)))}, ${source}; ${howToRaise(item)}`;
  state.notes.push({ type: "limit", code, limit, of, value, message });
}

function sentenceOf(place: LimitPlace, value: string): string {
  switch (place.limit) {
    case "maxPosition":
      return `the position in ${place.marketId} stays within ${value} base token`;
    case "maxOrderNotional":
      return `an order in ${place.marketId} is worth ${value} quote token at most`;
    case "dayLoss":
      return `a loss of ${value} quote token in a UTC day halts ${place.strategy ?? "the bot"}`;
  }
}

function howToRaise(place: LimitPlace): string {
  if (place.limit !== "dayLoss") {
    return `to raise it set risk.${place.limit}, or null for no limit`;
  }
  const block = place.strategy === undefined ? "risk" : "risk of the strategy";
  return `to raise it set triggers.dayLoss: { halt: … } in ${block}, or dayLoss: null for no limit`;
}
