import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openSigner } from "../../src/sdk/index.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import {
  maker,
  nothingLeft,
  other,
  run,
  startGuard,
  startVenue,
  untilGuard,
  untilState,
  untilStates,
  venue,
} from "./guarded-bot.ts";

describe("a guard", () => {
  beforeEach(() => startVenue());

  it("says goodbye to a bot that stops cleanly, and guards its next run; one of another account is refused", async () => {
    const guard = startGuard();
    for (const runs of [1, 2]) {
      const bot = run();
      await bot.line("run");
      await untilState(guard, "guarding");
      await venue.untilOpen(maker, 2);
      if (runs === 1) {
        const stranger = startGuard("--set", `account.owner=0x${"77".repeat(20)}`);
        expect(await stranger.exit).toBe(1);
        expect(await stranger.line("error")).toMatchObject({ code: "GUARD_OTHER_ACCOUNT" });
      }
      expect(await touchline(["stop", venue.botConfig], maker)).toMatchObject({ code: 0 });
      expect(await bot.exit).toBe(0);
      await untilStates(guard, "goodbye", runs);
    }
    guard.kill("SIGTERM");
    expect(await guard.exit).toBe(0);
  });

  it("that is required is waited for: without it nothing is quoted, and it cancels the orders of a killed bot without a key, with what a session wallet signed, and no others", async () => {
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
    const words = ["run", venue.botConfig, "--set", "guard.required=true"];
    const bot = new Touchline(words, { PASSWORD: env.PASSWORD });
    await bot.line("run");
    await pause(2_000);
    expect(await venue.openIds(maker)).toEqual([]);
    const status = await touchline(["status", venue.botConfig], maker);
    expect(JSON.stringify(status.lines)).toContain("no guard is connected");
    const first = startGuard();
    await venue.untilOpen(maker, 2);
    first.kill("SIGKILL");
    await first.exit;
    await untilGuard("lost");
    await venue.untilOpen(maker, 0);
    const second = startGuard();
    await venue.untilOpen(maker, 2);
    await untilState(second, "guarding");
    bot.kill("SIGKILL");
    expect(await second.exit, second.stderr).toBe(0);
    expect(second.lines.at(-1)).toMatchObject({ ...nothingLeft, orders: 2 });
    expect(await venue.openIds(maker)).toEqual([]);
    expect(await venue.openIds(other)).toHaveLength(2);
    const verified = await touchline(["journal", "verify", venue.journal], maker);
    expect(verified.lines.at(-1)).toMatchObject({ event: "verified", identical: true });
  });

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
