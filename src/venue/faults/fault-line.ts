import { Prng } from "../../base/prng.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FaultLineConfig } from "./fault-config.ts";
import type { FaultKind } from "./fault-kind.ts";

/** One line of the schedule: when it is active, and what it strikes. */
export class FaultLine {
  readonly kind: FaultKind;
  readonly options: FaultLineConfig;
  readonly random: Prng;
  readonly #clock: Clock;
  readonly #matches: RegExp;
  readonly #beginsUs: number;
  readonly #endsUs: number;
  #strikes = 0;

  /** `number` is its place in the schedule, so that two equal lines draw different random numbers. */
  constructor(kind: FaultKind, options: FaultLineConfig, number: number, clock: Clock) {
    this.kind = kind;
    this.options = options;
    this.random = new Prng(options.seed).fork(`${number} ${kind.name}`);
    this.#clock = clock;
    const parts = options.match.split("*").map((part) => part.replace(/[^\w]/g, "\\$&"));
    this.#matches = new RegExp(`^${parts.join(".*")}$`, "s");
    this.#beginsUs = clock.monotonicUs() + options.at * 1000;
    this.#endsUs = this.#beginsUs + (options.for ?? Number.POSITIVE_INFINITY) * 1000;
  }

  get isOn(): boolean {
    const nowUs = this.#clock.monotonicUs();
    return (
      nowUs >= this.#beginsUs &&
      nowUs < this.#endsUs &&
      this.#strikes < (this.options.count ?? Number.POSITIVE_INFINITY)
    );
  }

  /** Decides whether a match is struck, and counts strikes. */
  strikes(subject: string): boolean {
    if (!this.isOn || !this.#matches.test(subject) || !this.random.chance(this.options.rate))
      return false;
    this.#strikes += 1;
    return true;
  }
}
