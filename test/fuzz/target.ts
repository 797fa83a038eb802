import fc from "fast-check";

/** The result of one fuzz target. */
export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  /** Number of valid inputs that were accepted. */
  readonly taken: number;
  readonly refused: number;
  /** Processor time of the slowest input, milliseconds, the best of several runs; of inputs below a millisecond only the fact. */
  readonly slowestMs: number;
  /** The first failure, shrunk; the target stops at it. */
  readonly failure: FuzzFailure | undefined;
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
  /** An input that takes longer than `stallMs` of processor time, however often it is tried, is a failure. Default: any time will do. */
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
    let slowestMs = 1;
    const counts = { taken: 0, refused: 0 };
    const property = fc.property(inputs, (input) => {
      const startMs = performance.now();
      counts[probe.check(input)] += 1;
      if (performance.now() - startMs < slowestMs) return;
      const takenMs = leastProcessorMs(() => probe.check(input), stallMs);
      slowestMs = Math.max(slowestMs, takenMs);
      if (takenMs > stallMs) throw new Violation("stall", `it takes ${takenMs} ms`);
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
    return { target: name, inputs: result.numRuns, ...counts, slowestMs, failure };
  };
  return { name, weight, run };
}

/**
 * The least of three runs, of more while it is a stall: compiling, collecting garbage and what else runs on the machine are not the
 * input's own. Only this thread's time counts: the threads that help to collect garbage do not hold the event loop.
 */
function leastProcessorMs(run: () => unknown, stallMs: number): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 || (round < 20 && leastMs > stallMs); round += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}

function describeFailure(thrown: unknown): Pick<FuzzFailure, "kind" | "message"> {
  const kind = thrown instanceof Violation ? thrown.kind : "crash";
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { kind, message: text.split("\n").slice(0, 6).join("\n") };
}
