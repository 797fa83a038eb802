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

/** JSON Schema (2020-12), as the documents hold it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Shapes that have a name in the documents; all others stand where they are used. */
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

/** `OrderContext`, `TokenTransferContext`: the name of a command's context. */
export function contextName(command: string): string {
  const words = command.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Context`;
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** All named shapes, for `components.schemas`. */
export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => {
      const written = toJson(schema, "input");
      const definitions = written["$defs"] as Readonly<Record<string, JsonSchema>> | undefined;
      return [name, tidy(definitions?.[name] ?? written) as JsonSchema];
    }),
  );
}

/** A shape as it is written on the wire, named shapes by reference. Unknown fields are allowed where the codec tolerates them. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return tidy(toJson(schema, "input")) as JsonSchema;
}

/** Fields of a query as their values are meant (`integer`, not text), and which of them a caller has to give. */
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

/** Points references at the document's components, and leaves out what says nothing. */
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

/** Names of properties are the interface's, whatever they are called. */
function tidyProperties(properties: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, tidy(inner)]));
}
