import { writeFileSync } from "node:fs";
import { createServer, connect, type Server, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSigner } from "../../src/sdk/index.ts";
import { botYaml, ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { VenueProcess } from "./venue-process.ts";

/** A bot, its guard and the venue as processes of their own. */

const maker = { TOUCHLINE_KEY: `0x${"51".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"52".repeat(32)}` };
const noKey = { TOUCHLINE_KEY: "" };
let venue: VenueProcess;

async function startVenue(faults?: string): Promise<void> {
  venue = await VenueProcess.start(ONE_LEVEL_MAKER, { faults });
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
}
afterEach(() => venue.stop());

async function openCount(key = maker): Promise<number> {
  const { lines } = await touchline(["order", "open", "--venue", venue.rest], key);
  const orders = lines[0]?.["orders"];
  return Array.isArray(orders) ? orders.length : Number.NaN;
}

async function untilOpen(count: number): Promise<number> {
  let found = Number.NaN;
  for (let attempt = 0; attempt < 100 && found !== count; attempt += 1) {
    found = await openCount();
    if (found !== count) await pause(100);
  }
  return found;
}

function run(...words: readonly string[]): Touchline {
  return new Touchline(["run", venue.botConfig, ...words], maker);
}

function startGuard(...words: readonly string[]): Touchline {
  return new Touchline(["guard", venue.botConfig, ...words], noKey);
}

/** What the bot says of its guard. */
async function guardOf(): Promise<unknown> {
  const { lines } = await touchline(["status", venue.botConfig], maker);
  return lines[0]?.["guard"];
}

async function untilGuard(wanted: string): Promise<unknown> {
  let found: unknown;
  for (let attempt = 0; attempt < 100 && found !== wanted; attempt += 1) {
    found = await guardOf();
    if (found !== wanted) await pause(100);
  }
  return found;
}

/** The newest state that the guard has printed. */
async function untilState(guard: Touchline, state: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (guard.lines.findLast(({ event }) => event === "guard")?.["state"] === state) return;
    await pause(100);
  }
  throw new Error(`the guard is not ${state}: ${guard.stderr}`);
}

const nothingLeft = { event: "guard", state: "canceled", ordersLeft: [], isVerified: true };

describe("a guard", () => {
  beforeEach(() => startVenue());

  it("cancels the orders of a bot that was killed, and no others, without a key", async () => {
    const guard = startGuard();
    await untilState(guard, "waiting");
    const bot = run();
    await bot.line("run");
    await untilState(guard, "guarding");
    expect(await untilOpen(2)).toBe(2);
    bot.kill("SIGKILL");
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject({ ...nothingLeft, orders: 2 });
    expect(await openCount()).toBe(0);
    expect(await openCount(other)).toBe(2);
    const verified = await touchline(["journal", "verify", venue.journal], maker);
    expect(verified.lines.at(-1)).toMatchObject({ event: "verified", identical: true });
  }, 120_000);

  it("cancels the orders of a stopped bot, which quotes again when it continues", async () => {
    const bot = run();
    await bot.line("run");
    const guard = startGuard();
    await untilState(guard, "guarding");
    expect(await untilOpen(2)).toBe(2);
    expect(await untilGuard("connected")).toBe("connected");
    bot.kill("SIGSTOP");
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject(nothingLeft);
    expect(await openCount()).toBe(0);
    await pause(25_000);
    expect(await openCount()).toBe(0);
    bot.kill("SIGCONT");
    expect(await untilOpen(2)).toBe(2);
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

  it("says goodbye to a bot that stops cleanly, and guards its next run", async () => {
    const guard = startGuard();
    for (const _ of [1, 2]) {
      const bot = run();
      await bot.line("run");
      await untilState(guard, "guarding");
      expect(await untilOpen(2)).toBe(2);
      expect(await touchline(["stop", venue.botConfig], maker)).toMatchObject({ code: 0 });
      expect(await bot.exit).toBe(0);
      await untilState(guard, "goodbye");
    }
    guard.kill("SIGTERM");
    expect(await guard.exit).toBe(0);
  }, 120_000);

  it("that is required is waited for: without it nothing is quoted", async () => {
    const bot = run("--set", "guard.required=true");
    await bot.line("run");
    await pause(3_000);
    expect(await openCount()).toBe(0);
    const status = await touchline(["status", venue.botConfig], maker);
    expect(JSON.stringify(status.lines)).toContain("no guard is connected");
    const first = startGuard();
    expect(await untilOpen(2)).toBe(2);
    first.kill("SIGKILL");
    await first.exit;
    expect(await untilGuard("lost")).toBe("lost");
    expect(await untilOpen(0)).toBe(0);
    const second = startGuard();
    expect(await untilOpen(2)).toBe(2);
    bot.kill("SIGKILL");
    expect(await second.exit, second.stderr).toBe(0);
    expect(await openCount()).toBe(0);
  }, 120_000);

  it("cancels with what a session wallet signed", async () => {
    const env = { OWNER_KEY: maker.TOUCHLINE_KEY, PASSWORD: "correct horse battery" };
    const { address: owner } = await openSigner(maker.TOUCHLINE_KEY);
    const session = path.join(path.dirname(venue.botConfig), "session.json");
    const account = `account:
  owner: "${owner}"
  signer: { type: session, key: { type: keystore, path: session.json, password: { env: PASSWORD } } }`;
    const ws = `${venue.rest.replace("http", "ws")}/ws`;
    writeFileSync(venue.botConfig, botYaml({ venue: { rest: venue.rest, ws }, account }));
    const create = `session create --session-keystore ${session} --password-env PASSWORD --owner-env OWNER_KEY --config ${venue.botConfig}`;
    const created = await touchline(create.split(" "), env);
    expect(created.code, created.stderr).toBe(0);
    const bot = new Touchline(["run", venue.botConfig], { PASSWORD: env.PASSWORD });
    await bot.line("run");
    const guard = startGuard();
    await untilState(guard, "guarding");
    expect(await untilOpen(2)).toBe(2);
    expect(await untilGuard("connected")).toBe("connected");
    bot.kill("SIGKILL");
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject({ ...nothingLeft, orders: 2 });
    expect(await openCount()).toBe(0);
  }, 120_000);

  it("refuses a configuration of another account", async () => {
    const bot = run();
    await bot.line("run");
    const owner = `0x${"77".repeat(20)}`;
    const guard = startGuard("--set", `account.owner=${owner}`);
    expect(await guard.exit).toBe(1);
    expect(await guard.line("error")).toMatchObject({ code: "GUARD_OTHER_ACCOUNT" });
    bot.kill("SIGTERM");
    expect(await bot.exit).toBe(0);
  }, 60_000);
});

describe("an order whose request is on its way when the bot is killed", () => {
  beforeEach(() => startVenue("[{ kind: latency, delay: 4s, match: 'POST /api/v1/order' }]"));

  async function untilSent(count: number): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const { lines } = await touchline(["status", venue.botConfig], maker);
      if (JSON.stringify(lines).includes(`"orders":${count},`)) return;
    }
    throw new Error(`the bot has not sent ${count} orders`);
  }

  it("is canceled when it arrives", async () => {
    const guard = startGuard();
    const bot = run();
    await bot.line("run");
    await untilState(guard, "guarding");
    await untilSent(2);
    bot.kill("SIGKILL");
    await untilState(guard, "canceling");
    expect(await openCount()).toBe(0);
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.stderr).toContain('"outcome":"refused"');
    expect(guard.lines.at(-1)).toMatchObject({ ...nothingLeft, orders: 2 });
    expect(await openCount()).toBe(0);
  }, 120_000);
});

describe("a venue that cannot be reached when the bot is killed", () => {
  beforeEach(() => startVenue());

  /** Forwards connections to the venue until it is closed. */
  class Wire {
    readonly #target: number;
    #server: Server | undefined;
    readonly #sockets = new Set<Socket>();
    port = 0;

    constructor(target: number) {
      this.#target = target;
    }

    async open(): Promise<void> {
      const server = createServer((client) => {
        const upstream = connect(this.#target, "127.0.0.1");
        for (const [from, to] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          this.#sockets.add(from);
          from.pipe(to);
          from.on("error", () => to.destroy());
          from.on("close", () => to.destroy());
        }
      });
      this.#server = server;
      await new Promise<void>((resolve) => {
        server.listen(this.port, "127.0.0.1", resolve);
      });
      const address = server.address();
      if (typeof address === "object" && address !== null) this.port = address.port;
    }

    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => {
        this.#server?.close(() => resolve());
      });
      for (const socket of this.#sockets) socket.destroy();
      this.#sockets.clear();
      await closed;
    }
  }

  it("for twenty seconds: the guard tries until it can, and nothing is left", async () => {
    const wire = new Wire(Number(new URL(venue.rest).port));
    await wire.open();
    const rest = `http://127.0.0.1:${wire.port}`;
    writeFileSync(
      venue.botConfig,
      botYaml({ venue: { rest, ws: `ws://127.0.0.1:${wire.port}/ws` } }),
    );
    const bot = run();
    await bot.line("run");
    const guard = startGuard();
    await untilState(guard, "guarding");
    expect(await untilOpen(2)).toBe(2);
    expect(await untilGuard("connected")).toBe("connected");
    await wire.close();
    bot.kill("SIGKILL");
    await untilState(guard, "canceling");
    await pause(20_000);
    expect(await openCount()).toBe(2);
    await wire.open();
    expect(await guard.exit, guard.stderr).toBe(0);
    expect(guard.lines.at(-1)).toMatchObject(nothingLeft);
    expect(await openCount()).toBe(0);
    await wire.close();
  }, 180_000);
});
