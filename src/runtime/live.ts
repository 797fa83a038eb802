import { TouchlineError } from "../base/error.ts";
import { toHex } from "../base/hex.ts";
import { Prng, seedFrom } from "../base/prng.ts";
import type { OrderId } from "../domain/ids.ts";
import { Gateway } from "../gateway/gateway.ts";
import { Streams } from "../gateway/streams.ts";
import { baseAddress } from "../gateway/request.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import type { RunHeader } from "../journal/entry.ts";
import { Journal } from "../journal/journal.ts";
import { Kernel } from "../kernel/kernel.ts";
import { SIGNATURE_REFUSED } from "../kernel/signature.ts";
import { SummaryFold } from "../metrics/summary.ts";
import { CommandSigner } from "../spec/sign-command.ts";
import { Driver } from "./driver.ts";
import { dryOutlet } from "./dry-outlet.ts";
import { LiveBot } from "./live-bot.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";
import { Observers } from "./observers.ts";
import { openPast } from "./open-past.ts";
import { OwnOrders } from "./own-orders.ts";
import { logEntries } from "./log-entries.ts";
import { pacedHttp } from "./paced-http.ts";
import { SessionKeeper } from "../session/session-keeper.ts";
import { steadyClock } from "./steady-clock.ts";
import { fetchMarkets, knownMarket } from "./venue-markets.ts";
import { warnAboutSettings } from "./warn-about-settings.ts";

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
          http: pacedHttp(http, gateway.waitForToken),
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
