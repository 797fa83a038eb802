import { unixMs } from "../domain/time.ts";
import type { ObservedWorld } from "./invariant.ts";

/** Whether the session wallet that signs may do so now, and will not stop quotes within this time. True without one. */
export function sessionLasts(
  {
    scenario: { session },
    oracle,
    sent,
    venueNowMs,
  }: Pick<ObservedWorld, "scenario" | "oracle" | "sent" | "venueNowMs">,
  forMs: number,
): boolean {
  if (session === undefined) return true;
  const nowMs = venueNowMs();
  return oracle.exchange
    .sessions(oracle.owner, unixMs(nowMs))
    .some(
      ({ sessionWallet, applied, expirySec }) =>
        applied &&
        sessionWallet === (sent.newestSigner ?? sessionWallet) &&
        expirySec * 1000 - nowMs > session.stopBeforeMs + forMs,
    );
}
