import { z } from "zod";
import { type LimitKey, limitKeys, limits, type LimitValues } from "./rules.ts";

/** The parsed `risk:` block of a bot's config: limits for every market, and those of single markets. */
export interface RiskSettings extends LimitValues {
  readonly markets: Readonly<Record<string, MarketLimits>>;
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

/**
 * Schema of `risk:`. Every key may be left out, null turns a limit off. `markets: { "1_2": { maxPosition: "5" } }` sets
 * limits of one market over the general ones, since base and quote tokens differ.
 */
export const riskSchema = z
  .strictObject({
    ...shapeOf("default"),
    markets: z
      .record(
        z.string().regex(/^\w+_\w+$/, 'is not a market, write it like "1_2"'),
        z.strictObject(shapeOf("optional")),
      )
      .default({})
      .describe("Limits of single markets, over the general ones."),
  })
  .describe("Limits that every placement has to keep; cancels always pass.");

/** The limits that apply in a market. */
export function limitsFor(settings: RiskSettings, marketId: string): LimitValues {
  const own = settings.markets[marketId];
  if (own === undefined) return settings;
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(set) };
}

/** The limits of a config without a `risk:` block. */
export const defaultRisk: RiskSettings = riskSchema.parse({});
