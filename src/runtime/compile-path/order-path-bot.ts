import type { Address } from "../../domain/ids.ts";
import { fixed } from "../../domain/fixed.ts";
import { unixMs } from "../../domain/time.ts";
import { StreamDecoder } from "../../gateway/stream-decoder.ts";
import { EntryEncoder } from "../../journal/entry-codec.ts";
import { defaultTiming, type KernelConfig } from "../../kernel/config.ts";
import type { Input } from "../../kernel/input.ts";
import { Kernel } from "../../kernel/kernel.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Crypto, Signer } from "../../ports/crypto.ts";
import { silentLog } from "../../ports/log.ts";
import { riskSchema } from "../../risk/settings.ts";
import { CommandSigner } from "../../spec/sign-command.ts";
import { Driver } from "../driver.ts";
import { unobserved } from "../kernel-config.ts";
import { Observers } from "../observers.ts";
import { firstBook, frameBytes, standInMarket, standInStrategy } from "./stand-in-market.ts";
import { StandInVenue } from "./stand-in-venue.ts";
import { TurnTimer } from "./turn-timer.ts";

export interface OrderPathBotOptions {
  /** Of the bot that starts: its switches are taken over, and none of its markets, strategies, accounts and limits. */
  readonly config: KernelConfig;
  /** With a key that nothing else knows. */
  readonly signer: Signer;
  readonly keccak256: Crypto["keccak256"];
  readonly clock: Pick<Clock, "monotonicUs">;
}

/** Its commands are signed for this chain and at these times, so that no venue takes them from any sender. */
const NO_CHAIN = 4_503_599_627_370_000;
const START_MS = 1_577_836_800_000;

/**
 * The order path once more, from a frame's bytes to a signed and encoded order, in the code of the running bot and with nothing that is the running
 * bot's: a market that does not exist, a strategy and a key of its own, a clock of its own, no network and no files.
 */
export class OrderPathBot {
  /** Requests that would have left. */
  orders = 0;
  readonly #options: OrderPathBotOptions;
  readonly #decoder = new StreamDecoder([standInMarket.marketId]);
  readonly #timer = new TurnTimer();
  readonly #venue: StandInVenue;
  readonly #driver: Driver;
  #nowMs = START_MS;
  #frames = 0;
  /** The next one, made before its piece begins. */
  #frame: Uint8Array | undefined;
  /** What the venue has to say since the last turn. */
  #responses: Input[] = [{ type: "stream", state: "opened", reason: "" }];

  constructor(options: OrderPathBotOptions) {
    const { config, signer, keccak256, clock } = options;
    const owner = signer.address;
    this.#options = options;
    const million = fixed("1000000");
    this.#venue = new StandInVenue({
      owner,
      market: standInMarket,
      book: firstBook,
      funds: { base: million, quote: million },
    });
    const commands = new CommandSigner({
      owner,
      chainId: NO_CHAIN,
      crypto: { keccak256 },
      signer,
    });
    const encoder = new EntryEncoder();
    const timer = this.#timer;
    this.#driver = new Driver({
      kernel: new Kernel(orderPathConfig(config, owner)),
      clock: { nowMs: () => unixMs(this.#nowMs), monotonicUs: () => clock.monotonicUs() },
      timer,
      log: silentLog,
      // The record is made and goes nowhere.
      journal: {
        append: (entry) => void encoder.batch(entry),
        sync: () => Promise.resolve(),
        measured: () => undefined,
        maintain: () => undefined,
      },
      durability: "process",
      observers: new Observers({ timer, log: silentLog, capacity: 1 }),
      sign: (command) => commands.sign(command),
      outlet: {
        send: (command, signed) => {
          this.orders += 1;
          this.#responses.push(...this.#venue.take(command, signed.txHash, this.#nowMs));
        },
        read: (read) => {
          const response = this.#venue.response(read, this.#nowMs);
          if (response !== undefined) this.#responses.push(response);
        },
      },
      reconnect: () => undefined,
      olderOrders: 0,
    });
    this.#driver.start();
  }

  /** One piece of the path: a frame and what it causes, or the venue's responses to that. Returns whether responses remain. */
  step(): boolean {
    if (this.#responses.length > 0 || this.#frame === undefined) this.#respond();
    else this.#take(this.#frame);
    const hasMore = this.#responses.length > 0;
    if (!hasMore) this.#frame ??= this.#nextFrame();
    return hasMore;
  }

  #take(bytes: Uint8Array): void {
    this.#frame = undefined;
    const receivedUs = this.#options.clock.monotonicUs();
    const frame = this.#decoder.decode(bytes);
    if (frame.type === "input") this.#driver.push(frame.input, receivedUs);
    this.#timer.turn();
  }

  #respond(): void {
    const responses = this.#responses;
    this.#responses = [];
    for (const input of responses) this.#driver.push(input);
    this.#timer.turn();
  }

  #nextFrame(): Uint8Array {
    this.#frames += 1;
    this.#nowMs += 1;
    return frameBytes(this.#frames, this.#nowMs);
  }
}

/** The same shape and switches, so that the compiled code is the bot's own. */
function orderPathConfig(config: KernelConfig, owner: Address): KernelConfig {
  return {
    ...config,
    owner,
    markets: [standInMarket],
    strategies: [
      {
        name: standInStrategy.name,
        definition: standInStrategy,
        params: {},
        marketId: standInMarket.marketId,
        seed: 1,
      },
    ],
    rate: { perSecond: 100_000, burst: 1_000, concurrency: 64 },
    risk: riskSchema.parse({
      staleBook: "10s",
      priceCollar: "5%",
      maxOrderSize: "100",
      maxOrderNotional: "100000",
      maxPosition: "1000",
      maxOpenOrders: 10,
    }),
    ladder: undefined,
    limitsToDerive: undefined,
    timing: unobserved(defaultTiming),
    probeOrderId: undefined,
  };
}
