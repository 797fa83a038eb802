import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { baseAddress } from "../gateway/request.ts";
import { restore } from "../journal/restore.ts";
import type { Signer } from "../ports/crypto.ts";
import { venueClockOf } from "../sdk/nonce-source.ts";
import { type OpenedSession, openSession, type SessionKeys } from "../session/open-session.ts";
import { sessionVenue } from "../session/session-maker.ts";
import type { Bot } from "./bot.ts";
import { cancelWhileStarting } from "./early-cancels.ts";
import { startLive } from "./live.ts";
import { liveAdapter } from "./live-adapter.ts";
import type { LivePorts, LiveSettings, SessionKeeping } from "./live-settings.ts";
import { openPast } from "./open-past.ts";
import { pacedHttp, pacedVenueNowMs } from "./paced-http.ts";
import type { RequestPace } from "./request-pace.ts";
import { steadyClock } from "./steady-clock.ts";

/** How a bot opens its session wallet and keeps it. */
export interface SessionSetup
  extends Pick<SessionKeeping, "l1ChainId" | "stopBeforeMs" | "renew" | "timing"> {
  readonly owner: Address;
  readonly keys: SessionKeys;
}

/** The ports of a bot whose signer is not open yet. */
export type OpeningPorts = Omit<LivePorts, "signer" | "session" | "pace"> & {
  readonly pace: RequestPace;
};

/**
 * Opens the session wallet that a live bot signs with. Rejects as `openSession` does. When that takes long, orders of an earlier run
 * are canceled meanwhile, with the session that it signed with last.
 */
async function sessionSigner(
  settings: LiveSettings,
  { owner, keys, ...keeping }: SessionSetup,
  ports: OpeningPorts,
): Promise<Pick<LivePorts, "signer" | "session">> {
  const { http, clock, log, pace } = ports;
  const { venue } = settings;
  const { l1ChainId, stopBeforeMs, renew } = keeping;
  const { waitForToken } = pace;
  const place = { http, rest: baseAddress(venue.rest) };
  const opening = openSession({
    venue: sessionVenue({ ...venue, l1ChainId }, owner, {
      ...ports,
      http: pacedHttp(http, waitForToken),
      venueNowMs: pacedVenueNowMs(venueClockOf(place, clock), clock, waitForToken),
    }),
    keys,
    stopBeforeMs,
    renew,
    log,
  });
  const { signer, ...opened } = await cancelMeanwhile(opening, settings, ports, { owner, keys });
  return { signer, session: { ...keeping, ...opened } };
}

/**
 * Opens the session wallet and starts the bot. When the session ends while the start waits for the venue, opens the next one and starts
 * again. Rejects as `sessionSigner` and `startLive` do.
 */
export async function startWithSession(
  settings: LiveSettings,
  setup: SessionSetup,
  ports: OpeningPorts,
): Promise<Bot> {
  for (;;) {
    const signing = await sessionSigner(settings, setup, ports);
    try {
      return await startLive(settings, { ...ports, ...signing });
    } catch (thrown) {
      if (!(thrown instanceof TouchlineError) || thrown.code !== "SESSION_ENDED") throw thrown;
      ports.log.warn({ code: thrown.code }, thrown.message);
    }
  }
}

/** Resolves with the opened session, also where the earlier run's orders cannot be looked after. */
async function cancelMeanwhile(
  opening: Promise<OpenedSession>,
  settings: LiveSettings,
  ports: OpeningPorts,
  { owner, keys }: Pick<SessionSetup, "owner" | "keys">,
): Promise<OpenedSession> {
  const { store } = ports;
  const { path } = settings.journal;
  // The start itself says whose lock it is.
  if (settings.dryRun === true || !store.lock(path)) return opening;
  // It is awaited below, after the key is open.
  opening.catch(() => undefined);
  try {
    const signer = await lastSigner(settings, ports, keys);
    if (signer === undefined) return await opening;
    const clock = steadyClock(ports.clock);
    const past = openPast(settings, ports, owner);
    const adapter = liveAdapter(settings, ports, clock);
    const start = { reply: opening, begin: (opened: OpenedSession) => Promise.resolve(opened) };
    return await cancelWhileStarting(start, {
      settings,
      ports: { ...ports, clock, signer },
      adapter,
      commandSigner: adapter.commandSigner({ owner, signer }),
      nonceWindowMs: settings.venue.nonceWindowMs ?? adapter.nonces.windowMs,
      past,
      unmanagedMs: past.lastEntry === undefined ? 0 : clock.nowMs() - past.lastEntry.nowMs,
      pace: ports.pace,
    });
  } finally {
    store.unlock(path);
  }
}

/** The signer of the run before; undefined when that left no order open, or the bot has not its key. */
async function lastSigner(
  { journal }: LiveSettings,
  { store, log }: OpeningPorts,
  keys: SessionKeys,
): Promise<Signer | undefined> {
  const { header, restored } = restore(store, journal.path);
  if (header === undefined || restored.orders.length === 0) return undefined;
  try {
    return await (await keys.all()).find(({ address }) => address === header.signer)?.open();
  } catch (thrown) {
    log.warn({ err: thrown }, "the key of the last session cannot be opened");
    return undefined;
  }
}
