import { z } from "zod";
import { answerLimits } from "./answer-limits.ts";
import type { JsonLimits } from "./bounded-json.ts";
import { hexText } from "./fields.ts";

/**
 * One REST endpoint as data. The client call, the server's route, validation, docs and contract tests derive from it.
 * `query` and `body` decode what a client sends; `result` decodes the venue's response.
 */
export interface Endpoint<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  DecodedResponse extends z.ZodType = z.ZodType,
> {
  /** File name, and name of the client call. */
  readonly name: string;
  /** Section of the interface document, e.g. `§4.3`. */
  readonly section: string;
  readonly summary: string;
  readonly method: "GET" | "POST";
  /** Contains `{name}` for a path parameter, which is part of `query` under that name. */
  readonly path: string;
  readonly query: Query;
  /** Undefined for GET. */
  readonly body: Body | undefined;
  readonly result: DecodedResponse;
  /** The largest response that a client reads. */
  readonly limits: JsonLimits;
  /** `standard`: `{code, errMsg, result}`; `bare`: without `result`; `candles`: `{success, result}` (§1.2). */
  readonly envelope: "standard" | "bare" | "candles";
}

/** Identity function that infers an endpoint's types. */
export function defineEndpoint<
  Query extends z.ZodType,
  DecodedResponse extends z.ZodType,
  Body extends z.ZodType = z.ZodUndefined,
>(
  endpoint: Omit<Endpoint<Query, Body, DecodedResponse>, "envelope" | "body" | "limits"> & {
    readonly body?: Body;
    readonly envelope?: Endpoint["envelope"];
    /** Default: one row. */
    readonly limits?: JsonLimits;
  },
): Endpoint<Query, Body, DecodedResponse> {
  return { envelope: "standard", limits: answerLimits(1), ...endpoint, body: endpoint.body };
}

/** Query as the caller passes it. */
export type QueryOf<E extends Endpoint> = z.input<E["query"]>;
/** Query as the server sees it, with defaults filled in. */
export type ServedQueryOf<E extends Endpoint> = z.output<E["query"]>;
/** Decoded result. */
export type ResultOf<E extends Endpoint> = z.output<E["result"]>;

export const noQuery = z.object({});

/** For endpoints whose success has no `result` (§1.2); its value is ignored. */
export const noResult = z.unknown();

/** The body of every POST that carries a signed transaction (§4). */
export const transactionBody = z.object({ tx: hexText });
