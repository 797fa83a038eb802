import { unixMs } from "../domain/time.ts";
import type { ObservedWorld } from "./invariant.ts";

/** Whether the bot's session wallet may sign now, and will not stop quotes within this time. True without one. */
export function sessionLasts(
  {
    scenario: { session },
    oracle,
    venueNowMs,
  }: Pick<ObservedWorld, "scenario" | "oracle" | "venueNowMs">,
  forMs: number,
): boolean {
  if (session === undefined) return true;
  const nowMs = venueNowMs();
  return oracle.exchange
    .sessions(oracle.owner, unixMs(nowMs))
    .some(
      ({ applied, expirySec }) =>
        applied && expirySec * 1000 - nowMs > session.stopBeforeMs + forMs,
    );
}
