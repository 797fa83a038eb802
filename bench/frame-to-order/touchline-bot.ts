import { z } from "zod";
import type { Command } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { StreamDecoder } from "../../src/gateway/stream-decoder.ts";
import type { RunHeader } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { silentLog } from "../../src/ports/log.ts";
import type { Store } from "../../src/ports/store.ts";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { Driver } from "../../src/runtime/driver.ts";
import { kernelConfig, unobserved } from "../../src/runtime/kernel-config.ts";
import { Observers } from "../../src/runtime/observers.ts";
import { StandInVenue } from "../../src/runtime/compile-path/stand-in-venue.ts";
import { TurnTimer } from "../../src/runtime/compile-path/turn-timer.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";
import { keepQuotes, setQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import { benchMarket } from "../recorded-frames.ts";
import { baseToken, quoteToken, START_MS, type Terms } from "./terms.ts";

const market: Market = {
  marketId: benchMarket,
  baseToken,
  quoteToken,
  ticker: "BASE/QUOTE",
  makerFee: fixed("0.0002"),
  takerFee: fixed("0.0005"),
  listed: true,
  rules: { type: "grid" },
};

/** Where the time of one order goes, microseconds, an entry for each order. */
export interface Parts {
  /** From the frame to the call of the outlet. */
  readonly frame: number[];
  readonly decode: number[];
  readonly kernel: number[];
  readonly sign: number[];
  /** The part of `sign` that is the signature itself. */
  readonly signature: number[];
  readonly journal: number[];
}

interface BenchState {
  turn: number;
  queriedMs: number;
  readonly quotes: Record<Side, { price: number; size: string } | undefined>;
}

/** Moves one of its two quotes per frame; the other one stays exactly where it is. The benchmark reads `state`. */
function alternating(
  terms: Terms,
  state: BenchState,
  sources: readonly string[],
): StrategyDefinition<z.ZodType, BenchState> {
  const half = Number(terms.halfSpread);
  return {
    name: "alternating",
    params: z.unknown(),
    init: () => state,
    decide({ view }) {
      const { mid } = view.book;
      // Once a frame: reports about own orders come with the same time and change nothing.
      if (mid === undefined || view.nowMs === state.queriedMs) return keepQuotes();
      state.queriedMs = view.nowMs;
      for (const name of sources) if (view.sources[name] === undefined) return keepQuotes();
      const isBuy = state.turn % 2 === 0;
      const size = terms.sizes[state.turn % terms.sizes.length] ?? "";
      state.turn += 1;
      if (isBuy) state.quotes.BUY = { price: view.roundDown(mid - half), size };
      else state.quotes.SELL = { price: view.roundUp(mid + half), size };
      const { BUY, SELL } = state.quotes;
      return setQuotes({
        bids: BUY === undefined ? [] : [BUY],
        asks: SELL === undefined ? [] : [SELL],
      });
    },
  };
}

/**
 * Our side: the gateway's decoder, the driver with kernel, signer and journal, and an outlet in place of the HTTP
 * client. The venue's responses are fed between the frames, outside the measured time.
 */
export class TouchlineBot {
  readonly orderIds: OrderId[] = [];
  /** Describes a frame that did not end in exactly one order; undefined when there was none. */
  problem: string | undefined;
  /** Filled while it is set. */
  parts: Parts | undefined;
  readonly #decoder = new StreamDecoder([benchMarket]);
  readonly #timer = new TurnTimer();
  readonly #observerTimer = new TurnTimer();
  readonly #driver: Driver;
  readonly #journal: Journal;
  readonly #venue: StandInVenue;
  readonly #state: BenchState = {
    turn: 0,
    queriedMs: START_MS,
    quotes: { BUY: undefined, SELL: undefined },
  };
  readonly #sources: readonly string[];
  #frames = 0;
  #nowMs = START_MS;
  #sentAtMs = Number.NaN;
  #sent: { readonly command: Command; readonly orderId: OrderId }[] = [];
  #responses: Input[] = [];

  constructor(options: {
    readonly book: RecordedBook;
    readonly terms: Terms;
    readonly crypto: Crypto;
    readonly store: Store;
    readonly folder: string;
    /** How many price sources it has, each with a value every 20 frames. Default 0. */
    readonly sources?: number;
  }) {
    const { book, terms, crypto, store, folder, sources = 0 } = options;
    this.#sources = Array.from({ length: sources }, (_, at) => `s${at}`);
    const { chainId } = terms;
    const key = crypto.signer(terms.privateKey);
    const owner = key.address;
    const flat = (levels: RecordedBook["bids"]) => Float64Array.from(levels.flat(), Number);
    this.#venue = new StandInVenue({
      owner,
      market,
      book: { lastId: book.lastId, bids: flat(book.bids), asks: flat(book.asks) },
      funds: { base: fixed(terms.base), quote: fixed(terms.quote) },
    });
    const config = this.#config(terms, owner);
    const kernel = new Kernel(config);
    const signer = new CommandSigner({
      owner,
      chainId,
      crypto,
      signer: { sign: (digest) => this.#timed("signature", () => key.sign(digest)) },
    });
    const header = headerOf(config, terms);
    const restored = { nonceHighWater: 0, orders: [], carried: [] };
    const journal = new Journal({ store, folder, header, restored });
    this.#journal = journal;
    this.#driver = new Driver({
      kernel: {
        step: (batch) => this.#timed("kernel", () => kernel.step(batch)),
        get nextDeadlineMs() {
          return kernel.nextDeadlineMs;
        },
      },
      sign: (command) => this.#timed("sign", () => signer.sign(command)),
      journal: {
        append: (entry) => this.#timed("journal", () => journal.append(entry)),
        sync: () => journal.sync(),
        measured: (measured) => journal.measured(measured),
        maintain: () => journal.maintain(),
      },
      clock: { nowMs: () => unixMs(this.#nowMs), monotonicUs: () => performance.now() * 1000 },
      timer: this.#timer,
      log: silentLog,
      durability: "process",
      observers: new Observers({ timer: this.#observerTimer, log: silentLog }),
      outlet: {
        send: (command, signed, handedOver) => {
          this.#sentAtMs = performance.now();
          handedOver();
          this.#sent.push({ command, orderId: signed.txHash });
        },
        read: (read) => {
          const response = this.#venue.response(read, this.#nowMs);
          if (response === undefined) this.problem ??= `the kernel asked for ${read.type}`;
          else this.#responses.push(response);
        },
      },
      reconnect: (reason) => {
        this.problem ??= reason;
      },
    });
    this.#driver.start();
    this.#timer.turn();
    this.#tell(this.#sources.map((name) => this.#valueOf(name)));
  }

  /** The measured time: microseconds from a frame's bytes to the call of the outlet with the signed, journaled order. */
  onFrame(bytes: Uint8Array, nowMs: number): number {
    this.#nowMs = nowMs;
    this.#frames += 1;
    this.#sentAtMs = Number.NaN;
    const start = performance.now();
    const value = this.#nextValue;
    if (value !== undefined && this.#frames % 20 === 0) this.#driver.push(value, start * 1000);
    const frame = this.#timed("decode", () => this.#decoder.decode(bytes));
    if (frame.type === "input") this.#driver.push(frame.input, start * 1000);
    // Where the event loop would take its turn.
    this.#timer.turn();
    const us = (this.#sentAtMs - start) * 1000;
    // An order that waits for the disk is sent later.
    if (!this.isWaiting) this.parts?.frame.push(us);
    return us;
  }

  /**
   * Before the recording's first frame, each time: the venue cancels what is left, the connection goes down and comes up
   * again with the recording's first book, which may be far from its last one.
   */
  begin(): void {
    this.#state.quotes.BUY = undefined;
    this.#state.quotes.SELL = undefined;
    this.#tell(this.#venue.cancelAll(this.#nowMs));
    this.#tell([{ type: "stream", state: "closed", reason: "the recording begins" }]);
    this.#tell([{ type: "stream", state: "opened", reason: "" }]);
  }

  /** The frame's order is not sent yet. */
  get isWaiting(): boolean {
    return this.#sent.length === 0;
  }

  /** Resolves when the order that waits for the disk is sent. */
  async sent(): Promise<void> {
    for (let turns = 0; turns < 1_000 && this.isWaiting; turns += 1) {
      await this.#journal.sync();
      await new Promise((resolve) => setImmediate(resolve));
      this.#timer.turn();
    }
  }

  /** After a frame: the venue took the order; the quote of the other side, whose turn is next, is canceled. */
  settle(): void {
    const [sent, ...more] = this.#sent;
    this.#sent = [];
    if (sent === undefined || sent.command.type !== "place" || more.length > 0) {
      this.problem ??= `frame ${this.orderIds.length} did not end in one order`;
      return;
    }
    this.orderIds.push(sent.orderId);
    const { command, orderId } = sent;
    const other = sent.command.side === "BUY" ? "SELL" : "BUY";
    this.#tell([
      ...this.#venue.take(command, orderId, this.#nowMs),
      ...this.#venue.cancelAll(this.#nowMs, other),
    ]);
    const value = this.#nextValue;
    if (value !== undefined && this.#frames % 20 !== 0) this.#tell([value]);
  }

  /** Makes the journal durable, by the driver's timer for it. */
  async sync(): Promise<void> {
    this.#timer.fire();
    await this.#journal.sync();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    this.#driver.end("measured");
    await this.#journal.close();
  }

  /** The value that a source gives at this frame: every second one has one. */
  get #nextValue(): Input | undefined {
    const name = this.#frames % 2 === 0 ? this.#sources[(this.#frames / 2) % 10] : undefined;
    return name === undefined ? undefined : this.#valueOf(name);
  }

  #valueOf(name: string): Input {
    const bid = 100 + (this.#frames % 7) / 100;
    return { type: "source", name, bid, ask: bid + 0.01, timeMs: this.#nowMs - 5 };
  }

  /** Runs the driver until it has no pending inputs and requests. */
  #tell(inputs: readonly Input[]): void {
    const { parts } = this;
    this.parts = undefined;
    this.#responses.push(...inputs);
    do {
      const next = this.#responses;
      this.#responses = [];
      for (const input of next) this.#driver.push(input);
      this.#timer.turn();
      this.#observerTimer.turn();
    } while (this.#responses.length > 0);
    if (this.#sent.length > 0) this.problem ??= "an order came of something else than a frame";
    this.parts = parts;
  }

  /** Adds the time of a part while parts are measured. */
  #timed<Result>(part: keyof Parts, work: () => Result): Result {
    const { parts } = this;
    if (parts === undefined) return work();
    const start = performance.now();
    const result = work();
    parts[part].push((performance.now() - start) * 1000);
    return result;
  }

  #config(terms: Terms, owner: KernelConfig["owner"]): KernelConfig {
    const { limits } = terms;
    const settings = {
      execution: { useModify: false },
      rateLimit: { perSecond: 100_000, burst: 1_000, concurrency: 64 },
      risk: riskSchema.parse({
        staleBook: `${limits.staleMs}ms`,
        priceCollar: limits.collar,
        maxOrderSize: limits.maxOrderSize,
        maxOrderNotional: limits.maxOrderNotional,
        maxPosition: limits.maxPosition,
        maxOpenOrders: limits.maxOpenOrders,
      }),
      timing: unobserved(defaultTiming),
      sources: this.#sources.map((name) => ({
        name,
        origin: { type: "input" } as const,
        maxAgeMs: 5_000,
        whenOld: "stop" as const,
        jump: { share: 0.01 },
      })),
      strategies: [
        {
          name: "alternating",
          definition: alternating(terms, this.#state, this.#sources),
          params: {},
          marketId: benchMarket,
          seed: 1,
        },
      ],
    };
    return kernelConfig(settings, "run", { owner, markets: [market] });
  }
}

function headerOf(config: KernelConfig, terms: Terms): RunHeader {
  const { strategies, markets, ...kernel } = config;
  return {
    runId: "bench",
    startedAtMs: unixMs(0),
    codeVersion: "bench",
    configText: "",
    chainId: terms.chainId,
    signer: config.owner,
    kernel,
    markets,
    strategies: strategies.map(({ name, marketId, seed }) => ({
      name,
      plugin: "bench",
      params: {},
      marketId,
      seed,
    })),
  };
}
