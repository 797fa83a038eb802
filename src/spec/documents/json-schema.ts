import { z } from "zod";
import { accountUserEvent, orderUserEvent } from "../channels/user-event.ts";
import { commands } from "../commands.ts";
import { tokenBalance } from "../endpoints/balance.ts";
import { candle } from "../endpoints/candles.ts";
import { orderBook } from "../endpoints/depth.ts";
import { marketRecord } from "../endpoints/market.ts";
import { sessionWallet } from "../endpoints/session-list.ts";
import { tokenRecord } from "../endpoints/tokens.ts";
import { transferRecord } from "../endpoints/transfers.ts";
import { openOrder, order, publicTrade, tickerRecord, userTrade } from "../resources.ts";

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Shapes that get a name in the documents; all others are inlined. */
const named: Readonly<Record<string, z.ZodType>> = {
  Order: order,
  OpenOrder: openOrder,
  UserTrade: userTrade,
  PublicTrade: publicTrade,
  Ticker: tickerRecord,
  Market: marketRecord,
  Token: tokenRecord,
  TokenBalance: tokenBalance,
  OrderBook: orderBook,
  Candle: candle,
  SessionWallet: sessionWallet,
  Transfer: transferRecord,
  OrderEvent: orderUserEvent,
  AccountEvent: accountUserEvent,
  ...Object.fromEntries(
    Object.values(commands).map((command) => [contextName(command.name), command.context]),
  ),
};

const names = z.registry<{ readonly id: string }>();
for (const [id, schema] of Object.entries(named)) names.add(schema, { id });

/** Name of a command's context: `OrderContext`, `TokenTransferContext`. */
export function contextName(command: string): string {
  const words = command.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Context`;
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => {
      const written = toJson(schema, "input");
      const definitions = written["$defs"] as Readonly<Record<string, JsonSchema>> | undefined;
      return [name, tidy(definitions?.[name] ?? written) as JsonSchema];
    }),
  );
}

/** Schema of a shape on the wire, with named shapes by reference. Unknown fields are allowed where the codec tolerates them. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return tidy(toJson(schema, "input")) as JsonSchema;
}

/** Fields of a query with the types of their values (`integer`, not text), and whether they are required. */
export function queryFields(query: z.ZodType): {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}[] {
  const written = toJson(query, "input");
  const meant = toJson(query, "output");
  const required = (written["required"] ?? []) as readonly string[];
  const properties = (meant["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    schema: tidy(schema) as JsonSchema,
  }));
}

function toJson(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: "any", metadata: names });
}

/** Points references at the document's components and drops keywords without meaning. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      key !== "$schema" &&
      key !== "$defs" &&
      key !== "id" &&
      !(key === "minimum" && inner === Number.MIN_SAFE_INTEGER) &&
      !(key === "maximum" && inner === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(
    kept.map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : key === "properties"
          ? tidyProperties(inner as Readonly<Record<string, unknown>>)
          : tidy(inner),
    ]),
  );
}

/** Property names are kept, even if they look like a keyword that `tidy` drops. */
function tidyProperties(properties: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, tidy(inner)]));
}
