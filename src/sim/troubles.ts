import type { FaultEpisode } from "./fault-plan.ts";

/** They leave REST and the other channels alone: quotes stay, or stand again within seconds, while these are on. */
const HARMLESS: readonly string[] = [
  "channel-dies",
  "market-dies",
  "frames-twice",
  // Judges follow the sources themselves.
  "prices-silent",
  "prices-late",
  "prices-refused",
  "prices-jump",
  "prices-impossible",
];
/** After faults of the network quotes are right again within this time, after other troubles and a start within that. */
const NETWORK_MS = 5_000;
export const OTHER_MS = 30_000;

/** When the effects of these episodes are over, on their clock; `nowMs` or later while one is on. */
export function troubleOverMs(episodes: readonly FaultEpisode[], nowMs: number): number {
  let overMs = Number.NEGATIVE_INFINITY;
  for (const { name, isOfNetwork, toMs = nowMs } of episodes) {
    if (HARMLESS.includes(name)) continue;
    overMs = Math.max(overMs, toMs + (isOfNetwork ? NETWORK_MS : OTHER_MS));
  }
  return overMs;
}
