import { Worker } from "node:worker_threads";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";

/** What the watchdog's thread gets. The rest of the bot's settings holds functions, which no thread can receive. */
export interface WatchdogThreadData
  extends Pick<BotConfig, "journal" | "rateLimit" | "streams" | "timing"> {
  readonly venue: { readonly rest: string; readonly ws: string; readonly chainId: number };
  readonly maxBlockedMs: number;
  /** 32-bit numbers at the places of `shared`. */
  readonly state: SharedArrayBuffer;
  readonly strategies: readonly string[];
  readonly json: boolean;
}

/** What the two threads tell each other, by its place in the shared numbers. */
export const shared = {
  /** Counts up while the bot's thread is not blocked. */
  beats: 0,
  /** The strategy that is being called: index plus 1; 0 for none. */
  strategy: 1,
  /** 1: the watchdog has begun to end the bot. */
  isEnding: 2,
} as const;

/** A private key that the bot signs with from now on. */
export interface WatchdogKey {
  readonly address: string;
  readonly key: Uint8Array;
}

/** The bot's thread shows that often that it is not blocked. */
const BEAT_MS = 100;

// The built package contains JavaScript.
const thread = import.meta.url.endsWith(".ts") ? "watchdog-thread.ts" : "watchdog-thread.js";

/**
 * Watches over the bot's thread from another one. When a call does not return, a strategy's for example, the watchdog cancels the bot's
 * own orders by its journal and ends the process with exit code 1.
 */
export class Watchdog {
  readonly #config: BotConfig;
  readonly #json: boolean;
  readonly #state = new Int32Array(new SharedArrayBuffer(12));
  readonly #keys: WatchdogKey[] = [];
  #worker: Worker | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(config: BotConfig, options: { readonly json: boolean }) {
    this.#config = config;
    this.#json = options.json;
  }

  /** The same crypto; the watchdog gets the keys of its signers, so that it can sign cancels when the bot cannot. */
  keysOf(crypto: Crypto): Crypto {
    return {
      name: crypto.name,
      keccak256: (bytes) => crypto.keccak256(bytes),
      recover: (digest, signature, recovery) => crypto.recover(digest, signature, recovery),
      signer: (privateKey) => {
        const signer = crypto.signer(privateKey);
        const key = { address: signer.address, key: privateKey.slice() };
        this.#keys.push(key);
        this.#worker?.postMessage(key, []);
        return signer;
      },
    };
  }

  /** The same strategy; while a call of it runs, the watchdog knows whose call it is. */
  watched(definition: StrategyDefinition, index: number): StrategyDefinition {
    return {
      ...definition,
      decide: (input) => {
        Atomics.store(this.#state, shared.strategy, index + 1);
        try {
          return definition.decide(input);
        } finally {
          Atomics.store(this.#state, shared.strategy, 0);
        }
      },
    };
  }

  /**
   * The same HTTP until the watchdog begins to end the bot. From then on requests are not sent and never settle: a call that returns late
   * would otherwise go on to place orders that the watchdog does not know.
   */
  heldHttp(http: Http): Http {
    return {
      request: (request) =>
        Atomics.load(this.#state, shared.isEnding) === 0
          ? http.request(request)
          : new Promise(() => undefined),
      close: () => http.close(),
    };
  }

  start(): void {
    const { venue, journal, rateLimit, streams, timing, strategies, watchdog } = this.#config;
    const { rest, ws, chainId } = venue;
    const data: WatchdogThreadData = {
      venue: { rest, ws, chainId },
      journal,
      rateLimit,
      streams,
      timing,
      maxBlockedMs: watchdog.maxBlocked,
      state: this.#state.buffer,
      strategies: strategies.map(({ name }) => name),
      json: this.#json,
    };
    this.#worker = new Worker(new URL(thread, import.meta.url), { workerData: data });
    this.#worker.unref();
    for (const key of this.#keys) this.#worker.postMessage(key, []);
    this.#beat = setInterval(() => Atomics.add(this.#state, shared.beats, 1), BEAT_MS);
    this.#beat.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    await this.#worker?.terminate();
  }
}
