import { describe, expect, test } from "vitest";
import type { BookSnapshot, DepthEvent } from "../../src/domain/depth.ts";
import { type MarketId, marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { DepthScanner } from "../../src/gateway/depth-scanner.ts";
import { auditFrom } from "../../src/gateway/from-wire.ts";
import { depthChannel } from "../../src/spec/channels/depth.ts";
import { decodeServerFrame } from "../../src/spec/stream.ts";

/** The venue's frame around a payload. */
function frameOf(payload: {
  readonly marketId: string;
  readonly [field: string]: unknown;
}): string {
  return JSON.stringify({
    method: "subscription",
    params: { channel: `depth@${payload.marketId}`, result: payload },
  });
}

/** The result of the reference codec. */
function reference(frame: string): DepthEvent {
  const payload = depthChannel.payload.parse(
    (JSON.parse(frame) as { params: { result: unknown } }).params.result,
  );
  const flat = (levels: readonly (readonly [string, string])[]) =>
    Float64Array.from(levels.flat().map(Number));
  return {
    marketId: payload.marketId as MarketId,
    firstId: payload.firstId,
    finalId: payload.finalId,
    timeMs: unixMs(payload.time),
    bids: flat(payload.bids),
    asks: flat(payload.asks),
  };
}

function plain(event: DepthEvent | undefined) {
  return event && { ...event, bids: [...event.bids], asks: [...event.asks] };
}

const market = marketId("1", "2");
const bytesOf = (text: string) => new TextEncoder().encode(text);
const scan = (text: string, markets = [market]) => new DepthScanner(markets).scan(bytesOf(text));

const payload = {
  marketId: market as string,
  bids: [["61837.63000000", "0.10000000"]],
  asks: [
    ["0.00000012", "85000000"],
    ["123450", "0"],
  ],
  firstId: 4984028367495,
  finalId: 4984028370730,
  time: 1721347022504,
};

describe("DepthScanner", () => {
  test("reads a frame as the reference codec does", () => {
    const frame = frameOf(payload);
    expect(plain(scan(frame))).toEqual(plain(reference(frame)));
    const empty = frameOf({ ...payload, bids: [], asks: [] });
    expect(plain(scan(empty))).toEqual(plain(reference(empty)));
  });

  test("reads every market of its connection and no other", () => {
    const markets = [marketId("1", "2"), marketId("11", "2"), marketId("1", "22")];
    for (const id of markets) {
      const frame = frameOf({ ...payload, marketId: id });
      expect(scan(frame, markets)?.marketId).toBe(id);
    }
    expect(scan(frameOf({ ...payload, marketId: "7_8" }), markets)).toBeUndefined();
  });

  test("reads long numbers exactly", () => {
    const texts = [
      "0.123456789012345678",
      "123456789012345678901234567890",
      "1234567890.123456789",
      "9007199254740993",
      "0.1000000000000000055511151231257827",
      "000000000000000001.5",
      "999999999.999999",
    ];
    const bids = texts.map((text) => [text, text]);
    const frame = frameOf({ ...payload, bids });
    expect([...(scan(frame)?.bids ?? [])]).toEqual(bids.flat().map(Number));
  });

  test("leaves a frame in another form to the reference codec", () => {
    const frame = frameOf(payload);
    expect(scan(frame)).toBeDefined();
    const changed = [
      "",
      "{}",
      ` ${frame}`,
      `${frame} `,
      JSON.stringify(JSON.parse(frame), undefined, 1),
      frame.replace('"0.10000000"', "0.1"),
      frame.replace("0.10000000", "-0.1"),
      frame.replace("0.10000000", "1e-7"),
      frame.replace("0.10000000", ".1"),
      frame.replace("0.10000000", "1."),
      frame.replace("0.10000000", ""),
      frame.replace("0.10000000", "1.2.3"),
      frame.replace('"0.10000000"', '"0.1","2"'),
      frame.replace('"61837.63000000",', ""),
      frame.replace("4984028367495", "4984028367495.5"),
      frame.replace("4984028367495", '"4984028367495"'),
      frame.replace("4984028367495", "0984028367495"),
      frame.replace("4984028367495", "4984028367495000000"),
      frame.replace('"firstId"', '"first"'),
      frame.replace('"time":', '"extra":1,"time":'),
      frame.replace("depth@", "trade@"),
      frame.replace('"marketId":"1_2"', '"marketId":"1_3"'),
    ];
    for (const text of changed) expect(scan(text), text).toBeUndefined();
    for (let length = 0; length < frame.length; length += 1) {
      expect(scan(frame.slice(0, length))).toBeUndefined();
    }
  });

  test("keeps the numbers of an event while many more frames are read", () => {
    const scanner = new DepthScanner([market]);
    const level = (at: number) => [String(at + 1), "2"];
    const bids = Array.from({ length: 1500 }, (_, at) => level(at));
    const events = Array.from({ length: 60 }, (_, at) =>
      scanner.scan(bytesOf(frameOf({ ...payload, bids, asks: [level(at)] }))),
    );
    for (const [at, event] of events.entries()) {
      expect([...(event?.asks ?? [])]).toEqual([at + 1, 2]);
      expect(event?.bids).toHaveLength(3000);
      expect(event?.bids[2999]).toBe(2);
      expect(event?.bids[2998]).toBe(1500);
    }
  });

  test("leaves a frame with more levels than any book to the reference codec", () => {
    const bids = Array.from({ length: 8193 }, (_, at) => [String(at + 1), "2"]);
    const scanner = new DepthScanner([market]);
    expect(scanner.scan(bytesOf(frameOf({ ...payload, bids })))).toBeUndefined();
    expect(scanner.scan(bytesOf(frameOf(payload)))).toBeDefined();
  });
});

const snapshotPayload = {
  marketId: market as string,
  lastUpdateId: 4984028370730,
  bids: [["61837.63000000", "0.10000000"]],
  asks: [
    ["61837.64", "85000000"],
    ["0.123456789012345678", "12"],
  ],
  time: 1721347022504,
};

function snapshotFrame(fields: Partial<typeof snapshotPayload> = {}): string {
  const result = { ...snapshotPayload, ...fields };
  const params = { channel: `depthSnapshot@${result.marketId}`, result };
  return JSON.stringify({ method: "subscription", params });
}

function referenceSnapshot(frame: string): BookSnapshot {
  const decoded = decodeServerFrame(frame);
  if (!decoded.ok) throw new Error(decoded.error);
  const { value } = decoded;
  if (value.type !== "push" || value.push.kind !== "depthSnapshot") throw new Error(value.type);
  return auditFrom(value.push.payload);
}

describe("DepthScanner of snapshots", () => {
  const scanSnapshot = (text: string) => new DepthScanner([market]).scanSnapshot(bytesOf(text));

  test("reads a frame as the reference codec does", () => {
    for (const frame of [snapshotFrame(), snapshotFrame({ bids: [], asks: [] })]) {
      expect(scanSnapshot(frame)).toEqual(referenceSnapshot(frame));
    }
  });

  test("leaves other markets, channels and forms to the reference codec", () => {
    const frame = snapshotFrame();
    const changed = [
      snapshotFrame({ marketId: "7_8" }),
      frameOf(payload),
      frame.replace("depthSnapshot@", "depth@"),
      frame.replace('"lastUpdateId":4984028370730,', ""),
      frame.replace("4984028370730", '"4984028370730"'),
      frame.replace('"lastUpdateId"', '"extra":1,"lastUpdateId"'),
      frame.replace('"time":', '"extra":1,"time":'),
      frame.replace("0.10000000", "-0.1"),
      `${frame} `,
    ];
    for (const text of changed) expect(scanSnapshot(text), text).toBeUndefined();
    for (let length = 0; length < frame.length; length += 1) {
      expect(scanSnapshot(frame.slice(0, length))).toBeUndefined();
    }
    expect(scan(frame)).toBeUndefined();
  });

  test("leaves a frame with more levels than a snapshot may have to the reference codec", () => {
    const bids = Array.from({ length: 1001 }, (_, at) => [String(at + 1), "2"]);
    expect(scanSnapshot(snapshotFrame({ bids }))).toBeUndefined();
    expect(scanSnapshot(snapshotFrame({ bids: bids.slice(1), asks: [] }))?.bids).toHaveLength(2000);
  });
});
