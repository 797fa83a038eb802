import type { FaultEpisode } from "./fault-plan.ts";
import { SUBSCRIPTION_LOST } from "./faults.ts";
import type { ObservedWorld } from "./invariant.ts";

const NEVER = Number.NEGATIVE_INFINITY;
/** One channel or one market's channels are dead on every connection. */
const DEAD: readonly string[] = ["channel-dies", "market-dies"];
/** Those, and the loss of subscriptions, which ends when they are made again. */
const SILENT: readonly string[] = [...DEAD, SUBSCRIPTION_LOST];
/** They leave REST and the other channels alone: quotes stay, or stand again within seconds, while these are on. */
const HARMLESS: readonly string[] = [
  ...SILENT,
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

/** After the last fault, or the wait that a `Retry-After` imposes, the bot has read what it missed within this time. */
export const READ_MS = 15_000;

type Times = Pick<ObservedWorld, "elapsedMs" | "runStartedMs">;

/** From when on the quotes of this run are right; later than now while a trouble is on that may forbid it. */
export function quotesRightMs(world: Times & Pick<ObservedWorld, "episodes">): number {
  const { episodes, elapsedMs, runStartedMs } = world;
  return Math.max(troubleOverMs(episodes(), elapsedMs()), runStartedMs() + OTHER_MS);
}

/** From when on the quotes are right of a bot that may send and is not blocked. */
export function calmSinceMs(
  world: Times & Pick<ObservedWorld, "episodes" | "limitedUntilMs" | "blockedMs">,
): number {
  return Math.max(quotesRightMs(world), world.limitedUntilMs(), world.blockedMs());
}

/** Until when a channel was last dead on every connection, so that nothing brings it back; now while one is, -Infinity when none was. */
export function deadUntilMs({
  episodes,
  elapsedMs,
}: Pick<ObservedWorld, "episodes" | "elapsedMs">): number {
  const nowMs = elapsedMs();
  const ends = episodes().map(({ name, toMs = nowMs }) => (DEAD.includes(name) ? toMs : NEVER));
  return Math.max(NEVER, ...ends);
}

/** From when on this run has read what the faults hid from it. */
export function missedReadMs(
  world: Times & Pick<ObservedWorld, "faultsEndedMs" | "limitedUntilMs">,
): number {
  const { faultsEndedMs, limitedUntilMs, runStartedMs } = world;
  const hiddenMs = Math.max(faultsEndedMs(), limitedUntilMs());
  return Math.max(hiddenMs + READ_MS, runStartedMs() + OTHER_MS);
}

/** When the effects of these episodes are over, on their clock; `nowMs` or later while one is on. */
function troubleOverMs(episodes: readonly FaultEpisode[], nowMs: number): number {
  let overMs = NEVER;
  for (const { name, isOfNetwork, toMs = nowMs } of episodes) {
    if (HARMLESS.includes(name)) continue;
    overMs = Math.max(overMs, toMs + (isOfNetwork ? NETWORK_MS : OTHER_MS));
  }
  // A channel that is dead meanwhile is to be brought back by a new subscription or connection, for which the book has to be read once more.
  const isDead = episodes.some(
    ({ name, toMs = nowMs }) => SILENT.includes(name) && toMs >= overMs - NETWORK_MS,
  );
  return isDead ? overMs + NETWORK_MS : overMs;
}
