import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerFactory } from "../../src/platform/server.ts";
import type { ServerFactory } from "../../src/ports/server.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { TouchlineHere } from "../support/touchline-process.ts";
import { startRealVenue } from "../support/real-venue.ts";

/** A venue with a moving market in this process, which records every request that it gets. */

const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));
const requests: string[] = [];
const frames: string[] = [];
let venue: RunningVenue;
let folder = "";

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
  await venue.close();
  rmSync(folder, { recursive: true, force: true });
});

test("paper reads public data only, quotes, and ends with its summary when it is asked to", async () => {
  const set = [
    `venue.rest=${venue.rest}`,
    `venue.ws=${venue.ws}`,
    `journal.path=${path.join(folder, "journal")}`,
    "dashboard.port=0",
    'balances={ "1": "10", "2": "25000" }',
  ];
  const sets = set.flatMap((override) => ["--set", override]);
  const bot = new TouchlineHere(["paper", config, ...sets]);
  const { dashboard } = await bot.line("paper");
  const orders = async () => (await fetch(`${String(dashboard)}/api/v1/orders`)).text();
  await expect.poll(orders).toMatch(/BUY.*SELL|SELL.*BUY/);
  bot.stop();
  expect(await bot.exit).toBe(0);
  expect(bot.lines.at(-1)).toMatchObject({
    event: "summary",
    ordersLeft: 0,
    foreignOrders: 0,
    ordersRejected: 0,
    signer: "none",
  });
  expect(bot.lines.at(-1)?.["quotesPlaced"]).toBeGreaterThanOrEqual(2);
  expect(new Set(requests)).toEqual(new Set(["GET /api/v1/market", "GET /api/v1/market/depth"]));
  expect(frames.length).toBeGreaterThan(0);
  for (const frame of frames) expect(frame).not.toContain("userEvent");
});
