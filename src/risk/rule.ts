import type { z } from "zod";
import type { Proposal, RiskContext } from "./context.ts";
import type { DenyReason } from "./reason.ts";

/** A rule that always holds: undefined when the proposal may pass. */
export interface Guard {
  readonly name: DenyReason["rule"];
  check(proposal: Proposal, context: RiskContext): DenyReason | undefined;
}

/** A rule with a limit that people set in `risk:`; null there turns it off. */
export interface Limit<Schema extends z.ZodType = z.ZodType> {
  readonly name: DenyReason["rule"];
  /** What the setting means, one sentence for the docs. */
  readonly summary: string;
  /** From what people write to the limit. */
  readonly params: Schema;
  /** As people would write it; null is off. */
  readonly default: z.input<Schema> | null;
  check(proposal: Proposal, context: RiskContext, params: z.output<Schema>): DenyReason | undefined;
}

/** Gives a rule its types. With `params` it is a limit, without a guard. One file per rule, listed in `rules.ts`. */
export function defineRule<Schema extends z.ZodType>(rule: Limit<Schema>): Limit<Schema>;
export function defineRule(rule: Guard): Guard;
export function defineRule(rule: Limit | Guard): Limit | Guard {
  return rule;
}
