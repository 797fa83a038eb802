import type { Effect } from "../kernel/effect.ts";

const withoutRequest: ReadonlySet<Effect["type"]> = new Set([
  "finished",
  "adopt",
  "standby",
  "resubscribe",
  "reconnect",
]);

/** How many HTTP requests an effect makes or allows. */
export function requestsOf(effect: Effect): number {
  if (effect.type === "tokens") return effect.count;
  return withoutRequest.has(effect.type) ? 0 : 1;
}
