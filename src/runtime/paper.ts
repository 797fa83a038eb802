import { withMarketIds } from "../domain/market-of-ticker.ts";
import { Prng, seedFrom } from "../base/prng.ts";
import { isHistoryRead, publicHistory } from "../gateway/history.ts";
import { ReadTimeout } from "../gateway/read-timeout.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import { fetchVenueMarkets } from "../gateway/venue-markets.ts";
import type { KernelConfig } from "../kernel/config.ts";
import type { Clock } from "../ports/clock.ts";
import { withFees } from "../simulated/fee-model.ts";
import { NOBODY, startBalances } from "../simulated/simulated-account.ts";
import { venueModels } from "../simulated/venue-models.ts";
import { warnOfSources } from "../sources/price-feed.ts";
import { priceFeeds } from "../sources/price-feeds.ts";
import { assembleBot, deferredPush, type Push, SLOW_CALL_MS } from "./assemble-bot.ts";
import { type Aftermath, Bot } from "./bot.ts";
import { kernelConfig } from "./kernel-config.ts";
import { PaperFeed } from "./paper-feed.ts";
import type { PaperPorts, PaperSettings } from "./paper-settings.ts";
import { pacedHttp } from "./paced-http.ts";
import { RequestPace } from "./request-pace.ts";
import { RealTimeVenue } from "./real-time-venue.ts";
import { steadyClock } from "./steady-clock.ts";
import { unsignedSigner } from "./unsigned-signer.ts";
import { tradedMarkets } from "./traded-markets.ts";
import { showPriceCollar, warnAboutSettings } from "./warn-about-settings.ts";

/**
 * Starts a bot on paper: the venue's public data moves a simulated exchange, which fills the bot's orders. The bot reads only
 * public data of the venue; it signs and sends nothing. Rejects with TouchlineError `MARKET_UNKNOWN`, `MARKET_NOT_LISTED`, or
 * with the error of the venue or the network.
 */
export async function startPaper(written: PaperSettings, ports: PaperPorts): Promise<Bot> {
  const { log, timer } = ports;
  const clock = steadyClock(ports.clock);
  const startMs = written.processStartMs ?? clock.nowMs();
  // The kernel's budget is spent at the simulated venue, so the real one has a bucket of its own.
  const { waitForToken } = new RequestPace(written.rateLimit, { clock, timer });
  const http = pacedHttp(ports.http, waitForToken);
  const client = new VenueClient({ http, rest: written.venue.rest }, new ReadTimeout(clock));
  const listed = await fetchVenueMarkets(client, { timer, log });
  ports.stop?.throwIfAborted();
  const settings = withMarketIds(written, listed.markets);
  const traded = tradedMarkets(settings, listed).markets;
  const models = venueModels(settings.models, "public-data");
  const markets = withFees(traded, models.fees);
  const owner = settings.owner ?? NOBODY;
  const kernel = kernelConfig(withoutInventedLimits(settings), "paper", { owner, markets });
  const warnings: string[] = [];
  const balances = startBalances(settings, markets, warnings);
  for (const warning of warnings) log.warn({}, warning);
  showPriceCollar(kernel, log);

  const { push, connect } = deferredPush();
  const venue = new RealTimeVenue({
    markets,
    owner,
    balances,
    models,
    onBlock: () => undefined,
    clock,
    timer,
    push,
  });
  const failed = warnOfSources(push);
  const prices = await priceFeeds(settings.sources, { ...ports, clock, failed }, push);
  const feed = newFeed(settings, ports, { client, clock, kernel, venue, push });
  const parts = assembleBot({
    kernel,
    feed: {
      start() {
        feed.start();
        prices.start();
      },
      stop() {
        prices.stop();
        feed.stop();
        venue.stop();
      },
      // Cutting the connection would not slow the market. The next whole book makes up for the shed events.
      restart: (reason) => log.warn({ reason }, "the bot cannot keep up"),
      // The simulated venue has no channels; the feed watches those of the real one.
      resubscribe: () => undefined,
    },
    outlet: {
      send: (command, signed) => venue.send(command, signed),
      // Of the time before the bot only the real venue knows.
      read: (read) => {
        if (isHistoryRead(read)) void publicHistory(read, client, clock).then(push);
        else venue.read(read);
      },
    },
    clock,
    timer,
    log,
    startMs,
    journal: undefined,
    durability: "process",
    calls: { clock: ports.clock, slowMs: settings.slowCallMs ?? SLOW_CALL_MS },
    sign: unsignedSigner({
      owner,
      chainId: settings.venue.chainId,
      keccak256: (bytes) => ports.crypto.keccak256(bytes),
    }),
  });
  connect(parts.driver);
  warnAboutSettings(kernel, log, parts.observers);
  const bot = new Bot(parts, paperAftermath(venue, ports), {
    flattens: settings.flattensAtStop,
  });
  bot.start();
  return bot;
}

/** Limits are derived from the balances that the configuration sets: those of the default are of no account, and so large that they limit nothing. */
function withoutInventedLimits(settings: PaperSettings): PaperSettings {
  if (settings.balances !== undefined) return settings;
  const { unsetLimits: _, ...rest } = settings;
  return rest;
}

/** Plays the venue's public data into the simulated venue. */
function newFeed(
  settings: PaperSettings,
  ports: PaperPorts,
  bot: {
    readonly client: VenueClient;
    readonly clock: Clock;
    readonly kernel: KernelConfig;
    readonly venue: RealTimeVenue;
    readonly push: Push;
  },
): PaperFeed {
  const { timer, log, connector, crypto } = ports;
  const { client, clock, kernel, venue, push } = bot;
  return new PaperFeed({
    client,
    connector,
    url: settings.venue.ws,
    clock,
    timer,
    log,
    prng: new Prng(seedFrom(ports.randomBytes(4))),
    keccak256: (bytes) => crypto.keccak256(bytes),
    markets: kernel.markets.map(({ marketId }) => marketId),
    timing: settings.streams,
    events: {
      market: (marketId, event, receivedUs) => venue.play(marketId, event, receivedUs),
      opened: () => venue.open(),
      closed: (reason) => venue.cut(reason),
      alive: () => push({ type: "stream", state: "alive", reason: "" }),
    },
  });
}

/** The simulated account has no orders of other programs, and the simulated venue always answers. */
function paperAftermath(venue: RealTimeVenue, { log }: PaperPorts): Aftermath {
  return {
    signerName: "none",
    inQuestion: async () => [],
    openOrders: async () => venue.openOrders(),
    async close() {
      const { ignored } = venue.simulated;
      if (ignored > 0)
        log.warn(
          { ignored },
          "ignored public levels and trades whose price or quantity no order can have",
        );
    },
  };
}
