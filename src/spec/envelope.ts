import { z } from "zod";
import { plainText } from "../base/plain-text.ts";
import { parseJson } from "./bounded-json.ts";
import type { Endpoint, ResultOf } from "./endpoint.ts";
import { countExtraFields } from "./extra-fields.ts";
import { integer, shownText } from "./fields.ts";
import { problemOf } from "./problem.ts";

/** Encodes and decodes the envelopes of REST responses (§1.2, §7, D11). */

/** A response as a client reads it. */
export type DecodedResponse<Value> =
  | {
      readonly type: "ok";
      readonly result: Value;
      /** Number of fields that the interface does not define, which are tolerated. Of a list only the first element is checked. */
      readonly extraFields: number;
    }
  /** A well-formed failure. Only a 4xx code proves that the request had no effect: see `isDefiniteNo`. */
  | { readonly type: "refused"; readonly code: number; readonly errMsg: string }
  /** Not a response of this interface, so the request may have taken effect. `reason` is one sentence. */
  | { readonly type: "broken"; readonly reason: string };

/** Whether this code proves that the request had no effect (D11). Any code other than 4xx leaves it open. */
export function isDefiniteNo(code: number): boolean {
  return code >= 400 && code < 500;
}

const SUCCESS = 200;

const standardHead = z.object({ code: integer, errMsg: shownText() });
const candleFailure = z.object({
  success: z.literal(false),
  errorCode: shownText(60),
  message: shownText(),
});

/** Decodes the response to a call of `endpoint`; `status` is the HTTP status, `body` the text. */
export function decodeResponse<E extends Endpoint>(
  endpoint: E,
  status: number,
  body: string,
): DecodedResponse<ResultOf<E>> {
  const parsed = parseJson(body, endpoint.limits);
  if (!parsed.ok) return broken(endpoint, status, `the body ${parsed.error}`);
  return endpoint.envelope === "candles"
    ? decodeCandles(endpoint, status, parsed.value)
    : decodeStandard(endpoint, status, parsed.value);
}

function decodeStandard<E extends Endpoint>(
  endpoint: E,
  status: number,
  value: unknown,
): DecodedResponse<ResultOf<E>> {
  const head = standardHead.safeParse(value);
  if (!head.success) return broken(endpoint, status, problemOf(head.error, "envelope"));
  const { code, errMsg } = head.data;
  // A proxy's 5xx around a venue's envelope, or a failure that claims success: neither can be trusted.
  if (status >= 500 !== code >= 500 || (code === SUCCESS && status >= 400)) {
    return broken(endpoint, status, `the envelope has code ${code}`);
  }
  if (code !== SUCCESS) return { type: "refused", code, errMsg };
  return decodeResult(endpoint, status, (value as { readonly result?: unknown }).result);
}

function decodeCandles<E extends Endpoint>(
  endpoint: E,
  status: number,
  value: unknown,
): DecodedResponse<ResultOf<E>> {
  const failure = candleFailure.safeParse(value);
  if (failure.success) {
    const { errorCode, message } = failure.data;
    const errMsg = `${errorCode}: ${message}`;
    return { type: "refused", code: status, errMsg };
  }
  const success = z.object({ success: z.literal(true), result: z.unknown() }).safeParse(value);
  if (!success.success) return broken(endpoint, status, problemOf(success.error, "envelope"));
  if (status >= 400) return broken(endpoint, status, "the envelope says success");
  return decodeResult(endpoint, status, success.data.result);
}

function decodeResult<E extends Endpoint>(
  endpoint: E,
  status: number,
  raw: unknown,
): DecodedResponse<ResultOf<E>> {
  const result = endpoint.result.safeParse(raw);
  if (!result.success) return broken(endpoint, status, problemOf(result.error, "result"));
  return {
    type: "ok",
    result: result.data as ResultOf<E>,
    extraFields: countExtraFields(raw, result.data),
  };
}

function broken(endpoint: Endpoint, status: number, reason: string) {
  return {
    type: "broken",
    reason: `${endpoint.method} ${endpoint.path}, HTTP ${status}: ${plainText(reason)}`,
  } as const;
}

/** Body of a successful response. */
export function encodeSuccess<E extends Endpoint>(endpoint: E, result: ResultOf<E>): string {
  switch (endpoint.envelope) {
    case "standard":
      return JSON.stringify({ code: SUCCESS, errMsg: "OK", result });
    case "bare":
      return JSON.stringify({ code: SUCCESS, errMsg: "OK" });
    case "candles":
      return JSON.stringify({ success: true, result });
  }
}

/** Body of a failure; the HTTP status equals `code` (D11). Paths without an endpoint use the standard envelope. */
export function encodeFailure(
  envelope: Endpoint["envelope"],
  code: number,
  errMsg: string,
): string {
  if (envelope !== "candles") return JSON.stringify({ code, errMsg, result: null });
  return JSON.stringify({ success: false, errorCode: candleErrorCode(code), message: errMsg });
}

/** §7 defines only INVALID_PARAM; the others are ours. */
function candleErrorCode(code: number): string {
  if (code === 429) return "TOO_MANY_REQUESTS";
  if (code === 405) return "METHOD_NOT_ALLOWED";
  return code >= 500 ? "INTERNAL_ERROR" : "INVALID_PARAM";
}
