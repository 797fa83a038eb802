import fc from "fast-check";
import { TransportError } from "../../../src/base/error.ts";
import { marketId } from "../../../src/domain/ids.ts";
import {
  balanceFrom,
  bookFrom,
  fillFrom,
  marketFrom,
  orderFrom,
} from "../../../src/gateway/from-wire.ts";
import { StreamDecoder } from "../../../src/gateway/stream-decoder.ts";
import { endpoints } from "../../../src/spec/endpoints.ts";
import { decodeResponse } from "../../../src/spec/envelope.ts";
import { payloads, results, userEvents } from "../../spec/samples.ts";
import { few, hostileJson, hostileText, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { expectPossible } from "../possible.ts";
import { defineTarget } from "../target.ts";

const MARKET = marketId("1", "2");

/** What the gateway makes of the body of each read; undefined when it refuses it. */
const reads = {
  depth: (status: number, body: string) => {
    const response = decodeResponse(endpoints.depth, status, body);
    return response.type === "ok" ? bookFrom(MARKET, response.result) : undefined;
  },
  "order-show": (status: number, body: string) => {
    const response = decodeResponse(endpoints["order-show"], status, body);
    return response.type === "ok" ? orderFrom(response.result) : undefined;
  },
  "order-open": (status: number, body: string) => {
    const response = decodeResponse(endpoints["order-open"], status, body);
    return response.type === "ok" ? response.result.map(orderFrom) : undefined;
  },
  "order-trade": (status: number, body: string) => {
    const response = decodeResponse(endpoints["order-trade"], status, body);
    return response.type === "ok" ? response.result.map(fillFrom) : undefined;
  },
  balance: (status: number, body: string) => {
    const response = decodeResponse(endpoints.balance, status, body);
    if (response.type !== "ok") return undefined;
    const { balances, blockNumber } = response.result;
    return { balances: balances.map(balanceFrom), blockNumber };
  },
  market: (status: number, body: string) => {
    const response = decodeResponse(endpoints.market, status, body);
    return response.type === "ok" ? response.result.map(marketFrom) : undefined;
  },
  time: (status: number, body: string) => {
    const response = decodeResponse(endpoints.time, status, body);
    return response.type === "ok" ? { serverTimeMs: response.result.serverTime } : undefined;
  },
} as const;
type ReadName = keyof typeof reads;
const names = Object.keys(reads) as ReadName[];

/** Checks what a body becomes. A refusal by TransportError is a failed read, as the gateway reports it. */
function checkRead(name: ReadName, status: number, body: string): "taken" | "refused" {
  try {
    const input = reads[name](status, body);
    if (input === undefined) return "refused";
    expectPossible(input);
    return "taken";
  } catch (thrown) {
    if (thrown instanceof TransportError) return "refused";
    throw thrown;
  }
}

const success = (name: ReadName, result: unknown = results[name]): unknown => ({
  code: 200,
  errMsg: "OK",
  result,
});

/** Spoiled bodies of every read of a bot: decoding never throws, and nothing impossible reaches the kernel. */
export const readInputTarget = defineTarget({
  name: "answers as inputs of the kernel",
  weight: 30,
  inputs: fc
    .record({
      name: fc.constantFrom(...names),
      status: fc.constantFrom(200, 200, 200, 200, 429, 503),
      spoils: few(spoil),
      scratches: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: few(scratch) },
      ),
    })
    .map(({ name, status, spoils, scratches }) => ({
      name,
      status,
      body: scratched(JSON.stringify(spoiled(success(name), spoils)) ?? "", scratches),
    })),
  open: () => ({ check: ({ name, status, body }) => checkRead(name, status, body) }),
});

const frameOf = (channel: string, result: unknown): unknown => ({
  method: "subscription",
  params: { channel, result },
});
const userChannel = "userEvent@0xD02db1F0F79098822d9F84097B4376A4d7879E8f";
const frames: readonly unknown[] = [
  frameOf("trade@1_2", payloads["trade"]),
  frameOf("depth@1_2", payloads["depth"]),
  frameOf("depthSnapshot@1_2", payloads["depthSnapshot"]),
  ...userEvents.map((event) => frameOf(userChannel, event)),
];

function checkFrame(decoder: StreamDecoder, bytes: Uint8Array): "taken" | "refused" {
  const frame = decoder.decode(bytes);
  if (frame.type !== "input") return "refused";
  expectPossible(frame.input);
  return "taken";
}

/** Spoiled frames, as `serverFrameTarget`, up to the inputs that they become. */
export const frameInputTarget = defineTarget({
  name: "frames as inputs of the kernel",
  weight: 30,
  inputs: fc
    .record({ frame: fc.constantFrom(...frames), spoils: few(spoil) })
    .map(({ frame, spoils }) => Buffer.from(JSON.stringify(spoiled(frame, spoils)) ?? "")),
  open: () => {
    const decoder = new StreamDecoder([MARKET]);
    return { check: (bytes) => checkFrame(decoder, bytes) };
  },
});

/** An element that is repeated: a right one, a wrong one, or a heap of nesting. */
const element = (right: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(right) },
    { weight: 3, arbitrary: hostileJson },
    { weight: 1, arbitrary: fc.constantFrom([], {}, [[[]]], { a: { b: {} } }, 0, "", null) },
    { weight: 1, arbitrary: fc.nat(3_000).map((depth) => nested(depth)) },
    { weight: 1, arbitrary: fc.tuple(hostileText, fc.nat(3_000)).map(repeated) },
  );

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function repeated([text, count]: readonly [string, number]): string {
  return text.repeat(count);
}

const size = fc.oneof(
  { weight: 3, arbitrary: fc.nat(200) },
  { weight: 2, arbitrary: fc.nat(12_000) },
  { weight: 1, arbitrary: fc.nat(200_000) },
);
/** Longer texts are cut off by the transport. */
const LENGTH_MAX = 4_000_000;

/** A list of `count` elements as text; every hundredth differs, so that texts of equal elements are not all there is. */
function listText(of: unknown, other: unknown, count: number): string {
  const [text, otherText] = [JSON.stringify(of), JSON.stringify(other)];
  const meanLength = (99 * text.length + otherText.length) / 100 + 1;
  const fitting = Math.min(count, Math.floor(LENGTH_MAX / meanLength));
  return `[${Array.from({ length: fitting }, (_, at) => (at % 100 === 99 ? otherText : text)).join(",")}]`;
}

const LIST = '"LIST"';
const level = { price: "1800.5", quantity: "0.25" };
const listReads = ["depth", "order-open", "order-trade", "balance", "market"] as const;
const rightRows = {
  depth: level,
  "order-open": (results["order-open"] as readonly unknown[])[0],
  "order-trade": (results["order-trade"] as readonly unknown[])[0],
  balance: (results["balance"] as { readonly balances: readonly unknown[] }).balances[0],
  market: (results["market"] as readonly unknown[])[0],
};
const withList = {
  depth: { ...(results["depth"] as object), asks: "LIST" },
  "order-open": "LIST",
  "order-trade": "LIST",
  balance: { ...(results["balance"] as object), balances: "LIST" },
  market: "LIST",
};

const largeAnswer = fc.constantFrom(...listReads).chain((name) =>
  fc
    .record({ of: element(rightRows[name]), other: element(rightRows[name]), count: size })
    .map(({ of, other, count }) => ({
      name,
      sent: JSON.stringify(success(name, withList[name])).replace(LIST, () =>
        listText(of, other, count),
      ),
    })),
);
const largeFrame = fc
  .record({
    kind: fc.constantFrom("depth", "depthSnapshot"),
    of: element(["1800.5", "0.25"]),
    other: element(["1800.5", "0.25"]),
    count: size,
  })
  .map(({ kind, of, other, count }) => ({
    name: undefined,
    // The socket hands bytes to the decoder, so making them is no part of what is measured.
    sent: Buffer.from(
      JSON.stringify(
        frameOf(`${kind}@1_2`, { ...(payloads[kind] as object), bids: "LIST" }),
      ).replace(LIST, () => listText(of, other, count)),
    ),
  }));

/** Lists of up to 200,000 right or wrong elements, and elements of any depth and length. */
export const largeInputTarget = defineTarget({
  name: "large answers and frames",
  weight: 1,
  inputs: fc.oneof(largeAnswer, largeFrame),
  open: () => {
    const decoder = new StreamDecoder([MARKET]);
    return {
      check: (input) =>
        input.name === undefined
          ? checkFrame(decoder, input.sent)
          : checkRead(input.name, 200, input.sent),
    };
  },
});
