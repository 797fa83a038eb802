import { marketIdsOf, type TradesIn } from "../domain/market-roles.ts";
import { type Fixed, fixedText, fixedToNumber } from "../domain/fixed.ts";
import { durationText, percentText } from "../domain/setting.ts";
import { limitOf, type SummaryLimit } from "../metrics/summary.ts";
import type { Note } from "../kernel/note.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import { type LimitKey, limitKeys, type LimitValues } from "../risk/rules.ts";
import { defaultRisk, limitsFor, type RiskLimits } from "../risk/settings.ts";
import { sizeLimitText } from "../risk/size-limit.ts";
import type { TriggerUnit } from "../risk/trigger.ts";
import { triggerNames, triggers as riskTriggers } from "../risk/triggers.ts";

/** One limit with the place that its value comes from. */
export interface LimitRow extends SummaryLimit {
  readonly source: "set" | "default" | "derived";
}

/** The part of a bot's configuration that limits it. */
export interface ConfiguredLimits {
  readonly risk: RiskLimits & { readonly triggers: TriggerValues };
  readonly strategies: readonly (TradesIn & {
    readonly name: string;
    readonly triggers?: TriggerValues | undefined;
  })[];
}

type TextOf = { readonly [Key in LimitKey]: (value: NonNullable<LimitValues[Key]>) => string };

const textOf: TextOf = {
  staleBook: durationText,
  priceCollar: percentText,
  maxOrderSize: sizeLimitText,
  maxOrderNotional: fixedText,
  maxPosition: sizeLimitText,
  maxNet: sizeLimitText,
  maxOpenOrders: String,
};

/** What the configuration limits: orders by market, then losses and the like that pause or halt. Limits that are off are left out. */
export function configuredRows({ risk, strategies }: ConfiguredLimits): readonly LimitRow[] {
  return [
    ...marketIdsOf(strategies).flatMap((marketId) => {
      const values = limitsFor(risk, marketId);
      return limitKeys.flatMap((key) => rowOf(marketId, key, values));
    }),
    ...triggerRows(null, risk.triggers),
    ...strategies.flatMap(({ name, triggers = {} }) => triggerRows(name, triggers)),
  ];
}

/** The row of a derived limit takes the place of the others of its name there. */
export function withDerived(
  rows: readonly LimitRow[],
  note: Extract<Note, { type: "limit" }>,
): readonly LimitRow[] {
  const { limit: name, of: place, value } = limitOf(note);
  // A loss stop is derived as a halt; the milder steps that are set stay.
  const steps = rows.find(({ limit, of }) => limit === name && of === place)?.value;
  const text =
    name !== "dayLoss"
      ? value
      : [...(steps === undefined ? [] : [steps]), `halt ${value}`].join(", ");
  const row: LimitRow = { limit: name, of: place, value: text, source: "derived" };
  const others = rows.filter(({ limit, of }) => limit !== row.limit || of !== row.of);
  const at = others.findLastIndex(({ of }) => of === row.of) + 1;
  return at === 0 ? [...others, row] : others.toSpliced(at, 0, row);
}

function rowOf<Key extends LimitKey>(of: string, key: Key, values: LimitValues): LimitRow[] {
  const value = values[key];
  if (value === null) return [];
  const texts: TextOf = textOf;
  const source = value === defaultRisk[key] ? "default" : "set";
  return [{ limit: key, of, value: texts[key](value), source }];
}

function triggerRows(of: string | null, triggers: TriggerValues): LimitRow[] {
  return triggerNames.flatMap((limit) => {
    const steps = triggers[limit]?.steps ?? [];
    if (steps.length === 0) return [];
    const { unit } = riskTriggers[limit];
    const value = steps.map(({ step, from }) => `${step} ${stepText(unit, from)}`).join(", ");
    return [{ limit, of, value, source: "set" }];
  });
}

/** The value of a step as written in the YAML. */
function stepText(unit: TriggerUnit, from: Fixed): string {
  switch (unit) {
    case "share":
      return percentText(fixedToNumber(from));
    case "duration":
      return durationText(fixedToNumber(from));
    case "quote":
    case "count":
      return fixedText(from);
  }
}
