import type { Log } from "../../src/ports/log.ts";
import type { Http, HttpRequest, HttpResponse } from "../../src/ports/http.ts";
import type { Signer } from "../../src/ports/crypto.ts";
import type { Bot, BotEnd } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import {
  makeSession,
  type SessionRenewal,
  type SessionVenue,
} from "../../src/session/session-maker.ts";
import type { SessionTiming } from "../../src/session/session-keeper.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { venueClockOf } from "../../src/sdk/nonce-source.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import { silentLog } from "../support/venue.ts";
import { type World, liveWorld } from "../runtime/live-world.ts";

/** Runs a whole bot with a session wallet against the paper venue, for days of virtual time. */

export const MINUTE_MS = 60_000;

export interface SessionWorld extends World {
  readonly sessions: SessionVenue;
  readonly owner: Signer;
  readonly first: Signer;
  readonly renew: SessionRenewal;
  /** Keys that the bot made for new sessions. */
  readonly made: Signer[];
  readonly warnings: string[];
  run(options: {
    readonly lifetimeMs: number;
    readonly renew?: SessionRenewal;
    readonly stopBeforeMs?: number;
    /** Default: the keeper's own. */
    readonly timing?: SessionTiming;
    /** Time between two decisions of the strategy. Default 2 min, since most tests run for hours. */
    readonly refreshMs?: number;
    readonly settings?: Partial<LiveSettings>;
    readonly http?: Http;
  }): Promise<Bot>;
  /** Makes the first session, without a bot. */
  session(lifetimeMs: number): Promise<{ readonly expirySec: number }>;
}

/** A market in which little happens, since these tests run for hours: most of their work would be a busy book. */
const calmMarket = { synthetic: { levels: 3, volatility: 0.00002, takerEveryMs: 10_000 } };

/** One whose orders move within seconds. */
export const movingMarket = { synthetic: { levels: 3, takerEveryMs: 10_000 } };

export async function sessionWorld(
  faults?: VenueDocument["faults"],
  flow: VenueDocument["flow"] = calmMarket,
): Promise<SessionWorld> {
  const world = await liveWorld(3, { faults, flow });
  const { crypto, clock, ports, settings } = world;
  const signerOf = (byte: number): Signer => crypto.signer(new Uint8Array(32).fill(byte));
  const [owner, first] = [signerOf(7), signerOf(40)];
  const connection = { http: ports.http, rest: settings.venue.rest };
  const venueClock = venueClockOf(connection, clock);
  const sessions: SessionVenue = {
    connection,
    venueNowMs: () => venueClock.nowMs(),
    owner: owner.address,
    chainId: 1001,
    l1ChainId: 8217,
    crypto,
    clock,
    timer: clock,
  };
  const made: Signer[] = [];
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  const renew: SessionRenewal = {
    owner: ownerOf(owner),
    beforeMs: 10 * MINUTE_MS,
    lifetimeMs: 40 * MINUTE_MS,
    async newSigner() {
      const signer = signerOf(50 + made.length);
      made.push(signer);
      return signer;
    },
  };
  const session = async (lifetimeMs: number): Promise<{ readonly expirySec: number }> => {
    const made = makeSession(sessions, { ...renew, lifetimeMs }, first, {
      name: "bot",
      isFirst: true,
    });
    return { expirySec: await world.settle(made) };
  };
  return {
    ...world,
    session,
    sessions,
    owner,
    first,
    renew,
    made,
    warnings,
    async run(options) {
      const { lifetimeMs, stopBeforeMs = 60_000, refreshMs = 120_000, timing } = options;
      const { expirySec } = await session(lifetimeMs);
      const keeping = { expirySec, stopBeforeMs, renew: options.renew, timing, l1ChainId: 8217 };
      const calm = settings.strategies.map((strategy) => ({
        ...strategy,
        params: { ...(strategy.params as object), refresh: refreshMs },
        writtenParams: { ...(strategy.writtenParams as object), refresh: `${refreshMs}ms` },
      }));
      return world.settle(
        startLive(
          { ...settings, owner: owner.address, strategies: calm, ...options.settings },
          { ...ports, http: options.http ?? ports.http, log, signer: first, session: keeping },
        ),
      );
    },
  };
}

/** The bot's end; it must come by itself within `withinMs`. */
export async function ended(world: World, bot: Bot, withinMs: number): Promise<BotEnd> {
  let isOver = false;
  const end = async () => {
    await bot.done;
    isOver = true;
  };
  void end();
  await world.clock.runUntil(() => isOver, withinMs);
  return bot.done;
}

export function isOfSessions({ method, url }: HttpRequest): boolean {
  return method === "GET" && url.includes("/wallet/session");
}

/** For 12 s after a list has shown the new session, lists are those of before. `instead` may answer a request. */
export function withOldLists(
  world: SessionWorld,
  instead: (request: HttpRequest, isOld: boolean) => HttpResponse | undefined = () => undefined,
): Http {
  const { http } = world.ports;
  let old: HttpResponse | undefined;
  let oldUntilMs: number | undefined;
  return {
    async request(request) {
      const isOld = world.clock.elapsedMs < (oldUntilMs ?? 0);
      const other = instead(request, isOld);
      if (other !== undefined) return other;
      if (!isOfSessions(request)) return http.request(request);
      if (isOld && old !== undefined) return old;
      const response = await http.request(request);
      const [made] = world.made;
      const text = new TextDecoder().decode(response.body).toLowerCase();
      if (made === undefined || !text.includes(made.address)) old = response;
      else oldUntilMs ??= world.clock.elapsedMs + 12_000;
      return response;
    },
    close: () => http.close(),
  };
}
