import { z } from "zod";
import { type ActionName, actionNames, actionText } from "../control/actions.ts";
import { actionBody, controlResponse } from "../control/protocol.ts";
import { resources, type Resource } from "./api-resources.ts";
import { errorSchema, responses } from "./api-schema.ts";

/** The OpenAPI document of the HTTP API, made of the schemas that check its requests. */
export function openApi(version: string): unknown {
  const paths = new Map<string, unknown>();
  for (const resource of resources) {
    const operationId = `get${resource.path.replaceAll(/\W+(\w?)/g, (_, next: string) => next.toUpperCase())}`;
    const get = { operationId, ...readingOf(resource), responses: found(resource.response) };
    paths.set(resource.path, { get });
  }
  const { session } = responses;
  const who = { operationId: "getSession", summary: "Name and role of the caller" };
  paths.set("/session", { get: { ...who, responses: found(session) } });
  const stream = {
    operationId: "getStream",
    summary:
      "Server-sent events: first the overview with its log, and one market as `view`, each without members that are null; then JSON merge patches (RFC 7396) of it",
    parameters: [{ name: "market", in: "query", required: false, schema: { type: "string" } }],
    responses: {
      "200": { description: "Events.", content: { "text/event-stream": {} } },
      ...errors,
    },
  };
  paths.set("/stream", { get: stream });
  for (const name of actionNames) paths.set(`/${name}`, { post: actionOf(name) });
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchline bot",
      version,
      description: "Reads a running bot, and acts as its operator. See docs/http-api.md.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/api/v1" }],
    security: [{ token: [] }, {}],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: json(errorSchema, "input") },
    },
  };
}

const errors = {
  "4XX": failure("The request was refused."),
  "5XX": failure("The bot cannot respond now."),
};

function failure(description: string): unknown {
  return {
    description,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function found(schema: z.ZodType): unknown {
  const content = { "application/json": { schema: json(schema, "input") } };
  return { "200": { description: "The newest state.", content }, ...errors };
}

function readingOf({ path, summary, input }: Resource): object {
  const { properties = {}, required = [] } = json(input, "input");
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const isInPath = path.includes(`{${name}}`);
    const isRequired = isInPath || required.includes(name);
    return { name, in: isInPath ? "path" : "query", required: isRequired, schema };
  });
  return parameters.length === 0 ? { summary } : { summary, parameters };
}

function actionOf(name: ActionName): unknown {
  const content = (schema: z.ZodType, io: "input" | "output") => ({
    "application/json": { schema: json(schema, io) },
  });
  return {
    operationId: name,
    summary: actionText(name),
    security: [{ token: [] }],
    requestBody: { required: true, content: content(actionBody(name), "input") },
    responses: {
      "200": { description: "Done.", content: content(controlResponse, "input") },
      "409": {
        description: "The bot could not do it, or not all of it.",
        content: content(controlResponse, "input"),
      },
      ...errors,
    },
  };
}

function json(schema: z.ZodType, io: "input" | "output"): z.core.JSONSchema.JSONSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
