import { TouchlineError, TransportError } from "../base/error.ts";
import { toHex } from "../base/hex.ts";
import { Prng } from "../base/prng.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { marketFrom } from "../gateway/from-wire.ts";
import { Gateway } from "../gateway/gateway.ts";
import { Streams } from "../gateway/streams.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import { baseAddress } from "../gateway/request.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import type { RunHeader } from "../journal/entry.ts";
import { Journal } from "../journal/journal.ts";
import { restore, type RestoredJournal } from "../journal/restore.ts";
import type { KernelConfig, KernelTiming } from "../kernel/config.ts";
import { Kernel } from "../kernel/kernel.ts";
import { SIGNATURE_REFUSED } from "../kernel/signature.ts";
import { SummaryFold } from "../metrics/summary.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { Store } from "../ports/store.ts";
import type { RiskSettings } from "../risk/settings.ts";
import { endpoints } from "../spec/endpoints.ts";
import { PAPER_VENUE } from "../spec/paper-venue.ts";
import { CommandSigner } from "../spec/sign-command.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { Driver } from "./driver.ts";
import { dryOutlet } from "./dry-outlet.ts";
import { LiveBot } from "./live-bot.ts";
import { Observers } from "./observers.ts";
import { OwnOrders } from "./own-orders.ts";
import { logEntries } from "./log-entries.ts";
import { pacedHttp } from "./paced-http.ts";
import { SessionKeeper, type SessionKeeperOptions } from "./session-keeper.ts";
import { steadyClock } from "./steady-clock.ts";

/** What a live bot is told by its configuration. */
export interface LiveSettings {
  readonly venue: { readonly rest: string; readonly ws: string; readonly chainId: number };
  /** `l1owner` of every command; undefined: the signer's own address. */
  readonly owner: Address | undefined;
  readonly rateLimit: KernelConfig["rate"];
  readonly risk: RiskSettings;
  readonly timing: KernelTiming;
  readonly streamTiming?: StreamTiming;
  /** Moves quotes by modify where that is safe (D23). `auto`: on our paper venue only. Default `never`. */
  readonly useModify?: "auto" | "always" | "never";
  readonly journal: { readonly path: string; readonly durability?: "process" | "power" };
  readonly strategies: readonly LiveStrategy[];
  /** As written: for the journal. */
  readonly configText: string;
  readonly codeVersion: string;
  /** Signs and logs, sends nothing. */
  readonly dryRun?: boolean;
  /** When the process started, our clock; the start of the bot when left out. */
  readonly processStartMs?: number;
}

export interface LiveStrategy {
  readonly name: string;
  readonly plugin: string;
  readonly definition: StrategyDefinition;
  readonly params: unknown;
  /** As written in the configuration: for the journal. */
  readonly writtenParams: unknown;
  readonly marketId: MarketId;
  readonly seed: number;
}

/** How a bot keeps its session wallet. */
export interface SessionKeeping
  extends Pick<SessionKeeperOptions, "expirySec" | "offsetMs" | "stopBeforeMs" | "renew"> {
  readonly l1ChainId: number;
}

/** Everything ambient that a bot stands on. */
export interface LivePorts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly store: Store;
  readonly log: Log;
  readonly crypto: Crypto;
  /** The owner's key, or a session wallet's. */
  readonly signer: Signer;
  /** Of a bot that signs as a session wallet: how that is kept. */
  readonly session?: SessionKeeping;
  /** From a source that nobody can guess. */
  randomBytes(count: number): Uint8Array;
}

/** Questions before the start are asked so often, half a second apart, before the venue counts as out of reach. */
const START_TRIES = 6;
const START_RETRY_MS = 500;

/**
 * Starts a bot on a venue: takes the journal, reads what earlier runs left open, asks the venue for its markets, and lets the
 * loop run. Rejects with TouchlineError `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`, `JOURNAL_OF_ANOTHER`, `MARKET_UNKNOWN`,
 * `MARKET_NOT_LISTED`, or with what the venue or the network said.
 */
export async function startLive(settings: LiveSettings, ports: LivePorts): Promise<LiveBot> {
  const { store } = ports;
  const { path } = settings.journal;
  if (!store.lock(path)) {
    throw new TouchlineError(
      "JOURNAL_LOCKED",
      `Another bot is at work on the journal in ${path}.`,
      {
        context: { path },
        hint: "Stop it first, or give this bot a journal of its own (journal.path).",
      },
    );
  }
  try {
    const bot = await startLocked(settings, ports);
    void bot.done.then(() => store.unlock(path));
    return bot;
  } catch (thrown) {
    store.unlock(path);
    throw thrown;
  }
}

async function startLocked(settings: LiveSettings, ports: LivePorts): Promise<LiveBot> {
  const { store, log, timer, http, crypto, signer } = ports;
  const steps: ((byMs: number) => void)[] = [];
  const clock = steadyClock(ports.clock, (byMs) => steps.at(-1)?.(byMs));
  const startMs = clock.nowMs();
  const owner = settings.owner ?? signer.address;
  const past = openPast(settings, store, owner);

  const client = new VenueClient({ http, rest: settings.venue.rest });
  const { markets, isPaperVenue } = await fetchMarkets(client, settings, timer, log);
  const { useModify = "never" } = settings;
  const kernelSettings: RunHeader["kernel"] = {
    owner,
    useModify: useModify === "always" || (useModify === "auto" && isPaperVenue),
    rate: settings.rateLimit,
    risk: settings.risk,
    timing: settings.timing,
    // A dry run sends nothing, so nothing can be proven.
    probeOrderId: settings.dryRun === true ? undefined : (toHex(ports.randomBytes(32)) as OrderId),
  };
  const journal = new Journal({
    store,
    folder: settings.journal.path,
    restored: past.restored,
    header: {
      formatVersion: 1,
      runId: toHex(ports.randomBytes(8)).slice(2),
      startedAtMs: startMs,
      codeVersion: settings.codeVersion,
      configText: settings.configText,
      chainId: settings.venue.chainId,
      signer: signer.address,
      kernel: kernelSettings,
      markets,
      strategies: settings.strategies.map(({ name, plugin, writtenParams, marketId, seed }) => {
        return { name, plugin, params: writtenParams, marketId, seed };
      }),
    },
  });
  const kernel = new Kernel({ ...kernelSettings, markets, strategies: settings.strategies });
  // A session wallet is followed by the next one while the bot runs.
  let signing = signer;
  const commandSigner = new CommandSigner({
    owner,
    chainId: settings.venue.chainId,
    crypto,
    signer: { sign: (digest) => signing.sign(digest) },
  });
  const observers = new Observers({ timer, log });

  // Gateway, streams and driver know each other through these two calls only.
  const gateway = new Gateway({
    client,
    clock,
    owner,
    concurrency: settings.rateLimit.concurrency,
    push: (input) => driver.push(input),
  });
  const streams = new Streams({
    connector: ports.connector,
    url: settings.venue.ws,
    clock,
    timer,
    log,
    prng: new Prng(seedFrom(ports.randomBytes(4))),
    keccak256: (bytes) => crypto.keccak256(bytes),
    markets: [...new Set(settings.strategies.map(({ marketId }) => marketId))],
    owner,
    ...(settings.streamTiming === undefined ? {} : { timing: settings.streamTiming }),
    push: (input, receivedUs) => driver.push(input, receivedUs),
  });
  const driver: Driver = new Driver({
    kernel,
    clock,
    timer,
    log,
    journal,
    durability: settings.journal.durability ?? "process",
    observers,
    outlet:
      settings.dryRun === true
        ? dryOutlet(gateway, { timer, log, push: (input) => driver.push(input) })
        : gateway,
    sign: (command) => commandSigner.sign(command),
    shed: (reason) => streams.restart(reason),
  });

  steps.push((byMs) => driver.push({ type: "clockStepped", byMs }));

  const summary = new SummaryFold({
    strategies: settings.strategies.map(({ name, marketId }) => ({
      name,
      market: knownMarket(markets, marketId),
    })),
    startMs: settings.processStartMs ?? startMs,
  });
  const own = new OwnOrders();
  observers.on((entry) => {
    summary.observe(entry);
    for (const { us, strategy } of entry.tickToOrder) summary.tickToOrder(us, strategy);
    own.observe(entry);
    logEntries(log, entry);
  });

  warnAboutSettings(settings, markets, log);
  const bot = new LiveBot({
    owner,
    markets,
    clock,
    timer,
    log,
    client,
    gateway,
    streams,
    driver,
    kernel,
    journal,
    observers,
    summary,
    own,
    commandSigner,
    signerName: crypto.name,
    strategies: settings.strategies,
    startMs: settings.processStartMs ?? startMs,
  });
  driver.push({ type: "restored", restored: past.restored });
  driver.start();
  streams.start();
  if (ports.session !== undefined) {
    const { l1ChainId, renew, ...keeping } = ports.session;
    const keeper = new SessionKeeper({
      ...keeping,
      venue: {
        connection: {
          http: pacedHttp(http, gateway.turn),
          rest: baseAddress(settings.venue.rest),
        },
        owner,
        chainId: settings.venue.chainId,
        l1ChainId,
        crypto,
        clock,
        timer,
      },
      log,
      signer,
      // A dry run sends nothing.
      renew: settings.dryRun === true ? undefined : renew,
      moved(next) {
        // The journal first: what is signed from here on must be found to be by this key.
        journal.signedBy(next.address);
        signing = next;
      },
      warn: (code, message) => bot.warn(code, message),
      stop: (reason, limitMs) => bot.stopBecause(reason, limitMs),
    });
    keeper.start();
    observers.on(({ notes }) => {
      if (notes.some((note) => note.type === "warning" && note.code === SIGNATURE_REFUSED)) {
        keeper.suspect();
      }
    });
    void bot.done.then(() => keeper.close());
  }
  return bot;
}

/** What earlier runs left open. Throws TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`. */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue">,
  store: Store,
  owner: Address,
): RestoredJournal {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  const isOther =
    header !== undefined &&
    (header.kernel.owner !== owner || header.chainId !== settings.venue.chainId);
  if (isOther && restored.orders.length > 0) {
    throw new TouchlineError(
      "JOURNAL_OF_ANOTHER",
      `The journal in ${path} belongs to ${header.kernel.owner} on chain ${header.chainId} and holds ${restored.orders.length} orders that may still be open.`,
      {
        context: { path },
        hint: "Start that bot again to close them, or give this one a journal of its own (journal.path).",
      },
    );
  }
  return past;
}

/** The markets of the strategies, as the venue has them, and whether it is our own. */
export async function fetchMarkets(
  client: VenueClient,
  settings: Pick<LiveSettings, "strategies">,
  timer: Timer,
  log: Log,
): Promise<{ readonly markets: readonly Market[]; readonly isPaperVenue: boolean }> {
  const wire = await patiently(timer, log, async () => client.call(endpoints.market, {}));
  const markets = wire.map(marketFrom);
  for (const { name, marketId } of settings.strategies) {
    const market = markets.find((candidate) => candidate.marketId === marketId);
    if (market === undefined) {
      throw new TouchlineError(
        "MARKET_UNKNOWN",
        `The venue has no market ${marketId}, which strategy ${name} is to trade.`,
        { hint: "`touchline market list` shows what it has." },
      );
    }
    if (!market.listed) {
      throw new TouchlineError(
        "MARKET_NOT_LISTED",
        `Market ${marketId} (${market.ticker}) is not active at the venue; strategy ${name} cannot trade it.`,
      );
    }
  }
  // Only what the strategies need: the journal repeats it in each segment.
  const wanted = new Set(settings.strategies.map(({ marketId }) => marketId));
  return {
    markets: markets.filter(({ marketId }) => wanted.has(marketId)),
    isPaperVenue: wire.every(({ exchange }) => exchange === PAPER_VENUE),
  };
}

/** Asks again while the venue is out of reach; a readable no is final. */
export async function patiently<Value>(
  timer: Timer,
  log: Log,
  ask: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof TransportError) || attempt >= START_TRIES) throw thrown;
      log.warn({ attempt, reason: thrown.message }, "the venue does not answer yet");
      await new Promise<void>((resolve) => {
        timer.after(START_RETRY_MS, resolve);
      });
    }
  }
}

export function knownMarket(markets: readonly Market[], marketId: MarketId): Market {
  const market = markets.find((candidate) => candidate.marketId === marketId);
  if (market === undefined) throw new TouchlineError("MARKET_UNKNOWN", `No market ${marketId}.`);
  return market;
}

/** What strategies say of their settings, at these markets' fees. */
export function warnAboutSettings(
  settings: Pick<LiveSettings, "strategies">,
  markets: readonly Market[],
  log: Log,
): void {
  for (const { name, definition, params, marketId } of settings.strategies) {
    const market = knownMarket(markets, marketId);
    const fees = {
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
    };
    for (const warning of definition.review?.({ params, ...fees }) ?? []) {
      log.warn({ strategy: name }, warning);
    }
  }
}

/** A seed of four random bytes. */
export function seedFrom(bytes: Uint8Array): number {
  return bytes.reduce((seed, byte) => seed * 256 + byte, 0);
}
