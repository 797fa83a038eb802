import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { limitsToDerive } from "../../src/config/unset-limits.ts";
import type { LimitsToDerive } from "../../src/kernel/config.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-unset-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strategy = (name: string, market: string, risk = "{}"): string =>
  `  - { name: ${name}, plugin: pure-market-making, market: "${market}", params: { bidSpread: 1%, askSpread: 1%, size: 1 }, risk: ${risk} }\n`;

/** What a bot with this `risk:` block derives. */
async function derived(
  risk: string,
  strategies = strategy("maker", "1_2"),
  overrides: readonly string[] = [],
): Promise<LimitsToDerive> {
  const file = path.join(folder, "bot.yaml");
  const venue = "venue: { rest: http://127.0.0.1:1, ws: ws://127.0.0.1:1/ws, chainId: 1001 }\n";
  writeFileSync(file, `${venue}risk: ${risk}\nstrategies:\n${strategies}`);
  const config = await loadBotConfig(file, { overrides });
  return limitsToDerive(config.unsetLimits, config);
}

const both = ["maxPosition", "maxOrderNotional"];

describe("the limits that a configuration leaves unset", () => {
  it("are all of them without a risk block", async () => {
    expect(await derived("{}")).toEqual({ limits: both, dayLoss: "bot" });
  });

  it("are not those that have a value or null, in the file or by a flag", async () => {
    const risk = "{ maxPosition: 5, maxOrderNotional: null, triggers: { dayLoss: null } }";
    expect(await derived(risk)).toEqual({ limits: [], dayLoss: [] });
    expect(await derived("{}", undefined, ["risk.maxPosition=5"])).toEqual({
      limits: ["maxOrderNotional"],
      dayLoss: "bot",
    });
  });

  it("have a loss stop unless another trigger of losses pauses or halts", async () => {
    const lossOf = async (triggers: string) => (await derived(`{ triggers: ${triggers} }`)).dayLoss;
    expect(await lossOf("{ dayLoss: { pause: 5 } }")).toEqual([]);
    expect(await lossOf("{ sessionLoss: { halt: 5 } }")).toEqual([]);
    expect(await lossOf("{ drawdown: { pause: 5 } }")).toEqual([]);
    expect(await lossOf("{ sessionLoss: { warn: 5 } }")).toBe("bot");
    expect(await lossOf("{ dayLoss: { warn: 5, reduceOnly: 9 } }")).toBe("bot");
    expect(await lossOf("{ rejects: { halt: 5 } }")).toBe("bot");
  });

  it("have one loss stop where a market converts the quote tokens", async () => {
    const strategies = strategy("one", "1_2") + strategy("two", "1_3");
    expect((await derived("{}", strategies)).dayLoss).toBe("bot");
  });

  it("have a loss stop for each strategy where quote tokens are unrelated, except where it is set or off", async () => {
    const strategies =
      strategy("one", "1_2") +
      strategy("two", "4_3", "{ triggers: { dayLoss: null } }") +
      strategy("three", "4_3");
    expect((await derived("{}", strategies)).dayLoss).toEqual(["one", "three"]);
    expect((await derived("{ triggers: { dayLoss: null } }", strategies)).dayLoss).toEqual([]);
  });

  it("have no loss stop when every strategy has its own", async () => {
    const own = "{ triggers: { dayLoss: { halt: 5 } } }";
    expect((await derived("{}", strategy("one", "1_2", own))).dayLoss).toEqual([]);
  });
});
