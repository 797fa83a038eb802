import { z } from "zod";

/** A strategy with the parameters that can be tuned while it runs. */
export interface StrategyParameters {
  readonly name: string;
  readonly plugin: string;
  readonly market: string;
  /** As written, without defaults. */
  readonly params: unknown;
  /** JSON Schema of the parameters; those with `restart: true` are taken at a start only. Null where the plugin's schema has none. */
  readonly schema: unknown;
}

interface StrategySettings {
  readonly name: string;
  readonly plugin: string;
  readonly marketId: string;
  readonly writtenParams: unknown;
  readonly definition: { readonly params: unknown };
}

export function strategyParameters(
  strategies: readonly StrategySettings[],
): readonly StrategyParameters[] {
  return strategies.map(({ name, plugin, marketId, writtenParams, definition }) => ({
    name,
    plugin,
    market: marketId,
    params: writtenParams ?? {},
    schema: schemaOf(definition.params),
  }));
}

/** A plugin may bring a schema of another library, or of another copy of zod. */
function schemaOf(schema: unknown): unknown {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(schema as z.ZodType, {
      io: "input",
      unrepresentable: "any",
    });
    return json;
  } catch {
    return null;
  }
}
