import { computeAddress, encryptKeystoreJson } from "ethers";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerFactory } from "../../src/platform/server.ts";
import type { ServerFactory } from "../../src/ports/server.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { Touchline } from "../support/touchline-process.ts";
import { startRealVenue } from "../support/real-venue.ts";

/** A venue with a moving market in this process, which records every request that it gets. */

const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));
const requests: string[] = [];
const frames: string[] = [];
let venue: RunningVenue;
let folder = "";
const SECRET = "a long enough password";
const started: Touchline[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-paper-"));
  const real = createServerFactory();
  const server: ServerFactory = {
    listen: (options) =>
      real.listen({
        ...options,
        respond(request) {
          requests.push(`${request.method} ${request.path}`);
          return options.respond(request);
        },
        connected(socket) {
          const handlers = options.connected(socket);
          return {
            ...handlers,
            pong: () => handlers.pong(),
            closed: () => handlers.closed(),
            frame(data) {
              frames.push(new TextDecoder().decode(data));
              handlers.frame(data);
            },
          };
        },
      }),
  };
  venue = await startRealVenue(
    { flow: "synthetic", faucet: { "1": "100", "2": "250000" } },
    { server },
  );
});
afterAll(async () => {
  for (const each of started) each.kill("SIGKILL");
  await venue.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): Touchline {
  const ours = [
    `venue.rest=${venue.rest}`,
    `venue.ws=${venue.ws}`,
    `journal.path=${path.join(folder, "journal")}`,
    "dashboard.port=0",
  ];
  const set = ours.flatMap((override) => ["--set", override]);
  const process = new Touchline([...args, ...set], { SECRET });
  started.push(process);
  return process;
}

test("paper reads public data only, quotes, and ends with its summary on a signal", async () => {
  const bot = start("paper", config, "--set", 'balances={ "1": "10", "2": "25000" }');
  await bot.line("paper");
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  bot.kill("SIGTERM");
  expect(await bot.exit).toBe(0);
  expect(bot.lines.at(-1)).toMatchObject({
    event: "summary",
    ordersLeft: 0,
    foreignOrders: 0,
    ordersRejected: 0,
    signer: "none",
  });
  expect(bot.lines.at(-1)?.["quotesPlaced"]).toBeGreaterThanOrEqual(4);
  expect(new Set(requests)).toEqual(new Set(["GET /api/v1/market", "GET /api/v1/market/depth"]));
  expect(frames.length).toBeGreaterThan(0);
  for (const frame of frames) expect(frame).not.toContain("userEvent");
}, 60_000);

test("run --dry-run with a keystore reads and signs, but sends no command", async () => {
  const privateKey = `0x${"11".repeat(32)}`;
  const address = computeAddress(privateKey);
  const file = path.join(folder, "bot.json");
  // Another program's, which derives its key with almost no work.
  const scrypt = { N: 2, r: 1, p: 1 };
  const sealed = await encryptKeystoreJson({ address, privateKey }, SECRET, { scrypt });
  writeFileSync(file, sealed, { mode: 0o600 });
  requests.length = 0;
  const bot = start(
    "run",
    config,
    "--dry-run",
    "--duration",
    "6s",
    "--set",
    `account.signer={ type: keystore, path: ${file}, password: { env: SECRET } }`,
  );
  expect(await bot.line("run")).toMatchObject({ owner: address.toLowerCase(), dryRun: true });
  expect(await bot.exit).toBe(0);
  expect(bot.lines.at(-1)).toMatchObject({ event: "summary", ordersLeft: 0, unknownOutcomes: 0 });
  expect(bot.lines.at(-1)?.["quotesPlaced"]).toBeGreaterThanOrEqual(4);
  expect(requests).toContain("GET /api/v1/wallet/balance");
  expect(requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
}, 60_000);
