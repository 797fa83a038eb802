import type { Prng } from "../base/prng.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { FaultTarget } from "./fault-target.ts";
import { between, type Fault } from "./faults.ts";

/** When a fault was on, on the clock of `elapsedMs`; without an end while it is on. */
export interface FaultEpisode {
  readonly name: string;
  /** Otherwise it is one of the troubles of which a world has one at a time. */
  readonly isOfNetwork: boolean;
  readonly fromMs: number;
  toMs: number | undefined;
}

/** Runs the episodes of the chosen faults. All random draws come from `prng`, so a seed repeats them. */
export class FaultPlan {
  readonly #target: FaultTarget;
  readonly #timer: Timer & { readonly elapsedMs: number };
  readonly #next = new Map<Fault, TimerHandle>();
  readonly #running = new Map<Fault, () => void>();
  /** Number of episodes so far, by kind. */
  readonly begun = new Map<string, number>();
  /** Every episode so far. */
  readonly episodes: FaultEpisode[] = [];

  constructor(target: FaultTarget, timer: Timer & { readonly elapsedMs: number }) {
    this.#target = target;
    this.#timer = timer;
  }

  start(kinds: readonly Fault[], prng: Prng): void {
    for (const fault of kinds) {
      if (fault.isCondition === true) this.begun.set(fault.name, 1);
      else this.#plan(fault, prng.fork(fault.name));
    }
  }

  /** Ends all running episodes and starts no new ones. */
  stop(): void {
    for (const handle of this.#next.values()) handle.cancel();
    this.#next.clear();
    for (const end of this.#running.values()) end();
    this.#running.clear();
    for (const episode of this.episodes) episode.toMs ??= this.#timer.elapsedMs;
  }

  #plan(fault: Fault, prng: Prng): void {
    let episode: FaultEpisode | undefined;
    const begin = (): void => {
      const { name, trouble } = fault;
      const fromMs = this.#timer.elapsedMs;
      episode = { name, isOfNetwork: trouble === undefined, fromMs, toMs: undefined };
      this.episodes.push(episode);
      this.begun.set(fault.name, (this.begun.get(fault.name) ?? 0) + 1);
      const end = fault.begin(this.#target, prng);
      const [low, high] = fault.lastsMs;
      if (end !== undefined) this.#running.set(fault, end);
      this.#next.set(fault, this.#timer.after(between(prng, low, high), over));
    };
    const over = (): void => {
      if (episode !== undefined) episode.toMs = this.#timer.elapsedMs;
      this.#running.get(fault)?.();
      this.#running.delete(fault);
      this.#plan(fault, prng);
    };
    this.#next.set(fault, this.#timer.after(prng.exponential(fault.everyMs), begin));
  }
}
