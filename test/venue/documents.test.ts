import { beforeAll, describe, expect, test } from "vitest";
import { channels } from "../../src/spec/channels.ts";
import { commands } from "../../src/spec/commands.ts";
import { contextName } from "../../src/spec/documents/json-schema.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { testVenue, type TestVenue } from "../support/venue.ts";

type Json = { readonly [key: string]: Json } & Json[];

interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: unknown;
  }[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly description?: string; readonly content?: Json; readonly $ref?: string }
    >
  >;
  readonly requestBody?: { readonly content: Json };
}

let venue: TestVenue;
const documents: Record<string, unknown> = {};
beforeAll(async () => {
  venue = await testVenue();
  for (const name of ["openapi", "asyncapi"]) {
    const response = await venue.server.request("GET", `/${name}.json`);
    expect(response.headers?.["content-type"]).toBe("application/json");
    documents[name] = JSON.parse(response.body);
  }
});
const openapi = (): Json => documents["openapi"] as Json;
/** The operations of the document by path and method. */
const operations = () =>
  (documents["openapi"] as { paths: Record<string, Record<string, OpenApiOperation>> }).paths;
const asyncapi = (): Json => documents["asyncapi"] as Json;

/** Every `$ref` of a document with its path. */
function references(value: unknown, path = "#"): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    key === "$ref" ? [[path, String(inner)]] : references(inner, `${path}/${key}`),
  );
}

function resolve(document: Json, reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (at as Json | undefined)?.[part], document);
}

/** Keywords of JSON Schema 2020-12 that our documents use, with their allowed values. */
const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  $ref: (value) => typeof value === "string" && value.startsWith("#/components/schemas/"),
  type: (value) =>
    ["object", "array", "string", "integer", "number", "boolean", "null"].includes(value as string),
  properties: (value) => Object.values(value as object).every(isSchema),
  required: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  additionalProperties: (value) => typeof value === "boolean" || isSchema(value),
  propertyNames: isSchema,
  items: isSchema,
  prefixItems: (value) => Array.isArray(value) && value.every(isSchema),
  anyOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  oneOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  default: () => true,
  description: (value) => typeof value === "string",
  pattern: (value) => {
    return new RegExp(value as string, "u").unicode;
  },
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  minLength: Number.isInteger,
  maxLength: Number.isInteger,
  minItems: Number.isInteger,
  maxItems: Number.isInteger,
};

function isSchema(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const [key, inner] of Object.entries(value)) {
    const check = keywords[key];
    if (check === undefined || !check(inner)) throw new Error(`${key}: ${JSON.stringify(inner)}`);
  }
  return true;
}

describe("/openapi.json", () => {
  test("has the form of OpenAPI 3.1", () => {
    const document = openapi();
    expect(document["openapi"]).toMatch(/^3\.1\.\d$/);
    expect(document["info"]).toMatchObject({
      title: expect.any(String),
      version: expect.any(String),
    });
    const ids = new Set<unknown>();
    const tags = new Set((document["tags"] as Json[]).map(({ name }) => name));
    for (const [path, methods] of Object.entries(operations())) {
      expect(path).toMatch(/^\//);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const [method, operation] of Object.entries(methods)) {
        expect(["get", "post"]).toContain(method);
        const { operationId, parameters, responses, requestBody } = operation;
        ids.add(operationId);
        for (const tag of operation.tags) expect(tags).toContain(tag);
        const named = parameters.filter((each) => each.in === "path").map((each) => each.name);
        expect(named).toEqual(inPath);
        for (const each of parameters) {
          expect(isSchema(each.schema)).toBe(true);
          if (each.in === "path") expect(each.required).toBe(true);
          else expect(each.in).toBe("query");
        }
        if (method === "get") expect(requestBody).toBeUndefined();
        else expect(isSchema(requestBody?.content["application/json"]?.["schema"])).toBe(true);
        expect(Object.keys(responses)).toContain("200");
        for (const [code, response] of Object.entries(responses)) {
          expect(code).toMatch(/^[2-5]\d\d$/);
          if (response.$ref !== undefined) continue;
          expect(response.description).toEqual(expect.any(String));
          expect(isSchema(response.content?.["application/json"]?.["schema"])).toBe(true);
        }
      }
    }
    expect(ids.size).toBe(Object.keys(endpoints).length);
    const components = document["components"] as Json;
    for (const schema of Object.values(components["schemas"] as Json)) {
      expect(isSchema(schema)).toBe(true);
    }
    for (const [name, response] of Object.entries(components["responses"] as Json)) {
      expect([name, response["description"]]).toEqual([name, expect.any(String)]);
    }
  });

  test("describes every endpoint with its query and required fields, and every context", () => {
    const paths = openapi()["paths"] as Json;
    for (const { method, path } of Object.values(endpoints)) {
      expect(paths[path]?.[method.toLowerCase()]).toBeDefined();
    }
    const parameters = paths["/api/v1/order/trade"]?.["get"]?.["parameters"];
    expect(parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "address", required: true }),
        {
          name: "limit",
          in: "query",
          required: false,
          schema: { type: "integer", minimum: 1, maximum: 500, default: 100 },
        },
      ]),
    );
    const text = JSON.stringify(openapi());
    for (const { name, paths: at } of Object.values(commands)) {
      expect(openapi()["components"]?.["schemas"]).toHaveProperty(contextName(name));
      for (const path of at) {
        const contexts = paths[path]?.["post"]?.["requestBody"]?.["x-contexts"];
        expect(contexts).toContainEqual({ $ref: `#/components/schemas/${contextName(name)}` });
      }
    }
    expect(text).not.toContain("$defs");
  });

  test("resolves every reference", () => {
    for (const document of [openapi(), asyncapi()]) {
      const found = references(document);
      expect(found.length).toBeGreaterThan(10);
      for (const [at, reference] of found) {
        expect([at, reference, typeof resolve(document, reference)]).toEqual([
          at,
          reference,
          "object",
        ]);
      }
    }
  });
});

describe("/asyncapi.json", () => {
  test("has the form of AsyncAPI 3: server, channel, messages, operations", async () => {
    const document = asyncapi();
    expect(document["asyncapi"]).toBe("3.0.0");
    expect(document["servers"]).toEqual({
      venue: { host: "localhost", pathname: "/ws", protocol: "ws" },
    });
    const messages = document["components"]?.["messages"] as Json;
    expect(Object.keys(messages).sort()).toEqual(
      ["reply", "request", ...Object.keys(channels)].sort(),
    );
    for (const { payload, title } of Object.values(messages)) {
      expect(isSchema(payload)).toBe(true);
      expect(title).toEqual(expect.any(String));
    }
    expect(Object.keys(document["channels"]?.["socket"]?.["messages"] as Json).sort()).toEqual(
      Object.keys(messages).sort(),
    );
    for (const operation of Object.values(document["operations"] as Json)) {
      expect(["send", "receive"]).toContain(operation["action"]);
    }
  });
});

describe("/docs", () => {
  test("is one file without scripts or external resources, with every endpoint and channel", async () => {
    const { status, headers, body } = await venue.server.request("GET", "/docs");
    expect(status).toBe(200);
    expect(headers?.["content-security-policy"]).toContain("default-src 'none'");
    expect(body).not.toMatch(/<script|<link|<img|https?:\/\/|javascript:|\son\w+=/);
    for (const { path, method } of Object.values(endpoints))
      expect(body).toContain(`${method} ${path}<`);
    for (const { name } of Object.values(channels)) expect(body).toContain(`<code>${name}`);
    const opened = [...body.matchAll(/<(section|table|tr|td|code|p|a)[ >]/g)].length;
    const closed = [...body.matchAll(/<\/(section|table|tr|td|code|p|a)>/g)].length;
    expect(opened).toBe(closed);
    const ids = [...body.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    const anchors = new Set(ids);
    expect(anchors.size).toBe(ids.length);
    expect(ids.filter((id) => id === "" || /\s/.test(id ?? ""))).toEqual([]);
    const links = [...body.matchAll(/href="#([^"]*)"/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(Object.keys(endpoints).length);
    for (const link of links) expect(anchors).toContain(link);
    // The table of contents links to every endpoint.
    for (const { path, method } of Object.values(endpoints))
      expect(links).toContain(`${method}-${path}`);
  });

  test("accepts GET only", async () => {
    expect(await venue.server.request("POST", "/docs")).toMatchObject({
      status: 405,
      headers: { allow: "GET" },
    });
  });
});
