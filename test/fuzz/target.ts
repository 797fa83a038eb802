import fc from "fast-check";

/** One thing that is fed with inputs, and how many of them came to what. */
export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  /** Accepted, and rightly so. */
  readonly taken: number;
  readonly refused: number;
  /** What went wrong first, shrunk; its target ends there. */
  readonly failure: FuzzFailure | undefined;
}

export interface FuzzFailure {
  readonly kind: ViolationKind | "crash";
  readonly message: string;
  readonly input: string;
  /** Gives the same input again. */
  readonly seed: number;
  readonly path: string;
}

export type ViolationKind = "accepted-invalid" | "refused-valid" | "state-changed" | "wrong-answer";

/** An input broke a rule. Any other exception is a crash. */
export class Violation extends Error {
  readonly kind: ViolationKind;

  constructor(kind: ViolationKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface FuzzTarget {
  readonly name: string;
  /** Its share of all inputs. */
  readonly weight: number;
  run(inputs: number, seed: number): Promise<FuzzReport>;
}

/** What looks at one input after another; `end` looks at what they left behind. */
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
  const run = async (numRuns: number, seed: number): Promise<FuzzReport> => {
    const probe = await open();
    const counts = { taken: 0, refused: 0 };
    const property = fc.property(inputs, (input) => {
      counts[probe.check(input)] += 1;
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
    return { target: name, inputs: result.numRuns, ...counts, failure };
  };
  return { name, weight, run };
}

function describeFailure(thrown: unknown): Pick<FuzzFailure, "kind" | "message"> {
  const kind = thrown instanceof Violation ? thrown.kind : "crash";
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { kind, message: text.split("\n").slice(0, 6).join("\n") };
}
