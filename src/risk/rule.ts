import type { z } from "zod";
import type { Proposal, RiskContext } from "./context.ts";
import type { DenyReason } from "./reason.ts";

/** A rule without a setting. `check` is undefined when the proposal may pass. */
export interface Guard {
  readonly name: DenyReason["rule"];
  check(proposal: Proposal, context: RiskContext): DenyReason | undefined;
}

/** A rule with a limit that users set in `risk:`; null turns it off. */
export interface Limit<Schema extends z.ZodType = z.ZodType> {
  readonly name: DenyReason["rule"];
  /** What the setting means, one sentence for the docs. */
  readonly summary: string;
  /** Parses the written setting. */
  readonly params: Schema;
  /** As written in YAML; null is off. */
  readonly default: z.input<Schema> | null;
  check(proposal: Proposal, context: RiskContext, params: z.output<Schema>): DenyReason | undefined;
}

/** Gives a rule its types: with `params` it is a limit, without them a guard. One file per rule, listed in `rules.ts`. */
export function defineRule<Schema extends z.ZodType>(rule: Limit<Schema>): Limit<Schema>;
export function defineRule(rule: Guard): Guard;
export function defineRule(rule: Limit | Guard): Limit | Guard {
  return rule;
}
