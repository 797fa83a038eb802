import { Prng, seedFrom } from "../base/prng.ts";
import { toHex } from "../base/hex.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { fixedFromNumber } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import { Kernel } from "../kernel/kernel.ts";
import { SummaryFold } from "../metrics/summary.ts";
import { NOBODY, startBalances } from "../simulated/simulated-account.ts";
import { CommandEncoder } from "../spec/sign-command.ts";
import type { Bot } from "./bot.ts";
import { Driver, type DriverEnd, type DriverJournal } from "./driver.ts";
import type { LiveEnd } from "./live-bot.ts";
import type { LivePorts } from "./live-settings.ts";
import { logEntries } from "./log-entries.ts";
import { Observers } from "./observers.ts";
import { OwnOrders } from "./own-orders.ts";
import { PaperFeed } from "./paper-feed.ts";
import { RealTimeVenue, paperLatency } from "./real-time-venue.ts";
import { steadyClock } from "./steady-clock.ts";
import { fetchMarkets, knownMarket } from "./venue-markets.ts";
import { warnAboutSettings } from "./warn-about-settings.ts";

/** What a bot on paper is told: a live bot's configuration, and how the simulation is to be. */
export interface PaperSettings
  extends Pick<
    BotConfig,
    "venue" | "rateLimit" | "risk" | "timing" | "strategies" | "balances" | "fees" | "latency"
  > {
  readonly account: Pick<NonNullable<BotConfig["account"]>, "owner"> | undefined;
  readonly streamTiming?: StreamTiming;
  /** When the process started, our clock; the start of the bot when left out. */
  readonly processStartMs?: number;
}

/** No journal and no signer: there is nothing to find again and nothing to sign. */
export type PaperPorts = Omit<LivePorts, "store" | "signer" | "crypto"> & {
  readonly crypto: Pick<LivePorts["crypto"], "keccak256">;
};

/** As a live bot: canceling what is left takes no longer. */
const STOP_MS = 10_000;

const noJournal: DriverJournal = {
  append: () => undefined,
  sync: () => Promise.resolve(),
  maintain: () => undefined,
};

/**
 * Starts a bot on paper: the venue's public data moves a simulated exchange, which alone fills its orders. Of the venue only
 * public data is asked; nothing is signed or sent. Rejects with TouchlineError `MARKET_UNKNOWN`, `MARKET_NOT_LISTED`, or with
 * what the venue or the network said.
 */
export async function startPaper(settings: PaperSettings, ports: PaperPorts): Promise<Bot> {
  const { log, timer, crypto } = ports;
  const clock = steadyClock(ports.clock);
  const startMs = settings.processStartMs ?? clock.nowMs();
  const client = new VenueClient({ http: ports.http, rest: settings.venue.rest });
  const markets = (await fetchMarkets(client, settings, timer, log)).markets.map((market) =>
    withFees(market, settings.fees),
  );
  const warnings: string[] = [];
  const balances = startBalances(settings, markets, warnings);
  for (const warning of warnings) log.warn({}, warning);
  warnAboutSettings(settings, markets, log);

  const owner = settings.account?.owner ?? NOBODY;
  const kernel = new Kernel({
    owner,
    markets,
    strategies: settings.strategies,
    rate: settings.rateLimit,
    risk: settings.risk,
    // The feed compares books itself.
    timing: { ...settings.timing, auditMs: Number.POSITIVE_INFINITY },
    // There is no signature that could be refused.
    probeOrderId: undefined,
  });
  const encoder = new CommandEncoder({
    owner,
    chainId: settings.venue.chainId,
    keccak256: (bytes) => crypto.keccak256(bytes),
  });
  const observers = new Observers({ timer, log });
  const venue = new RealTimeVenue({
    markets,
    owner,
    balances,
    latency: paperLatency(settings.latency),
    onBlock: () => undefined,
    clock,
    timer,
    push: (input, receivedUs) => driver.push(input, receivedUs),
  });
  const feed = new PaperFeed({
    client,
    connector: ports.connector,
    url: settings.venue.ws,
    clock,
    timer,
    log,
    prng: new Prng(seedFrom(ports.randomBytes(4))),
    keccak256: (bytes) => crypto.keccak256(bytes),
    markets: markets.map(({ marketId }) => marketId),
    ...(settings.streamTiming === undefined ? {} : { timing: settings.streamTiming }),
    events: {
      market: (marketId, event, receivedUs) => venue.play(marketId, event, receivedUs),
      opened: () => venue.open(),
      closed: (reason) => venue.cut(reason),
      alive: () => driver.push({ type: "stream", state: "alive", reason: "" }),
    },
  });
  const driver: Driver = new Driver({
    kernel,
    clock,
    timer,
    log,
    journal: noJournal,
    durability: "process",
    observers,
    outlet: venue,
    // An order's id is the hash of the unsigned transaction.
    sign: (command) => ({
      txHash: toHex(encoder.unsignedHash(command)) as OrderId,
      bytesHex: "",
    }),
    // The market cannot be shed: what is missed is gone, and the next whole book tells.
    shed: (reason) => log.warn({ reason }, "the bot cannot keep up"),
  });

  const summary = new SummaryFold({
    strategies: settings.strategies.map(({ name, marketId }) => ({
      name,
      market: knownMarket(markets, marketId),
    })),
    startMs,
  });
  const own = new OwnOrders();
  observers.on((entry) => {
    summary.observe(entry);
    own.observe(entry);
    logEntries(log, entry);
  });

  let isStopping = false;
  driver.start();
  feed.start();
  return {
    owner,
    markets,
    observers,
    summary,
    stop() {
      if (isStopping) return;
      isStopping = true;
      summary.stopSignal(clock.nowMs());
      driver.push({ type: "operator", command: "stop" });
      const late = timer.after(STOP_MS, () => driver.end("own orders could not be settled"));
      void driver.done.then(() => late.cancel());
    },
    done: driver.done.then((end) => close(end)),
  };

  function close(end: DriverEnd): LiveEnd {
    summary.stopSignal(clock.nowMs());
    feed.stop();
    venue.stop();
    observers.flush();
    for (const { marketId } of markets) {
      summary.mid(marketId, end.crash === undefined ? kernel.mid(marketId) : undefined);
    }
    const { ignored } = venue.simulated;
    if (ignored > 0) log.warn({ ignored }, "public levels and trades that no order can have");
    const left = venue.openOrders();
    return {
      ok: end.ok && left.length === 0,
      reason: end.reason,
      summary: summary.result({
        durationMs: Math.round(clock.nowMs() - startMs),
        ordersLeft: left.map((orderId) => own.strategyOf(orderId) ?? ""),
        // The account is the bot's alone.
        foreignOrders: 0,
        signer: "none",
      }),
      inQuestion: left,
    };
  }
}

function withFees(market: Market, fees: BotConfig["fees"]): Market {
  if (fees === undefined) return market;
  return {
    ...market,
    makerFee: fixedFromNumber(fees.maker),
    takerFee: fixedFromNumber(fees.taker),
  };
}
