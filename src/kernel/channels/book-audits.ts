import type { BookSnapshot } from "../../domain/depth.ts";
import { limitsFor } from "../../risk/settings.ts";
import { followBook } from "./book-changes.ts";
import type { KernelState, MarketState } from "../state.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** Notes new comparisons of a book with the venue's. Call it after every change; `hasChanged` is true for a depth event. */
export function followAudits(state: KernelState, market: MarketState, hasChanged: boolean): void {
  const { audit, sync } = market;
  const isLive = sync.live !== undefined;
  if (sync.audits === audit.count) {
    // A quiet market may send no depthSnapshot message.
    if (!isLive) audit.dueSinceMs = undefined;
    else if (hasChanged) audit.dueSinceMs ??= state.nowMs;
    return;
  }
  const { marketId } = market.market;
  const wasWrong = market.channels?.depth.isWrong === true;
  // Here only a comparison can end a live book, and one that differs always does.
  for (; audit.count < sync.audits; audit.count += 1) {
    const isSame = isLive || audit.count < sync.audits - 1;
    state.notes.push({ type: "bookAudit", marketId, isSame });
    market.channels?.depth.compared(isSame, state.nowMs);
  }
  audit.dueSinceMs = undefined;
  audit.hasWarned = false;
  // The second in a row proves the channel behind, which is noted once.
  if (isLive || wasWrong) return;
  state.notes.push({
    type: "warning",
    code: "BOOK_MISMATCH",
    message: `market ${marketId}: the local book differs from the venue's and will be fetched again`,
  });
}

/**
 * Requests each live book over REST that changed for as long as the rule `stale-book` allows without being compared: at its id the
 * local book has to be the same. A book that was found wrong is compared sooner.
 */
export function readUnaudited(state: KernelState): void {
  for (const market of state.markets.values()) {
    if (restDueMs(state, market) > state.nowMs) continue;
    const { audit } = market;
    audit.isWanted = true;
    audit.wantedMs = state.nowMs;
    state.reads.want({ type: "book", marketId: market.market.marketId }, state.nowMs);
  }
}

/** A whole book over REST. True when it serves a comparison only: then the live book does not take it. */
export function auditBook(
  state: KernelState,
  market: MarketState,
  snapshot: BookSnapshot,
): boolean {
  const { audit, sync, channels } = market;
  const isWanted = audit.isWanted && sync.live !== undefined && channels !== undefined;
  const isForCheck = audit.isForCheck && state.config.checksBeforeComparing === true;
  audit.isWanted = false;
  audit.isForCheck = false;
  // Where a sign stands, the book serves to check that.
  if (!isWanted || channels.depth.signSinceMs !== NEVER) return false;
  // Where the channel is silent, a newer book serves to check that, and one of our id serves both.
  if (isForCheck && snapshot.lastId !== sync.lastId) return false;
  followBook(state, market, sync.onAudit(snapshot));
  followAudits(state, market, false);
  return !isForCheck;
}

/** When the next book has to be requested for a comparison, our clock; Infinity for never. */
export function nextAuditMs(state: KernelState): number {
  let nextMs = NEVER;
  for (const market of state.markets.values()) {
    const dueMs = restDueMs(state, market);
    if (dueMs > state.nowMs) nextMs = Math.min(nextMs, dueMs);
  }
  return nextMs;
}

function restDueMs(state: KernelState, market: MarketState): number {
  const { audit, sync, channels } = market;
  const isWatched = channels !== undefined && state.config.crossChecks === true;
  if (!isWatched || sync.live === undefined || audit.dueSinceMs === undefined) return NEVER;
  return Math.max(audit.dueSinceMs, audit.wantedMs) + restWaitMs(state, market);
}

function restWaitMs({ config }: KernelState, { market, channels }: MarketState): number {
  const limitMs = limitsFor(config.risk, market.marketId).staleBook ?? NEVER;
  const { channelCheckMs } = config.timing;
  return channels?.depth.isWrong === true ? Math.min(2 * channelCheckMs, limitMs) : limitMs;
}

/** Warns once about each live book that changes without being compared: an error in it would stay unnoticed. */
export function warnUnaudited(state: KernelState): void {
  for (const market of state.markets.values()) {
    const { audit } = market;
    if (audit.hasWarned || dueMs(state, market) > state.nowMs) continue;
    audit.hasWarned = true;
    const { marketId } = market.market;
    state.notes.push({
      type: "warning",
      code: "BOOK_UNAUDITED",
      message: `market ${marketId}: no depthSnapshot message could be compared with the local book for ${state.config.timing.auditMs / 1000} s`,
    });
  }
}

/** When the next such warning is due, our clock; Infinity when there is none. */
export function nextAuditWarningMs(state: KernelState): number {
  let next = Number.POSITIVE_INFINITY;
  for (const market of state.markets.values()) {
    if (!market.audit.hasWarned) next = Math.min(next, dueMs(state, market));
  }
  return next;
}

function dueMs(state: KernelState, { audit }: MarketState): number {
  if (audit.dueSinceMs === undefined) return Number.POSITIVE_INFINITY;
  return audit.dueSinceMs + state.config.timing.auditMs;
}
