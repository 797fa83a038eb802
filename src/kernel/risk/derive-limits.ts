import {
  addFixed,
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedText,
  truncFixed,
  truncSignificant,
  ZERO,
} from "../../domain/fixed.ts";
import type { MarketId, TokenId } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import { type CarriedLimit, type LimitPlace, placeText } from "../../orders/carried.ts";
import { deriveBounds, deriveDayLoss, valueAt } from "../../risk/derived-limits.ts";
import type { Note } from "../note.ts";
import { bookLessOwn, type KernelState } from "../state.ts";
import { isBookFresh } from "../freshness/needs.ts";
import { MIDS_MAX_MS } from "./risk-state.ts";

/** A mid is a double, so more decimals than these are noise. */
const SHOWN_DECIMALS = 8;
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

/** Each token counts once; a base token without a mid not at all, once others have waited for it. Undefined before the first mid. */
function lossOf(state: KernelState, place: LimitPlace): Fixed | undefined {
  const values = new Map<TokenId, Fixed>();
  let hasMid = false;
  for (const market of marketsOf(state, place)) {
    const { baseToken, quoteToken } = market;
    values.set(quoteToken, totalOf(state, quoteToken));
    const mid = midOf(state, market);
    if (mid !== undefined) {
      hasMid = true;
      values.set(baseToken, valueAt(totalOf(state, baseToken), mid));
    } else if (waitsForMids(state)) return undefined;
  }
  if (!hasMid) return undefined;
  return deriveDayLoss([...values.values()].reduce(addFixed, ZERO));
}

/** Whether another market may still get its first mid in time. */
function waitsForMids({ derived, nowMs }: KernelState): boolean {
  return nowMs < (derived?.runsSinceMs ?? nowMs) + MIDS_MAX_MS;
}

function midOf(state: KernelState, { marketId }: Market): Fixed | undefined {
  const market = state.markets.get(marketId);
  const isFresh = market !== undefined && isBookFresh(state, market);
  const mid = isFresh ? bookLessOwn(state, market)?.mid : undefined;
  return mid === undefined ? undefined : fixedFromNumber(mid);
}

function totalOf({ balances }: KernelState, tokenId: TokenId): Fixed {
  const { locked = ZERO, unlocked = ZERO } = balances.of(tokenId) ?? {};
  return addFixed(locked, unlocked);
}

function marketsOf({ markets, slots }: KernelState, place: LimitPlace): readonly Market[] {
  const ids =
    place.limit === "dayLoss"
      ? slots.flatMap(({ runner: { name, binding } }) =>
          place.strategy === undefined || place.strategy === name ? [binding.marketId] : [],
        )
      : [place.marketId];
  return [...new Set(ids)].flatMap((id) => markets.get(id)?.market ?? []);
}

function quoteTokenOf(state: KernelState, place: LimitPlace): TokenId | undefined {
  return marketsOf(state, place)[0]?.quoteToken;
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
