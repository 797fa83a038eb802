/** What the operator told the whole bot, or one strategy. */
export interface OperatorState {
  isPaused: boolean;
  /** As the step `reduceOnly` of the risk ladder. */
  isReduceOnly: boolean;
  /** Why an operator halted it; undefined unless it is halted. */
  haltReason: string | undefined;
}

export function newOperatorState(): OperatorState {
  return { isPaused: false, isReduceOnly: false, haltReason: undefined };
}

/** Why the bot or the strategy is halted by an operator; undefined when neither is. */
export function haltReasonOf(
  { operator }: { readonly operator: OperatorState },
  runner: { readonly operator: OperatorState } | undefined,
): string | undefined {
  return operator.haltReason ?? runner?.operator.haltReason;
}
