import { beforeAll, describe, expect, test, vi } from "vitest";
import { BookSync } from "../../src/book/book-sync.ts";
import type { BookSnapshot, DepthEvent } from "../../src/domain/depth.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { checkpointOf } from "../../src/recordings/check.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type { MarketEvent } from "../../src/recordings/market-event.ts";
import type { TextLevel } from "../../src/recordings/recorded-event.ts";
import { MarketReader } from "../../src/recordings/market-reader.ts";
import { Recording } from "../../src/recordings/recording.ts";
import {
  type Checkpoint,
  checkpointsOf,
  derivedBook,
  filesOf,
  hasShared,
  io,
  sets,
  temporaryFolder,
} from "./shared-recordings.ts";

// Replaying real data takes several seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const market = marketId("BTC", "USDT");
const [set] = sets;

/** Runs the bot's book synchronization on real data: it sees only past events and requests snapshots as the bot does. */
describe.skipIf(!hasShared)("BookSync on set 01 (../shared/data; skipped without it)", () => {
  const folder = temporaryFolder();
  let events: MarketEvent[] = [];
  let expected: Checkpoint[] = [];

  beforeAll(() => {
    importRecording(io, { format: set.format, files: filesOf(set), out: `${folder}/01` });
    const reader = new MarketReader();
    const recorded = [...new Recording(io, `${folder}/01`).events()];
    events = recorded.flatMap((event) =>
      event.type === "candle" ? [] : (reader.take(event) ?? []),
    );
    expected = checkpointsOf(set, "BTCUSDT");
  });

  /** Feeds depth events, each altered by `change`; returns the numbers of the checkpoints that agreed. */
  function run(change: (sync: BookSync, event: DepthEvent, n: number) => void) {
    const sync = new BookSync(market);
    expect(sync.onStream("opened")).toBeDefined();
    const agreed: number[] = [];
    const byId = new Map(expected.map((checkpoint) => [checkpoint.finalId, checkpoint]));
    let n = -2;
    for (const step of events) {
      if (step.type === "trade") continue;
      if (step.type === "book") {
        sync.onSnapshot(step.snapshot);
        continue;
      }
      n += 1;
      change(sync, step.event, n);
      const checkpoint = byId.get(step.event.finalId);
      if (checkpoint === undefined || sync.live === undefined) continue;
      if (sync.lastId !== step.event.finalId) continue;
      const { n: number, ...book } = checkpoint;
      expect(checkpointOf(sync.live, step.event, io.compression)).toEqual(book);
      agreed.push(number);
    }
    return { counters: sync.counters, agreed };
  }

  /** All but the first, whose event was held with later ones until the snapshot arrived. */
  const all = () => expected.map(({ n }) => n).filter((n) => n !== 1);

  test("replays a complete stream into the recorded book", () => {
    const { counters, agreed } = run((sync, event) => sync.onDepth(event));
    expect(agreed).toEqual(all());
    expect(counters).toEqual({
      applied: 6493,
      gaps: 0,
      old: 2,
      resyncs: 0,
      lateSnapshots: 0,
      overflows: 0,
      audits: 0,
      auditMismatches: 0,
      auditsSkipped: 0,
    });
  });

  test("detects a gap at once, hides the book until the snapshot, and is then correct again", () => {
    const { counters, agreed } = run((sync, event, n) => {
      if (n >= 1001 && n <= 1005) return;
      const query = sync.onDepth(event);
      expect(query !== undefined).toBe(n === 1006);
      if (n === 1012) sync.onSnapshot(derived(1010));
      if (n > 100) expect(sync.live === undefined).toBe(n >= 1006 && n < 1012);
    });
    expect(agreed).toEqual(all());
    expect(counters).toMatchObject({ gaps: 1, resyncs: 1, lateSnapshots: 0, applied: 6493 - 10 });
  });

  test("drops repeated events without reporting a gap", () => {
    const { counters, agreed } = run((sync, event, n) => {
      sync.onDepth(event);
      if (n !== 2010) return;
      for (const again of events.slice()) {
        if (again.type !== "depth" || again.event.finalId > event.finalId) continue;
        if (again.event.finalId > event.finalId - 800) sync.onDepth(again.event);
      }
    });
    expect(agreed).toEqual(all());
    expect(counters.gaps).toBe(0);
    expect(counters.old).toBeGreaterThan(5);
    expect(counters.applied).toBe(6493);
  });

  test("recovers from a reconnect with a new snapshot", () => {
    const { counters, agreed } = run((sync, event, n) => {
      if (n === 3395) {
        sync.onStream("closed");
        expect(sync.live).toBeUndefined();
        expect(sync.onStream("opened")).toBeDefined();
      }
      sync.onDepth(event);
      if (n === 3405) sync.onSnapshot(derived(3400));
    });
    // Event 3400 arrived while the book was not in sync.
    expect(agreed).toEqual(all().filter((n) => n !== 3400));
    expect(counters).toMatchObject({ gaps: 0, resyncs: 1 });
  });
});

function derived(n: number): BookSnapshot {
  const { bids, asks, lastId, updatedAt } = derivedBook(n);
  const flat = (levels: readonly TextLevel[]) => Float64Array.from(levels.flat().map(Number));
  return {
    marketId: market,
    lastId,
    timeMs: unixMs(updatedAt),
    bids: flat(bids),
    asks: flat(asks),
  };
}
