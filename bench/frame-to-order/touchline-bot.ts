import { z } from "zod";
import { fixed, mulFixed, subFixed, ZERO } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import type { PlaceCommand } from "../../src/domain/command.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { DepthScanner } from "../../src/gateway/depth-scanner.ts";
import type { RunHeader, SignedEntry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Batch, Input } from "../../src/kernel/input.ts";
import { Kernel, type Step } from "../../src/kernel/kernel.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import type { Store } from "../../src/ports/store.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";
import { keepQuotes, setQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";
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
};

/** Where the time of one order goes, microseconds, summed over orders. */
export interface Parts {
  orders: number;
  decode: number;
  kernel: number;
  sign: number;
  journal: number;
}

interface BenchState {
  turn: number;
  askedMs: number;
  readonly quotes: Record<Side, { price: number; size: string } | undefined>;
}

/** Moves one of its two quotes per frame; the other one stays exactly where it is. `state` is seen from outside. */
function alternating(terms: Terms, state: BenchState): StrategyDefinition<z.ZodType, BenchState> {
  const half = Number(terms.halfSpread);
  return {
    name: "alternating",
    params: z.unknown(),
    init: () => state,
    decide({ view }) {
      const { mid } = view.book;
      // Once a frame: the venue's words about own orders come with the same time and change nothing.
      if (mid === undefined || view.nowMs === state.askedMs) return keepQuotes();
      state.askedMs = view.nowMs;
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
 * Our side: scanner, kernel, signer and journal in the order of the driver. What a venue would answer is told between the
 * frames, outside of what is measured.
 */
export class TouchlineBot {
  readonly orderIds: OrderId[] = [];
  /** Frames that did not end in exactly one order. */
  problem: string | undefined;
  readonly #book: RecordedBook;
  readonly #terms: Terms;
  readonly #scanner: DepthScanner;
  readonly #kernel: Kernel;
  readonly #signer: CommandSigner;
  readonly #owner: ReturnType<Crypto["signer"]>["address"];
  readonly #journal: Journal;
  readonly #state: BenchState = {
    turn: 0,
    askedMs: START_MS,
    quotes: { BUY: undefined, SELL: undefined },
  };
  readonly #live: Partial<Record<Side, OrderReport>> = {};
  #seq = 0;
  #block = 0;
  #last: { step: Step; signed: readonly SignedEntry[] } | undefined;

  constructor(options: {
    readonly book: RecordedBook;
    readonly terms: Terms;
    readonly crypto: Crypto;
    readonly store: Store;
    readonly folder: string;
  }) {
    const { book, terms, crypto, store, folder } = options;
    const signer = crypto.signer(terms.privateKey);
    this.#book = book;
    this.#terms = terms;
    this.#owner = signer.address;
    this.#scanner = new DepthScanner([benchMarket]);
    this.#signer = new CommandSigner({
      owner: signer.address,
      chainId: terms.chainId,
      crypto,
      signer,
    });
    const { limits } = terms;
    const config: KernelConfig = {
      owner: signer.address,
      markets: [market],
      strategies: [
        {
          name: "alternating",
          definition: alternating(terms, this.#state),
          params: {},
          marketId: benchMarket,
          seed: 1,
        },
      ],
      rate: { perSecond: 1_000, burst: 1_000, concurrency: 64 },
      risk: riskSchema.parse({
        staleBook: `${limits.staleMs}ms`,
        priceCollar: limits.collar,
        maxOrderSize: limits.maxOrderSize,
        maxOrderNotional: limits.maxOrderNotional,
        maxPosition: limits.maxPosition,
        maxOpenOrders: limits.maxOpenOrders,
      }),
      timing: defaultTiming,
      probeOrderId: undefined,
    };
    this.#kernel = new Kernel(config);
    this.#journal = new Journal({
      store,
      folder,
      header: headerOf(config, terms),
      restored: { nonceHighWater: 0, orders: [] },
    });
  }

  /** What is measured: from a frame's bytes to the order signed and journaled, ready to be posted. */
  onFrame(bytes: Uint8Array, nowMs: number): string | undefined {
    const event = this.#scanner.scan(bytes);
    if (event === undefined) return undefined;
    return this.#step([{ type: "depth", event }], nowMs)[0]?.bytesHex;
  }

  /** The same with a look at the clock between the parts. */
  onFrameInParts(bytes: Uint8Array, nowMs: number, parts: Parts): void {
    const start = performance.now();
    const event = this.#scanner.scan(bytes);
    if (event === undefined) return;
    const decoded = performance.now();
    const batch = this.#batch([{ type: "depth", event }], nowMs);
    const step = this.#kernel.step(batch);
    const decided = performance.now();
    const signed = this.#sign(step.effects);
    const ready = performance.now();
    this.#append(batch, step, signed);
    const end = performance.now();
    parts.orders += 1;
    parts.decode += (decoded - start) * 1000;
    parts.kernel += (decided - decoded) * 1000;
    parts.sign += (ready - decided) * 1000;
    parts.journal += (end - ready) * 1000;
  }

  /**
   * Before the recording's first frame, each time: the venue cancels what is left, the connection goes down and comes up
   * again with the recording's first book, which may be far from its last one.
   */
  begin(nowMs: number): void {
    const left = Object.values(this.#live);
    delete this.#live.BUY;
    delete this.#live.SELL;
    this.#state.quotes.BUY = undefined;
    this.#state.quotes.SELL = undefined;
    this.#told(
      left.map((order) => this.#canceled(order, nowMs)),
      nowMs,
    );
    if (left.length > 0) this.#told([{ type: "stream", state: "closed", reason: "begin" }], nowMs);
    this.#told([{ type: "stream", state: "opened", reason: "" }], nowMs);
  }

  /** After a frame: the venue took the order; the quote of the other side, whose turn is next, is canceled. */
  settle(nowMs: number): void {
    const placed = this.#placed();
    this.#journal.maintain();
    if (placed === undefined) {
      this.problem ??= `frame ${this.orderIds.length} did not end in one order`;
      return;
    }
    const { command, orderId } = placed;
    this.orderIds.push(orderId);
    const order = reportOf(command, orderId, this.#owner, nowMs);
    const other: Side = command.side === "BUY" ? "SELL" : "BUY";
    const gone = this.#live[other];
    this.#live[command.side] = order;
    delete this.#live[other];
    const inputs: Input[] = [
      { type: "signed", intent: command.intent, txHash: orderId },
      { type: "answer", intent: command.intent, outcome: { type: "accepted" } },
      this.#event("NEW", order, nowMs),
    ];
    if (gone !== undefined) inputs.push(this.#canceled(gone, nowMs));
    this.#told(inputs, nowMs);
  }

  sync(): Promise<void> {
    return this.#journal.sync();
  }

  close(): void {
    this.#journal.close();
  }

  #step(inputs: readonly Input[], nowMs: number): readonly SignedEntry[] {
    const batch = this.#batch(inputs, nowMs);
    const step = this.#kernel.step(batch);
    const signed = this.#sign(step.effects);
    this.#append(batch, step, signed);
    return signed;
  }

  #batch(inputs: readonly Input[], nowMs: number): Batch {
    this.#seq += 1;
    return { seq: this.#seq, nowMs: unixMs(nowMs), inputs };
  }

  #sign(effects: readonly Effect[]): readonly SignedEntry[] {
    const signed: SignedEntry[] = [];
    for (const effect of effects) {
      if (effect.type !== "place" && effect.type !== "cancel") continue;
      const { bytesHex, txHash } = this.#signer.sign(effect);
      signed.push({ intent: effect.intent, txHash, bytesHex });
    }
    return signed;
  }

  #append(batch: Batch, step: Step, signed: readonly SignedEntry[]): void {
    const { effects, notes } = step;
    this.#journal.append({ batch, effects, signed, ended: endedIn(notes) });
    this.#last = { step, signed };
  }

  /** The order of the last step, when it was the only command. */
  #placed(): { command: PlaceCommand; orderId: OrderId } | undefined {
    const [entry, ...more] = this.#last?.signed ?? [];
    const command = this.#last?.step.effects.find((effect) => effect.type === "place");
    if (entry === undefined || command === undefined || more.length > 0) return undefined;
    return { command, orderId: entry.txHash };
  }

  /** Tells the kernel something and answers whatever it asks, until it asks no more. */
  #told(inputs: readonly Input[], nowMs: number): void {
    const asked = this.#last?.step.effects.filter(isRead) ?? [];
    let next: Input[] = [...inputs, ...this.#answers(asked, nowMs)];
    this.#last = undefined;
    do {
      const signed = this.#step(next, nowMs);
      if (signed.length > 0) this.problem ??= "an order came of something else than a frame";
      next = this.#answers(this.#last === undefined ? [] : readsOf(this.#last), nowMs);
      this.#last = undefined;
    } while (next.length > 0);
  }

  #answers(effects: readonly Effect[], nowMs: number): Input[] {
    return effects.flatMap((effect): Input[] => {
      switch (effect.type) {
        case "venueTime":
          return [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 }];
        case "openOrders":
          return [{ type: "openOrders", orders: Object.values(this.#live) }];
        case "fills":
          return [{ type: "fills", fills: [] }];
        case "balances":
          return [this.#balances()];
        case "book":
          return [this.#snapshot(nowMs)];
        default:
          this.problem ??= `the kernel asked for ${effect.type}`;
          return [];
      }
    });
  }

  #balances(): Input {
    this.#block += 1;
    const { base, quote } = this.#terms;
    const { BUY, SELL } = this.#live;
    const lockedQuote = BUY === undefined ? ZERO : mulFixed(BUY.price, BUY.origQty);
    const lockedBase = SELL === undefined ? ZERO : SELL.origQty;
    return {
      type: "balances",
      blockNumber: this.#block,
      balances: [
        { tokenId: baseToken, locked: lockedBase, unlocked: subFixed(fixed(base), lockedBase) },
        { tokenId: quoteToken, locked: lockedQuote, unlocked: subFixed(fixed(quote), lockedQuote) },
      ],
    };
  }

  #snapshot(nowMs: number): Input {
    const { lastId, bids, asks } = this.#book;
    const flat = (levels: RecordedBook["bids"]) => Float64Array.from(levels.flat(), Number);
    const snapshot = {
      marketId: benchMarket,
      lastId,
      timeMs: unixMs(nowMs),
      bids: flat(bids),
      asks: flat(asks),
    };
    return { type: "book", snapshot };
  }

  #canceled(order: OrderReport, nowMs: number): Input {
    return this.#event("CANCEL", { ...order, status: "CANCELED" }, nowMs);
  }

  #event(eventType: "NEW" | "CANCEL", order: OrderReport, nowMs: number): Input {
    this.#block += 1;
    return {
      type: "orderEvent",
      event: {
        eventType,
        order,
        fill: undefined,
        blockNumber: this.#block,
        timeMs: unixMs(nowMs),
        txHash: order.orderId,
      },
    };
  }
}

const overStatuses: ReadonlySet<string> = new Set([
  "FILLED",
  "CANCELED",
  "REJECTED",
  "EXPIRED",
  "NEVER_PLACED",
]);

function isRead(effect: Effect): boolean {
  return effect.type !== "place" && effect.type !== "cancel";
}

function readsOf(last: { readonly step: Step }): readonly Effect[] {
  return last.step.effects.filter(isRead);
}

function endedIn(notes: readonly Note[]): OrderId[] {
  const ended: OrderId[] = [];
  for (const note of notes) {
    if (note.type !== "orderChanged" || note.orderId === undefined) continue;
    if (overStatuses.has(note.status)) ended.push(note.orderId);
  }
  return ended;
}

function reportOf(
  command: PlaceCommand,
  orderId: OrderId,
  account: OrderReport["account"],
  nowMs: number,
): OrderReport {
  return {
    orderId,
    account,
    marketId: command.marketId,
    side: command.side,
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed(String(command.price)),
    origQty: command.quantity,
    origQuoteOrderQty: ZERO,
    executedQty: ZERO,
    executedQuoteQty: ZERO,
    status: "NEW",
    createdAtMs: unixMs(nowMs),
    updatedAtMs: unixMs(nowMs),
  };
}

function headerOf(config: KernelConfig, terms: Terms): RunHeader {
  const { strategies, markets, ...kernel } = config;
  return {
    formatVersion: 1,
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
