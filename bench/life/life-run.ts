import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Recording } from "../../src/recordings/recording.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { createStore } from "../../src/platform/store.ts";
import { demoRecording } from "../recorded-frames.ts";
import { termsFor } from "../frame-to-order/terms.ts";
import type { TickPart } from "./part-probe.ts";
import type { LifeTerms } from "./life-terms.ts";

const root = path.join(import.meta.dirname, "../..");
const bin = path.join(root, "bin/touchline.js");
const sources = "--conditions=touchline-source";
const probe = ["--import", path.join(import.meta.dirname, "tick-probe.ts")];

/** What the probe saw of one bot in about a second. */
interface Ticks {
  readonly event: "ticks";
  readonly frames: number;
  readonly us: readonly number[];
  readonly parts: readonly Readonly<Record<TickPart, number>>[];
}

/** One bot beside the venue, with all its samples. */
export class LifeBot {
  /** Microseconds from the socket's callback to the HTTP client, with the time of their collection since the bot's first one. */
  readonly samples: { readonly atMs: number; readonly us: number }[] = [];
  /** Of our own bot, when parts are measured; times as those of `samples`. */
  readonly parts: { readonly atMs: number; readonly us: Readonly<Record<TickPart, number>> }[] = [];
  frames = 0;
  readonly #child: ChildProcess;
  #startMs = Number.NaN;
  #isProbed = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stderr === null) throw new Error("the process has no output");
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes('"event":"probing"')) this.#isProbed = true;
      else if (line.startsWith('{"event":"ticks"')) this.#take(JSON.parse(line) as Ticks);
    });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Requests the samples since the last time. */
  collect(): void {
    if (this.#isProbed) this.#child.kill("SIGUSR2");
  }

  /** Resolves with the next `count` samples. */
  async next(count: number): Promise<readonly number[]> {
    const from = this.samples.length;
    while (this.samples.length < from + count) {
      if (this.hasEnded) throw new Error("a bot has ended");
      this.collect();
      await pause(Math.min(1_000, count * 20));
    }
    return this.samples.slice(from, from + count).map(({ us }) => us);
  }

  /** Samples of the `minute`-th minute, 1 for the first. */
  minute(minute: number): readonly number[] {
    return inMinute(this.samples, minute);
  }

  /** Parts of the `minute`-th minute. */
  partsOf(minute: number): readonly Readonly<Record<TickPart, number>>[] {
    return inMinute(this.parts, minute);
  }

  #take({ frames, us, parts }: Ticks): void {
    const nowMs = performance.now();
    this.frames += frames;
    if (Number.isNaN(this.#startMs) && us.length > 0) this.#startMs = nowMs;
    const atMs = nowMs - this.#startMs;
    for (const one of us) this.samples.push({ atMs, us: one });
    for (const one of parts) this.parts.push({ atMs, us: one });
  }
}

function inMinute<T>(
  list: readonly { readonly atMs: number; readonly us: T }[],
  minute: number,
): T[] {
  const until = minute * 60_000;
  return list.filter(({ atMs }) => atMs >= until - 60_000 && atMs < until).map(({ us }) => us);
}

/** A paper venue with the demo's market, 10 frames a second, and the two bots beside it: four processes with this one. */
export class LifeRun {
  readonly ours: LifeBot;
  readonly plain: LifeBot;
  readonly #children: readonly ChildProcess[];
  readonly #folder: string;
  readonly #collecting: NodeJS.Timeout;
  readonly loads: number[] = [];

  private constructor(
    folder: string,
    venue: ChildProcess,
    bots: readonly [ours: ChildProcess, plain: ChildProcess],
  ) {
    this.#folder = folder;
    this.#children = [...bots, venue];
    this.ours = new LifeBot(bots[0]);
    this.plain = new LifeBot(bots[1]);
    this.#collecting = setInterval(() => {
      this.ours.collect();
      this.plain.collect();
      this.loads.push(loadavg()[0] ?? 0);
    }, 1_000);
  }

  /** `settings`: more keys of our bot's YAML. `withParts`: measures the parts of our ticks, too. */
  static async start(
    options: { readonly settings?: string; readonly withParts?: boolean } = {},
  ): Promise<LifeRun> {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-life-"));
    const demo = path.join(root, "config/demo-venue.yaml");
    const faucet = 'faucet={"1":"100000000","2":"1000000"}';
    const venue = spawn(
      process.execPath,
      [sources, "--disable-sigusr1", bin, "venue", demo, "--port", "0", "--json", "--set", faucet],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const { rest, ws } = await lineOf(venue, "listening");
    const terms = demoTerms();
    const config = path.join(folder, "bot.yaml");
    writeFileSync(config, botYaml({ rest, ws, terms, settings: options.settings ?? "" }));
    const ours = spawn(
      process.execPath,
      [sources, "--disable-sigusr1", ...probe, bin, "run", config, "--json"],
      {
        env: {
          ...process.env,
          TOUCHLINE_KEY: `0x${"41".repeat(32)}`,
          ...(options.withParts === true ? { LIFE_PARTS: "1" } : {}),
        },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const plain = spawn(
      process.execPath,
      [
        sources,
        ...probe,
        path.join(import.meta.dirname, "plain-process.ts"),
        rest,
        ws,
        JSON.stringify(terms),
      ],
      {
        env: { ...process.env, LIFE_KEY: `0x${"42".repeat(32)}` },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    return new LifeRun(folder, venue, [ours, plain]);
  }

  async close(): Promise<void> {
    clearInterval(this.#collecting);
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("exit", resolve));
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function demoTerms(): LifeTerms {
  const recording = new Recording(
    { store: createStore(), compression: nodeCompression },
    demoRecording,
  );
  for (const event of recording.events()) {
    if (event.type !== "book") continue;
    const { privateKey: _, ...terms } = termsFor(event);
    return terms;
  }
  throw new Error("the demo's recording has no book");
}

function botYaml({
  rest,
  ws,
  terms,
  settings,
}: {
  readonly rest: string;
  readonly ws: string;
  readonly terms: LifeTerms;
  readonly settings: string;
}): string {
  const { limits, halfSpread, sizes } = terms;
  const strategy = path.join(import.meta.dirname, "alternating.ts");
  return `venue: { rest: "${rest}", ws: "${ws}", chainId: ${terms.chainId} }
account: { signer: { type: env, name: TOUCHLINE_KEY } }
journal: { path: ./journal }
dashboard: { port: 0 }
rateLimit: { perSecond: 100, burst: 100, concurrency: 8 }
risk:
  staleBook: ${limits.staleMs}ms
  priceCollar: ${limits.collar}
  maxOrderSize: "${limits.maxOrderSize}"
  maxOrderNotional: "${limits.maxOrderNotional}"
  maxPosition: "${limits.maxPosition}"
  maxOpenOrders: ${limits.maxOpenOrders}
${settings}
strategies:
  - name: alternating
    plugin: ${strategy}
    market: "1_2"
    params: { halfSpread: ${halfSpread}, sizes: ${JSON.stringify(sizes)} }
`;
}

/** The first line of a process with this event. */
function lineOf(
  child: ChildProcess,
  event: string,
): Promise<{ readonly rest: string; readonly ws: string }> {
  const { stdout } = child;
  if (stdout === null) throw new Error("the process has no output");
  return new Promise((resolve, reject) => {
    const reader = createInterface({ input: stdout });
    reader.on("line", (line) => {
      if (!line.includes(`"event":"${event}"`)) return;
      reader.close();
      stdout.resume();
      resolve(JSON.parse(line) as { readonly rest: string; readonly ws: string });
    });
    child.once("exit", () => reject(new Error(`ended before ${event}`)));
  });
}
