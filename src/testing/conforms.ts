import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { parseDurationMs, parseShare } from "../domain/setting.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { attackProperties } from "./attack-properties.ts";
import type { ConformanceMarket } from "./attacked-market.ts";
import type { AttackLoss, Property, Subject } from "./conformance-subject.ts";
import { decisionProperties } from "./decision-properties.ts";
import { orderProperties } from "./order-properties.ts";
import { type TrialOptions, trialSetup } from "./setup.ts";
import { troubleProperties } from "./trouble-properties.ts";

/**
 * Judges any strategy in scripted markets, with the simulated venue of `tryStrategy`. Each property plays markets of its own
 * (attacked-market.ts with the books of attacks.ts) and returns what is wrong in one sentence. What must hold always is watched in every
 * decision of every script.
 */

export interface ConformanceOptions<Params = unknown> extends TrialOptions<Params> {
  readonly market?: ConformanceMarket;
  /** What a unit may lose in an attack beyond the strategy's own half spread, as a share of the price; default `"0.6%"`. */
  readonly maxLoss?: string;
  /** The longest time of a decision with its part of the venue, in the median; default `"50ms"`. */
  readonly maxDecide?: string;
  /** Names of the properties to judge; all by default. */
  readonly only?: readonly string[];
}

export interface ConformanceResult {
  readonly property: string;
  readonly ok: boolean;
  /** What is wrong, or why the property does not apply. */
  readonly detail?: string;
  /** Of attacks that it withstands. */
  readonly attack?: AttackLoss;
}

export interface Conformance {
  readonly strategy: string;
  readonly results: readonly ConformanceResult[];
  /** A sentence for each property that does not hold, beginning with its name. */
  readonly failed: readonly string[];
}

const properties: Readonly<Record<string, Property>> = {
  ...orderProperties,
  ...attackProperties,
  ...troubleProperties,
  ...decisionProperties,
};

/** Plays every script for a strategy. Rejects with TouchlineError for invalid options, as `tryStrategy` does. */
export async function conforms<Schema extends z.ZodType, State, Role extends string>(
  definition: StrategyDefinition<Schema, State, Role>,
  options: ConformanceOptions<z.input<Schema>> = {},
): Promise<Conformance> {
  const {
    maxLoss = "0.6%",
    maxDecide = "50ms",
    only = Object.keys(properties),
    ...trial
  } = options;
  const [share, maxDecideMs] = [parseShare(maxLoss), parseDurationMs(maxDecide)];
  if (share === undefined || maxDecideMs === undefined) {
    throw new TouchlineError(
      "OPTIONS_INVALID",
      `${maxLoss} is no share, or ${maxDecide} no duration.`,
      {
        hint: 'For example maxLoss: "0.6%" and maxDecide: "50ms".',
      },
    );
  }
  const subject: Subject = { definition, options: trial, maxLoss: share, maxDecideMs };
  // Invalid options end here, not in each property.
  trialSetup(definition, trial);
  const results: ConformanceResult[] = [];
  for (const property of only) {
    const judge = properties[property];
    if (judge === undefined) {
      throw new TouchlineError("OPTIONS_INVALID", `There is no property "${property}".`, {
        hint: `The properties are: ${Object.keys(properties).join(", ")}.`,
      });
    }
    results.push({ property, ...(await resultOf(judge, subject)) });
  }
  const failed = results
    .filter(({ ok }) => !ok)
    .map(({ property, detail }) => `${property}: ${detail}`);
  return { strategy: definition.name, results, failed };
}

async function resultOf(
  judge: Property,
  subject: Subject,
): Promise<Omit<ConformanceResult, "property">> {
  try {
    const verdict = await judge(subject);
    if (verdict === undefined) return { ok: true };
    if (typeof verdict === "string") return { ok: false, detail: verdict };
    return "attack" in verdict ? { ok: true, ...verdict } : { ok: true, detail: verdict.skipped };
  } catch (thrown) {
    return { ok: false, detail: errorText(thrown) };
  }
}
