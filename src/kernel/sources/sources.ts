import { durationText } from "../../domain/setting.ts";
import type { SourceView } from "../../strategy/view.ts";
import type { Input } from "../input.ts";
import { bookLessOwn, type MarketState } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import { followReference, isBelieved, isConfirmed } from "./jump-guard.ts";
import { midOf, type SourcePrice, type SourceValue, type TrackedSource } from "./tracked-source.ts";

const NEVER = Number.POSITIVE_INFINITY;

/*
 * Prices from elsewhere. Values from outside come as inputs (`onSource`), those of another market of the venue with its book
 * (`followSourceMarket`); a formula is computed when it is read. Each has an age; a source that is older than its `maxAge` is undefined for
 * strategies, and pulls or widens the quotes of those that see it. `jump-guard.ts` decides what is believed.
 */

export function onSource(
  state: KernelState,
  { name, bid, ask, timeMs }: Extract<Input, { readonly type: "source" }>,
): void {
  const source = state.sources.byName.get(name);
  if (source?.config.origin.type !== "input") return;
  const lagMs = timeMs === undefined ? undefined : state.nowMs - timeMs;
  if (isPrice({ bid, ask })) take(state, source, { bid, ask, receivedMs: state.nowMs, lagMs });
  else refuse(state, source, { bid, ask });
}

/** After a change of a market's book. */
export function followSourceMarket(state: KernelState, market: MarketState): void {
  for (const source of state.sources.byMarket.get(market.market.marketId) ?? []) {
    const book = bookLessOwn(state, market);
    const [bid, ask] = [book?.best("BUY")?.price, book?.best("SELL")?.price];
    source.isMissing = bid === undefined || ask === undefined;
    if (bid === undefined || ask === undefined) continue;
    take(state, source, { bid, ask, receivedMs: state.nowMs, lagMs: undefined });
  }
}

/** Believes what another price has confirmed since. */
export function believeConfirmedPrices(state: KernelState): void {
  for (const source of state.sources.doubted) {
    const { doubt } = source;
    if (doubt !== undefined && isConfirmed(state, source, doubt.newest)) {
      believe(state, source, doubt.newest);
    }
  }
}

/** Why one of the sources that a strategy sees pulls its quotes; undefined when none does. */
export function sourcePullReason(
  state: KernelState,
  { runner: { sources } }: SourceReader,
): string | undefined {
  for (const source of sources) {
    if (source.config.whenOld !== "stop") continue;
    const reason = oldReason(state, source);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether one of them widens its quotes. */
export function isWidenedBySource(state: Ages, { runner: { sources } }: SourceReader): boolean {
  return sources.some(
    (source) => source.config.whenOld === "widen" && oldReason(state, source) !== undefined,
  );
}

interface SourceReader {
  readonly runner: { readonly sources: readonly TrackedSource[] };
}

/** The part of the kernel that a source's age depends on. */
type Ages = Pick<KernelState, "facts" | "nowMs" | "orders">;

/** When a source becomes too old next, our clock; Infinity for never. */
export function nextOldMs(state: KernelState): number {
  let nextMs = NEVER;
  for (const source of state.sources.all) {
    if (source.parts.length > 0 || source.value === undefined) continue;
    if (isCurrent(state, source)) continue;
    const oldMs = receivedMs(state, source) + source.config.maxAgeMs + 1;
    if (oldMs > state.nowMs) nextMs = Math.min(nextMs, oldMs);
  }
  return nextMs;
}

/** What a strategy sees of its sources, by name. */
export function sourceViews(
  state: Ages,
  sources: readonly TrackedSource[],
): Readonly<Record<string, SourceView | undefined>> {
  const views: Record<string, SourceView | undefined> = {};
  for (const source of sources) views[source.name] = viewOf(state, source);
  return views;
}

function viewOf(state: Ages, source: TrackedSource): SourceView | undefined {
  const value = valueOf(state, source);
  if (value === undefined) return undefined;
  const { bid, ask, lagMs } = value;
  return { bid, ask, mid: midOf(value), ageMs: state.nowMs - value.receivedMs, lagMs };
}

/** A source for people. */
export interface SourceRow {
  readonly name: string;
  /** The last believed price; null before the first. */
  readonly bid: number | null;
  readonly ask: number | null;
  readonly ageMs: number | null;
  readonly lagMs: number | null;
  /** Values that came, and how many times one was doubted. */
  readonly updates: number;
  readonly doubts: number;
  /** Why it is of no use at present; null while it is. */
  readonly problem: string | null;
}

export function sourceRows(state: KernelState): readonly SourceRow[] {
  return state.sources.all.map((source) => {
    const { name, updates, doubts, doubt } = source;
    const value = source.parts.length > 0 ? valueOf(state, source) : source.value;
    const receivedAtMs =
      value === undefined ? undefined : (valueOf(state, source) ?? value).receivedMs;
    return {
      name,
      bid: value?.bid ?? null,
      ask: value?.ask ?? null,
      ageMs: receivedAtMs === undefined ? null : state.nowMs - receivedAtMs,
      lagMs: value?.lagMs ?? null,
      updates,
      doubts,
      problem:
        oldReason(state, source) ??
        (doubt === undefined ? null : `its newest price ${midOf(doubt.newest)} is doubted`),
    };
  });
}

function isPrice({ bid, ask }: SourcePrice): boolean {
  return bid > 0 && bid <= ask && ask < NEVER;
}

function refuse(state: KernelState, source: TrackedSource, { bid, ask }: SourcePrice): void {
  if (source.hasWarned) return;
  source.hasWarned = true;
  const message = `source ${source.name} sent an impossible price, bid ${bid} and ask ${ask}: such prices are ignored`;
  state.notes.push({ type: "warning", code: "SOURCE_IMPOSSIBLE", message });
}

function take(state: KernelState, source: TrackedSource, next: SourceValue): void {
  source.updates += 1;
  if (isBelieved(state, source, next)) believe(state, source, next);
  else state.sources.doubted.add(source);
}

function believe(state: KernelState, source: TrackedSource, value: SourceValue): void {
  source.value = value;
  followReference(state, source, value);
  source.doubt = undefined;
  state.sources.doubted.delete(source);
  for (const runner of source.watchers) runner.news.market = true;
}

/** The believed value; undefined while it is too old or there is none. */
function valueOf(state: Ages, source: TrackedSource): SourceValue | undefined {
  if (oldReason(state, source) !== undefined) return undefined;
  const { value, parts } = source;
  if (parts.length > 0) return formulaValue(state, source);
  return value === undefined ? undefined : { ...value, receivedMs: receivedMs(state, source) };
}

function formulaValue(state: Ages, source: TrackedSource): SourceValue | undefined {
  let receivedMs: number = state.nowMs;
  let lagMs: number | undefined;
  const price = source.computed((part) => {
    const value = valueOf(state, part);
    if (value !== undefined) receivedMs = Math.min(receivedMs, value.receivedMs);
    if (value?.lagMs !== undefined) lagMs = Math.max(lagMs ?? value.lagMs, value.lagMs);
    return value;
  });
  return price === undefined || !isPrice(price) ? undefined : { ...price, receivedMs, lagMs };
}

function oldReason(state: Ages, source: TrackedSource): string | undefined {
  const { name, parts, value, config, doubt } = source;
  if (parts.length > 0) {
    for (const part of parts) {
      const reason = oldReason(state, part);
      if (reason !== undefined) return reason;
    }
    return formulaValue(state, source) === undefined
      ? `source ${name} is no price: its formula gives none above 0`
      : undefined;
  }
  if (value === undefined) return `source ${name} has no price yet`;
  if (isCurrent(state, source)) return undefined;
  if (state.nowMs - receivedMs(state, source) <= config.maxAgeMs) return undefined;
  const hint = doubt === undefined ? "" : `: its newest price ${midOf(doubt.newest)} is doubted`;
  return `source ${name} is older than ${durationText(config.maxAgeMs)}${hint}`;
}

/** Whether it is known to be as it was received: a static price, or that of a book with one source of data. */
function isCurrent(
  { facts, orders }: Ages,
  { config: { origin }, isMissing, doubt, market }: TrackedSource,
): boolean {
  if (origin.type === "static") return true;
  if (market === undefined || isMissing || doubt !== undefined || facts !== undefined) return false;
  return bookLessOwn({ orders }, market) !== undefined;
}

/** When the believed value was last known to hold. */
function receivedMs(state: Ages, source: TrackedSource): number {
  const { value, market, isMissing, doubt } = source;
  if (isCurrent(state, source)) return state.nowMs;
  const atMs = value?.receivedMs ?? Number.NEGATIVE_INFINITY;
  const isShown =
    market !== undefined && !isMissing && doubt === undefined && bookLessOwn(state, market);
  return isShown ? Math.max(atMs, market.book.fresh.provenMs) : atMs;
}
