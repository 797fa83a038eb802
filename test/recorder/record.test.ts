import { beforeEach, describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { TouchlineError } from "../../src/base/error.ts";
import { marketId } from "../../src/domain/ids.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { type CheckLine, checkRecording } from "../../src/recordings/check.ts";
import type { RecordedEvent, RecordedMark } from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import type { RecorderMark } from "../../src/recordings/recorder.ts";
import { type RunningRecord, startRecord } from "../../src/recorder/record.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, testCrypto } from "../support/venue.ts";

const market = marketId("1", "2");

/** A paper venue with order flow on a virtual network, and a recorder of its streams. */
async function world() {
  const clock = new VirtualClock();
  const network = new VirtualNetwork({ timer: clock, prng: new Prng(11) });
  const store = new MemoryStore();
  const io = { store, compression: nodeCompression };
  const crypto = await testCrypto();
  const venue = await startVenue({
    config: venueSchema.parse({ flow: "synthetic" }),
    listen: { host: "venue", port: 80 },
    ports: { server: network.servers, clock, timer: clock, crypto, log: silentLog },
  });
  const onMark: RecorderMark[] = [];
  const failures: unknown[] = [];
  const start = async (
    out = "rec",
    markets = [market],
    ws = "ws://venue:80/ws",
  ): Promise<RunningRecord> => {
    const starting = startRecord(
      { venue: { rest: "http://venue:80", ws }, markets, out },
      {
        clock,
        timer: clock,
        http: network.http,
        connector: network.connector,
        crypto,
        io,
        log: silentLog,
        seed: 4,
      },
      { onMark: (mark) => onMark.push(mark), failed: (error) => failures.push(error) },
    );
    starting.catch(() => undefined);
    await clock.runFor(5000);
    return starting;
  };
  const check = (out = "rec"): CheckLine => {
    const [line] = checkRecording(io, new Recording(io, out));
    if (line === undefined) throw new Error("no market in the recording");
    return line;
  };
  const events = (out = "rec"): RecordedEvent[] => [...new Recording(io, out).events()];
  const restBook = async () => {
    const url = "http://venue:80/api/v1/market/depth?marketId=1_2&limit=5000";
    const querying = network.http.request({ method: "GET", url, timeoutMs: 1000 });
    await clock.runFor(10);
    const { result } = JSON.parse(new TextDecoder().decode((await querying).body));
    return result as { lastUpdatedId: number; bids: { price: string; quantity: string }[] };
  };
  return { clock, network, store, io, venue, onMark, failures, start, check, events, restBook };
}
type World = Awaited<ReturnType<typeof world>>;

describe("record", () => {
  let at: World;
  beforeEach(async () => {
    at = await world();
  });

  test("records a book and then every message without a gap, so that the replayed book equals the venue's", async () => {
    const running = await at.start();
    await at.clock.runFor(60_000);
    const book = await at.restBook();
    running.stop();
    const line = at.check();
    expect(line).toMatchObject({ gaps: 0, tradeGaps: 0, interruptions: 0, crossed: 0, locked: 0 });
    const { depthEvents, levelChanges, trades, books } = running.counts;
    expect(line).toMatchObject({ depthEvents, levelChanges, trades });
    expect(books).toBe(1);
    expect(depthEvents).toBeGreaterThan(200);
    expect(trades).toBeGreaterThan(5);
    expect(line.finalId).toBe(book.lastUpdatedId);
    expect(line.bestBid).toEqual([book.bids[0]?.price, book.bids[0]?.quantity]);
    expect(line.bidLevels).toBe(book.bids.length);
    expect(at.events()[0]).toMatchObject({ type: "mark", state: "opened" });
    expect(at.failures).toEqual([]);
  });

  test("records the loss of a stream, and then a fresh book", async () => {
    const running = await at.start();
    await at.clock.runFor(10_000);
    at.network.faults.refuse = true;
    at.network.cutSockets();
    await at.clock.runFor(5000);
    // The stream is back before REST is: depth waits for its book.
    at.network.faults.refuse = false;
    at.network.faults.unavailable = 1;
    await at.clock.runFor(15_000);
    at.network.faults.unavailable = 0;
    await at.clock.runFor(20_000);
    const book = await at.restBook();
    running.stop();
    const line = at.check();
    expect(line).toMatchObject({ gaps: 1, duplicates: 0, interruptions: 1, crossed: 0 });
    expect(line.defects[0]).toMatchObject({ what: "gaps", file: "events-0001.ndjson.zst" });
    // Trades of that time are lost, which the interruption says: the venue's ids do not.
    expect(line.tradeGaps).toBe(0);
    expect(line.finalId).toBe(book.lastUpdatedId);
    expect(line.bestBid).toEqual([book.bids[0]?.price, book.bids[0]?.quantity]);
    expect(line.bidLevels).toBe(book.bids.length);
    expect(at.onMark.map(({ state }) => state)).toEqual(["opened", "closed", "opened"]);
    const marks = at.events().filter((event): event is RecordedMark => event.type === "mark");
    expect(marks.map(({ state }) => state)).toEqual(["opened", "closed", "opened"]);
    // A replay never sees an event that does not continue the book before it.
    let lastId = Number.NaN;
    let books = 0;
    for (const step of new Recording(at.io, "rec").syncedEvents(market)) {
      if (step.type === "book") {
        lastId = step.snapshot.lastId;
        books += 1;
      } else if (step.type === "depth") {
        expect(step.event.firstId).toBeLessThanOrEqual(lastId + 1);
        lastId = step.event.finalId;
      }
    }
    expect(books).toBe(2);
  });

  test("recovers from a socket that dies silently as from one that is cut", async () => {
    const running = await at.start();
    await at.clock.runFor(10_000);
    at.network.makeSocketsHalfOpen();
    await at.clock.runFor(40_000);
    const book = await at.restBook();
    running.stop();
    expect(at.check()).toMatchObject({ gaps: 1, interruptions: 1, finalId: book.lastUpdatedId });
  });

  test("loses at most the last second when the process is killed", async () => {
    const running = await at.start();
    await at.clock.runFor(20_500);
    const received = running.counts;
    // A killed process flushes nothing, so only the bytes that the operating system has remain.
    const line = at.check();
    expect(line.gaps).toBe(0);
    expect(received.depthEvents).toBeGreaterThan(line.depthEvents);
    const last = at.events().at(-1)?.atUs ?? 0;
    expect(at.clock.nowMs() - last / 1000).toBeLessThan(1100);
    running.stop();
    expect(at.check().depthEvents).toBe(received.depthEvents);
  });

  test("marks that it is alive, so that hours of silence are not a gap", async () => {
    await at.venue.close();
    const quiet = await startVenue({
      config: venueSchema.parse({ flow: "none" }),
      listen: { host: "venue", port: 80 },
      ports: {
        server: at.network.servers,
        clock: at.clock,
        timer: at.clock,
        crypto: await testCrypto(),
        log: silentLog,
      },
    });
    const running = await at.start();
    await at.clock.runFor(3 * 3_600_000);
    running.stop();
    const marks = at.events().filter((event) => event.type === "mark");
    expect(marks.length).toBeGreaterThan(17);
    expect(marks.length).toBeLessThan(20);
    expect(at.check()).toMatchObject({ timeJumps: 0, interruptions: 0, depthEvents: 0 });
    await quiet.close();
  });

  test("rejects an unknown market or a taken folder before it writes anything", async () => {
    await expect(at.start("rec", [marketId("8", "9")])).rejects.toThrow(/no market 8_9/);
    expect(at.store.list("rec")).toEqual([]);
    (await at.start()).stop();
    await expect(at.start()).rejects.toThrow(/already holds a recording/);
  });

  test("leaves no files when it received no data", async () => {
    const running = await at.start("rec", [market], "ws://nowhere:80/ws");
    await at.clock.runFor(30_000);
    expect(running.stop()).toBe(false);
    expect(at.store.list("rec")).toEqual([]);
    expect(at.onMark).toEqual([]);
    (await at.start()).stop();
    expect(at.check().gaps).toBe(0);
  });

  test("reports the error when the disk is full", async () => {
    const running = await at.start();
    at.store.roomBytes = 0;
    await at.clock.runFor(3000);
    expect(at.failures[0]).toBeInstanceOf(TouchlineError);
    expect(String(at.failures[0])).toContain("disk is full");
    expect(() => running.stop()).toThrow(/disk is full/);
  });
});
