import type { BookSnapshot, DepthEvent, Trade } from "../../domain/depth.ts";
import { followTradePrice } from "../doubts/doubt-book.ts";
import { closeRead } from "../read-responses.ts";
import { agreeOnBook } from "../risk/agreed-readings.ts";
import type { KernelState } from "../state.ts";
import { auditBook, followAudits } from "./book-audits.ts";
import { followBook } from "./book-changes.ts";
import { compareBook, compareTrade } from "./depth-channel.ts";
import { noteOwnLevels, notePublicTrade } from "./user-channel.ts";

export function onDepth(state: KernelState, event: DepthEvent): void {
  const market = state.markets.get(event.marketId);
  if (market === undefined) return;
  market.channels?.depth.event(event.finalId, event.timeMs, state.nowMs);
  followBook(state, market, market.sync.onDepth(event));
  followAudits(state, market, true);
  noteOwnLevels(state, market);
}

export function onDepthAudit(state: KernelState, snapshot: BookSnapshot): void {
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  market.channels?.depth.snapshot(snapshot.lastId, state.nowMs);
  followBook(state, market, market.sync.onAudit(snapshot));
  followAudits(state, market, false);
}

export function onBook(state: KernelState, snapshot: BookSnapshot): void {
  const queriedMs = closeRead(state, "book", snapshot.marketId);
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  agreeOnBook(state, market, snapshot, queriedMs);
  if (auditBook(state, market, snapshot)) return;
  compareBook(state, market, snapshot, queriedMs);
  followBook(state, market, market.sync.onSnapshot(snapshot), queriedMs);
}

export function onTrade(state: KernelState, trade: Trade): void {
  const { marketId, price } = trade;
  const market = state.markets.get(marketId);
  if (market !== undefined) {
    market.lastTrade = price;
    followTradePrice(state, market);
    compareTrade(state, market, trade);
    notePublicTrade(state, trade);
  }
  for (const { runner } of state.slots) {
    if (runner.binding.marketId === marketId) runner.noteTrade(trade);
  }
}
