import { commands } from "../commands.ts";
import type { Endpoint } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { BODY_BYTES_MAX } from "../limits.ts";
import {
  contextName,
  type JsonSchema,
  jsonSchemaOf,
  namedSchemas,
  queryFields,
  reference,
} from "./json-schema.ts";

/** An OpenAPI 3.1 document, plain JSON. */
export interface OpenApi {
  readonly openapi: "3.1.1";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "query" | "path";
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

const tags: Readonly<Record<string, string>> = {
  "§4.1": "Wallet: balances, transfers, withdrawals and session wallets",
  "§4.2": "Orders: open orders, order history and executions of an address",
  "§4.3": "Market data",
  "§4.4": "Commands about orders, each a signed transaction",
};

const about = `Layer-2 spot trading. Amounts, prices and quantities are decimal text; times are milliseconds since the
epoch unless stated otherwise. Every change of state is a signed legacy transaction (EIP-155) to
0x00000000000000000000000000000000000000cc with value and gas price 0, whose data is a command byte followed by the JSON context of
the command; the id of an order is the hash of its transaction. § refers to the venue's interface document.`;

/** Describes every endpoint of the interface. */
export function openApi(): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of Object.values(endpoints)) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint),
    };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Layer-2 spot venue", version: "v1", description: oneLine(about) },
    servers: [{ url: "/" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: { ...namedSchemas(), ...failures }, responses: refusals },
  };
}

function operation(endpoint: Endpoint): Operation {
  return {
    operationId: endpoint.name,
    tags: [endpoint.section],
    summary: endpoint.summary,
    description: endpoint.section,
    parameters: queryFields(endpoint.query).map((field) =>
      endpoint.path.includes(`{${field.name}}`)
        ? { ...field, in: "path", required: true }
        : { ...field, in: "query" },
    ),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBody(endpoint, endpoint.body) }),
    responses: responses(endpoint),
  };
}

function requestBody(endpoint: Endpoint, body: NonNullable<Endpoint["body"]>): JsonSchema {
  const carried = Object.values(commands).filter(({ paths }) => paths.includes(endpoint.path));
  const lines = carried.map(
    ({ byte, name, summary }) =>
      `Command byte 0x${byte.toString(16).padStart(2, "0")} and ${contextName(name)}: ${summary}`,
  );
  return {
    required: true,
    description: [`At most ${BODY_BYTES_MAX} bytes.`, ...lines].join(" "),
    content: json(jsonSchemaOf(body)),
    ...(carried.length === 0
      ? {}
      : { "x-contexts": carried.map(({ name }) => reference(contextName(name))) }),
  };
}

function responses(endpoint: Endpoint): Readonly<Record<string, JsonSchema>> {
  const isCandles = endpoint.envelope === "candles";
  const refusal = (code: string): JsonSchema => ({
    $ref: `#/components/responses/${isCandles ? "CandlesRefused" : code === "429" ? "TooMany" : "Refused"}`,
  });
  const codes = ["400", "405", "429", "500", "503"];
  if (!isCandles) codes.push("404");
  if (endpoint.method === "POST") codes.push("401", "409", "413");
  return {
    "200": { description: "Done.", content: json(success(endpoint)) },
    ...Object.fromEntries(codes.sort().map((code) => [code, refusal(code)])),
  };
}

function success(endpoint: Endpoint): JsonSchema {
  const head = { code: { const: 200 }, errMsg: { const: "OK" } };
  const result = jsonSchemaOf(endpoint.result);
  switch (endpoint.envelope) {
    case "standard":
      return envelope({ ...head, result });
    case "bare":
      return envelope(head);
    case "candles":
      return envelope({ success: { const: true }, result });
  }
}

function envelope(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

function json(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}

const failures: Readonly<Record<string, JsonSchema>> = {
  Failure: envelope({
    code: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status." },
    errMsg: { type: "string", description: "What is wrong and in which field, in one sentence." },
    result: { type: "null" },
  }),
  CandlesFailure: envelope({
    success: { const: false },
    errorCode: { type: "string" },
    message: { type: "string" },
  }),
};

const refusals: Readonly<Record<string, JsonSchema>> = {
  Refused: {
    description:
      "Refused. Nothing was done, unless the status is 500 or above, which leaves the outcome open.",
    content: json(reference("Failure")),
  },
  TooMany: {
    description: "Too many requests of this signer or for this address; nothing was done.",
    headers: {
      "Retry-After": {
        required: true,
        description: "Seconds until the next request is accepted.",
        schema: { type: "integer", minimum: 1 },
      },
    },
    content: json(reference("Failure")),
  },
  CandlesRefused: {
    description: "Refused, in the envelope of the candles.",
    content: json(reference("CandlesFailure")),
  },
};

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
