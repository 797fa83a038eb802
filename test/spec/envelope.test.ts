import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/spec/endpoint.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import {
  decodeResponse,
  encodeFailure,
  encodeSuccess,
  isDefiniteNo,
} from "../../src/spec/envelope.ts";
import { results } from "./samples.ts";

const all: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);

it.each(all)("%s: what the server encodes is what the client decodes", (name, endpoint) => {
  const result = results[name];
  expect(decodeResponse(endpoint, 200, encodeSuccess(endpoint, result))).toEqual({
    type: "ok",
    result,
    extraFields: 0,
  });
  const failure = decodeResponse(
    endpoint,
    400,
    encodeFailure(endpoint.envelope, 400, "limit is 0"),
  );
  expect(failure).toMatchObject({
    type: "refused",
    code: 400,
    errMsg: expect.stringContaining("limit is 0"),
  });
});

describe("the standard envelope", () => {
  const { time } = endpoints;
  const good = JSON.parse(encodeSuccess(time, { serverTime: 5 })) as Record<string, unknown>;

  it("has the fields of §1.2 and D11", () => {
    expect(good).toEqual({ code: 200, errMsg: "OK", result: { serverTime: 5 } });
    expect(JSON.parse(encodeFailure("standard", 404, "no such market"))).toEqual({
      code: 404,
      errMsg: "no such market",
      result: null,
    });
  });

  it("has no result where the endpoint is bare", () => {
    const bare = { ...time, envelope: "bare" } as const;
    expect(JSON.parse(encodeSuccess(bare, { serverTime: 5 }))).toEqual({ code: 200, errMsg: "OK" });
  });

  it("counts fields that the interface does not know", () => {
    const serverTime = 1_800_000_000_000;
    const more = { ...good, result: { serverTime, zone: "UTC", leap: { second: 1 } } };
    expect(decodeResponse(time, 200, JSON.stringify(more))).toEqual({
      type: "ok",
      result: { serverTime },
      extraFields: 2,
    });
  });

  it.each([
    ["no JSON", 200, "<html>", /not JSON/],
    ["an empty body", 200, "", /not JSON/],
    ["no code", 200, { errMsg: "OK", result: {} }, /envelope\.code is missing/],
    ["a code of text", 200, { ...good, code: "200" }, /envelope\.code is not of type/],
    ["no errMsg", 200, { code: 200, result: {} }, /envelope\.errMsg is missing/],
    ["null", 200, null, /envelope is not of type object/],
    ["a wrong result", 200, { ...good, result: { serverTime: "5" } }, /result\.serverTime is not/],
    ["no result", 200, { code: 200, errMsg: "OK" }, /result is missing/],
    ["a success under a failing status", 404, good, /HTTP 404: the envelope has code 200/],
    ["a refusal under a 5xx", 502, { code: 400, errMsg: "no", result: null }, /has code 400/],
    ["a 5xx under a success", 200, { code: 500, errMsg: "no", result: null }, /has code 500/],
  ])("is broken with %s", (_, status, body, reason) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(decodeResponse(time, status, text)).toEqual({
      type: "broken",
      reason: expect.stringMatching(reason),
    });
  });

  it("keeps code and sentence of a refusal, with or without a result, under status 200 too", () => {
    for (const status of [200, 429]) {
      for (const body of [
        { code: 429, errMsg: "slow", result: null },
        { code: 429, errMsg: "slow" },
      ]) {
        expect(decodeResponse(time, status, JSON.stringify(body))).toEqual({
          type: "refused",
          code: 429,
          errMsg: "slow",
        });
      }
    }
  });

  it("is a definite refusal only with a 4xx code", () => {
    expect([399, 400, 429, 499, 500, 503, 1001].map(isDefiniteNo)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("the candle envelope", () => {
  const { candles } = endpoints;

  it("fails in the shape of §7.2", () => {
    expect(JSON.parse(encodeFailure("candles", 400, "the range exceeds 1000 data points"))).toEqual(
      {
        success: false,
        errorCode: "INVALID_PARAM",
        message: "the range exceeds 1000 data points",
      },
    );
    expect(decodeResponse(candles, 400, encodeFailure("candles", 400, "too many"))).toEqual({
      type: "refused",
      code: 400,
      errMsg: "INVALID_PARAM: too many",
    });
  });

  it.each([
    ["the other envelope", 200, { code: 200, errMsg: "OK", result: [] }],
    ["success under a failing status", 500, { success: true, result: [] }],
    ["a wrong candle", 200, { success: true, result: [{ marketId: "1_2" }] }],
    ["a failure without its message", 400, { success: false, errorCode: "INVALID_PARAM" }],
  ])("is broken with %s", (_, status, body) => {
    expect(decodeResponse(candles, status, JSON.stringify(body)).type).toBe("broken");
  });
});

it("a message of the venue is one line without control characters, and is cut", () => {
  const errMsg = `no\u001b]0;x\u0007\r\n2026-01-01 fill\u202e${"long ".repeat(1_000)}`;
  for (const endpoint of [endpoints.market, endpoints.candles]) {
    const decoded = decodeResponse(endpoint, 400, encodeFailure(endpoint.envelope, 400, errMsg));
    if (decoded.type !== "refused") throw new Error("not refused");
    expect(decoded.errMsg).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(decoded.errMsg.length).toBeLessThan(400);
  }
  const markets = structuredClone(results["market"]) as { ticker: string }[];
  for (const market of markets) market.ticker = `ETH\u001b[2J/USDT${"x".repeat(1_000)}`;
  const decoded = decodeResponse(
    endpoints.market,
    200,
    JSON.stringify({ code: 200, errMsg: "OK", result: markets }),
  );
  expect(JSON.stringify(decoded)).not.toContain("u001b");
  expect(JSON.stringify(decoded)).not.toContain("x".repeat(100));
});
