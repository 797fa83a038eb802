import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AccessTokens } from "../../src/dashboard/access-tokens.ts";
import { fixedText } from "../../src/domain/fixed.ts";
import { BotVenue } from "../process/bot-venue.ts";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { TouchlineHere } from "../support/touchline-process.ts";
import { findChromium, launchChromium } from "./chromium.ts";
import { DashboardPage } from "./dashboard-page.ts";

/** A bot at a still market: each action of its page is done in a real browser, and seen at the venue. */

const executable = findChromium();
const maker = { TOUCHLINE_KEY: `0x${"61".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"62".repeat(32)}` };

describe.skipIf(executable === undefined)("a market's page", () => {
  let venue: BotVenue;
  let bot: TouchlineHere;
  let browser: Browser;
  let page: DashboardPage;
  let url = "";
  let secret = "";

  beforeAll(async () => {
    [venue, browser] = await Promise.all([
      BotVenue.start(ONE_LEVEL_MAKER),
      launchChromium(executable ?? ""),
    ]);
    await venue.offer(other, "BUY", "1990", "100");
    await venue.offer(other, "SELL", "2010", "100");
    // In this process, whose work must not look like a strategy that hangs.
    const set = ["--set", "dashboard.port=0", "--set", "watchdog.maxBlocked=60s"];
    bot = new TouchlineHere(["run", venue.botConfig, ...set], maker);
    const token = { name: "ops", role: "control", createdMs: 1, expiresMs: null } as const;
    url = String((await bot.line("run"))["dashboard"]);
    secret = new AccessTokens(venue.journal).create(token);
    const screen = { width: 1280, height: 900, isPhone: false, scheme: "light" } as const;
    page = await DashboardPage.open(browser, `${url}/#market=maker`, screen);
    await page.logIn(secret);
    await venue.untilOpen(maker, 2);
  });
  afterAll(async () => {
    await browser?.close();
    bot?.stop();
    await bot?.exit;
    await venue?.stop();
  });

  const orders = () => venue.openOrders(maker);
  const sizes = async () => (await orders()).map(({ origQty }) => fixedText(origQty));
  const short = (orderId: string | undefined) => String(orderId).slice(0, 10);
  const result = (wanted: RegExp) => expect.poll(() => page.result()).toMatch(wanted);

  it("cancels an own order at the venue, whose strategy places another", async () => {
    const [first] = await venue.openIds(maker);
    await page.press(`Cancel order ${short(first)}`);
    await page.confirm("Cancel order");
    await result(/Cancel order: done.*In the journal: cancel by ops/);
    expect(await venue.openIds(maker)).not.toContain(first);
    await venue.untilOpen(maker, 2);
  });

  it("shows the effect of changed parameters before it applies them", async () => {
    await page.toggle("Parameters of maker");
    await page.fill("size", "0.75");
    await page.press("Replay the last hour with 1 change");
    await expect.poll(() => page.text()).toMatch(/Replay of .*Fills.*Bid quoted.*%.*%/);
    expect(await page.violations()).toEqual([]);
    // A busy machine may have pulled them for a moment.
    await expect.poll(sizes).toEqual(["0.5", "0.5"]);
    await page.press("Apply 1 change");
    await page.confirm("Tune maker");
    await result(/Tune maker: done.*changed: maker/);
    await expect.poll(sizes).toEqual(["0.75", "0.75"]);
  });

  it("reloads the bot's file", async () => {
    const yaml = readFileSync(venue.botConfig, "utf8");
    writeFileSync(venue.botConfig, yaml.replace('size: "0.5"', 'size: "0.25"'));
    await page.press("Reload parameters");
    await page.confirm("Reload parameters");
    await result(/Reload parameters: done.*changed: maker/);
    await expect.poll(sizes).toEqual(["0.25", "0.25"]);
  });

  it("cancels a foreign order, and gives another to a strategy, whose plan decides on it", async () => {
    await venue.place(maker, "buy", "1.5", "1900");
    await venue.place(maker, "sell", "2.5", "2100");
    const foreign = (quantity: string) => async () =>
      (await orders()).find(({ origQty }) => fixedText(origQty) === quantity)?.orderId;
    await expect.poll(() => page.text()).toContain("Foreign orders of the account (2)");
    expect(await page.violations()).toEqual([]);
    await page.press(`Cancel order ${short(await foreign("1.5")())}`);
    await page.confirm("Cancel order");
    await result(/Cancel order: done/);
    expect(await foreign("1.5")()).toBeUndefined();
    await page.press(`Take over for maker (order ${short(await foreign("2.5")())})`);
    await page.confirm("Take over");
    await result(/Take over: done.*In the journal: takeOver of maker by ops/);
    await expect.poll(foreign("2.5")).toBeUndefined();
    await expect.poll(() => page.text()).not.toContain("Foreign orders");
    await venue.untilOpen(maker, 2);
  });

  it("books a trade made elsewhere, lets the bot reduce only, and works the position off", async () => {
    const trade = {
      "Quantity, ETH": "1.5",
      "Price, USDT": "2000",
      "Transaction or trade id": "0x5c",
    };
    await page.press("Book a trade");
    await page.confirm("Book a trade", trade);
    await result(/Book a trade: done.*In the journal: book of maker \(bought 1.5 at 2000 in 1_2\)/);
    await expect.poll(async () => (await page.read()).facts["Position, ETH"]).toMatch(/^1\.50/);
    await page.press("Book a trade");
    await page.confirm("Book a trade", trade);
    await result(/Book a trade: not done.*0x5c is already booked/);

    await page.press("Reduce only maker");
    await page.confirm("Reduce only maker");
    await result(/Reduce only maker: done/);
    await expect.poll(async () => (await orders()).map(({ side }) => side)).toEqual(["SELL"]);

    await page.press("Flatten maker");
    await page.confirm("Flatten maker", { "Slippage at most, %": "2" });
    await result(/Flatten maker: done/);
    const sold = (await venue.trades(maker)).filter(({ side }) => side === "SELL");
    const sums = sold.map(({ quantity }) => Number(fixedText(quantity)));
    expect(sums.reduce((sum, quantity) => sum + quantity, 0)).toBe(1.5);
    await expect.poll(async () => (await page.read()).facts["Position, ETH"]).toBe("0.00");
    expect(await venue.openIds(maker)).toEqual([]);
  });

  it("has the actions on each of several bots in their common page, too", async () => {
    const file = path.join(path.dirname(venue.botConfig), "ops.token");
    writeFileSync(file, secret);
    const { host } = new URL(url);
    const tokens = ["--token-file", `http://${host}=${file}`];
    const places = [`http://${host}`, "http://127.0.0.1:1"];
    const line = ["dashboard", ...places, "--port=0", ...tokens];
    const several = new TouchlineHere(line, maker);
    onTestFinished(async () => {
      several.stop();
      expect(await several.exit).toBe(0);
    });
    const { linkFile } = await several.line("dashboard");
    const link = readFileSync(String(linkFile), "utf8").trim();
    const screen = { width: 1280, height: 900, isPhone: false, scheme: "light" } as const;
    const all = await DashboardPage.open(browser, link, screen);
    const done = async (action: string, fields?: Readonly<Record<string, string>>, of = host) => {
      await all.press(`${action} ${of}`);
      if (fields !== undefined) await all.confirm(`${action} ${of}`, fields);
      await expect.poll(() => all.result()).toContain(`${action} ${of}: done`);
    };
    // A button that moves while it is pressed, because something new is shown above it, is not pressed.
    const shows = (state: RegExp) => expect.poll(() => all.text()).toMatch(state);
    // The flatten has paused this one alone.
    await done("Resume", {}, `${host} maker`);
    await venue.untilOpen(maker, 2);
    expect(await all.text()).toContain("127.0.0.1:1: No bot responds");
    expect(await all.violations()).toEqual([]);
    await done("Pause");
    expect(await venue.openIds(maker)).toEqual([]);
    await shows(/\bpaused\b/);
    await done("Resume", {});
    await venue.untilOpen(maker, 2);
    await done("Halt", { Reason: "by the common page" });
    expect(await venue.openIds(maker)).toEqual([]);
    await expect.poll(() => page.text()).toMatch(/halt.*by the common page.*by ops/);
    await shows(/halt.*by the common page/);
    await done("Resume", {});
    await venue.untilOpen(maker, 2);
    await done("Flatten", {});
    expect(await venue.openIds(maker)).toEqual([]);
    expect(all.problems).toEqual([]);
  });

  it("has had no error in its console", () => {
    // The page looked before it was logged in, and a trade was refused.
    expect(page.problems.filter((problem) => !/\b(401|409)\b/.test(problem))).toEqual([]);
  });
});
