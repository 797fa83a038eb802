import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** A bot as a process of its own that pays more fees than it earns. */

const maker = { TOUCHLINE_KEY: `0x${"33".repeat(32)}` };
const strategy = `  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.001%, askSpread: 0.001%, size: "0.5", levels: 1, refresh: 1s }
    risk: { triggers: { sessionLoss: { warn: "0.001", halt: "0.02" }, position: { warn: "1000000" } } }
`;
const flow = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 50, takerNotional: 300 } };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(strategy, { flow });
});
afterAll(() => venue.stop());

const ask = (...words: readonly string[]) =>
  touchline([...words.slice(0, 1), venue.botConfig, ...words.slice(1)], maker);

async function statusText(): Promise<string> {
  return JSON.stringify((await ask("status")).lines);
}

describe("a bot that loses money", () => {
  it("halts by itself with nothing left, says why, stays halted over a restart, and ends with code 0", async () => {
    const first = new Touchline(["run", venue.botConfig], maker);
    await first.line("run");
    await expect.poll(statusText, { timeout: 120_000, interval: 250 }).toContain('"step":"halt"');
    const reason = /halted by risk: the session loss of maker is 0\.\d+ quote token, limit 0\.02/;
    expect(await statusText()).toMatch(reason);
    await venue.untilOpen(maker, 0);
    first.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(await first.line("summary")).toMatchObject({
      ordersLeft: 0,
      riskSteps: [
        { strategy: "maker", trigger: "sessionLoss", step: "warn" },
        { strategy: "maker", trigger: "sessionLoss", step: "halt" },
      ],
    });

    const second = new Touchline(["run", venue.botConfig], maker);
    await second.line("run");
    await pause(2_000);
    expect(await statusText()).toMatch(
      /halted by risk: the session loss of maker was 0\.\d+ quote token in an earlier run, limit 0\.02/,
    );
    expect(await venue.openIds(maker)).toEqual([]);
    // The position of the first run may have lost as much again since the start, so losses are counted anew.
    expect(await ask("resume", "--force")).toMatchObject({ code: 0, lines: [{ event: "resume" }] });
    // It may halt again before anybody looks: the warnings show that it was resumed.
    await expect.poll(statusText, { timeout: 60_000, interval: 100 }).toContain("RISK_NORMAL");
    expect(await ask("stop")).toMatchObject({ code: 0 });
    expect(await second.exit).toBe(0);
    expect(await venue.openIds(maker)).toEqual([]);
  }, 300_000);
});
