import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../../src/base/prng.ts";
import { type Touchline, touchline } from "../../support/touchline-process.ts";
import { doubled } from "./command-tap.ts";
import type { GuardEnd } from "./guard-keeper.ts";
import { SurplusWatch } from "./surplus-watch.ts";
import { type SoakVenue, type Stage, startFunds } from "./stage.ts";
import { endsInDoubtAtMost } from "./troubles.ts";
import { changeBy, sum } from "./venue-observer.ts";

const NONCE_WINDOW_MS = 60_000;

/** What one `kill -9` left behind. */
interface Kill {
  /** From the start of the process that was killed. */
  readonly afterMs: number;
  /** From there until it ran; 0 when it was killed before. */
  readonly startMs: number;
  readonly killedMs: number;
  /** Orders that were open when the process was gone. */
  readonly open: readonly string[];
  /** A guard held its cancels. */
  readonly isGuarded: boolean;
}

export interface KillsOptions {
  readonly count: number;
  readonly seed: number;
  /** How long the last run goes on. After a nonce window of 60 s no command of a killed run is in doubt, and it must end with 0. */
  readonly settleMs: number;
}

export interface KillsResult {
  readonly lines: readonly string[];
  /** Longest time that a process took until it ran: what a busy machine adds to the next numbers. */
  readonly slowestStartMs: number;
  /** Longest time from a kill until an order that it left was gone from the venue, or known to the next run. */
  readonly maxOrphanMs: number;
  /** The same, whether the next run knew the order or not. */
  readonly maxUntilGoneMs: number;
  /** Orders at the venue that the journal does not have. */
  readonly strangers: number;
  /** Commands at the venue's door, and those it accepted. */
  readonly commands: number;
  readonly accepted: number;
  /** Kills of a bot whose cancels a guard held. */
  readonly guardedKills: number;
  /** Kills that left orders at the venue: the others prove little. */
  readonly killsWithOrders: number;
  readonly guardEnds: readonly GuardEnd[];
  readonly problems: readonly string[];
}

/**
 * Kills a bot `count` times at random moments under load and starts it again each time; then stops it and compares everything with the
 * venue. A problem is a sentence.
 */
export async function killsUnderLoad(
  venue: SoakVenue,
  { count, seed, settleMs }: KillsOptions,
): Promise<KillsResult> {
  const stage = await venue.stage("kills");
  const surplus = new SurplusWatch(stage);
  const problems: string[] = [];
  const kills: Kill[] = [];
  try {
    const last = await killAndRestart(stage, kills, { count, prng: new Prng(seed), surplus });
    await last.line("run");
    surplus.isRunning = true;
    await pause(settleMs);
    problems.push(...(await endsEqual(stage, last, settleMs > NONCE_WINDOW_MS)));
  } finally {
    problems.push(...(await surplus.close()));
  }
  problems.push(...doubled(stage.tap.commands, stage.guards !== undefined));
  const slowestStartMs = Math.max(...kills.map(({ startMs }) => startMs));
  const known = await journalOrders(stage);
  const runs = await journalRuns(stage);
  await stage.close();
  const left = kills.map((kill) => orphansOf(kill, { stage, known, runs }));
  const { commands } = stage.tap;
  return {
    lines: left.map(
      ({ untilGoneMs, orphanMs }, at) =>
        `kill ${at + 1}: after ${kills[at]?.afterMs} ms, ${kills[at]?.open.length} orders open, gone after ${untilGoneMs} ms, orphan for ${orphanMs} ms`,
    ),
    slowestStartMs,
    maxOrphanMs: Math.max(...left.map(({ orphanMs }) => orphanMs)),
    maxUntilGoneMs: Math.max(...left.map(({ untilGoneMs }) => untilGoneMs)),
    strangers: [...stage.observer.seen.keys()].filter((orderId) => !known.has(orderId)).length,
    commands: commands.length,
    accepted: commands.filter(({ status }) => status === 200).length,
    guardedKills: kills.filter(({ isGuarded }) => isGuarded).length,
    killsWithOrders: kills.filter(({ open }) => open.length > 0).length,
    guardEnds: stage.guards?.ends ?? [],
    problems,
  };
}

/** Resolves with the run after the last kill, whose strategy only watches: quotes without a size are left out. */
async function killAndRestart(
  stage: Stage,
  kills: Kill[],
  {
    count,
    prng,
    surplus,
  }: { readonly count: number; readonly prng: Prng; readonly surplus: SurplusWatch },
): Promise<Touchline> {
  let bot = stage.bot();
  for (let at = 0; at < count; at += 1) {
    // One in five dies in its start, when orders of the run before are still open; the others after up to five seconds of quoting, one in
    // three once a guard holds their cancels: after a kill it may need a nonce window until it guards again.
    const startedMs = Date.now();
    let startMs = 0;
    if (at % 5 < 4) {
      await bot.line("run");
      surplus.isRunning = true;
      startMs = Date.now() - startedMs;
      if (at % 3 === 0) await stage.guards?.untilGuarding();
      await pause(prng.int(100, 5_000));
    } else {
      await pause(prng.int(200, 1_000));
    }
    const afterMs = Date.now() - startedMs;
    const isGuarded = stage.guards?.isGuarding === true;
    surplus.isRunning = false;
    bot.kill("SIGKILL");
    const killedMs = Date.now();
    await bot.exit;
    const open = (await stage.observer.openOrders()).map(({ orderId }) => orderId);
    kills.push({ afterMs, startMs, killedMs, open, isGuarded });
    bot = at < count - 1 ? stage.bot() : stage.bot('strategies.0.params.size="0"');
  }
  return bot;
}

/** Compares what a bot that quotes nothing believes with the venue, ends it, and compares its summary and journal. */
async function endsEqual(stage: Stage, bot: Touchline, isCertain: boolean): Promise<string[]> {
  const problems: string[] = [];
  const compare = (what: string, ours: unknown, venues: unknown): void => {
    const [own, right] = [String(ours), String(venues)];
    if (own !== right) problems.push(`${what}: ${own}, expected ${right}`);
  };
  const balances = await stage.observer.balances();
  const change = changeBy(await stage.observer.trades());
  const venues = { position: change.base, ...balances };
  compare(
    "what the strategy is shown",
    await shownUntilEqual(stage, venues),
    JSON.stringify(venues),
  );
  compare(
    "balances by the executions",
    JSON.stringify(sum(startFunds, change)),
    JSON.stringify(balances),
  );
  bot.kill("SIGTERM");
  if (isCertain) compare("exit code of the last run", await bot.exit, 0);
  else compare("end of the last run", await endsInDoubtAtMost(bot), undefined);
  compare("open orders", (await stage.observer.openOrders()).length, 0);
  const summary = await bot.line("summary");
  const { base } = summary["position"] as { base: string };
  compare("position in the summary", base, change.base);
  for (const field of ["ordersLeft", "foreignOrders", "ordersRejected"]) {
    compare(`${field} in the summary`, summary[field], 0);
  }
  const verified = await touchline(
    ["journal", "verify", stage.journal, "--config", stage.config],
    stage.env,
  );
  const runs = verified.lines.filter(({ event }) => event === "verified");
  compare(
    "runs that verify",
    runs.every(({ identical }) => identical === true),
    true,
  );
  compare("exit code of journal verify", verified.code, 0);
  return problems;
}

/** What the strategy was shown last, once it is this, or after balances have been read twice. */
async function shownUntilEqual(stage: Stage, venues: object): Promise<string> {
  for (const endMs = Date.now() + 60_000; ; ) {
    const { position, base, quote } = stage.lastShown();
    const shown = JSON.stringify({ position, base, quote });
    if (shown === JSON.stringify(venues) || Date.now() > endMs) return shown;
    await pause(100);
  }
}

/** Runs of the journal in which each order is. */
async function journalOrders(stage: Stage): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const out = path.join(stage.folder, "orders.ndjson");
  const words = ["journal", "export", stage.journal, "--table", "orders", "--format", "ndjson"];
  await touchline([...words, "--out", out], stage.env);
  const runs = new Map<string, Set<number>>();
  for (const line of readFileSync(out, "utf8").trimEnd().split("\n")) {
    const { orderId, run } = JSON.parse(line);
    const known = runs.get(orderId) ?? new Set();
    known.add(run);
    runs.set(orderId, known);
  }
  return runs;
}

/** Start of each run, in the order of their numbers. */
async function journalRuns(stage: Stage): Promise<readonly number[]> {
  const { lines } = await touchline(["journal", "ls", stage.journal], stage.env);
  const runs = lines[0]?.["runs"] as readonly { readonly startedAt: number }[];
  return runs.map(({ startedAt }) => startedAt);
}

function orphansOf(
  { killedMs, open }: Kill,
  after: {
    readonly stage: Stage;
    readonly known: ReadonlyMap<string, ReadonlySet<number>>;
    readonly runs: readonly number[];
  },
): { readonly untilGoneMs: number; readonly orphanMs: number } {
  const { stage, known, runs } = after;
  const next = runs.findIndex((startedMs) => startedMs > killedMs);
  let untilGoneMs = 0;
  let orphanMs = 0;
  for (const orderId of open) {
    const goneMs = (stage.observer.seen.get(orderId)?.lastMs ?? killedMs) - killedMs;
    untilGoneMs = Math.max(untilGoneMs, goneMs);
    const isKnown = next >= 0 && known.get(orderId)?.has(next + 1) === true;
    const knownMs = isKnown ? (runs[next] ?? killedMs) - killedMs : goneMs;
    orphanMs = Math.max(orphanMs, Math.min(goneMs, knownMs));
  }
  return { untilGoneMs, orphanMs };
}
