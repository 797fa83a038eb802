import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { botYaml } from "../support/bot-yaml.ts";
import { Touchline, TouchlineHere } from "../support/touchline-process.ts";
import type { GrowthSample } from "./growth.ts";

const recording = fileURLToPath(new URL("../../config/recordings/zilusdt", import.meta.url));
const probe = pathToFileURL(fileURLToPath(new URL("memory-probe.ts", import.meta.url))).href;
const quoteToken = "2";
const MB = 1e6;

export interface BusySample extends GrowthSample {
  /** WebSocket messages that the bot received since it started. */
  readonly frames: number;
  /** Those of the channel `depth@`. */
  readonly depthFrames: number;
}

export interface BusyBotOptions {
  /** Markets that all replay the demo's recording, each with a market maker of the demo's parameters. */
  readonly markets: number;
  /** How much faster than the demo's each market runs. */
  readonly speed: number;
  /** Between two samples of the bot's memory. */
  readonly sampleMs: number;
}

/**
 * The demo's bot, many times: a paper venue in this process, a live bot in another, markets × speed times the demo's flow of frames. Both have
 * to be ended with `stop`.
 */
export class BusyBot {
  readonly bot: Touchline;
  readonly journal: string;
  readonly #folder: string;
  readonly #venue: TouchlineHere;
  readonly #samples: string;

  private constructor(folder: string, venue: TouchlineHere, bot: Touchline) {
    this.#folder = folder;
    this.#venue = venue;
    this.bot = bot;
    this.journal = path.join(folder, "journal");
    this.#samples = path.join(folder, "memory.jsonl");
  }

  static async start(options: BusyBotOptions): Promise<BusyBot> {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-busy-"));
    const venueFile = path.join(folder, "venue.yaml");
    writeFileSync(venueFile, venueYaml(options));
    const venue = new TouchlineHere(["venue", venueFile, "--port", "0"]);
    const listening = await venue.line("listening");
    const botFile = path.join(folder, "bot.yaml");
    const address = { rest: String(listening["rest"]), ws: String(listening["ws"]) };
    writeFileSync(botFile, busyBotYaml(address, options));
    const bot = new Touchline(["run", botFile], {
      TOUCHLINE_KEY: `0x${"61".repeat(32)}`,
      NODE_OPTIONS: `--import=${probe}`,
      MEMORY_PROBE_FILE: path.join(folder, "memory.jsonl"),
      MEMORY_PROBE_MS: String(options.sampleMs),
    });
    await bot.line("run");
    return new BusyBot(folder, venue, bot);
  }

  /** The newest sample; undefined before the first. */
  sample(startedMs: number): BusySample | undefined {
    const line = readFileSync(this.#samples, { encoding: "utf8", flag: "a+" })
      .trimEnd()
      .split("\n")
      .at(-1);
    if (line === undefined || line === "") return undefined;
    const { atMs, heapBytes, rssBytes, frames, depthFrames } = JSON.parse(line);
    return {
      frames,
      depthFrames,
      hours: (atMs - startedMs) / 3_600_000,
      heapMb: heapBytes / MB,
      rssMb: rssBytes / MB,
      journalMb: folderBytes(this.journal) / MB,
    };
  }

  /** Stops the bot as Ctrl-C does, then the venue; resolves with the bot's exit code. */
  async stop(): Promise<number | null> {
    this.bot.kill("SIGTERM");
    const code = await this.bot.exit;
    this.#venue.stop();
    await this.#venue.exit;
    return code;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Size of all files of a folder; a file that is being replaced may be missing. */
function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    bytes += statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function baseTokens({ markets }: BusyBotOptions): readonly string[] {
  return Array.from({ length: markets }, (_, index) => String(10 + index));
}

function venueYaml(options: BusyBotOptions): string {
  const bases = baseTokens(options);
  const faucet = Object.fromEntries([...bases, quoteToken].map((token) => [token, "1000000000"]));
  return `tokens:
${bases.map((base) => `  - { tokenId: "${base}", symbol: ZIL, decimals: 12 }\n`).join("")}  - { tokenId: "${quoteToken}", symbol: USDT, decimals: 6 }
markets:
${bases.map((base) => `  - { base: "${base}", quote: "${quoteToken}", makerFee: "0.00002", takerFee: "0.0005" }\n`).join("")}faucet: ${JSON.stringify(faucet)}
flow: { replay: ${JSON.stringify(recording)}, speed: ${options.speed} }
`;
}

/** The parameters of the demo's market maker, with as many decisions as its market's speed asks for. */
function busyBotYaml(
  venue: { readonly rest: string; readonly ws: string },
  options: BusyBotOptions,
): string {
  const refreshMs = Math.max(50, 500 / options.speed);
  const strategy = baseTokens(options)
    .map(
      (base) => `  - name: maker-${base}
    plugin: pure-market-making
    market: "${base}_${quoteToken}"
    params: { bidSpread: 0.025%, askSpread: 0.025%, size: "500", levels: 3, levelSpread: 0.02%, refresh: ${refreshMs}ms, tolerance: 0.01% }
`,
    )
    .join("");
  const account = `account: { signer: { type: env, name: TOUCHLINE_KEY } }
rateLimit: { perSecond: 5000, burst: 5000, concurrency: 64 }
risk: { maxOpenOrders: ${12 * options.markets} }
log: { level: warn }
# A machine that other programs use, too, may leave the bot without a processor for seconds.
watchdog: { maxBlocked: 1m }`;
  return botYaml({ venue, account, strategy });
}
