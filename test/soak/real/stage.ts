import { Wallet } from "ethers";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { botYaml } from "../../support/bot-yaml.ts";
import { Touchline, TouchlineHere } from "../../support/touchline-process.ts";
import { CommandTap } from "./command-tap.ts";
import { Gate } from "./gate.ts";
import { GuardKeeper } from "./guard-keeper.ts";
import { type Amounts, VenueObserver } from "./venue-observer.ts";

const strategy = fileURLToPath(new URL("moving-maker.ts", import.meta.url));

/** Quotes on each side of the strategy `moving-maker.ts`. */
export const QUOTES_PER_SIDE = 4;
export const startFunds: Amounts = { base: "1000", quote: "2000000" };

const venueYaml = `faucet: { "1": "${startFunds.base}", "2": "${startFunds.quote}" }
flow:
  synthetic: { prices: { "1_2": 2000 }, volatility: 0.0005, takerEveryMs: 100, takerNotional: 2000 }
`;

/**
 * Steps that the market of the soak reaches now and then, and limits that stop nothing. A run lives for five seconds at most, and each counts
 * `recoverAfter` from 0: with more than a second a pause of one run would hold in all that follow.
 */
const triggers = `position: { warn: "500", widen: "2000", reduceOnly: "6000", recoverAfter: 2s }
    unknownAge: { pause: 20s, recoverAfter: 1s }
    rejects: { warn: 3, window: 1m, recoverAfter: 10s }
    dayLoss: { warn: "1", halt: "100000" }`;

/** A paper venue in the process of the test whose market moves and trades all the time. */
export class SoakVenue {
  /** Whether each bot has a guard process and a risk ladder. */
  readonly isGuarded: boolean;
  readonly folder = mkdtempSync(path.join(tmpdir(), "touchline-soak-"));
  readonly #venue: TouchlineHere;
  readonly #rest: Promise<string>;
  readonly #stages: Stage[] = [];

  constructor({ isGuarded = false }: { readonly isGuarded?: boolean } = {}) {
    this.isGuarded = isGuarded;
    const file = path.join(this.folder, "venue.yaml");
    writeFileSync(file, venueYaml);
    this.#venue = new TouchlineHere(["venue", file, "--port", "0"]);
    this.#rest = this.#venue.line("listening").then((line) => String(line["rest"]));
  }

  /** A bot of its own account, with its own network to this venue. */
  async stage(name: string, options: StageOptions = {}): Promise<Stage> {
    const { isGuarded } = this;
    const place = path.join(this.folder, name);
    const stage = await Stage.open(place, await this.#rest, { ...options, isGuarded });
    this.#stages.push(stage);
    return stage;
  }

  /** Ends every process; removes all files unless they are to be kept. */
  async close({ keepsFiles }: { readonly keepsFiles: boolean }): Promise<void> {
    for (const stage of this.#stages) await stage.close();
    this.#venue.stop();
    await this.#venue.exit;
    if (!keepsFiles) rmSync(this.folder, { recursive: true, force: true });
  }
}

interface StageOptions {
  /** Folder of the journal; beside the bot's YAML when left out. */
  readonly journal?: string;
  readonly block?: "loop" | "sleep";
  readonly isGuarded?: boolean;
  /** How long a call may take; generous by default, since other programs may use the processors. */
  readonly maxBlocked?: string;
}

interface StageParts {
  readonly folder: string;
  readonly journal: string;
  readonly gate: Gate;
  readonly tap: CommandTap;
  readonly observer: VenueObserver;
  readonly key: string;
}

/** One bot at a venue: bot, gate, tap, venue, each in its place, and an observer that queries the venue directly. */
export class Stage {
  readonly folder: string;
  readonly journal: string;
  readonly gate: Gate;
  readonly tap: CommandTap;
  readonly observer: VenueObserver;
  readonly config: string;
  /** Undefined when the bot has no guard. */
  readonly guards: GuardKeeper | undefined;
  readonly blockFile: string;
  readonly #key: string;
  readonly #report: string;
  readonly #bots: Touchline[] = [];
  #isClosed = false;

  private constructor(parts: StageParts, options: StageOptions) {
    this.folder = parts.folder;
    this.journal = parts.journal;
    this.gate = parts.gate;
    this.tap = parts.tap;
    this.observer = parts.observer;
    this.#key = parts.key;
    this.config = path.join(parts.folder, "bot.yaml");
    this.blockFile = path.join(parts.folder, "block");
    this.#report = path.join(parts.folder, "shown.jsonl");
    writeFileSync(this.config, this.#yaml(options));
    this.guards = options.isGuarded ? new GuardKeeper(this.config) : undefined;
  }

  static async open(folder: string, rest: string, options: StageOptions): Promise<Stage> {
    mkdirSync(folder);
    const wallet = Wallet.createRandom();
    const tap = new CommandTap(Number(new URL(rest).port));
    const gate = new Gate(await tap.open());
    await gate.open();
    const observer = new VenueObserver(rest, wallet.address.toLowerCase());
    const journal = options.journal ?? path.join(folder, "journal");
    const parts = { folder, journal, gate, tap, observer, key: wallet.privateKey };
    return new Stage(parts, options);
  }

  /** Starts the bot's process, with changes of its settings; `line("run")` waits until it runs. */
  bot(...changes: readonly string[]): Touchline {
    const words = changes.flatMap((change) => ["--set", change]);
    const bot = new Touchline(["run", this.config, ...words], this.env);
    this.#bots.push(bot);
    return bot;
  }

  /** The environment of commands for this bot. */
  get env(): Readonly<Record<string, string>> {
    return { TOUCHLINE_KEY: this.#key };
  }

  /** What the strategy was shown last. */
  lastShown(): { readonly position: string } & Amounts {
    const lines = readFileSync(this.#report, "utf8").trimEnd().split("\n");
    return JSON.parse(lines.at(-1) ?? "{}");
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const bot of this.#bots) {
      bot.kill("SIGKILL");
      await bot.exit;
    }
    await this.guards?.close();
    await this.gate.close();
    await this.tap.close();
  }

  #yaml({ block = "loop", maxBlocked = "30s", isGuarded = false }: StageOptions): string {
    const host = `127.0.0.1:${this.gate.port}`;
    const params = {
      size: "0.05",
      spread: 0.0003,
      report: this.#report,
      blockFile: this.blockFile,
      block,
    };
    const more = `account: { signer: { type: env, name: TOUCHLINE_KEY } }
rateLimit: { perSecond: 200, burst: 200, concurrency: 16 }
risk:
  maxPosition: "5"
  triggers:
    ${isGuarded ? triggers : "{}"}
log: { level: warn }
watchdog: { maxBlocked: ${maxBlocked} }`;
    const yaml = botYaml({
      venue: { rest: `http://${host}`, ws: `ws://${host}/ws` },
      account: more,
      strategy: `  - { name: maker, plugin: ${JSON.stringify(strategy)}, market: "1_2", params: ${JSON.stringify(params)} }\n`,
    });
    return yaml.replace("path: ./journal", `path: ${JSON.stringify(this.journal)}`);
  }
}
