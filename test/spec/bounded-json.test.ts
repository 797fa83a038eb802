import { describe, expect, it } from "vitest";
import { z } from "zod";
import { marketId } from "../../src/domain/ids.ts";
import { StreamDecoder } from "../../src/gateway/stream-decoder.ts";
import { parseJson } from "../../src/spec/bounded-json.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { decodeResponse } from "../../src/spec/envelope.ts";
import { list } from "../../src/spec/list.ts";
import { FRAME_BYTES_MAX, FRAME_LEVELS_MAX, listLimits } from "../../src/spec/limits.ts";
import { decodeStreamRequest } from "../../src/spec/stream.ts";
import { payloads, results } from "./samples.ts";

const limits = { bytes: 100_000, values: 1_000 };
const long = "x".repeat(5_000);
const times = (count: number, element: unknown) => Array.from({ length: count }, () => element);

describe("a JSON text from outside is measured before it is parsed", () => {
  it.each([
    ["longer than its limit", `"${"x".repeat(100_000)}"`, "is longer than 100000 characters"],
    ["of too many numbers", JSON.stringify(Array(5_000).fill(1)), "has more than 1000 values"],
    ["of too many lists", JSON.stringify(times(5_000, [])), "has more than 1000 values"],
    ["nested too deep", `"${long}"`.replace(/^/, "[".repeat(17)), "is nested more than 16 deep"],
    ["of nothing but brackets", "[".repeat(90_000), "is nested more than 16 deep"],
    ["with an open string", `["${long}`, "is not JSON"],
    ["with a string that ends in an escape", `["${long}\\"]`, "is not JSON"],
  ])("one %s is refused", (_, text, problem) => {
    expect(parseJson(text, limits)).toEqual({ ok: false, error: problem });
  });

  it("commas and brackets within a string are no values, whatever is escaped before its end", () => {
    for (const inner of [",[{".repeat(2_000), `${'\\"'.repeat(900)},`, "\\\\".repeat(900)]) {
      const text = `{"a":"${inner}${long}","b":[1]}`;
      expect(parseJson(text, limits)).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });

  it("a list is validated up to its first wrong element", () => {
    let validated = 0;
    const element = z.unknown().refine(() => {
      validated += 1;
      return validated < 3;
    }, "is wrong");
    const shape = z.object({ list: list(element, 100_000) });
    const result = shape.safeParse({ list: Array(100_000).fill(0) });
    expect(result.error?.issues.map(({ path }) => path)).toEqual([["list", 2]]);
    expect(validated).toBe(3);
  });

  it("a list that is too long is refused before its elements are validated", () => {
    let validated = 0;
    const element = z.unknown().refine(() => (validated += 1) > 0);
    const result = list(element, 3).safeParse([1, 2, 3, 4]);
    expect(result.error?.issues[0]).toMatchObject({ code: "too_big", maximum: 3 });
    expect(validated).toBe(0);
    expect(list(z.coerce.string(), 3).parse([1, 2])).toEqual(["1", "2"]);
    expect(z.toJSONSchema(list(z.string(), 3))).toMatchObject({
      type: "array",
      items: { type: "string" },
      maxItems: 3,
    });
  });
});

describe("answers of the venue", () => {
  const depthWith = (levels: unknown): string =>
    JSON.stringify({
      code: 200,
      errMsg: "OK",
      result: { bids: levels, asks: [], updatedAt: 1, lastUpdatedId: 1 },
    });

  it("the longest book of §4.3 is read, one level more is refused", () => {
    const level = { price: "1".repeat(60), quantity: "0.5" };
    const { max } = listLimits.depth;
    const whole = decodeResponse(endpoints.depth, 200, depthWith(times(max, level)));
    expect(whole.type).toBe("ok");
    const more = decodeResponse(endpoints.depth, 200, depthWith(times(max + 1, level)));
    expect(more).toMatchObject({
      type: "broken",
      reason: expect.stringContaining("5000 elements"),
    });
  });

  it("a book of a million wrong levels is refused without parsing it", () => {
    const response = decodeResponse(endpoints.depth, 200, depthWith(Array(900_000).fill(1)));
    expect(response).toMatchObject({
      type: "broken",
      reason: expect.stringMatching(/HTTP 200: the body has more than \d+ values$/),
    });
  });

  it.each([
    ["balance", "unlocked", "9".repeat(400)],
    ["order-show", "executedQty", "9".repeat(400)],
    ["order-trade", "createdAt", -1],
    ["order-trade", "createdAt", 8.7e15],
    ["order-trade", "tradeId", long],
    ["balance", "tokenId", long],
  ] as const)("%s: a %s of impossible length or size is refused", (name, field, value) => {
    const result = JSON.parse(JSON.stringify(results[name]), (key, inner: unknown) =>
      key === field ? value : inner,
    ) as unknown;
    const body = JSON.stringify({ code: 200, errMsg: "OK", result });
    expect(decodeResponse(endpoints[name], 200, body).type).toBe("broken");
  });

  it("of an endless error text the beginning is kept", () => {
    const body = JSON.stringify({ code: 400, errMsg: "no ".repeat(20_000), result: null });
    const response = decodeResponse(endpoints.time, 400, body);
    expect(response.type === "refused" && response.errMsg).toBe(`${"no ".repeat(100)}…`);
  });
});

describe("frames of the venue", () => {
  const decoder = new StreamDecoder([marketId("1", "2")]);
  const frameOf = (result: unknown) => ({
    method: "subscription",
    params: { channel: "depth@1_2", result },
  });
  const decode = (channel: string, result: unknown) =>
    decoder.decode(
      Buffer.from(JSON.stringify({ method: "subscription", params: { channel, result } })),
    );
  const depth = (levels: unknown) => ({ ...(payloads["depth"] as object), bids: levels, asks: [] });

  it("a depth event of as many levels as the codec allows is read, and one of 200,000 is unreadable", () => {
    const most = decode("depth@1_2", depth(times(FRAME_LEVELS_MAX, ["1.5", "1"])));
    expect(most.type).toBe("input");
    for (const levels of [FRAME_LEVELS_MAX + 1, 200_000]) {
      const frame = decode("depth@1_2", depth(times(levels, ["1.5", "1"])));
      expect(frame).toMatchObject({ type: "unreadable" });
    }
  });

  it("a frame of more bytes than the transport takes is unreadable, though its text has fewer characters", () => {
    const padded = (bytes: number) => {
      const [head, tail] = JSON.stringify({
        ...frameOf(depth([["1.5", "1"]])),
        more: "MORE",
      }).split("MORE");
      const room = bytes - Buffer.byteLength(`${head}${tail}`);
      return Buffer.from(
        `${head}${"é".repeat(Math.floor(room / 2))}${"e".repeat(room % 2)}${tail}`,
      );
    };
    expect(padded(FRAME_BYTES_MAX)).toHaveLength(FRAME_BYTES_MAX);
    expect(decoder.decode(padded(FRAME_BYTES_MAX)).type).toBe("input");
    expect(decoder.decode(padded(FRAME_BYTES_MAX + 1))).toEqual({
      type: "unreadable",
      reason: `a frame has more than ${FRAME_BYTES_MAX} bytes`,
    });
  });

  it.each(["9".repeat(400), `0.${"1".repeat(400)}`])(
    "a price or quantity of 400 digits is unreadable",
    (digits) => {
      for (const level of [
        [digits, "1"],
        ["1", digits],
      ]) {
        expect(decode("depth@1_2", depth([level])).type).toBe("unreadable");
        const snapshot = { ...(payloads["depthSnapshot"] as object), asks: [level] };
        expect(decode("depthSnapshot@1_2", snapshot).type).toBe("unreadable");
      }
      const trade = { ...(payloads["trade"] as object), price: digits };
      expect(decode("trade@1_2", trade).type).toBe("unreadable");
    },
  );

  it.each([9_071_992_547_409_92, 1e15])(
    "a depth event of the time %d is unreadable for both codecs",
    (time) => {
      expect(decode("depth@1_2", { ...depth([["1.5", "1"]]), time }).type).toBe("unreadable");
      const spaced = JSON.stringify(frameOf({ ...depth([["1.5", "1"]]), time }), undefined, 1);
      expect(decoder.decode(Buffer.from(spaced)).type).toBe("unreadable");
    },
  );

  it("a frame of tens of thousands of numbers, which are slow to read, is refused unparsed", () => {
    expect(decode("depth@1_2", depth(Array(60_000).fill(-5.031458290038953e-159)))).toEqual({
      type: "unreadable",
      reason: "frame has more than 35000 values",
    });
  });
});

describe("requests", () => {
  it("may name tokens and markets of any length: those are unknown, not malformed (D12)", () => {
    const market = `${"9".repeat(400)}_2`;
    expect(endpoints.trades.query.safeParse({ marketId: market }).success).toBe(true);
  });
});

describe("requests of a stream", () => {
  it.each([
    ["numbers", Array(30_000).fill(1), "request has more than 2048 values"],
    ["a few numbers", Array(1_024).fill(1), "request.params.channels.0 is not of type string"],
    ["names", Array(1_025).fill("t"), "request.params.channels has more than 1024 elements"],
  ])("channels that are too many %s are refused at once", (_, channels, message) => {
    const text = JSON.stringify({ method: "subscribe", params: { channels }, id: 1 });
    const request = decodeStreamRequest(text);
    expect(request).toMatchObject({ ok: false, error: { message } });
  });
});
