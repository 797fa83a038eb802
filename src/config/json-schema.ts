import { z } from "zod";
import { venueSchema } from "../venue/config.ts";
import { botSchema } from "./bot-config.ts";

/** What editors are told about the two kinds of YAML; `schema/` holds the same as files. */
export const jsonSchemas: Readonly<
  Record<string, { readonly title: string; readonly of: z.ZodType }>
> = {
  "bot.json": { title: "A Touchline bot", of: botSchema },
  "venue.json": { title: "A Touchline paper venue", of: venueSchema },
};

/** The text of a file in `schema/`: what may be written, before defaults and conversions. */
export function jsonSchemaText(name: string): string {
  const found = jsonSchemas[name];
  if (found === undefined) return "";
  const { $schema, ...schema } = z.toJSONSchema(found.of, { io: "input", unrepresentable: "any" });
  return `${JSON.stringify({ $schema, title: found.title, ...schema }, undefined, 2)}\n`;
}
