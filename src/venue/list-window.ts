import { ok, type Result } from "../base/result.ts";
import type { UnixMs } from "../domain/time.ts";
import { addressOf, type Address } from "../domain/ids.ts";
import type { ListFilter } from "../exchange/order-lists.ts";
import { listWindow } from "../spec/limits.ts";
import { failure, type Failure } from "./failure.ts";
import { knownMarket } from "./known-market.ts";
import type { VenueContext } from "./venue-context.ts";

/** Decoded query of the three order lists. */
export interface ListQuery {
  readonly address: string;
  readonly marketId?: string | undefined;
  readonly from: number;
  readonly to?: number | undefined;
  readonly limit: number;
}

/** The time window of a list query, validated by §4.2 (D14, D15). A violation is a 400 failure; nothing is clamped. */
function listWindowOf(
  from: number,
  to: number | undefined,
  nowMs: UnixMs,
): Result<{ readonly fromMs: number; readonly toMs: number }, Failure> {
  if (from === 0 && (to ?? 0) === 0) {
    return ok({ fromMs: nowMs - listWindow.defaultSpanMs, toMs: nowMs });
  }
  const latest = nowMs + listWindow.futureSlackMs;
  if (from > latest) return failure(400, `from lies in the future of the venue's clock ${nowMs}.`);
  if (to !== undefined) {
    if (to > latest) return failure(400, `to lies in the future of the venue's clock ${nowMs}.`);
    if (from > to) return failure(400, "from is above to.");
  }
  const fromMs = from;
  const toMs = to ?? nowMs;
  if (toMs - fromMs > listWindow.maxSpanMs)
    return failure(400, "from and to are more than 90 days apart.");
  if (fromMs < nowMs - listWindow.historyMs)
    return failure(400, "from lies more than 730 days back.");
  return ok({ fromMs, toMs });
}

/** The account of a list query, and its filter. */
export function listOf(
  context: VenueContext,
  query: ListQuery,
): Result<{ readonly address: Address; readonly filter: ListFilter }, Failure> {
  const address = addressOf(query.address);
  if (address === undefined) return failure(400, "address is not a 0x address of 20 bytes.");
  const marketId =
    query.marketId === undefined ? ok(undefined) : knownMarket(context, query.marketId);
  if (!marketId.ok) return marketId;
  const window = listWindowOf(query.from, query.to, context.clock.nowMs());
  if (!window.ok) return window;
  return ok({ address, filter: { ...window.value, marketId: marketId.value, limit: query.limit } });
}
