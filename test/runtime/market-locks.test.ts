import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Address, MarketId } from "../../src/domain/ids.ts";
import { createStore } from "../../src/platform/store.ts";
import { lockMarkets } from "../../src/runtime/market-locks.ts";
import { silentLog } from "../support/venue.ts";

const owner = `0x${"a".repeat(40)}` as Address;

describe("locks of markets", () => {
  test("one lock that cannot be made does not leave the other markets without theirs", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-locks-"));
    try {
      const settings = {
        lockFolder: folder,
        venue: { rest: "https://venue", ws: "wss://venue", chainId: 1001 },
        dryRun: false,
      };
      const lock = (marketIds: readonly string[]) =>
        lockMarkets(
          settings,
          { owner, marketIds: marketIds as readonly MarketId[], isPaperVenue: false },
          createStore(),
          silentLog,
        );
      // The lock of one market is damaged: its file is no database.
      const damaged = path.join(folder, `1001-${owner}-1-2`);
      mkdirSync(damaged);
      writeFileSync(path.join(damaged, "lock.db"), "x".repeat(8192));
      expect(lock(["3_2"])).toHaveLength(1);
      expect(() => lock(["1_2", "3_2"])).toThrow(expect.objectContaining({ code: "ANOTHER_BOT" }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
