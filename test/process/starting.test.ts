import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { botYaml, ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isRunning } from "../support/is-running.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** Operators' commands to a bot whose venue does not respond, so that its start goes on. */

const maker = { TOUCHLINE_KEY: `0x${"35".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"36".repeat(32)}` };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
});
afterAll(() => venue.stop());

/** A gateway before the venue that holds every request until it opens, and a bot's configuration for it. */
class Gateway {
  readonly config: string;
  readonly journal: string;
  readonly #server: Server;
  /** Resolves with the first request. */
  readonly asked: Promise<void>;
  open: () => void = () => undefined;

  private constructor(server: Server, asked: Promise<void>, port: number) {
    this.#server = server;
    this.asked = asked;
    const folder = temporaryFolder();
    this.config = path.join(folder, "bot.yaml");
    this.journal = path.join(folder, "journal");
    const rest = `http://127.0.0.1:${port}`;
    const ws = `${venue.rest.replace("http", "ws")}/ws`;
    writeFileSync(this.config, botYaml({ venue: { rest, ws }, strategy: ONE_LEVEL_MAKER }));
  }

  static async start(): Promise<Gateway> {
    let open = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    let first = (): void => undefined;
    const asked = new Promise<void>((resolve) => (first = resolve));
    const server = createServer((request, response) => {
      first();
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(Buffer.from(chunk));
        await isOpen;
        const answer = await fetch(`${venue.rest}${request.url}`, {
          method: request.method ?? "GET",
          headers: { "content-type": "application/json" },
          ...(request.method === "POST" ? { body: Buffer.concat(chunks) } : {}),
        });
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })().catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const gateway = new Gateway(server, asked, port);
    gateway.open = open;
    return gateway;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe("a bot that is still starting", () => {
  it("is reached by `status` and `halt`, and quotes nothing when it has started", async () => {
    const gateway = await Gateway.start();
    const bot = new TouchlineHere(["run", gateway.config], maker);
    await gateway.asked;
    const status = await touchline(["status", gateway.config], maker);
    expect(status).toMatchObject({ code: 0, lines: [{ event: "status", strategies: [] }] });
    expect(JSON.stringify(status.lines)).toContain("still starting");
    const halted = await touchline(["halt", gateway.config, "--reason", "news"], maker);
    expect(halted).toMatchObject({
      code: 1,
      lines: [{ event: "error", code: "CONTROL_FAILED" }],
    });
    expect(halted.stderr + JSON.stringify(halted.lines)).toContain("halted from its first step on");
    expect(readFileSync(path.join(gateway.journal, "HALT"), "utf8")).toBe("news\n");
    gateway.open();
    await bot.line("run");
    await expect
      .poll(async () => JSON.stringify((await touchline(["status", gateway.config], maker)).lines))
      .toContain("halted: news");
    const { lines } = await touchline(["order", "open", "--venue", venue.rest], maker);
    expect(lines).toMatchObject([{ orders: [] }]);
    bot.stop();
    expect(await bot.exit).toBe(0);
    expect(await bot.line("summary")).toMatchObject({ ordersLeft: 0 });
    gateway.close();
  });

  it.each(["a signal", "touchline stop"])(
    "ends at once by %s, although its request gets no response",
    async (way) => {
      const gateway = await Gateway.start();
      const bot = new TouchlineHere(["run", gateway.config], maker);
      await gateway.asked;
      if (way === "a signal") bot.stop();
      else {
        expect(await touchline(["stop", gateway.config], maker)).toMatchObject({
          code: 1,
          lines: [{ event: "error", code: "CONTROL_FAILED" }],
        });
      }
      // Without the stop it would end with an error once its requests have timed out.
      expect(await bot.exit).toBe(0);
      expect(bot.lines).toEqual([]);
      expect(existsSync(path.join(gateway.journal, "control.sock"))).toBe(false);
      gateway.close();
    },
  );
});

describe.skipIf(process.platform === "win32")("a bot whose signer program hangs", () => {
  it("leaves no program by a second signal, which it takes while it exits", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "bot.yaml");
    const pidFile = path.join(folder, "pid");
    const script = `trap "" TERM; echo $$ > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; sleep 60; true`;
    const owner = JSON.stringify({ type: "command", command: ["/bin/sh", "-c", script] });
    const account = `account:
  owner: "0x${"ab".repeat(20)}"
  signer:
    type: session
    key: { type: env, name: TOUCHLINE_KEY }
    renew: { owner: ${owner}, keys: ./sessions, password: { env: PASSWORD } }`;
    const place = { rest: venue.rest, ws: `${venue.rest.replace("http", "ws")}/ws` };
    writeFileSync(file, botYaml({ venue: place, account }));
    const bot = new Touchline(["run", file], { ...maker, PASSWORD: "correct horse battery" });
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    const signer = Number(readFileSync(pidFile, "utf8"));
    bot.kill("SIGTERM");
    await bot.said("stopped while it was starting");
    // Signals within 200 ms count as one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    bot.kill("SIGTERM");
    expect(await bot.exit).toBe(0);
    await expect.poll(() => isRunning(signer)).toBe(false);
  });
});

describe("a halt while no bot runs, as between two starts by a supervisor", () => {
  it("holds for the next start", async () => {
    const gateway = await Gateway.start();
    gateway.open();
    const halted = await touchline(["halt", gateway.config, "--reason", "gap"], maker);
    expect(halted).toMatchObject({ code: 1, lines: [{ event: "error", code: "NO_BOT" }] });
    expect(JSON.stringify(halted.lines)).toContain("HALT is written");
    const resumed = await touchline(["resume", gateway.config], maker);
    expect(resumed).toMatchObject({ code: 1, lines: [{ event: "error", code: "NO_BOT" }] });
    expect(JSON.stringify(resumed.lines)).toContain(
      "HALT still halts it, also after a restart (gap)",
    );
    const bot = new TouchlineHere(["run", gateway.config], maker);
    await bot.line("run");
    await expect
      .poll(async () => JSON.stringify((await touchline(["status", gateway.config], maker)).lines))
      .toContain("halted: gap");
    bot.stop();
    expect(await bot.exit).toBe(0);
    gateway.close();
  });
});
