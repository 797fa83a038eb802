import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { BusyBot } from "./busy-bot.ts";
import { growthLine, mbPerHour, secondHalf, slopeTable, type GrowthSample } from "./growth.ts";

/** `npm run test:soak -- hour`: one real hour; SOAK_MINUTES shortens it. */
const minutes = Number(process.env["SOAK_MINUTES"] ?? "60");
const load = { markets: 24, speed: 10, sampleMs: Math.min(30_000, minutes * 1_000) };

it(
  "a bot at 100 times the demo's rate does not grow",
  async () => {
    const busy = await BusyBot.start(load);
    const startedMs = Date.now();
    const samples: GrowthSample[] = [];
    while (Date.now() - startedMs < minutes * 60_000) {
      await pause(load.sampleMs);
      const sample = busy.sample(startedMs);
      if (sample === undefined || sample.hours === samples.at(-1)?.hours) continue;
      samples.push(sample);
      process.stdout.write(growthLine(sample));
    }
    expect(await busy.stop()).toBe(0);
    const summary = await busy.bot.line("summary");
    const seconds = Number(summary["durationMs"]) / 1000;
    const rate = (field: string): string => (Number(summary[field]) / seconds).toFixed(1);
    process.stdout.write(
      `${seconds.toFixed(0)} s: ${rate("requests")} requests, ${rate("quotesPlaced")} orders, ${rate("fills")} fills a second; ` +
        `ordersLeft ${String(summary["ordersLeft"])}, ordersRejected ${String(summary["ordersRejected"])}, unknownOutcomes ${String(summary["unknownOutcomes"])}\n` +
        slopeTable(samples),
    );
    expect(summary).toMatchObject({ ordersLeft: 0, ordersRejected: 0 });
    const half = secondHalf(samples);
    // The page's charts keep an hour of points for each of the 24 strategies: 26 MB when it is over.
    expect(mbPerHour(half, "heapMb"), "heap, MB/h").toBeLessThan(26 + 8);
    expect(mbPerHour(half, "rssMb"), "resident memory, MB/h").toBeLessThan(40);
    busy.remove();
  },
  minutes * 60_000 + 300_000,
);
