import { expect, it } from "vitest";
import { busyRun, demoFramesPerSecond } from "./busy-run.ts";
import { growthLine, mbPerHour, secondHalf, slopeTable } from "./growth.ts";

/** `npm run test:soak -- hour`: one real hour; SOAK_MINUTES shortens it. */
const minutes = Number(process.env["SOAK_MINUTES"] ?? "60");
const load = { markets: 12, speed: 20, sampleMs: Math.min(30_000, minutes * 1_000) };

it(
  "a bot that receives 100 times the demo's frames does not grow",
  async () => {
    const run = await busyRun({
      ...load,
      lastsMs: minutes * 60_000,
      sampled: (sample) => process.stdout.write(growthLine(sample)),
    });
    const { samples, summary, rates, exitCode } = run;
    const told = Object.entries(rates).map(([name, rate]) => `${rate.toFixed(1)} ${name}`);
    const counts = ["fills", "ordersLeft", "ordersRejected", "unknownOutcomes", "bookResyncs"];
    const counted = counts.map((name) => `${name} ${String(summary[name])}`);
    process.stdout.write(
      `a second: ${told.join(", ")}; ${counted.join(", ")}; exit ${exitCode}\n${slopeTable(samples)}`,
    );
    expect(exitCode).toBe(0);
    expect(summary).toMatchObject({ ordersLeft: 0, ordersRejected: 0 });
    expect(rates.frames, "frames a second").toBeGreaterThan(100 * demoFramesPerSecond);
    const half = secondHalf(samples);
    // The charts keep an hour of points for each of the 12 strategies: 13 MB when it is over.
    expect(mbPerHour(half, "heapMb"), "heap, MB/h").toBeLessThan(13 + 8);
    expect(mbPerHour(half, "rssMb"), "resident memory, MB/h").toBeLessThan(40);
    run.remove();
  },
  minutes * 60_000 + 300_000,
);
