import { expect, it } from "vitest";
import { loadPlugin } from "../../src/config/load-plugin.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { growthLine, mbPerHour, secondHalf, slopeTable } from "./growth.ts";
import { virtualDay } from "./virtual-day.ts";

const hours = Number(process.env["SOAK_HOURS"] ?? "24");

it.each([
  ["without faults", false],
  ["with rare faults", true],
])(
  "the whole bot runs for virtual hours %s without growing",
  async (title, hasFaults) => {
    const loaded = await loadPlugin({ plugin: "pure-market-making", configFile: "bot.yaml" });
    if (!loaded.ok) throw new Error(loaded.error);
    const { end, samples, left } = await virtualDay({
      hours,
      seed: 1,
      crypto: await loadCrypto(),
      strategy: loaded.value,
      hasFaults,
      sampled: (sample) => process.stdout.write(growthLine(sample)),
    });
    const { summary } = end;
    const counts = [
      "requests",
      "quotesPlaced",
      "fills",
      "ordersRejected",
      "unknownOutcomes",
    ] as const;
    const told = counts.map((count) => `${count} ${summary[count]}`).join(", ");
    process.stdout.write(`${hours} virtual hours ${title}: ${told}\n${slopeTable(samples)}`);
    expect(end.ok, end.reason).toBe(true);
    expect(left).toBe(0);
    const half = secondHalf(samples);
    expect(mbPerHour(half, "heapMb"), "heap, MB/h").toBeLessThan(0.5);
    expect(mbPerHour(half, "rssMb"), "resident memory, MB/h").toBeLessThan(4);
  },
  7_200_000,
);
