import { assert } from "../base/assert.ts";
import { toHex } from "../base/hex.ts";
import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { Kernel } from "../kernel/kernel.ts";
import type { ObservedStep } from "../metrics/summary.ts";
import { CommandEncoder } from "../spec/sign-command.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { SimulatedVenue } from "../simulated/simulated-venue.ts";

/** Our ping is answered that often (HOUSE: own ping frame every 5 s), so a quiet market is not taken for a dead venue. */
const ALIVE_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Told what happens, in order; `nowMs` is virtual. */
export interface BotWatcher {
  /** The exchange made a block. */
  block(block: Block): void;
  /** The kernel decided on a command, whose transaction has this hash. */
  decided(command: Command, txHash: OrderId, nowMs: UnixMs): void;
  /** The kernel took a step. */
  stepped(step: ObservedStep): void;
}

/**
 * A kernel at a simulated venue in virtual time. Whoever drives it goes from one moment to the next; within one millisecond the
 * market comes first, then requests that reach the exchange, then news that reach the bot, then the kernel's own deadline.
 */
export class VirtualBot {
  readonly venue: SimulatedVenue;
  readonly #kernel: Kernel;
  readonly #encoder: CommandEncoder;
  readonly #watcher: BotWatcher;
  #nowMs: UnixMs = unixMs(0);
  #seq = 0;
  /** First inputs of the next batch: the hashes of what was sent last. */
  #signed: Input[] = [];
  #deadlineMs = NEVER;
  #aliveMs = NEVER;
  #finished: Extract<Effect, { type: "finished" }> | undefined;

  constructor(
    setup: Pick<ReplaySetup, "kernel" | "chainId" | "balances" | "latency">,
    keccak256: Keccak256,
    watcher: BotWatcher,
  ) {
    const { kernel, chainId, balances, latency } = setup;
    this.#watcher = watcher;
    this.#kernel = new Kernel(kernel);
    this.#encoder = new CommandEncoder({ owner: kernel.owner, chainId, keccak256 });
    this.venue = new SimulatedVenue({
      markets: kernel.markets,
      owner: kernel.owner,
      balances,
      latency,
      onBlock: (block) => watcher.block(block),
    });
  }

  get nowMs(): UnixMs {
    return this.#nowMs;
  }

  /** The kernel's last word; undefined as long as it has not spoken it. */
  get finished(): Extract<Effect, { type: "finished" }> | undefined {
    return this.#finished;
  }

  /** Mid of a market's book less our own orders. */
  mid(marketId: MarketId): number | undefined {
    return this.#kernel.mid(marketId);
  }

  /** The first step. */
  start(nowMs: UnixMs): void {
    this.#nowMs = nowMs;
    this.#aliveMs = nowMs + ALIVE_MS;
    this.step([]);
    this.venue.send({ type: "subscribe" }, nowMs);
  }

  /** The next moment at which something happens by itself, always after now. */
  get nextMs(): number {
    return Math.min(this.venue.nextRequestMs, this.venue.nextNewsMs, this.#wakeMs, this.#aliveMs);
  }

  /** Goes to this moment, does what `market` says, then all that follows of it in the same millisecond. */
  moment(nowMs: UnixMs, market: () => void): void {
    assert(nowMs >= this.#nowMs, "time never goes back");
    const { venue } = this;
    const wakeMs = this.#wakeMs;
    this.#nowMs = nowMs;
    market();
    venue.handle(nowMs);
    const inputs: Input[] = [];
    for (let news = venue.receive(nowMs); news !== undefined; news = venue.receive(nowMs)) {
      inputs.push(news);
    }
    if (this.#aliveMs <= nowMs) {
      this.#aliveMs += ALIVE_MS;
      inputs.push({ type: "stream", state: "alive", reason: "" });
    }
    if (inputs.length > 0 || wakeMs <= nowMs) this.step(inputs);
  }

  /** One step of the kernel at the present moment. */
  step(inputs: readonly Input[]): void {
    const nowMs = this.#nowMs;
    this.#seq += 1;
    const batch = { seq: this.#seq, nowMs, inputs: [...this.#signed, ...inputs] };
    this.#signed = [];
    const { effects, notes, nextDeadlineMs } = this.#kernel.step(batch);
    this.#deadlineMs = nextDeadlineMs ?? NEVER;
    for (const effect of effects) this.#carryOut(effect, nowMs);
    this.#watcher.stepped({ batch, effects, notes });
  }

  /** A deadline that has passed already is met a millisecond later, as a timer would. */
  get #wakeMs(): number {
    return Math.max(Math.ceil(this.#deadlineMs), this.#nowMs + 1);
  }

  #carryOut(effect: Effect, nowMs: UnixMs): void {
    switch (effect.type) {
      case "place":
      case "stop":
      case "modify":
      case "cancel": {
        // Nothing is signed here: the id is the hash of the unsigned transaction.
        const txHash = toHex(this.#encoder.unsignedHash(effect)) as OrderId;
        this.#watcher.decided(effect, txHash, nowMs);
        this.#signed.push({ type: "signed", intent: effect.intent, txHash });
        this.venue.send({ type: "command", command: effect, txHash }, nowMs);
        return;
      }
      case "finished":
        this.#finished = effect;
        return;
      case "tokens":
        // Nobody else asks here.
        return;
      default:
        this.venue.send({ type: "read", read: effect }, nowMs);
    }
  }
}
