import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openSigner } from "../../src/sdk/index.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import {
  maker,
  nothingLeft,
  other,
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
      const bot = new TouchlineHere(["run", venue.botConfig], maker);
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
    guard.stop();
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
    first.stop();
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
});
