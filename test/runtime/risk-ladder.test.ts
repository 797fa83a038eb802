import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { CarriedRisk } from "../../src/orders/carried.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import type { LivePorts, LiveSettings } from "../../src/runtime/live-settings.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** Takers come often, and the fee is twice what a quote earns: every fill loses half a hundredth of a percent. */
const busy = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } };
const written = { bidSpread: "0.01%", askSpread: "0.01%", size: "0.5", levels: 1 };

function settingsOf(world: World, triggers: object): Partial<LiveSettings> {
  const params = pureMarketMaking.params.parse(written);
  return {
    risk: riskSchema.parse({ triggers }),
    strategies: world.settings.strategies.map((one) => ({
      ...one,
      params,
      writtenParams: written,
    })),
  };
}

/** Starts a bot, and collects what its ladder did. */
async function started(world: World, triggers: object, ports: Partial<LivePorts> = {}) {
  const warnings: string[] = [];
  const log = {
    ...world.ports.log,
    warn: (_: unknown, text: string) => void warnings.push(text),
  };
  const process = await world.startProcess(settingsOf(world, triggers), { ...ports, log });
  const risks: Extract<Note, { type: "risk" }>[] = [];
  process.bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "risk") risks.push(note);
  });
  return { ...process, risks, warnings };
}

function carriedRisk(world: World): CarriedRisk | undefined {
  const { carried } = restore(world.store, "journal").restored;
  return carried.find((item): item is CarriedRisk => item.type === "risk" && !("strategy" in item));
}

/** Quotes are soon taken here, so a single look may find none. */
async function untilQuoted(world: World, bot: Bot): Promise<void> {
  for (let look = 0; look < 100 && world.openOrders(bot).length === 0; look += 1) {
    await world.clock.runFor(50);
  }
  expect(world.openOrders(bot).length).toBeGreaterThan(0);
}

describe("a balance that drifts", () => {
  test("pauses the bot until a resume by force, and the drift so far counts no more", async () => {
    const world = await liveWorld(41);
    const risk = riskSchema.parse({ triggers: { balanceDrift: { pause: "1" } } });
    const bot = await world.start({ risk });
    const codes: string[] = [];
    bot.observers.on(({ notes }) => {
      for (const note of notes) if (note.type === "risk") codes.push(note.code);
    });
    await world.clock.runFor(45_000);
    const { ledger } = world.venue.exchange;
    ledger.withdraw(ledger.account(bot.owner), tokenId("1"), fixed("0.125"));
    await world.clock.runFor(100_000);
    expect(codes).toEqual(["RISK_PAUSE"]);
    expect(world.openOrders(bot)).toEqual([]);
    expect(bot.resume().problem).toMatch(
      /the balance drift of the bot is \d+\.?\d* quote token, limit 1/,
    );
    expect(bot.resume(undefined, true).problem).toBeUndefined();
    await untilQuoted(world, bot);
    await world.clock.runFor(60_000);
    expect(codes).toEqual(["RISK_PAUSE", "RISK_NORMAL"]);
    await stopped(world, bot);
    await expectVerified(world);
  });
});

describe("a bot that loses money", () => {
  test("warns, then halts: no order is left, also after kill -9, until an operator resumes", async () => {
    const world = await liveWorld(3, { flow: busy });
    const limits = { sessionLoss: { warn: "0.02", halt: "0.05" }, dayLoss: { halt: "0.5" } };
    const first = await started(world, limits);
    for (let second = 0; second < 300 && first.risks.at(-1)?.step !== "halt"; second += 1) {
      await world.clock.runFor(1_000);
    }
    await world.clock.runFor(2_000);
    expect(first.risks.map(({ code }) => code)).toEqual(["RISK_WARN", "RISK_HALT"]);
    // The limit was exceeded by less than one round of quotes: 0.5 on each side at a price of 100.
    const [, loss = "0"] = /is ([\d.]+) quote/.exec(first.risks.at(-1)?.message ?? "") ?? [];
    expect(Number(loss)).toBeGreaterThanOrEqual(0.05);
    expect(Number(loss)).toBeLessThan(0.05 + 100 * 0.002);
    expect(world.openOrders(first.bot)).toEqual([]);
    await expectVerified(world);
    first.kill();
    await world.clock.runFor(1_000);
    expect(carriedRisk(world)?.rungs).toMatchObject([{ trigger: "sessionLoss", step: "halt" }]);

    const second = await started(world, limits);
    expect(second.warnings).toContain(
      "the bot begins at the step halt of its risk ladder, which sessionLoss reached in an earlier run; `touchline resume` ends it",
    );
    await world.clock.runFor(30_000);
    expect(world.openOrders(second.bot)).toEqual([]);
    expect(second.risks).toEqual([]);
    // The session of this run has lost nothing yet.
    expect(second.bot.resume().problem).toBeUndefined();
    await untilQuoted(world, second.bot);
    expect(second.risks[0]?.code).toBe("RISK_NORMAL");
    const end = await stopped(world, second.bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary.riskSteps?.[0]).toMatchObject({ trigger: "sessionLoss", step: "normal" });
    expect(world.openOrders(second.bot)).toEqual([]);
    await expectVerified(world);
  });
});
