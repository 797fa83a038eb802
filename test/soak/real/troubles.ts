import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Touchline } from "../../support/touchline-process.ts";
import { outages } from "./gate.ts";
import type { SoakVenue, Stage } from "./stage.ts";

/** What one trouble did, seen from the venue. */
export interface TroubleResult {
  readonly trouble: TroubleName;
  readonly variant: string;
  /** Orders that were open when the trouble began, or ended where nothing can be done before. */
  readonly open: number;
  /** Open orders of the account when all was over. */
  readonly left: number;
  readonly exitCode: number | null;
  readonly expectedExitCode: number;
  /** Until the venue had no order of the bot, from the trouble's beginning, a signal to end, or the start of the next run; undefined: never. */
  readonly untilNoneMs: number | undefined;
  /** From the trouble's end until all orders that had rested through it were gone. */
  readonly untilOldGoneMs: number | undefined;
  /** What is wrong, in sentences. */
  readonly problems: readonly string[];
}

export interface TroubleOptions {
  readonly venue: SoakVenue;
  /** Number of the case: names its folder and chooses its variant. */
  readonly index: number;
  /** How long the bot quotes before the trouble, ms. */
  readonly quoteMs: number;
  /** How long a process is stopped or a network away, ms. */
  readonly lastsMs: number;
}

export type TroubleName = keyof typeof troubles;

/** Longest time that anything may take until no order is left. */
const LIMIT_MS = 90_000;

/** A guard has canceled the orders of a silent bot after this long, also on a busy machine: it waits 5 s for a sign of life. */
const GUARD_MS = 20_000;

/** How each trouble is made and what the documentation says that the bot does. */
export const troubles = {
  "blocked strategy": blocked,
  "stopped process": stopped,
  "no network": noNetwork,
  "stop without network": stopWithoutNetwork,
  "full disk": fullDisk,
} satisfies Record<string, (options: TroubleOptions) => Promise<Omit<TroubleResult, "trouble">>>;

/** A call that does not return: the watchdog ends the bot with exit code 1. */
async function blocked({ venue, index, quoteMs }: TroubleOptions) {
  const block = index % 2 === 0 ? "loop" : "sleep";
  const stage = await venue.stage(`blocked-${index}`, { block, maxBlocked: "3s" });
  const bot = await quoting(stage, quoteMs);
  writeFileSync(stage.blockFile, "");
  const startedMs = await changed(stage.blockFile);
  const { length: open } = await stage.observer.openOrders();
  const ended = await endsByItself(stage, bot, startedMs);
  const { code } = await bot.line("error");
  const problems = code === "STRATEGY_BLOCKED" ? [] : [`the error is ${String(code)}`];
  return finished(stage, { variant: block, open, exitCode: 1, problems, ...ended });
}

/** SIGSTOP and SIGCONT: nothing can be canceled in between; afterwards the bot goes on until SIGTERM. */
async function stopped({ venue, index, quoteMs, lastsMs }: TroubleOptions) {
  const stage = await venue.stage(`stopped-${index}`);
  const bot = await quoting(stage, quoteMs);
  bot.kill("SIGSTOP");
  await pause(lastsMs);
  const old = await stage.observer.openOrders();
  bot.kill("SIGCONT");
  const continuedMs = Date.now();
  const untilOldGoneMs = await untilGone(stage, old, continuedMs);
  const resumed = await untilQuoting(stage);
  const problems = resumed ? [] : ["it did not quote again"];
  if (stage.guards !== undefined && lastsMs > GUARD_MS && old.length > 0) {
    problems.push(`the guard left ${old.length} orders of the stopped bot open`);
  }
  const ended = await endsBySignal(stage, bot);
  return finished(stage, {
    variant: "SIGSTOP",
    open: old.length,
    problems,
    ...ended,
    untilOldGoneMs,
  });
}

/** A network that is away and comes back: the bot goes on until SIGTERM. */
async function noNetwork({ venue, index, quoteMs, lastsMs }: TroubleOptions) {
  const outage = outages[index % outages.length] ?? "refused";
  const stage = await venue.stage(`network-${index}`);
  const bot = await quoting(stage, quoteMs);
  await stage.gate.fail(outage);
  await pause(lastsMs);
  const old = await stage.observer.openOrders();
  await stage.gate.recover();
  const untilOldGoneMs = await untilGone(stage, old, Date.now());
  const problems = (await untilQuoting(stage)) ? [] : ["it did not quote again"];
  const ended = await endsBySignal(stage, bot);
  return finished(stage, {
    variant: outage,
    open: old.length,
    problems,
    ...ended,
    untilOldGoneMs,
  });
}

/** A stop while the network is away ends with 1 and names the orders; the next run cancels them. */
async function stopWithoutNetwork({ venue, index, quoteMs, lastsMs }: TroubleOptions) {
  const outage = outages[index % outages.length] ?? "refused";
  const stage = await venue.stage(`stop-${index}`);
  const bot = await quoting(stage, quoteMs);
  await stage.gate.fail(outage);
  await pause(lastsMs / 4);
  bot.kill("SIGTERM");
  const exitCode = await bot.exit;
  const open = await stage.observer.openOrders();
  const message = String((await bot.line("error"))["message"]);
  const problems = open
    .filter(({ orderId }) => !message.includes(orderId))
    .map(({ orderId }) => `${orderId} is open and not named: ${message}`);
  await stage.gate.recover();
  const next = stage.bot('strategies.0.params.size="0"');
  await next.line("run");
  const startedMs = Date.now();
  const noneMs = await stage.observer.untilNone(LIMIT_MS);
  next.kill("SIGTERM");
  const problem = await endsInDoubtAtMost(next);
  if (problem !== undefined) problems.push(`the next run: ${problem}`);
  const untilNoneMs = noneMs === undefined ? undefined : noneMs - startedMs;
  return finished(stage, {
    variant: outage,
    open: open.length,
    exitCode: 1,
    problems,
    code: exitCode,
    untilNoneMs,
  });
}

/** A file system without room for the journal: only cancels are sent, and the bot ends with 1. */
async function fullDisk({ venue, index, quoteMs }: TroubleOptions) {
  const disk = path.join(venue.folder, `disk-${index}`);
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]);
  try {
    const stage = await venue.stage(`full-${index}`, { journal: path.join(disk, "journal") });
    const bot = await quoting(stage, quoteMs);
    const { length: open } = await stage.observer.openOrders();
    fill(path.join(disk, "filler"));
    const ended = await endsByItself(stage, bot, Date.now());
    return await finished(stage, { variant: "tmpfs", open, exitCode: 1, problems: [], ...ended });
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
}

/** Whether this machine lets us mount a file system of our own. */
export function mayMount(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/bin/mount");
}

/** Writes zeros until nothing more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (let size = 65_536; size >= 1; ) {
      try {
        writeSync(descriptor, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 4);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Starts the bot and lets it quote for a time. */
async function quoting(stage: Stage, quoteMs: number): Promise<Touchline> {
  const bot = stage.bot();
  await bot.line("run");
  if (!(await untilQuoting(stage))) throw new Error(`it never quoted: ${bot.stderr}`);
  if ((await stage.guards?.untilGuarding()) === false) throw new Error("no guard connected");
  await pause(quoteMs);
  return bot;
}

/** Whether an order that was not seen before is open within a minute. */
async function untilQuoting(stage: Stage): Promise<boolean> {
  const { observer } = stage;
  const known = new Set(observer.seen.keys());
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; ) {
    const open = await observer.openOrders();
    if (open.some(({ orderId }) => !known.has(orderId))) return true;
    await pause(50);
  }
  return false;
}

/** The time that the file's writer put into it. */
async function changed(file: string): Promise<number> {
  for (;;) {
    const text = readFileSync(file, "utf8");
    if (text !== "") return Number(text);
    await pause(20);
  }
}

/** Milliseconds from `sinceMs` until none of the orders is open any more. */
async function untilGone(
  { observer }: Stage,
  orders: readonly { readonly orderId: string }[],
  sinceMs: number,
): Promise<number | undefined> {
  const old = new Set(orders.map(({ orderId }) => orderId));
  for (const endMs = Date.now() + LIMIT_MS; Date.now() < endMs; ) {
    const open = await observer.openOrders();
    if (!open.some(({ orderId }) => old.has(orderId))) return Date.now() - sinceMs;
    await pause(50);
  }
  return undefined;
}

/** A stop within a minute of a command without a response may end with 1; then it says so. */
export async function endsInDoubtAtMost(bot: Touchline): Promise<string | undefined> {
  const code = await bot.exit;
  if (code === 0) return undefined;
  const { message } = await bot.line("error");
  const isDocumented = code === 1 && String(message).includes("may still be placed");
  return isDocumented ? undefined : `exit code ${code}, ${String(message)}`;
}

interface Ended {
  readonly code: number | null;
  readonly untilNoneMs: number | undefined;
}

async function endsByItself(stage: Stage, bot: Touchline, sinceMs: number): Promise<Ended> {
  const noneMs = await stage.observer.untilNone(LIMIT_MS);
  const code = await bot.exit;
  return { code, untilNoneMs: noneMs === undefined ? undefined : noneMs - sinceMs };
}

/** Ends with 0, or with 1 when a placement got no response within the last minute, and then says so. */
async function endsBySignal(
  stage: Stage,
  bot: Touchline,
): Promise<Ended & { readonly exitCode: number }> {
  bot.kill("SIGTERM");
  const ended = await endsByItself(stage, bot, Date.now());
  const isDoubtTold = ended.code !== 0 && (await endsInDoubtAtMost(bot)) === undefined;
  return { ...ended, exitCode: isDoubtTold ? 1 : 0 };
}

/** Looks at the venue once more when the bot has been gone for some seconds. */
async function finished(
  stage: Stage,
  result: Ended & {
    readonly variant: string;
    readonly open: number;
    /** As documented. */
    readonly exitCode: number;
    readonly problems: readonly string[];
    readonly untilOldGoneMs?: number | undefined;
  },
): Promise<Omit<TroubleResult, "trouble">> {
  await pause(3_000);
  const left = (await stage.observer.openOrders()).length;
  await stage.close();
  const { variant, open, exitCode, code, problems, untilNoneMs, untilOldGoneMs } = result;
  return {
    variant,
    open,
    left,
    exitCode: code,
    expectedExitCode: exitCode,
    untilNoneMs,
    untilOldGoneMs,
    problems,
  };
}
