import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { botYaml } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import {
  guardOf,
  guardQuoting,
  maker,
  noKey,
  nothingLeft,
  run,
  startGuard,
  startVenue,
  untilGuard,
  untilState,
  venue,
} from "../process/guarded-bot.ts";
import { Gate } from "./real/gate.ts";

/** What takes a guard longer than the tests of every day may. */

describe("a guard", () => {
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

  it("names the orders of a killed run that the next run had no time to sign cancels for", async () => {
    const first = run();
    await first.line("run");
    await venue.untilOpen(maker, 2);
    first.kill("SIGKILL");
    await first.exit;
    // So that they are not taken for orders of the last moment.
    await pause(4_000);
    const { rest } = venue;
    // A venue that does not say its time: no nonce can be made.
    const timeless = createServer(({ method = "GET", url = "/", headers }, response) => {
      if (url.includes("/time")) return void response.writeHead(503).end();
      void fetch(rest + url, { method, headers: { accept: String(headers.accept) } }).then(
        async (served) => response.writeHead(served.status).end(await served.text()),
      );
    });
    await new Promise<void>((resolve) => void timeless.listen(0, "127.0.0.1", resolve));
    const { port } = timeless.address() as AddressInfo;
    const ws = `${rest.replace("http", "ws")}/ws`;
    writeFileSync(venue.botConfig, botYaml({ venue: { rest: `http://127.0.0.1:${port}`, ws } }));
    const next = run();
    await next.line("run");
    const guard = startGuard();
    await untilState(guard, "guarding");
    await untilGuard("connected");
    next.kill("SIGKILL");
    expect(await guard.exit, guard.stderr).toBe(1);
    expect(await venue.openIds(maker)).toHaveLength(2);
    expect(guard.lines.at(-1)).toMatchObject({
      ordersLeft: [expect.any(String), expect.any(String)],
    });
    timeless.close();
  });
});

describe("an order whose request is on its way when the bot is killed", () => {
  beforeEach(() => startVenue([{ kind: "latency", delay: "4s", match: "POST /api/v1/order" }]));

  async function untilSent(count: number): Promise<void> {
    const status = async () =>
      JSON.stringify((await touchline(["status", venue.botConfig], maker)).lines);
    await expect.poll(status, { timeout: 30_000, interval: 50 }).toContain(`"orders":${count},`);
  }

  it("is canceled when it arrives", async () => {
    // Its log is on its standard error.
    const guard = new Touchline(["guard", venue.botConfig], noKey);
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
