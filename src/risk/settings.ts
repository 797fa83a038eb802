import { z } from "zod";
import type { TriggerValues } from "./ladder.ts";
import { type LimitKey, limitKeys, limits, type LimitValues } from "./rules.ts";
import { triggerSchema } from "./trigger.ts";
import { type TriggerName, triggerNames, triggers } from "./triggers.ts";

/** The order limits of a bot: those for every market, and those of single markets. */
export interface RiskLimits extends LimitValues {
  readonly markets: Readonly<Record<string, MarketLimits>>;
}

/** The parsed `risk:` block of a bot's config: order limits, and the triggers of the whole bot. */
export interface RiskSettings extends RiskLimits {
  readonly triggers: TriggerValues;
  readonly widenBy: number;
}

/** Limits of one market; a key that is left out or undefined follows the general one. */
export type MarketLimits = { readonly [Key in LimitKey]?: LimitValues[Key] | undefined };

type Shape<Wrap extends "default" | "optional"> = {
  [Key in LimitKey]: Wrapped<(typeof limits)[Key]["params"], Wrap>;
};
type Wrapped<Schema extends z.ZodType, Wrap> = Wrap extends "default"
  ? z.ZodPrefault<z.ZodNullable<Schema>>
  : z.ZodOptional<z.ZodNullable<Schema>>;

function shapeOf<Wrap extends "default" | "optional">(wrap: Wrap): Shape<Wrap> {
  const entries = limitKeys.map((key) => {
    const { params, summary, default: preset }: (typeof limits)[LimitKey] = limits[key];
    const schema: z.ZodType = params.nullable();
    const wrapped = wrap === "default" ? schema.prefault(preset) : schema.optional();
    return [key, wrapped.describe(`${summary} null turns it off.`)];
  });
  return Object.fromEntries(entries) as Shape<Wrap>;
}

/** The triggers of a config without any, for the bot and for a strategy: none. */
const defaultTriggers: Readonly<Record<"bot" | "strategy", TriggerValues>> = {
  bot: {},
  strategy: {},
};

/**
 * Schema of `risk.triggers`, and of a strategy's; null is a trigger that is off. Lazy, so that the table of keys has one row for all triggers: each has a paragraph
 * in `docs/risk.md`.
 */
export function triggersSchema(scope: "bot" | "strategy"): z.ZodDefault<z.ZodType<TriggerValues>> {
  const names = triggerNames.filter((name) => triggers[name].scopes.some((one) => one === scope));
  const shape = Object.fromEntries(
    names.map((name: TriggerName) => [name, triggerSchema(triggers[name]).nullish()]),
  );
  const schema: z.ZodType<TriggerValues> = z.lazy(() =>
    z.strictObject(shape).transform((written): TriggerValues => {
      const set = Object.entries(written).filter(([, settings]) => settings !== null);
      return Object.fromEntries(set);
    }),
  );
  return schema.default(defaultTriggers[scope]);
}

/**
 * Schema of `risk:`. Every key may be left out, null turns a limit off. `markets: { "1_2": { maxPosition: "5" } }` sets
 * limits of one market over the general ones, since base and quote tokens differ.
 */
export const riskSchema = z
  .strictObject({
    ...shapeOf("default"),
    markets: z
      .record(
        z
          .string()
          .regex(/^\w+[_/]\w+$/, 'is not a market, write it like "1_2" or "ETH/USDC"')
          .transform((written) => written.replace("/", "_")),
        z.strictObject(shapeOf("optional")),
      )
      .default({})
      .describe("Limits of single markets, over the general ones."),
    triggers: triggersSchema("bot").describe(
      "Steps of the risk ladder for the whole bot, by trigger, null for off; see docs/risk.md. Without a trigger of losses that pauses or halts, `run` and `paper` derive `dayLoss`.",
    ),
    widenBy: z
      .number()
      .min(1)
      .max(100)
      .default(2)
      .describe("The step `widen` multiplies the distance of each quote from the mid by this."),
  })
  .describe("Limits that every placement has to keep; cancels always pass.");

/** The limits that apply in a market. */
export function limitsFor(settings: RiskLimits, marketId: string): LimitValues {
  const own = settings.markets[marketId];
  if (own === undefined) return settings;
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(set) };
}

/** The limits of a config without a `risk:` block. */
export const defaultRisk: RiskSettings = riskSchema.parse({});
