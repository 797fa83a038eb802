import { fixedText } from "../../domain/fixed.ts";
import type { Market } from "../../domain/market.ts";
import { doubt, leaveMarket } from "./left-markets.ts";
import { type MarketState, shownMarket } from "../market-state.ts";
import type { KernelState } from "../state.ts";

/** A market that is missing or not listed is read again after this, and pulled when the second list agrees. */
const AGAIN_MS = 1_000;

/** The venue's markets, requested at `queriedMs` while the bot runs, are compared with those that it started with. */
export function compareMarkets(
  state: KernelState,
  listed: readonly Market[],
  queriedMs: number,
): void {
  state.facts?.markets.fresh.proven(queriedMs);
  for (const market of state.markets.values()) {
    const { marketId } = market.market;
    const now = listed.find((candidate) => candidate.marketId === marketId);
    compareListing(state, market, now?.listed === true);
    if (now !== undefined) compareFacts(state, market, now);
  }
}

/** Why a market is not quoted because of its listing; undefined while it is listed. */
export function unlistedReason({ unlistedReads }: MarketState): string | undefined {
  return unlistedReads < 2 ? undefined : "the venue does not list the market any more";
}

function compareListing(state: KernelState, market: MarketState, isListed: boolean): void {
  const { marketId } = market.market;
  const before = market.unlistedReads;
  market.unlistedReads = isListed ? 0 : Math.min(2, before + 1);
  if (market.unlistedReads === 1) {
    state.reads.want({ type: "markets" }, state.nowMs + AGAIN_MS, { again: true });
  }
  const isKnown = before < 2 === market.unlistedReads < 2;
  if (isKnown) return;
  const text = isListed ? "is listed again" : "is not listed any more, and not quoted";
  doubt(state, "MARKET_CHANGED", marketId, `market ${marketId} ${text}`);
}

function compareFacts(state: KernelState, market: MarketState, now: Market): void {
  const { market: known } = market;
  const { marketId } = known;
  if (now.baseToken !== known.baseToken || now.quoteToken !== known.quoteToken) {
    const text = `market ${marketId} trades ${known.baseToken} for ${known.quoteToken}, and the venue now says ${now.baseToken} for ${now.quoteToken}`;
    doubt(state, "MARKET_CHANGED", marketId, text);
    leaveMarket(state, marketId, text);
    return;
  }
  if (now.makerFee === known.makerFee && now.takerFee === known.takerFee) return;
  const { makerFee, takerFee } = now;
  market.market = shownMarket({ ...known, makerFee, takerFee });
  const text = `market ${marketId} has new fees: maker ${fixedText(known.makerFee)} became ${fixedText(makerFee)}, taker ${fixedText(known.takerFee)} became ${fixedText(takerFee)}`;
  doubt(state, "MARKET_CHANGED", marketId, text);
  for (const slot of state.slots) {
    if (slot.marketId === marketId) slot.runner.needsDecision = true;
  }
}
