import { beforeEach, describe, expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { Recorder, type RecorderMark } from "../../src/recordings/recorder.ts";
import type { RecordedEvent } from "../../src/recordings/recorded-event.ts";

const market = marketId("1", "2");

describe("Recorder", () => {
  let written: RecordedEvent[] = [];
  let asked: string[] = [];
  let onMark: RecorderMark[] = [];
  let recorder: Recorder;

  beforeEach(() => {
    written = [];
    asked = [];
    onMark = [];
    recorder = new Recorder({
      writer: { append: (event) => written.push(event) },
      markets: [market],
      requestBook: (id) => asked.push(id),
      onMark: (mark) => onMark.push(mark),
    });
  });

  const depth = (firstId: number, finalId: number, atUs = 1e15) =>
    recorder.depth(
      { marketId: market, bids: [["1.50", "2.0"]], asks: [], firstId, finalId, time: 1e12 },
      atUs,
    );
  const book = (lastUpdatedId: number) =>
    recorder.book(
      market,
      { bids: [{ price: "1.50", quantity: "1.0" }], asks: [], updatedAt: 1e12, lastUpdatedId },
      1e15,
    );
  const kinds = () => written.map((event) => (event.type === "mark" ? event.state : event.type));

  test("requests a book when the stream opens, and again when the snapshot is too old", () => {
    recorder.opened(1e15);
    expect(asked).toEqual([market]);
    depth(10, 12);
    book(8);
    expect(asked).toHaveLength(2);
    book(9);
    depth(13, 13);
    expect(asked).toHaveLength(2);
    expect(kinds()).toEqual(["opened", "depth", "book", "depth"]);
    // The text is unchanged.
    expect(written[1]).toMatchObject({ bids: [["1.50", "2.0"]] });
    expect(written[2]).toMatchObject({ bids: [["1.50", "1.0"]], lastId: 9 });
  });

  test("marks missing ids before the event that reveals them, and requests a book", () => {
    recorder.opened(1e15);
    book(9);
    depth(10, 12);
    depth(15, 16);
    book(16);
    expect(asked).toHaveLength(2);
    expect(kinds()).toEqual(["opened", "book", "depth", "gap", "depth", "book"]);
    expect(recorder.counts).toMatchObject({ gaps: 1, books: 2, depthEvents: 2, levelChanges: 2 });
    expect(onMark.map((mark) => [mark.state, mark.marketId])).toEqual([
      ["opened", undefined],
      ["gap", market],
    ]);
  });

  test("marks an unreadable message as a gap, since the ids may not reveal it", () => {
    recorder.unreadable("no JSON", 1e15);
    expect(written).toEqual([]);
    recorder.opened(1e15);
    recorder.unreadable("no JSON", 1e15);
    expect(written.at(-1)).toMatchObject({ state: "gap", reason: expect.stringContaining("JSON") });
  });

  test("reports only open streams as lost, and ignores books that were not requested", () => {
    recorder.closed("refused", 1e15);
    expect(written).toEqual([]);
    recorder.opened(1e15);
    recorder.closed("cut", 1e15);
    recorder.closed("cut", 1e15);
    book(5);
    expect(kinds()).toEqual(["opened", "closed"]);
    expect(recorder.counts.interruptions).toBe(1);
  });

  test("writes an alive mark every ten minutes", () => {
    recorder.opened(1e15);
    recorder.alive(1e15 + 599e6);
    recorder.alive(1e15 + 600e6);
    recorder.alive(1e15 + 601e6);
    expect(kinds()).toEqual(["opened", "alive"]);
  });

  test("ignores data of other markets", () => {
    const other = { marketId: "7_8", bids: [], asks: [], firstId: 1, finalId: 1, time: 1 };
    recorder.depth(other, 1e15);
    expect(written).toEqual([]);
  });
});
