import { GCProfiler } from "node:v8";
import fc from "fast-check";

/** The result of one fuzz target. */
export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  /** Number of valid inputs that were accepted. */
  readonly taken: number;
  readonly refused: number;
  /** Of the slowest input; of inputs below a millisecond only the fact. */
  readonly slowest: Held;
  /** The first failure, shrunk; the target stops at it. */
  readonly failure: FuzzFailure | undefined;
}

/** How long one input holds the event loop, milliseconds: of several runs the one with the least `heldMs`. */
export interface Held {
  /** Wall time, without the time in which other programs had the processor. */
  readonly heldMs: number;
  readonly wallMs: number;
  /** Wall time of collecting garbage. */
  readonly garbageMs: number;
}

export interface FuzzFailure {
  readonly kind: ViolationKind | "crash";
  readonly message: string;
  readonly input: string;
  /** Seed and path that reproduce the input. */
  readonly seed: number;
  readonly path: string;
}

export type ViolationKind =
  | "stall"
  | "accepted-invalid"
  | "refused-valid"
  | "state-changed"
  | "wrong-answer";

/** Thrown when an input broke a rule. Any other exception counts as a crash. */
export class Violation extends Error {
  readonly kind: ViolationKind;

  constructor(kind: ViolationKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface FuzzTarget {
  readonly name: string;
  /** Share of all inputs, relative to the other targets. */
  readonly weight: number;
  /** An input that holds the event loop longer than `stallMs`, however often it is tried, is a failure. Default: any time will do. */
  run(inputs: number, seed: number, stallMs?: number): Promise<FuzzReport>;
}

/** Checks one input after another; `end` checks the final state. */
export interface Probe<Input> {
  check(input: Input): "taken" | "refused";
  end?(): void;
}

export function defineTarget<Input>(options: {
  readonly name: string;
  readonly weight: number;
  readonly inputs: fc.Arbitrary<Input>;
  open(): Promise<Probe<Input>> | Probe<Input>;
}): FuzzTarget {
  const { name, weight, inputs, open } = options;
  const run = async (
    numRuns: number,
    seed: number,
    stallMs = Number.POSITIVE_INFINITY,
  ): Promise<FuzzReport> => {
    const probe = await open();
    let slowest: Held = { heldMs: 1, wallMs: 1, garbageMs: 0 };
    const counts = { taken: 0, refused: 0 };
    const property = fc.property(inputs, (input) => {
      const startMs = performance.now();
      counts[probe.check(input)] += 1;
      if (performance.now() - startMs < slowest.heldMs) return;
      const held = leastHeld(() => probe.check(input), stallMs);
      if (held.heldMs > slowest.heldMs) slowest = held;
      if (held.heldMs > stallMs) throw new Violation("stall", JSON.stringify(held));
    });
    const result = fc.check(property, { numRuns, seed, endOnFailure: false });
    let failure: FuzzFailure | undefined;
    if (result.failed) {
      const thrown: unknown = result.errorInstance;
      failure = {
        ...describeFailure(thrown),
        input: fc.stringify(result.counterexample).slice(0, 2000),
        seed,
        path: result.counterexamplePath ?? "",
      };
    } else {
      try {
        probe.end?.();
      } catch (thrown) {
        failure = { ...describeFailure(thrown), input: "all of them", seed, path: "" };
      }
    }
    return { target: name, inputs: result.numRuns, ...counts, slowest, failure };
  };
  return { name, weight, run };
}

/**
 * The least of three runs, of more while it is a stall: compiling is not the input's own. Time away from the processor counts only
 * while garbage is collected, when the thread may wait for others that collect.
 */
function leastHeld(run: () => unknown, stallMs: number): Held {
  let least: Held | undefined;
  for (let round = 0; round < 3 || (round < 20 && (least?.heldMs ?? 0) > stallMs); round += 1) {
    const collector = new GCProfiler();
    collector.start();
    const before = process.threadCpuUsage();
    const startMs = performance.now();
    run();
    const wallMs = performance.now() - startMs;
    const { user, system } = process.threadCpuUsage(before);
    const pauses = collector.stop()?.statistics ?? [];
    const garbageMs = pauses.reduce((sum, { cost }) => sum + cost / 1000, 0);
    const heldMs = Math.min(wallMs, (user + system) / 1000 + garbageMs);
    if (least === undefined || heldMs < least.heldMs) least = { heldMs, wallMs, garbageMs };
  }
  return least ?? { heldMs: 0, wallMs: 0, garbageMs: 0 };
}

function describeFailure(thrown: unknown): Pick<FuzzFailure, "kind" | "message"> {
  const kind = thrown instanceof Violation ? thrown.kind : "crash";
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { kind, message: text.split("\n").slice(0, 6).join("\n") };
}
