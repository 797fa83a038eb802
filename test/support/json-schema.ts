import { z } from "zod";
import { venueSchema } from "../../src/venue/config.ts";
import { botSchema } from "../../src/config/bot-config.ts";
import { sweepSchema } from "../../src/config/sweep-config.ts";
import { builtInStrategies, loadPlugin } from "../../src/config/load-plugin.ts";

/** JSON Schemas of every kind of YAML for editors, stored as files in `schema/`. */
export const jsonSchemaFiles = ["bot.json", "sweep.json", "venue.json"] as const;

const kinds = {
  "bot.json": { title: "A Touchline bot", schema: botSchema },
  "sweep.json": { title: "A Touchline parameter sweep", schema: sweepSchema },
  "venue.json": { title: "A Touchline paper venue", schema: venueSchema },
} as const;

/** The text of a file in `schema/`. It describes input, before defaults and conversions. */
export async function jsonSchemaText(name: (typeof jsonSchemaFiles)[number]): Promise<string> {
  const { title, schema: source } = kinds[name];
  const { $schema, ...schema } = written(source);
  if (name === "bot.json") await addParams(schema);
  return `${JSON.stringify({ $schema, title, ...schema }, undefined, 2)}\n`;
}

function written(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** Adds the schemas of `params` for the built-in plugins. */
async function addParams(bot: z.core.JSONSchema.JSONSchema): Promise<void> {
  const { strategies } = bot.properties ?? {};
  const items = typeof strategies === "object" ? strategies.items : undefined;
  if (typeof items !== "object" || Array.isArray(items)) throw new Error("strategies are a list");
  // The rest may be in `defaults`.
  items.required = ["name", "market"];
  const cases: z.core.JSONSchema.JSONSchema[] = [];
  for (const plugin of builtInStrategies()) {
    const loaded = await loadPlugin({ plugin, configFile: "bot.yaml" });
    if (!loaded.ok) throw new Error(`${plugin} ${loaded.error}`);
    const { $schema: _, required: __, ...params } = written(loaded.value.params);
    cases.push({
      if: { properties: { plugin: { const: plugin } }, required: ["plugin"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; it is never awaited
      then: { properties: { params } },
    });
  }
  items.allOf = cases;
}
