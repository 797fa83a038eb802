import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { runLine } from "../cli/run-line.ts";
import { PATIENCE } from "../support/patience.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** Operators' commands to a bot; what takes a signal or a start anew has a process of its own. */

const maker = { TOUCHLINE_KEY: `0x${"31".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"32".repeat(32)}` };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
});
afterAll(() => venue.stop());

const ask = (...words: readonly string[]) =>
  touchline([...words.slice(0, 1), venue.botConfig, ...words.slice(1)], maker);

describe("a running bot", () => {
  it("is shown, paused, resumed and halted, reads its file on SIGHUP, keeps its halt and that of a strategy over a kill -9, is followed, resumed and stopped from another process", async () => {
    const first = new Touchline(["run", venue.botConfig], maker);
    await first.line("run");
    await venue.untilOpen(maker, 2);
    const socket = path.join(path.dirname(venue.botConfig), "journal", "control.sock");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const status = await ask("status");
    expect(status).toMatchObject({
      code: 0,
      lines: [{ event: "status", strategies: [{ orders: 2, halted: false, paused: false }] }],
    });

    expect(await ask("pause")).toMatchObject({ code: 0, lines: [{ event: "pause" }] });
    expect(await venue.openIds(maker)).toEqual([]);
    expect(await ask("status")).toMatchObject({
      code: 0,
      lines: [{ strategies: [{ halted: false, paused: true }] }],
    });
    expect(await ask("resume", "--strategy", "nobody")).toMatchObject({
      code: 2,
      lines: [{ event: "error", code: "USAGE", hint: null }],
    });
    expect(await ask("halt", "--reason", "")).toMatchObject({
      code: 2,
      lines: [{ event: "error", message: "--reason <text> must not be empty." }],
    });
    expect(await ask("resume")).toMatchObject({
      code: 0,
      lines: [{ event: "resume", lifted: ["the pause of the bot"], remaining: [] }],
    });
    await venue.untilOpen(maker, 2);

    const written = readFileSync(venue.botConfig, "utf8");
    writeFileSync(venue.botConfig, written.replace("levels: 1", "levels: many"));
    first.kill("SIGHUP");
    const at = written.split("\n").findIndex((line) => line.includes("levels")) + 1;
    await first.said(`bot.yaml:${at}:`);
    writeFileSync(venue.botConfig, written);

    const all = await touchline(
      ["order", "cancel-all", "--yes", "--config", venue.botConfig],
      maker,
    );
    expect(all.stderr).toContain(`To keep it from quoting: touchline pause ${venue.botConfig}`);
    expect(await ask("halt", "--strategy", "maker", "--reason", "tea")).toMatchObject({
      code: 0,
      lines: [{ event: "halt", strategy: "maker", reason: "tea" }],
    });
    expect(await ask("halt", "--reason", "lunch")).toMatchObject({ code: 0 });
    expect(await venue.openIds(maker)).toEqual([]);
    first.kill("SIGKILL");
    await first.exit;
    expect(await ask("status")).toMatchObject({
      code: 1,
      lines: [{ event: "error", code: "NO_BOT" }],
    });

    const second = new TouchlineHere(["run", venue.botConfig], maker);
    await second.line("run");
    await pause(2_000);
    expect(await venue.openIds(maker)).toEqual([]);
    expect(await ask("status")).toMatchObject({
      code: 1,
      lines: [{ strategies: [{ halted: true, paused: false }] }],
    });
    expect(await ask("resume")).toMatchObject({
      code: 0,
      lines: [{ remaining: ["the halt of maker (tea)"] }],
    });
    expect(await ask("resume")).toMatchObject({
      lines: [{ lifted: [], remaining: ["the halt of maker (tea)"] }],
    });
    const watched = await runLine(
      ["status", venue.botConfig, "--watch", "--json"],
      { ...process.env, ...maker },
      (out) => out.split("\n").length > 2,
    );
    expect(watched.code).toBe(0);
    expect(watched.events.slice(0, 2)).toMatchObject([
      { event: "status", strategies: [{ halted: true }] },
      { event: "status", strategies: [{ halted: true }] },
    ]);
    const seen = await runLine(
      ["status", venue.botConfig, "--watch"],
      { ...process.env, ...maker },
      (out) => out.includes("\n"),
    );
    expect(seen.out).toMatch(/^\S+ \S+ {2}PROBLEM {2}maker: halted: tea;/);
    expect(await ask("resume", "--strategy", "maker")).toMatchObject({ code: 0 });
    await venue.untilOpen(maker, 2);
    const log = await runLine(
      ["logs", venue.botConfig, "--follow", "--json"],
      { ...process.env, ...maker },
      (out) => out.includes('"message":"quoted again"'),
    );
    expect(log.code, log.err).toBe(0);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(log.events).toContainEqual(
      expect.objectContaining({
        event: "log",
        time,
        level: "info",
        message: "not quoted",
        strategy: "maker",
        reason: "halted: tea",
      }),
    );
    expect(await ask("stop")).toMatchObject({ code: 0, lines: [{ event: "stop" }] });
    expect(await second.exit).toBe(0);
    expect(await second.line("summary")).toMatchObject({ ordersLeft: 0 });
    expect(await venue.openIds(maker)).toEqual([]);
    expect(existsSync(socket)).toBe(false);
  });

  it("takes new parameters from the command line and its file, all or none, and its journal re-runs", async () => {
    const bot = new TouchlineHere(["run", venue.botConfig], maker);
    await bot.line("run");
    const before = await venue.untilOpen(maker, 2);
    expect(await ask("tune", "maker", "bidSpread=0.5%", "levels=2")).toMatchObject({
      code: 0,
      lines: [{ event: "tune", changed: ["maker"] }],
    });
    const tuned = await venue.untilOpen(maker, 4);
    // The first ask is where it was.
    expect(tuned.filter((id) => before.includes(id))).toHaveLength(1);
    expect(await ask("tune", "maker", "bidSpread=80%")).toMatchObject({
      code: 1,
      lines: [{ event: "error", message: expect.stringContaining("bidSpread=80%: is too large") }],
    });

    const written = readFileSync(venue.botConfig, "utf8");
    writeFileSync(venue.botConfig, written.replace("levels: 1", "levels: many"));
    expect(await ask("reload")).toMatchObject({ code: 2 });
    writeFileSync(venue.botConfig, `${written}risk: { maxOpenOrders: 3 }\n`);
    expect(await ask("reload")).toMatchObject({
      code: 1,
      lines: [
        { event: "error", message: expect.stringMatching(/: risk cannot be changed in a run/) },
      ],
    });
    expect(await venue.openIds(maker)).toEqual(tuned);
    writeFileSync(venue.botConfig, written.replace("levels: 1", "levels: 3"));
    expect(await ask("reload")).toMatchObject({ code: 0, lines: [{ changed: ["maker"] }] });
    await venue.untilOpen(maker, 6);
    writeFileSync(venue.botConfig, written);
    expect(await ask("reload")).toMatchObject({ code: 0, lines: [{ changed: ["maker"] }] });
    await venue.untilOpen(maker, 2);
    expect(await ask("stop")).toMatchObject({ code: 0 });
    expect(await bot.exit).toBe(0);
    expect(
      await touchline(["journal", "verify", venue.journal, "--config", venue.botConfig]),
    ).toMatchObject({ code: 0 });
  });

  it("starts anew with a strategy's changed file and keeps the orders that fit; a bad edit changes nothing and says why with file and line, also just after a good one", async () => {
    const written = readFileSync(venue.botConfig, "utf8");
    const plugin = path.join(path.dirname(venue.botConfig), "own.ts");
    const code = (ask: string) => `import { defineStrategy, setQuotes, z } from "touchline";
export default defineStrategy({
  name: "own",
  params: z.strictObject({}),
  init: () => undefined,
  decide: () => setQuotes({ bids: [{ price: 1980, size: "1" }], asks: [${ask}], tolerance: 0.001 }),
});
`;
    const asks = (prices: readonly number[]) =>
      code(prices.map((price) => `{ price: ${price}, size: "1" }`).join(", "));
    writeFileSync(plugin, asks([2020]));
    const strategy = '  - { name: own, plugin: ./own.ts, market: "1_2", params: {} }\n';
    writeFileSync(venue.botConfig, written.replace(ONE_LEVEL_MAKER, strategy));
    const bot = new Touchline(["run", venue.botConfig, "--watch"], maker);
    await bot.line("run");
    const before = await venue.untilOpen(maker, 2);
    writeFileSync(plugin, code("{ price: }"));
    await bot.said("own.ts:6");
    expect(bot.stderr).toContain("Nothing was changed.");
    expect(await venue.openIds(maker)).toEqual(before);
    const timesSaid = (text: string) => bot.stderr.split(text).length - 1;
    const config = readFileSync(venue.botConfig, "utf8");
    writeFileSync(plugin, asks([2020, 2030]));
    await bot.said("has changed: the bot starts anew");
    writeFileSync(plugin, code("{ price: }"));
    writeFileSync(venue.botConfig, "venue: [");
    const after = await venue.untilOpen(maker, 3);
    expect(before.filter((id) => after.includes(id))).toEqual(before);
    await vi.waitUntil(() => timesSaid("Nothing was changed.") > 1, PATIENCE);
    expect(bot.lines.filter(({ event }) => event === "run")).toHaveLength(2);
    expect(await venue.openIds(maker)).toEqual(after);

    writeFileSync(venue.botConfig, config);
    bot.kill("SIGINT");
    expect(await bot.exit).toBe(0);
    expect(await venue.openIds(maker)).toEqual([]);
    const shown = await touchline(["journal", "show", venue.journal, "--limit", "1000"]);
    expect(JSON.stringify(shown.lines)).toContain('"by":{"who":"signal","from":"SIGINT"}');
    writeFileSync(venue.botConfig, written);
  });

  it("ends with its orders canceled when somebody removes its journal, since a restart would know nothing of them", async () => {
    const bot = new TouchlineHere(["run", venue.botConfig], maker);
    await bot.line("run");
    await venue.untilOpen(maker, 2);
    // The bot may write a file meanwhile.
    rmSync(venue.journal, { recursive: true, maxRetries: 10 });
    expect(await bot.exit).toBe(1);
    const { message } = await bot.line("error");
    expect(message).toMatch(/journal cannot be written: .*\.journal was removed.*use\.$/);
    expect(await bot.line("summary")).toMatchObject({ ordersLeft: 0 });
    expect(await venue.openIds(maker)).toEqual([]);
  });
});
