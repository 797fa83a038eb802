import { percentText } from "../../domain/setting.ts";
import { bookLessOwn } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import { midOf, type TrackedSource, type SourceValue } from "./tracked-source.ts";

/** A doubted price that has stood for this long, and came as often, is believed. */
const STAND_MS = 5_000;
const STAND_COUNT = 3;
/** A reference is replaced by a newer value at this age. */
const REFERENCE_MS = 1_000;
/** The confirming price has to make at least this part of the move. */
const CONFIRM_PART = 0.5;

/*
 * A source that jumps is asked a second time. Moves are measured from a believed value, the reference, that a newer one replaces after a second, so
 * that a walk within one counts as one move. One of more than `share` times the root of the seconds since then, at least one second, is
 * believed when another price has moved the same way at least half as far since then, each as a share of itself, so that their units do not
 * matter; or when it stands. Till then the last believed value stays, and ages.
 */

/** Whether a new value may replace the believed one; if not, it is doubted from now on. */
export function isBelieved(state: KernelState, source: TrackedSource, next: SourceValue): boolean {
  const { reference, doubt } = source;
  if (reference === undefined || isSmallMove(source, reference, next, state.nowMs)) return true;
  if (isConfirmed(state, source, next)) return true;
  const isSame = doubt !== undefined && isSmallMove(source, doubt.first, next, state.nowMs);
  const { first, count } = isSame ? doubt : { first: next, count: 0 };
  source.doubt = { first, newest: next, count: count + 1 };
  if (doubt === undefined) noteJump(state, source, reference, next);
  return source.doubt.count >= STAND_COUNT && state.nowMs - first.receivedMs >= STAND_MS;
}

/** Measures later moves from a value that is believed now, unless the reference is new and this one is near it. */
export function followReference(
  state: KernelState,
  source: TrackedSource,
  value: SourceValue,
): void {
  const { reference } = source;
  const isKept =
    reference !== undefined &&
    state.nowMs - reference.receivedMs < REFERENCE_MS &&
    isSmallMove(source, reference, value, state.nowMs);
  const { confirmers } = source;
  if (!isKept) source.reference = value;
  source.confirmers = confirmersOf(state, source).map((now, index) =>
    isKept ? (confirmers[index] ?? now) : now,
  );
}

/** Whether the confirming price has made the move from the reference by now. */
export function isConfirmed(state: KernelState, source: TrackedSource, next: SourceValue): boolean {
  if (source.reference === undefined) return true;
  const move = moveOf(midOf(source.reference), midOf(next));
  return confirmersOf(state, source).some((now, index) => {
    const then = source.confirmers[index];
    if (now === undefined || then === undefined) return false;
    const other = moveOf(then, now);
    return Math.sign(other) === Math.sign(move) && Math.abs(other) >= CONFIRM_PART * Math.abs(move);
  });
}

/** The mids that may confirm a move of this source, always in the same order. */
function confirmersOf(
  state: KernelState,
  { config: { jump }, watchers }: TrackedSource,
): readonly (number | undefined)[] {
  if (jump === undefined) return [];
  if (jump.confirm !== undefined) {
    const newest = state.sources.byName.get(jump.confirm)?.newest;
    return [newest === undefined ? undefined : midOf(newest)];
  }
  return watchers.map(({ binding: { marketId } }) => {
    const market = state.markets.get(marketId);
    return market === undefined ? undefined : bookLessOwn(state, market)?.mid;
  });
}

function isSmallMove(
  { config: { jump } }: TrackedSource,
  from: SourceValue,
  to: SourceValue,
  nowMs: number,
): boolean {
  if (jump === undefined) return true;
  const seconds = Math.max(1, (nowMs - from.receivedMs) / 1000);
  return Math.abs(moveOf(midOf(from), midOf(to))) <= jump.share * Math.sqrt(seconds);
}

function moveOf(from: number, to: number): number {
  return to / from - 1;
}

function noteJump(
  state: KernelState,
  source: TrackedSource,
  from: SourceValue,
  to: SourceValue,
): void {
  source.doubts += 1;
  const share = percentText(moveOf(midOf(from), midOf(to)), 3);
  const message = `source ${source.name} jumped by ${share}, from ${midOf(from)} to ${midOf(to)}: it is believed when another price confirms it, or when it stands`;
  state.notes.push({ type: "warning", code: "SOURCE_JUMP", message });
}
