import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { botYaml } from "../support/bot-yaml.ts";
import { touchline } from "../support/touchline-process.ts";
import {
  guardOf,
  guardQuoting,
  maker,
  nothingLeft,
  run,
  startGuard,
  startVenue,
  untilState,
  venue,
} from "../process/guarded-bot.ts";
import { Gate } from "./real/gate.ts";

/** What takes a guard longer than the tests of every day may. */

describe("a guard of a stopped bot", () => {
  beforeEach(() => startVenue());

  it("cancels the orders of a stopped bot, which quotes again when it continues", async () => {
    const bot = run();
    const guard = await guardQuoting(bot);
    bot.kill("SIGSTOP");
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject(nothingLeft);
    expect(await venue.openIds(maker)).toEqual([]);
    await pause(25_000);
    expect(await venue.openIds(maker)).toEqual([]);
    bot.kill("SIGCONT");
    await venue.untilOpen(maker, 2);
    expect(await guardOf()).toBe("lost");
    const next = startGuard("--once");
    await untilState(next, "guarding");
    bot.kill("SIGTERM");
    expect(await bot.exit, bot.stderr).toBe(0);
    expect(await bot.line("summary")).toMatchObject({ ordersLeft: 0 });
    expect(await next.exit, next.stderr).toBe(0);
    const verified = await touchline(["journal", "verify", venue.journal], maker);
    expect(verified.lines.at(-1)).toMatchObject({ event: "verified", identical: true });
  }, 180_000);
});

describe("an order whose request is on its way when the bot is killed", () => {
  beforeEach(() => startVenue([{ kind: "latency", delay: "4s", match: "POST /api/v1/order" }]));

  async function untilSent(count: number): Promise<void> {
    const status = async () =>
      JSON.stringify((await touchline(["status", venue.botConfig], maker)).lines);
    await expect.poll(status, { timeout: 30_000, interval: 50 }).toContain(`"orders":${count},`);
  }

  it("is canceled when it arrives", async () => {
    const guard = startGuard();
    const bot = run();
    await bot.line("run");
    await untilState(guard, "guarding");
    await untilSent(2);
    bot.kill("SIGKILL");
    await untilState(guard, "canceling");
    expect(await venue.openIds(maker)).toEqual([]);
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.stderr).toContain('"outcome":"refused"');
    expect(guard.lines.at(-1)).toMatchObject({ ...nothingLeft, orders: 2 });
    expect(await venue.openIds(maker)).toEqual([]);
  }, 120_000);
});

describe("a venue that cannot be reached when the bot is killed", () => {
  beforeEach(() => startVenue());

  it("for twenty seconds: the guard tries until it can, and nothing is left", async () => {
    const gate = new Gate(Number(new URL(venue.rest).port));
    await gate.open();
    const rest = `http://127.0.0.1:${gate.port}`;
    writeFileSync(
      venue.botConfig,
      botYaml({ venue: { rest, ws: `ws://127.0.0.1:${gate.port}/ws` } }),
    );
    const bot = run();
    const guard = await guardQuoting(bot);
    await gate.fail("refused");
    bot.kill("SIGKILL");
    await untilState(guard, "canceling");
    await pause(20_000);
    expect(await venue.openIds(maker)).toHaveLength(2);
    await gate.recover();
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject(nothingLeft);
    expect(await venue.openIds(maker)).toEqual([]);
    await gate.close();
  }, 180_000);
});
