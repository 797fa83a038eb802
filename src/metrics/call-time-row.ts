/** A function of a strategy that the kernel calls. */
export type StrategyHook = "init" | "decide" | "state.save" | "state.load" | "describe";

/** How long the calls of one function of a strategy took, in microseconds. */
export interface CallTimeRow {
  readonly strategy: string;
  readonly hook: StrategyHook;
  readonly count: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}
