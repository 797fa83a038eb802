import { TouchlineError } from "../base/error.ts";
import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Signer } from "../ports/crypto.ts";
import { SessionKeeper } from "../session/session-keeper.ts";
import { sessionVenue } from "../session/session-maker.ts";
import type { Bot } from "./bot.ts";
import type { LivePorts, LiveSettings, SessionKeeping } from "./live-settings.ts";
import { pacedHttp, pacedVenueNowMs } from "./paced-http.ts";

/** Throws `SESSION_ENDED` when a bot that began now would stop at once because of its session. */
export function refuseEndedSession(session: SessionKeeping | undefined, nowMs: number): void {
  if (session === undefined) return;
  const { expirySec, offsetMs = 0, stopBeforeMs } = session;
  if (expirySec * 1000 - (nowMs + offsetMs) > stopBeforeMs) return;
  throw new TouchlineError("SESSION_ENDED", "The session wallet ended while the bot was starting.");
}

/** Renews the session wallet of a bot that signs with one, until the bot ends; undefined for other bots. */
export function keepSession(
  bot: Bot,
  settings: LiveSettings,
  { session, signer, crypto, timer, log, http }: LivePorts,
  wiring: {
    /** The bot's steady clock. */
    readonly clock: Clock;
    readonly venueClock: VenueAdapter["clock"];
    /** Waits for a token of the bot's rate budget. */
    readonly waitForToken: () => Promise<void>;
    /** Called when another session wallet takes over the signing. */
    readonly signWith: (signer: Signer) => void;
  },
): SessionKeeper | undefined {
  if (session === undefined) return undefined;
  const { l1ChainId, renew, ...keeping } = session;
  const { clock, venueClock, waitForToken, signWith } = wiring;
  const keeper = new SessionKeeper({
    ...keeping,
    venue: sessionVenue({ ...settings.venue, l1ChainId }, bot.owner, {
      http: pacedHttp(http, waitForToken),
      crypto,
      clock,
      timer,
      venueNowMs: pacedVenueNowMs(venueClock, clock, waitForToken),
    }),
    log,
    signer,
    // A dry run sends nothing, so it renews nothing.
    renew: settings.dryRun === true ? undefined : renew,
    signWith,
    warn: (code, message) => bot.warn(code, message),
    stop: (reason, limitMs) => bot.stopBecause(reason, limitMs),
  });
  keeper.start();
  void bot.done.then(() => keeper.close());
  return keeper;
}
