import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { ColumnBlock } from "../../src/recordings/columns/column-block.ts";
import { BlockWriter } from "../../src/recordings/columns/block-writer.ts";
import { ByteReader } from "../../src/recordings/columns/byte-reader.ts";
import { ByteWriter } from "../../src/recordings/columns/byte-writer.ts";
import { openCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { eventKind } from "../../src/recordings/columns/event-kind.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { markets, recordedEvents, writeRecording } from "./random-recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runs } from "../support/soak.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("columns", () => {
  const folder = temporaryFolder();
  let count = 0;

  test("have the same events as the text, whatever was recorded", () => {
    fc.assert(
      fc.property(recordedEvents, (events) => {
        count += 1;
        const out = `${folder}/${count}`;
        writeRecording(out, events);
        const recording = new Recording(io, out);
        const compiled = runAll(openCompiled(recording, markets, unexpected));
        for (const marketId of markets) {
          const columns = compiled.market(marketId);
          const synced = [...recording.syncedEvents(marketId)];
          expect([...(columns?.syncedEvents() ?? [])]).toEqual(synced);
          expect([...compiled.replayEvents(marketId)]).toEqual([
            ...recording.replayEvents(marketId),
          ]);
        }
        compiled.close();
      }),
      runs(25),
    );
  });

  test("have the ids of a trade's orders where the source names them", () => {
    fc.assert(
      fc.property(recordedEvents, (events) => {
        count += 1;
        const out = `${folder}/${count}`;
        writeRecording(out, events);
        const compiled = runAll(openCompiled(new Recording(io, out), markets, unexpected));
        for (const marketId of markets) {
          const recorded = events.flatMap((event) =>
            event.type === "trade" && event.marketId === marketId
              ? [JSON.stringify([event.tradeId, event.buyOrderId, event.sellOrderId])]
              : [],
          );
          const held: string[] = [];
          for (const block of compiled.market(marketId)?.blocks() ?? []) {
            for (let at = 0; at < block.count; at += 1) {
              const kind = block.kinds[at];
              if (kind !== eventKind.trade && kind !== eventKind.hiddenTrade) continue;
              const ids = block.orderIds(at);
              held.push(JSON.stringify([block.tradeId(at), ids?.buy, ids?.sell]));
            }
          }
          expect(held.filter((trade) => !recorded.includes(trade))).toEqual([]);
        }
        compiled.close();
      }),
      runs(12),
    );
  });

  test("leave the levels of an event as they are when the next block is decoded, where they are kept", () => {
    const block = new ColumnBlock({ keepsLevels: true });
    const none = new Float64Array();
    const [marketId] = markets;
    const decode = (price: number): void => {
      const writer = new BlockWriter();
      const bids = Float64Array.of(price, 1);
      const snapshot = { marketId, lastId: 1, timeMs: unixMs(1), bids, asks: none };
      writer.add({ event: { type: "book", atMs: unixMs(1), snapshot } });
      block.decode(writer.take()?.bytes ?? new Uint8Array());
    };
    decode(100);
    const first = block.flatLevels(0, 1);
    decode(200);
    expect([...first]).toEqual([100, 1]);
    expect([...block.flatLevels(0, 1)]).toEqual([200, 1]);
  });

  test("hold whole numbers of any size up to 2^53, doubles and texts", () => {
    const whole = fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      fc.maxSafeInteger().map(Math.abs),
      fc.integer({ min: 0, max: 53 }).map((bits) => 2 ** bits - 1),
    );
    const signed = fc
      .integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
      .chain((low) =>
        fc.integer({ min: 0, max: 2 ** 20 }).map((high) => low * (high % 2 === 0 ? 1 : high)),
      );
    const double = fc.double({ noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(whole, signed, double, fc.string({ unit: "grapheme" }))),
        (rows) => {
          const writer = new ByteWriter();
          for (const [one, two, three, four] of rows) {
            writer.whole(one);
            writer.signed(two);
            writer.double(three);
            writer.text(four);
          }
          const reader = new ByteReader();
          reader.open(writer.bytes);
          for (const row of rows) {
            const read = [reader.whole(), reader.signed(), reader.double(), reader.text()];
            expect(read).toEqual(row);
          }
        },
      ),
    );
  });

  test("numbers of every length are read back, the last one up to the end of the bytes", () => {
    const edges = Array.from({ length: 8 }, (_, at) => 128 ** at).flatMap((edge) => [
      edge - 1,
      edge,
      edge + 1,
    ]);
    const whole = fc.oneof(fc.constantFrom(...edges), fc.maxSafeInteger().map(Math.abs));
    fc.assert(
      fc.property(fc.array(whole, { minLength: 1, maxLength: 12 }), (numbers) => {
        const writer = new ByteWriter();
        for (const number of numbers) writer.whole(number);
        const reader = new ByteReader();
        reader.open(writer.bytes.slice());
        expect(numbers.map(() => reader.whole())).toEqual(numbers);
      }),
    );
  });
});

function unexpected(sentence: string): void {
  throw new Error(sentence);
}
