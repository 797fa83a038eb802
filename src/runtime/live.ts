import { withMarketIds } from "../domain/market-of-ticker.ts";
import { TouchlineError } from "../base/error.ts";
import { toHex } from "../base/hex.ts";
import type { UnixMs } from "../domain/time.ts";
import { warnOfSources } from "../sources/price-feed.ts";
import { priceFeeds } from "../sources/price-feeds.ts";
import { Journal } from "../journal/journal.ts";
import type { SegmentKeeper } from "../journal/segment-keeper.ts";
import type { KernelConfig } from "../kernel/config.ts";
import type { Restored } from "../kernel/input.ts";
import type { SessionKeeper } from "../session/session-keeper.ts";
import { assembleBot, deferredPush, SLOW_CALL_MS } from "./assemble-bot.ts";
import { Bot } from "./bot.ts";
import { cancelWhileStarting } from "./early-cancels.ts";
import { dryOutlet } from "./dry-outlet.ts";
import { dryRunPast, dryRunPlaces } from "./dry-run.ts";
import { GuardLink } from "./guard-link.ts";
import { HaltFile } from "./halt-file.ts";
import { keepSegments } from "./keep-segments.ts";
import { keepSession, refuseEndedSession } from "./keep-session.ts";
import { kernelConfig, unobserved } from "./kernel-config.ts";
import { liveAftermath } from "./live-aftermath.ts";
import { liveAdapter } from "./live-adapter.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";
import { lockMarkets } from "./market-locks.ts";
import { logPast, openPast } from "./open-past.ts";
import { RequestPace } from "./request-pace.ts";
import { steadyClock } from "./steady-clock.ts";
import { tradedMarkets } from "./traded-markets.ts";
import { compileOrderPath } from "./compile-path/compile-order-path.ts";
import { showPriceCollar, warnAboutSettings } from "./warn-about-settings.ts";

/**
 * Starts a bot on a venue: locks the journal, restores the orders that earlier runs left open, reads the venue's markets, and
 * starts the loop. A dry run has a journal of its own and leaves those orders alone. Rejects with TouchlineError `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`, `JOURNAL_OF_ANOTHER`, `MARKET_UNKNOWN`,
 * `MARKET_NOT_LISTED`, `ANOTHER_BOT`, `SESSION_ENDED`, or with the error of the venue or the network.
 */
export async function startLive(configured: LiveSettings, ports: LivePorts): Promise<Bot> {
  const { store } = ports;
  const settings = configured.dryRun === true ? dryRunPlaces(configured) : configured;
  const { path } = settings.journal;
  if (!store.lock(path)) {
    throw new TouchlineError("JOURNAL_LOCKED", `Another bot is using the journal in ${path}.`, {
      context: { path },
      hint: "Stop it first, or give this bot a journal of its own (journal.path).",
    });
  }
  const locked = [path];
  const unlock = (): void => {
    for (const folder of locked) store.unlock(folder);
  };
  const segmentKeeper = keepSegments(settings, ports);
  try {
    const bot = await startLocked({ configured, settings }, ports, locked, segmentKeeper);
    void bot.done.then(() => unlockAfter(segmentKeeper?.stop(), unlock));
    return bot;
  } catch (thrown) {
    void unlockAfter(segmentKeeper?.stop(), unlock);
    throw thrown;
  }
}

/** Unlocks at once when no file of the journal is being worked on. */
function unlockAfter(working: Promise<void> | undefined, unlock: () => void): Promise<void> | void {
  return working === undefined ? unlock() : working.then(unlock);
}

/** Adds the folders that it locks to `locked`. `settings` have the places that this run writes to, `configured` those of real runs. */
async function startLocked(
  { configured, settings }: { readonly configured: LiveSettings; readonly settings: LiveSettings },
  ports: LivePorts,
  locked: string[],
  segmentKeeper: SegmentKeeper | undefined,
): Promise<Bot> {
  const { log, timer, crypto } = ports;
  const isDry = settings.dryRun === true;
  const { push, connect } = deferredPush();
  const clock = steadyClock(ports.clock, (byMs) => push({ type: "clockStepped", byMs }));
  const startedAtMs = clock.nowMs();
  const owner = settings.owner ?? ports.signer.address;
  const past = isDry ? dryRunPast(configured, ports, owner) : openPast(settings, ports, owner);
  const adapter = liveAdapter(settings, ports, clock);
  const failed = warnOfSources(push);
  const prices = await priceFeeds(settings.sources, { ...ports, clock, failed }, push);
  const { rateLimit } = settings;
  const pace = ports.pace ?? new RequestPace(rateLimit, { clock, timer });
  const signing = { signer: ports.signer };
  const commandSigner = adapter.commandSigner({
    owner,
    // The session keeper replaces the signer while the bot runs.
    signer: { sign: (digest) => signing.signer.sign(digest) },
  });
  const nonceWindowMs = settings.venue.nonceWindowMs ?? adapter.nonces.windowMs;
  const start = { settings, ports: { ...ports, clock }, adapter, commandSigner, nonceWindowMs };
  const { restored, markets, kernel, journal } = await cancelWhileStarting(
    {
      reply: adapter.fetchMarkets(pace.waitForToken),
      begin: async (listed, restored) => {
        await compileOrderPath(settings, ports);
        // From here to the bot's first step nothing waits.
        ports.stop?.throwIfAborted();
        refuseEndedSession(ports.session, clock.nowMs());
        const resolved = withMarketIds(settings, listed.markets);
        const { markets, isPaperVenue } = tradedMarkets(resolved, listed);
        if (!isDry) logPast(past, resolved, ports);
        const marketIds = [...new Set(resolved.strategies.map(({ marketId }) => marketId))];
        const lock = { owner, marketIds, isPaperVenue };
        locked.push(...lockMarkets(settings, lock, ports.store, log));
        // Where other programs are expected on the account, their orders are no sign of another bot of ours. A dry run disturbs no bot.
        const expectsOthers = isDry || settings.isAccountShared === true;
        const timing = expectsOthers ? unobserved(settings.timing) : settings.timing;
        const kernel = kernelConfig({ ...resolved, timing }, isDry ? "dry-run" : "run", {
          owner,
          markets,
          nonceWindowMs,
          spent: pace.left.spent,
          randomBytes: (count) => ports.randomBytes(count),
        });
        const run = { kernel, past: restored, startedAtMs, segmentKeeper };
        const journal = newJournal(resolved, ports, run);
        return { restored, markets, kernel, journal };
      },
    },
    {
      ...start,
      past,
      unmanagedMs: past.lastEntry === undefined ? 0 : startedAtMs - past.lastEntry.nowMs,
      pace,
    },
  );
  const { feed, outlet } = adapter.connect({
    owner,
    markets: markets.map(({ marketId }) => marketId),
    push,
  });
  const guards = isDry
    ? undefined
    : new GuardLink({
        owner,
        rest: settings.venue.rest,
        run: toHex(ports.randomBytes(8)),
        marketIds: markets.map(({ marketId }) => marketId),
        clock,
        timer,
        log,
        push,
        sign: (command) => commandSigner.sign(command),
        liveOrders: () => parts.driver.orders.live(),
        isWorking: () => !parts.driver.isWaitingForDisk,
        venueOffsetMs: () => parts.kernel.venueOffsetMs,
      });
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
        outlet.close();
      },
      restart: (reason) => feed.restart(reason),
      resubscribe: (channel) => feed.resubscribe(channel),
    },
    outlet: isDry ? dryOutlet(outlet, { timer, log, push }) : outlet,
    onSignerRefused: () => keeper?.suspect(),
    clock,
    timer,
    log,
    startMs: settings.processStartMs ?? startedAtMs,
    journal,
    durability: settings.journal.durability,
    calls: { clock: ports.clock, slowMs: settings.slowCallMs ?? SLOW_CALL_MS },
    sign: (command) => commandSigner.sign(command),
    standby: guards,
  });
  connect(parts.driver);
  warnAboutSettings(kernel, log, parts.observers);
  showPriceCollar(kernel, log);
  const signerName = crypto.name;
  const aftermath = liveAftermath({
    parts,
    adapter,
    journal,
    commandSigner,
    signerName,
    isDry,
    segmentKeeper,
  });
  const haltFile = ports.haltFile ?? new HaltFile(ports.store, settings.journal.path);
  const bot = new Bot(parts, aftermath, {
    haltFile,
    guards,
    flattens: settings.flattensAtStop,
  });
  push({ type: "restored", restored });
  warnOfDamage(bot, journal);
  bot.start();
  const keeper: SessionKeeper | undefined = keepSession(bot, settings, ports, {
    clock,
    venueClock: adapter.clock,
    waitForToken: outlet.waitForToken,
    // The journal first: `verify` must find the new key before the first command that it signs.
    signWith(next) {
      journal.signedBy(next.address);
      signing.signer = next;
      push({ type: "signerChanged" });
    },
  });
  return bot;
}

function warnOfDamage(bot: Bot, { setAside }: Journal): void {
  for (const { segment, offset, path } of setAside) {
    bot.warn(
      "JOURNAL_TAIL_DAMAGED",
      `the end of journal segment ${segment} is damaged from byte ${offset} on, as a power cut may leave it; a copy of what follows is in ${path}`,
    );
  }
}

function newJournal(
  settings: LiveSettings,
  { store, signer, ...ports }: LivePorts,
  run: {
    readonly kernel: KernelConfig;
    readonly past: Restored;
    readonly startedAtMs: UnixMs;
    readonly segmentKeeper: SegmentKeeper | undefined;
  },
): Journal {
  const { segmentKeeper } = run;
  const { markets, strategies: _, ...kernel } = run.kernel;
  return new Journal({
    store,
    folder: settings.journal.path,
    restored: run.past,
    ...(segmentKeeper === undefined
      ? {}
      : { onSegmentsDone: (current) => segmentKeeper.tidy(current) }),
    header: {
      runId: toHex(ports.randomBytes(8)).slice(2),
      ...(ports.bootId === undefined ? {} : { bootId: ports.bootId }),
      startedAtMs: run.startedAtMs,
      codeVersion: settings.codeVersion,
      configText: settings.configText,
      chainId: settings.venue.chainId,
      signer: signer.address,
      kernel,
      markets,
      strategies: settings.strategies.map(
        ({ name, plugin, writtenParams, marketId, otherMarkets, seed, sources, budget }) => {
          const seen = sources === undefined ? {} : { sources };
          const others = otherMarkets === undefined ? {} : { otherMarkets };
          const own = budget === undefined ? {} : { budget };
          return {
            name,
            plugin,
            params: writtenParams,
            marketId,
            ...others,
            seed,
            ...seen,
            ...own,
          };
        },
      ),
    },
  });
}
