import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { BookSync } from "../../src/book/book-sync.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import type { ClockReading } from "../../src/kernel/channels/channel-lag.ts";
import { DepthLiveness } from "../../src/kernel/channels/depth-liveness.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type { MarketEvent } from "../../src/recordings/market-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { filesOf, hasShared, io, sets, temporaryFolder } from "../recordings/shared-recordings.ts";
import { isSoak } from "../support/soak.ts";

// Replaying real data takes several seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Judges a market's recorded depth channel by its recorded trades, as a bot would have; REST shows no newer book. */
class RecordedMarket {
  readonly symbol: string;
  events = 0;
  checks = 0;
  behind = 0;
  readonly #sync: BookSync;
  readonly #depth = new DepthLiveness({ checkMs: 1_000, limitMs: 10_000 });
  readonly #clock: ClockReading = { offsetMs: undefined, doubtMs: 1_000, queriedMs: 0 };

  constructor(symbol: string, marketId: MarketId) {
    this.symbol = symbol;
    this.#sync = new BookSync(marketId);
    this.#sync.onStream("opened");
  }

  take(event: MarketEvent): void {
    const { atMs } = event;
    this.events += 1;
    this.#judge(atMs);
    if (event.type === "depth") this.#onDepth(event);
    else if (event.type === "trade") this.#onTrade(event);
    else {
      this.#sync.onStream("opened");
      this.#sync.onSnapshot(event.snapshot);
      this.#depth.synced(this.#sync.lastId, atMs);
    }
    this.#judge(atMs);
  }

  #onDepth({ atMs, event }: Extract<MarketEvent, { type: "depth" }>): void {
    this.#clock.offsetMs ??= event.timeMs - atMs;
    this.#clock.queriedMs = atMs;
    this.#depth.event(event.finalId, event.timeMs, atMs);
    this.#sync.onDepth(event);
    if (this.#sync.live === undefined) this.#depth.lost();
  }

  #onTrade({ atMs, trade }: Extract<MarketEvent, { type: "trade" }>): void {
    const { live } = this.#sync;
    if (live === undefined) return;
    const { bestPrice: bid = 0 } = live.bids;
    const { bestPrice: ask = Number.POSITIVE_INFINITY } = live.asks;
    if (trade.price >= bid && trade.price <= ask) return;
    this.#depth.tradeThrough(trade.timeMs, atMs);
  }

  #judge(atMs: number): void {
    if (this.#sync.live === undefined) return;
    if (this.#depth.judge(this.#clock, atMs) === "book") {
      this.checks += 1;
      this.#depth.same(this.#sync.lastId, atMs, atMs);
    }
    if (this.#depth.behindSinceMs !== Number.POSITIVE_INFINITY) this.behind += 1;
  }
}

/** Every market of a recording. */
function judged(folder: string): readonly RecordedMarket[] {
  const recording = new Recording(io, folder);
  return recording.manifest.markets.map(({ marketId, symbol }) => {
    const market = new RecordedMarket(symbol, marketId as MarketId);
    for (const event of recording.syncedEvents(marketId)) market.take(event);
    return market;
  });
}

describe("the depth channels of recordings", () => {
  test("are never checked and never behind, in the demo's recording", () => {
    const [market] = judged(path.resolve(import.meta.dirname, "../../config/recordings/zilusdt"));
    expect(market?.events).toBeGreaterThan(1_000);
    expect([market?.checks, market?.behind]).toEqual([0, 0]);
  });

  describe.skipIf(!hasShared)("are never checked and never behind, in real recordings", () => {
    const folder = temporaryFolder();
    // The longest set takes as long as all others together.
    const some = isSoak ? sets : sets.filter(({ name }) => name !== "02-usdm");
    test.each(some)("$name", (set) => {
      const out = `${folder}/${set.name}`;
      importRecording(io, { format: set.format, files: filesOf(set), out });
      const wrong = judged(out).filter(({ checks, behind }) => checks + behind > 0);
      expect(wrong.map(({ symbol }) => symbol)).toEqual([]);
    });
  });
});
