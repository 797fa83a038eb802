import { assert } from "../base/assert.ts";
import { venueReached } from "./outage.ts";
import type { Input, ReadName } from "./input.ts";
import { rateLimited } from "./rate.ts";
import type { KernelState } from "./state.ts";

/** A read got its response, so its slot is free again. Returns when the read was sent. */
export function closeRead(state: KernelState, read: ReadName, key: string): number {
  const queriedMs = state.reads.responded(read, key, state.nowMs);
  assert(queriedMs !== undefined, `a response to ${read} ${key} that was requested`);
  state.budget.release("read", queriedMs);
  venueReached(state);
  return queriedMs;
}

/** A read got a part of its response. Returns when the read was sent. */
export function partOfRead(state: KernelState, read: ReadName, key: string): number {
  const queriedMs = state.reads.queriedMs(read, key);
  assert(queriedMs !== undefined, `a part of a response to ${read} ${key} that was requested`);
  venueReached(state);
  return queriedMs;
}

export function onReadFailed(
  state: KernelState,
  failure: Extract<Input, { type: "readFailed" }>,
): void {
  const { read, key, message, reason, retryAfterMs } = failure;
  state.budget.release("read", state.reads.queriedMs(read, key));
  // The tracker has its own schedule for orders in doubt. Transfers are of interest while a change of the balances is unexplained.
  const isOver = read === "transfers" && state.ledger?.checkMs === undefined;
  if (read === "order" || isOver) state.reads.forget(read, key);
  else state.reads.failed(failure, state);
  if (reason === "rateLimited") rateLimited(state, retryAfterMs);
  const text = `${read} ${key}: ${message}`;
  state.notes.push({ type: "warning", code: "READ_FAILED", message: text });
}
