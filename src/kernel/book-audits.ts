import type { KernelState, MarketState } from "./state.ts";

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
  // Here only a comparison can end a live book, and one that differs always does.
  for (; audit.count < sync.audits; audit.count += 1) {
    const isSame = isLive || audit.count < sync.audits - 1;
    state.notes.push({ type: "bookAudit", marketId, isSame });
  }
  audit.dueSinceMs = undefined;
  audit.hasWarned = false;
  if (isLive) return;
  state.notes.push({
    type: "warning",
    code: "BOOK_MISMATCH",
    message: `market ${marketId}: the local book differs from the venue's and will be fetched again`,
  });
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
