import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { VenueProcess } from "./venue-process.ts";

const maker = { TOUCHLINE_KEY: `0x${"41".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"42".repeat(32)}` };

/** One call returns when the file exists, and moves the quotes. */
const strategyUntil = (file: string) => `import { existsSync } from "node:fs";
import { setQuotes, z } from "touchline";
let firstMs;
let moved = 0;
export default {
  name: "late",
  params: z.unknown(),
  init: () => ({}),
  decide({ view }) {
    firstMs ??= view.nowMs;
    if (moved === 0 && view.nowMs - firstMs > 2_000) {
      const pause = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(${JSON.stringify(file)})) Atomics.wait(pause, 0, 0, 20);
      moved = 10;
    }
    return setQuotes({
      bids: [{ price: 1900 + moved, size: "0.5" }],
      asks: [{ price: 2100 - moved, size: "0.5" }],
      wakeAtMs: view.nowMs + 100,
    });
  },
};
`;

/**
 * Forwards requests to the venue. The first cancel of an order makes `file`; the responses to cancels wait until an order has arrived
 * after that, or for four seconds.
 */
async function holdCancels(rest: string, file: string) {
  let release: () => void = () => undefined;
  let released: Promise<void> | undefined;
  let hasPlaced = false;
  const placedLate: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part);
      const { method = "GET", url = "/" } = request;
      const isOrder = method === "POST" && url === "/api/v1/order";
      hasPlaced ||= isOrder;
      const isCancel = hasPlaced && url === "/api/v1/order/cancel";
      if (isCancel) {
        writeFileSync(file, "");
        released ??= Promise.race([
          pause(4_000),
          new Promise<void>((resolve) => {
            release = resolve;
          }),
        ]);
      }
      const answer = await fetch(`${rest}${url}`, {
        method,
        ...(method === "POST"
          ? { body: Buffer.concat(parts), headers: { "content-type": "application/json" } }
          : {}),
      });
      const body = await answer.text();
      if (isOrder && released !== undefined) {
        placedLate.push(body);
        release();
      }
      if (isCancel) await released;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(body);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    placedLate,
    rest: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it("a call that returns while the watchdog cancels places no order any more", async () => {
  const venue = await VenueProcess.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
  const folder = path.dirname(venue.botConfig);
  const file = path.join(folder, "late.mjs");
  const canceling = path.join(folder, "canceling");
  const relay = await holdCancels(venue.rest, canceling);
  writeFileSync(file, strategyUntil(canceling));
  const words = ["run", venue.botConfig, "--strategy", file, "--set", "watchdog.maxBlocked=1s"];
  const bot = new Touchline([...words, "--set", `venue.rest=${relay.rest}`], maker);
  await bot.line("run");
  expect(await bot.exit).toBe(1);
  expect(await bot.line("error")).toMatchObject({
    code: "STRATEGY_BLOCKED",
    message: expect.stringContaining("its orders are canceled"),
  });
  expect(relay.placedLate).toEqual([]);
  const { lines } = await touchline(["order", "open", "--venue", venue.rest], maker);
  expect(lines[0]?.["orders"]).toEqual([]);
  relay.close();
  await venue.stop();
}, 60_000);
