import type { FaultEpisode } from "./fault-plan.ts";

/** Faults that leave REST and the other channels alone: quotes stay, or stand again within seconds, while they are on. */
const NO_TROUBLE: readonly string[] = [
  "channel-dies",
  "market-dies",
  "user-channel-silent",
  "frames-twice",
  "operator-resumes",
  "derived-limits",
];
/** Faults of the network: quotes are right again this long after. */
const NETWORK_MS = 5_000;
const network: readonly string[] = [
  "requests-lost",
  "answers-lost",
  "answers-cut",
  "requests-twice",
  "unavailable",
  "slow",
  "spikes",
  "refused",
  "frozen",
  "sockets-cut",
  "sockets-half-open",
  "requests-late",
  "frames-lost",
  "frames-swapped",
  "cached-reads",
  "cancels-lost",
];
/** Every other trouble may take this long. */
const OTHER_MS = 30_000;

/** When the effects of these episodes are over, on their clock; `nowMs` or later while one is on. */
export function troubleOverMs(episodes: readonly FaultEpisode[], nowMs: number): number {
  let overMs = Number.NEGATIVE_INFINITY;
  for (const { name, toMs = nowMs } of episodes) {
    if (NO_TROUBLE.includes(name)) continue;
    overMs = Math.max(overMs, toMs + (network.includes(name) ? NETWORK_MS : OTHER_MS));
  }
  return overMs;
}

/** A process that starts quotes within this time. */
export const START_MS = OTHER_MS;
