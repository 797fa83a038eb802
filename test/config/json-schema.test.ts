import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonSchemas, jsonSchemaText } from "../../src/config/json-schema.ts";

const folder = new URL("../../schema/", import.meta.url);
const names = Object.keys(jsonSchemas);

test.each(names)("schema/%s is what the code accepts (UPDATE_SCHEMA=1 writes it anew)", (name) => {
  const text = jsonSchemaText(name);
  if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(new URL(name, folder), text);
  expect(readFileSync(new URL(name, folder), "utf8")).toBe(text);
});

test("no file in schema/ is left over", () => {
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
});

test("it knows keys, which are needed, and what a duration looks like", () => {
  const schema = JSON.parse(jsonSchemaText("bot.json"));
  expect(schema.required).toEqual(["venue", "strategies"]);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties.venue.required).toEqual(["rest", "ws", "chainId"]);
  expect(schema.properties.strategies.items.properties.name.type).toBe("string");
});
