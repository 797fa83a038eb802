import type { StrategyParameters } from "./strategy-parameters.ts";

/** A change of a strategy's parameters whose effect is replayed first. */
export interface ProposedChange {
  readonly strategy: string;
  /** `key=value`, as `touchline tune` takes them. */
  readonly settings: readonly string[];
  /** How much of the end of the newest run is replayed. */
  readonly spanMs: number;
  /** The strategies' present parameters. */
  readonly present: readonly StrategyParameters[];
  /** Changes of limits are refused. */
  readonly isAgent: boolean;
}
