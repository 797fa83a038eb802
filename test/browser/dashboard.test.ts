import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Touchline } from "../support/touchline-process.ts";
import { findChromium, launchChromium } from "./chromium.ts";
import { DashboardPage, type Screen } from "./dashboard-page.ts";
import type { PageReading } from "./read-page.ts";

/** The demo as a user starts it, seen through a real browser. */

const executable = findChromium();
const isRequired = process.env["CI"] === "true";
/** The header while the bot is there: the name and the bot's clock. */
const CONNECTED = /^Touchline\d\d:\d\d:\d\d/;
/** The label of the number of fills. */
const FILLS = "fills of this run";
const POLL = { interval: 200, timeout: 60_000 };

/** Each width and each scheme once, since neither changes the other; the test of a change of scheme reads both in each width. */
const screens: readonly Screen[] = [
  { width: 1280, height: 800, isPhone: false, scheme: "light" },
  { width: 390, height: 844, isPhone: true, scheme: "dark" },
];
const nameOf = ({ width, scheme }: Screen) => `${width} pixels wide, ${scheme}`;

/** What changes on the page every few seconds while the demo runs. */
const livePieces: Readonly<Record<string, (reading: PageReading) => unknown>> = {
  clock: ({ status }) => status,
  mid: ({ mid }) => mid,
  "own orders": ({ ownOrders }) => ownOrders.join(),
  "own levels in the book": ({ ownLevels }) => ownLevels.join(),
  "newest fill": ({ fills }) => fills[0],
  ...Object.fromEntries(
    [
      "PnL today, USDT",
      "PnL in all, USDT",
      "unrealised, USDT",
      "position, ZIL",
      "PnL of this run, USDT",
      "change in this run, ZIL",
      FILLS,
      "placed / kept / canceled",
    ].map((label) => [label, ({ tiles }: PageReading) => tiles[label]]),
  ),
  "chart of prices": ({ charts }) => charts[0]?.fingerprint,
  "chart of PnL": ({ charts }) => charts[1]?.fingerprint,
  "chart of the position": ({ charts }) => charts[2]?.fingerprint,
};

describe("a browser for these tests", () => {
  it("is installed, which CI requires", ({ skip }) => {
    if (!isRequired) {
      skip(executable === undefined, "no chromium on PATH (apt-get install chromium)");
    }
    expect(executable).toBeDefined();
  });
});

describe.skipIf(executable === undefined)("the demo's page", { timeout: 180_000 }, () => {
  let folder = "";
  let browser: Browser;
  let demo: Touchline;
  let url = "";
  const pages = new Map<Screen, DashboardPage>();

  async function startDemo(port: string): Promise<void> {
    const journal = `journal.path=${path.join(folder, `journal-${Date.now()}`)}`;
    demo = new Touchline(["demo", "--duration", "15m", "--port", port, "--set", journal]);
    url = String((await demo.line("demo"))["dashboard"]);
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "touchline-browser-"));
    [browser] = await Promise.all([launchChromium(executable ?? ""), startDemo("0")]);
    for (const screen of screens) {
      pages.set(screen, await DashboardPage.open(browser, url, screen));
    }
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    demo?.kill("SIGINT");
    await demo?.exit;
    rmSync(folder, { recursive: true, force: true });
  });

  function pageOn(screen: Screen): DashboardPage {
    const page = pages.get(screen);
    if (page === undefined) throw new Error(`no page ${nameOf(screen)}`);
    return page;
  }

  describe.each(screens.map((screen) => [nameOf(screen), screen] as const))("%s", (_, screen) => {
    const read = () => pageOn(screen).read();
    let first: PageReading;

    beforeAll(async () => {
      await vi.waitUntil(async () => (await read()).fills.length > 0, POLL);
      first = await read();
    });

    it("shows the book with the own orders in it, in legible colours", async () => {
      await expect.poll(async () => (await read()).ownLevels.length, POLL).toBeGreaterThan(0);
      await expect.poll(async () => (await read()).ownOrders.length, POLL).toBeGreaterThan(0);
      const { levels, luminance, leastContrast, status } = await read();
      expect(status).toMatch(CONNECTED);
      expect(levels).toBeGreaterThan(10);
      if (screen.scheme === "light") expect(luminance).toBeGreaterThan(0.8);
      else expect(luminance).toBeLessThan(0.1);
      expect(leastContrast.ratio, leastContrast.text).toBeGreaterThan(3);
    });

    it("shows every change of the bot while one watches", async () => {
      const same = new Map(Object.entries(livePieces));
      await expect
        .poll(async () => {
          const now = await read();
          for (const [piece, pick] of same) if (pick(now) !== pick(first)) same.delete(piece);
          return [...same.keys()];
        }, POLL)
        .toEqual([]);
    });

    it("draws lines and fills in the colours of its scheme", async () => {
      const inkOf = async (at: number) => (await read()).charts[at]?.ink;
      await expect
        .poll(() => inkOf(0), POLL)
        .toMatchObject({ bid: many(50), ask: many(50), text: many(20) });
      await expect.poll(() => inkOf(1), POLL).toMatchObject({ accent: many(20) });
      await expect.poll(() => inkOf(2), POLL).toMatchObject({ text: many(20) });
    });

    it("names the market that a limit is for by its ticker", async () => {
      const places = (await read()).limitPlaces;
      expect(new Set(places)).toEqual(new Set(["ZIL/USDT", "the bot"]));
    });

    it("does not scroll sideways, in narrower windows either", async () => {
      const page = pageOn(screen);
      for (const width of screen.isPhone ? [320, 360, 390] : [800, 1100, 1280]) {
        await page.setWidth(width);
        await expect
          .poll(async () => (await read()).contentWidth, { ...POLL, message: `${width} pixels` })
          .toBeLessThanOrEqual(width);
      }
    });

    it("breaks a long word of a reason or name instead of scrolling sideways", async () => {
      const page = await DashboardPage.open(browser, url, screen);
      await expect.poll(async () => (await page.read()).levels, POLL).toBeGreaterThan(0);
      await page.lengthenTexts();
      expect((await page.read()).contentWidth).toBeLessThanOrEqual(screen.width);
    });

    it("redraws its charts when the system changes between light and dark", async () => {
      const page = pageOn(screen);
      const other = screen.scheme === "light" ? "dark" : "light";
      const before = await read();
      await page.setScheme(other);
      const after = await read();
      expect(Math.abs(after.luminance - before.luminance)).toBeGreaterThan(0.7);
      expect(after.leastContrast.ratio, after.leastContrast.text).toBeGreaterThan(3);
      await expect
        .poll(async () => (await read()).charts[0]?.ink, POLL)
        .toMatchObject({ bid: many(50), ask: many(50), text: many(20) });
      await page.setScheme(screen.scheme);
    });
  });

  it.each(screens.map((screen) => [nameOf(screen), screen] as const))(
    "has had no error or warning in its console and no failed request, %s",
    (_, screen) => {
      expect(pageOn(screen).problems).toEqual([]);
    },
  );

  it("says that the bot is gone and shows the new one when it is back", async () => {
    const everyPage = <T>(read: (page: DashboardPage) => T | Promise<T>) =>
      Promise.all([...pages.values()].map(read));
    const statuses = () => everyPage(async (page) => (await page.read()).status);
    const last = await everyPage((page) => page.read());

    demo.kill("SIGINT");
    expect(await demo.exit).toBe(0);
    await expect
      .poll(statuses, POLL)
      .toEqual(screens.map(() => expect.stringContaining("not connected to the bot")));
    const lost = await everyPage((page) => page.read());
    for (const [at, { tiles, charts, isDimmed }] of lost.entries()) {
      expect(isDimmed).toBe(true);
      expect(Number(tiles[FILLS])).toBeGreaterThanOrEqual(Number(last[at]?.tiles[FILLS]));
      expect(charts[0]?.ink).toMatchObject({ bid: many(50), ask: many(50) });
    }

    await startDemo(new URL(url).port);
    await expect.poll(statuses, POLL).toEqual(screens.map(() => expect.stringMatching(CONNECTED)));
    expect((await everyPage((page) => page.read())).map(({ isDimmed }) => isDimmed)).not.toContain(
      true,
    );
    const newestFills = () => everyPage(async (page) => (await page.read()).fills[0]);
    const back = await newestFills();
    await expect
      .poll(async () => (await newestFills()).filter((fill, at) => fill === back[at]), POLL)
      .toEqual([]);

    // The browser itself reports the connection that ended and each attempt to connect while the bot was away.
    const uncaught = [...pages.values()].flatMap(({ problems }) =>
      problems.filter((problem) => problem.startsWith("uncaught")),
    );
    expect(uncaught).toEqual([]);
  });
});

function many(least: number): unknown {
  return expect.toSatisfy((count: number) => count >= least, `at least ${least} pixels`);
}
