import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonSchemaFiles, jsonSchemaText } from "../support/json-schema.ts";
import { builtInStrategies } from "../../src/config/load-plugin.ts";

const folder = new URL("../../schema/", import.meta.url);

test.each(jsonSchemaFiles)(
  "schema/%s is what the code accepts (UPDATE_SCHEMA=1 writes it anew)",
  async (name) => {
    const text = await jsonSchemaText(name);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(new URL(name, folder), text);
    expect(readFileSync(new URL(name, folder), "utf8")).toBe(text);
  },
);

test("schema/ holds the generated files only, and the package includes them", () => {
  expect(readdirSync(folder).sort()).toEqual([...jsonSchemaFiles].sort());
  const own = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(own.files).toContain("schema");
  expect(own.exports["./schema/*"]).toBe("./schema/*");
});

test("it describes keys, required ones, and the form of a duration", async () => {
  const schema = JSON.parse(await jsonSchemaText("bot.json"));
  expect(schema.required).toEqual(["strategies"]);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties.venue.required).toEqual(["rest", "ws", "chainId"]);
  expect(schema.properties.strategies.items.properties.name.type).toBe("string");
});

test("it describes each parameter of each built-in strategy", async () => {
  const schema = JSON.parse(await jsonSchemaText("bot.json"));
  const cases: {
    if: { properties: { plugin: { const: string } } };
    then: { properties: { params: Record<string, unknown> } };
  }[] = schema.properties.strategies.items.allOf;
  expect(cases.map((each) => each.if.properties.plugin.const)).toEqual(builtInStrategies());
  for (const { then } of cases) {
    const { params } = then.properties;
    expect(params["additionalProperties"]).toBe(false);
    for (const [name, param] of Object.entries(params["properties"] ?? {})) {
      expect(param, name).toHaveProperty("description");
    }
  }
});
