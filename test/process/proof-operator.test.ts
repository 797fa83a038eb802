import { createConnection, type Socket } from "node:net";
import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { botYaml, ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { VenueProcess } from "./venue-process.ts";

const maker = { TOUCHLINE_KEY: `0x${"33".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"34".repeat(32)}` };
let venue: VenueProcess;

beforeAll(async () => {
  venue = await VenueProcess.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
}, 30_000);
afterAll(() => venue.stop());

async function connected(): Promise<Socket> {
  const socket = createConnection(
    path.join(path.dirname(venue.botConfig), "journal", "control.sock"),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => undefined);
  return socket;
}

const ask = (...words: readonly string[]) =>
  touchline([...words.slice(0, 1), venue.botConfig, ...words.slice(1)], maker);

/** The exit code; "alive" when the process has not ended by then. */
const within = (bot: Touchline, ms: number): Promise<number | null | string> =>
  Promise.race([bot.exit, pause(ms, "alive")]);

describe("the control socket", () => {
  it("answers a hundred connections at once, and garbage does not disturb it", async () => {
    const bot = new Touchline(["run", venue.botConfig], maker);
    await bot.line("run");
    await pause(1_000);
    const sockets = await Promise.all(Array.from({ length: 100 }, connected));
    for (const [at, socket] of sockets.entries()) {
      if (at % 4 === 0) socket.write("\0\xff garbage\n");
      if (at % 4 === 1) socket.write('{"command":"status"}\n');
      if (at % 4 === 2) socket.write('{"command":"__proto__","journal":[]}\n');
    }
    const status = await ask("status");
    expect(status.code).toBe(0);
    for (const socket of sockets) socket.destroy();
    bot.kill("SIGTERM");
    expect(await within(bot, 20_000)).toBe(0);
  }, 60_000);

  it("does not delay the end of the process when a connection is open and silent", async () => {
    const bot = new Touchline(["run", venue.botConfig], maker);
    await bot.line("run");
    await pause(1_000);
    const socket = await connected();
    await pause(200);
    bot.kill("SIGTERM");
    await bot.line("summary");
    const code = await within(bot, 6_000);
    socket.destroy();
    await bot.exit;
    expect(code).toBe(0);
  }, 60_000);

  it("does not end the bot when a connection goes on sending after its line", async () => {
    const bot = new Touchline(["run", venue.botConfig], maker);
    await bot.line("run");
    await pause(1_000);
    const socket = await connected();
    socket.write('{"command":"status"}\n');
    socket.on("data", () => undefined);
    const chunk = Buffer.alloc(4 * 1024 * 1024, "x");
    for (let sent = 0; sent < 160 && !socket.destroyed; sent += 1) {
      if (!socket.write(chunk)) {
        await Promise.race([
          new Promise((resolve) => socket.once("drain", resolve)),
          new Promise((resolve) => socket.once("close", resolve)),
          pause(3_000),
        ]);
      }
    }
    const state = await within(bot, 5_000);
    socket.destroy();
    bot.kill("SIGTERM");
    await bot.exit;
    expect(state).toBe("alive");
  }, 60_000);
});

describe("a bot that is still starting, since its venue does not respond", () => {
  it("is not called absent by `halt`, only to quote later", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-proof-"));
    // A venue behind a gateway that hangs for a while.
    const gate = { isOpen: false };
    const proxy = createServer((request, response) => {
      if (!gate.isOpen) return;
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const answer = await fetch(`${venue.rest}${request.url}`, {
          method: request.method ?? "GET",
          headers: { "content-type": "application/json" },
          ...(request.method === "POST" ? { body: Buffer.concat(chunks) } : {}),
        });
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })().catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : 0;
    const config = path.join(folder, "bot.yaml");
    writeFileSync(
      config,
      botYaml({
        venue: { rest: `http://127.0.0.1:${port}`, ws: venue.rest.replace("http", "ws") + "/ws" },
        strategy: ONE_LEVEL_MAKER,
      }),
    );
    const bot = new Touchline(["run", config], maker);
    await pause(2_500);
    const halted = await touchline(["halt", config, "--reason", "news"], maker);
    gate.isOpen = true;
    await bot.line("run");
    await pause(4_000);
    const { lines } = await touchline(["order", "open", "--venue", venue.rest], maker);
    bot.kill("SIGTERM");
    await bot.exit;
    proxy.close();
    proxy.closeAllConnections();
    rmSync(folder, { recursive: true });
    // The operator asked for a halt and was told that no bot is running.
    expect(halted.lines).toMatchObject([{ event: "error", code: "NO_BOT" }]);
    expect(lines[0]?.["orders"]).toEqual([]);
  }, 90_000);

  it("ends within seconds of a signal: it has sent nothing", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-proof-"));
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const config = path.join(folder, "bot.yaml");
    writeFileSync(
      config,
      botYaml({
        venue: { rest: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` },
        strategy: ONE_LEVEL_MAKER,
      }),
    );
    const bot = new Touchline(["run", config], maker);
    await pause(2_500);
    bot.kill("SIGTERM");
    const code = await within(bot, 15_000);
    bot.kill("SIGKILL");
    silent.close();
    silent.closeAllConnections();
    rmSync(folder, { recursive: true });
    expect(code).not.toBe("alive");
  }, 90_000);
});
