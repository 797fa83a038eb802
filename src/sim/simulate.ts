import { Prng } from "../base/prng.ts";
import { toHex } from "../base/hex.ts";
import { fixed } from "../domain/fixed.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { Clock } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log, LogFields } from "../ports/log.ts";
import type { ServerFactory } from "../ports/server.ts";
import { riskSchema } from "../risk/settings.ts";
import { startLive } from "../runtime/live.ts";
import type { LiveBot, LiveEnd } from "../runtime/live-bot.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { startVenue, type RunningVenue } from "../venue/start-venue.ts";
import { FaultPlan, type Fault, type FaultTarget } from "./faults.ts";
import { invariants, type InvariantHooks, type Watched } from "./invariants.ts";
import { MemoryStore } from "./memory-store.ts";
import {
  scenarioOf,
  simulatedChainId,
  simulatedMarket,
  simulatedTiming,
  type Scenario,
} from "./scenario.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { VirtualNetwork } from "./virtual-network.ts";
import { VirtualProcess } from "./virtual-process.ts";
import { transactionOf, Witness } from "./witness.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly crypto: Crypto;
  /** `pure-market-making`. */
  readonly strategy: StrategyDefinition;
  /** How long the bot works under faults. Default 60 s. */
  readonly faultsMs?: number;
  /** Default: some, by the seed. */
  readonly faults?: readonly Fault[];
  /** Hears the bot's log lines; default nobody. */
  readonly log?: Log;
}

export interface SimulationResult {
  readonly seed: number;
  /** Empty for a good run; the first few sentences otherwise. */
  readonly violations: readonly string[];
  /** Hash over the journal of all runs, with every input, decision and signature, and the venue's last state. */
  readonly traceHash: string;
  /** How often things worth reaching were reached: faults by kind, outcomes, order states. */
  readonly reached: ReadonlyMap<string, number>;
  readonly virtualMs: number;
  readonly end: LiveEnd | undefined;
}

const MAX_VIOLATIONS = 10;
/** Until every request has ended, landed or not, and every question about it was asked: in-flight bound, back-off, reads. */
const HEAL_MS = 45_000;
/** What CONTRACT promises of `run`, and the last question. */
const STOP_LIMIT_MS = 12_500;
const JOURNAL = "journal";

/**
 * The whole bot and the whole paper venue in one process, joined by a bad network on virtual time. First faults, then calm,
 * then the stop; invariants are checked all the way. The same seed gives the same run, bit for bit.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = await World.begin(options);
  try {
    await world.run();
  } finally {
    await world.close();
  }
  return world.result();
}

class World {
  readonly #options: SimulationOptions;
  readonly #scenario: Scenario;
  readonly #time = new VirtualClock();
  readonly #network: VirtualNetwork;
  readonly #prng: Prng;
  readonly #store: WatchedStore;
  readonly #faults: FaultPlan;
  readonly #violations: string[] = [];
  #venue: RunningVenue | undefined;
  #witness: Witness | undefined;
  #hooks: readonly (readonly [string, InvariantHooks])[] = [];
  #process: VirtualProcess | undefined;
  #bot: LiveBot | undefined;
  #skewMs: number;
  #end: LiveEnd | undefined;
  #isStopping = false;
  #isClosed = false;

  static async begin(options: SimulationOptions): Promise<World> {
    const world = new World(options);
    await world.#startVenue();
    return world;
  }

  private constructor(options: SimulationOptions) {
    const { seed } = options;
    this.#options = options;
    this.#prng = new Prng(seed);
    this.#scenario = scenarioOf({ ...options, owner: this.#owner });
    this.#skewMs = this.#scenario.skewMs;
    this.#store = new WatchedStore();
    this.#network = new VirtualNetwork({ timer: this.#time, prng: this.#prng.fork("network") });
    const target: FaultTarget = {
      network: this.#network,
      skew: (ms) => {
        this.#skewMs = ms;
      },
      kill: (restartMs) => this.#kill(restartMs),
    };
    this.#faults = new FaultPlan(target, this.#time);
  }

  get #signer() {
    const key = new Uint8Array(32).fill(7);
    return this.#options.crypto.signer(key);
  }

  get #owner(): Address {
    return this.#signer.address;
  }

  async #startVenue(): Promise<void> {
    const { crypto } = this.#options;
    const starting = startVenue({
      config: this.#scenario.venue,
      ports: {
        server: this.#watchedServers(),
        clock: this.#time,
        timer: this.#time,
        crypto,
        log: silent,
      },
      listen: { host: "127.0.0.1", port: 8717 },
    });
    await this.#time.runFor(1);
    this.#venue = await starting;
    const { exchange } = this.#venue;
    const market = exchange.markets.find(({ marketId }) => marketId === simulatedMarket);
    if (market === undefined) throw new Error("the venue has the simulated market");
    const witness = new Witness(exchange, this.#owner, market);
    this.#witness = witness;
    if (this.#scenario.hasForeignOrder) this.#placeForeignOrder(witness);
    const watched: Watched = {
      scenario: this.#scenario,
      witness,
      elapsedMs: () => this.#time.elapsedMs,
      isBotAlive: () => this.#bot !== undefined,
      lastAppended: () => this.#store.lastAppended,
    };
    this.#hooks = invariants.map(({ name, watch }) => [name, watch(watched)] as const);
    const tick = (): void => {
      if (this.#isClosed) return;
      this.#check((hooks) => hooks.tick?.());
      this.#time.after(50, tick);
    };
    tick();
  }

  /** Somebody else's order on the same account, far from the market. */
  #placeForeignOrder(witness: Witness): void {
    const { exchange, market } = witness;
    const answer = exchange.place(
      this.#owner,
      {
        marketId: market.marketId,
        side: "BUY",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixed("0.001"),
        quantity: fixed("1000"),
      },
      this.#time.nowMs(),
    );
    if (answer.code === 200) witness.foreign.add(answer.txHash as OrderId);
  }

  /** The network's servers; after each request that is served the invariants are checked. */
  #watchedServers(): ServerFactory {
    return {
      listen: (options) =>
        this.#network.servers.listen({
          ...options,
          respond: async (request) => {
            const response = await options.respond(request);
            this.#check((hooks) => hooks.tick?.());
            return response;
          },
        }),
    };
  }

  /** The bot's HTTP client; before each request leaves the invariants are checked. */
  #watchedHttp(): Http {
    const { http } = this.#network;
    return {
      request: (request) => {
        const transaction = transactionOf(request, simulatedChainId);
        this.#check((hooks) => hooks.request?.(transaction));
        return http.request(request);
      },
      close: () => http.close(),
    };
  }

  /** The bot's wall clock may be off; spans are the same for all. */
  readonly #skewedClock: Clock = {
    nowMs: () => unixMs(this.#time.nowMs() + this.#skewMs),
    monotonicUs: () => this.#time.monotonicUs(),
  };

  async run(): Promise<void> {
    const { faultsMs, faults, stopsInTrouble } = this.#scenario;
    void this.#startBot();
    // A few calm seconds, so that each world has a quoting bot before the trouble begins.
    await this.#time.runFor(this.#prng.int(0, 4_000));
    this.#faults.start(faults, this.#prng.fork("episodes"));
    await this.#time.runFor(faultsMs);
    if (stopsInTrouble) {
      await this.#stop();
      this.#faults.stop();
    } else {
      this.#faults.stop();
      this.#check((hooks) => hooks.calm?.());
      await this.#time.runFor(HEAL_MS);
      if (this.#bot === undefined) this.#violated("alive", "no bot is running");
      this.#check((hooks) => hooks.healed?.());
      await this.#stop();
    }
    // What is still on its way lands.
    await this.#time.runFor(30_000);
    const end = this.#end;
    if (end !== undefined) this.#check((hooks) => hooks.ended?.(end));
  }

  async #startBot(): Promise<void> {
    const { crypto, strategy } = this.#options;
    const { params, maxPosition, rate } = this.#scenario;
    const witness = this.#known;
    const process = new VirtualProcess({
      timer: this.#time,
      http: this.#watchedHttp(),
      connector: this.#network.connector,
    });
    this.#process = process;
    const random = this.#prng.fork("bytes");
    try {
      const bot = await startLive(
        {
          venue: {
            rest: "http://127.0.0.1:8717",
            ws: "ws://127.0.0.1:8717/ws",
            chainId: simulatedChainId,
          },
          owner: undefined,
          rateLimit: rate,
          risk: riskSchema.parse({ maxPosition }),
          timing: simulatedTiming,
          journal: { path: JOURNAL },
          strategies: [
            {
              name: "maker",
              plugin: "pure-market-making",
              definition: strategy,
              params: strategy.params.parse(params),
              writtenParams: params,
              marketId: simulatedMarket,
              seed: 1,
            },
          ],
          configText: "",
          codeVersion: "simulated",
        },
        {
          clock: this.#skewedClock,
          timer: process.timer,
          http: process.http,
          connector: process.connector,
          store: this.#store,
          log: this.#log,
          crypto,
          signer: this.#signer,
          randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
        },
      );
      witness.runStarts();
      this.#check((hooks) => {
        hooks.runStarts?.();
        return undefined;
      });
      this.#bot = bot;
      bot.observers.on((entry) => {
        witness.entry(entry);
        this.#check((hooks) => hooks.entry?.(entry));
      });
      void bot.done.then((end) => {
        this.#bot = undefined;
        this.#end = end;
        this.#store.killed();
      });
    } catch (thrown) {
      // The venue is out of reach: whoever watches over the process starts it again.
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      witness.reach("start failed");
      this.#log.warn({ why }, "the bot did not start");
      this.#store.killed();
      this.#time.after(1_000, () => this.#restart());
    }
  }

  #restart(): void {
    if (!this.#isClosed && this.#bot === undefined) void this.#startBot();
  }

  #kill(restartMs: number): void {
    const bot = this.#bot;
    // One that is just starting, or about to end, is left to it.
    if (bot === undefined || this.#isStopping) return;
    this.#log.warn({}, "killed");
    this.#bot = undefined;
    this.#process?.kill();
    // What the journal has, the witness has to know.
    bot.observers.flush();
    this.#store.killed();
    this.#time.after(restartMs, () => this.#restart());
  }

  async #stop(): Promise<void> {
    // Killed a moment ago: the next one has to run first.
    await this.#time.runUntil(() => this.#bot !== undefined, 60_000);
    this.#isStopping = true;
    this.#bot?.stop();
    const hasEnded = await this.#time.runUntil(() => this.#end !== undefined, STOP_LIMIT_MS);
    if (!hasEnded) this.#violated("stop", `no end within ${STOP_LIMIT_MS} ms`);
  }

  /** The caller's log with virtual time in each line. */
  get #log(): Log {
    const { log } = this.#options;
    if (log === undefined) return silent;
    const timed = (fields: LogFields): LogFields => ({ atMs: this.#time.elapsedMs, ...fields });
    return {
      debug: (fields, message) => log.debug(timed(fields), message),
      info: (fields, message) => log.info(timed(fields), message),
      warn: (fields, message) => log.warn(timed(fields), message),
      error: (fields, message) => log.error(timed(fields), message),
    };
  }

  get #known(): Witness {
    if (this.#witness === undefined) throw new Error("the venue has started");
    return this.#witness;
  }

  #check(hook: (hooks: InvariantHooks) => string | undefined): void {
    for (const [name, hooks] of this.#hooks) {
      const problem = hook(hooks);
      if (problem !== undefined) this.#violated(name, problem);
    }
  }

  #violated(name: string, problem: string): void {
    if (this.#violations.length >= MAX_VIOLATIONS) return;
    this.#violations.push(`${(this.#time.elapsedMs / 1000).toFixed(3)} s: ${name}: ${problem}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#faults.stop();
    this.#process?.kill();
    await this.#venue?.close();
  }

  result(): SimulationResult {
    const { reached, exchange } = this.#known;
    for (const [name, count] of this.#faults.begun) reached.set(`fault ${name}`, count);
    const { crypto, seed } = this.#options;
    return {
      seed,
      violations: this.#violations,
      traceHash: toHex(
        crypto.keccak256(this.#store.everything(JOURNAL, `${exchange.blockNumber}`)),
      ),
      reached,
      virtualMs: this.#time.elapsedMs,
      end: this.#end,
    };
  }
}

/** Files in memory whose newest append can be looked at. */
class WatchedStore extends MemoryStore implements Store {
  readonly #text = new TextDecoder("latin1");
  lastAppended = "";

  override openAppend(path: string, options: { readonly truncateTo?: number } = {}): AppendFile {
    const file = super.openAppend(path, options);
    return {
      get size() {
        return file.size;
      },
      append: (bytes) => {
        file.append(bytes);
        this.lastAppended = this.#text.decode(bytes);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  /** All files of a folder, one behind the other, with some text at the end. */
  everything(folder: string, text: string): Uint8Array {
    const parts = this.list(folder).map(
      (name) => this.read(`${folder}/${name}`) ?? new Uint8Array(),
    );
    parts.push(new TextEncoder().encode(text));
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
