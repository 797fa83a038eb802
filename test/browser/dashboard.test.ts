import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AccessTokens, type Role } from "../../src/dashboard/access-tokens.ts";
import { TouchlineHere } from "../support/touchline-process.ts";
import { findChromium, launchChromium } from "./chromium.ts";
import { DashboardPage, type Screen } from "./dashboard-page.ts";
import type { PageReading } from "./read-page.ts";

/** The demo, seen and steered through a real browser. */

const executable = findChromium();
const isRequired = process.env["CI"] === "true";
const POLL = { interval: 500, timeout: 120_000 };
const MARKET = "market=zil-maker";

/** Each width and each scheme once, since neither changes the other; the test of a change of scheme reads both in each width. */
const screens: readonly Screen[] = [
  { width: 1280, height: 800, isPhone: false, scheme: "light" },
  { width: 390, height: 844, isPhone: true, scheme: "dark" },
];
const [desktop] = screens as [Screen];
const nameOf = ({ width, scheme }: Screen) => `${width} pixels wide, ${scheme}`;

/** What changes on a market's page every few seconds while the demo runs. */
const livePieces: Readonly<Record<string, (reading: PageReading) => unknown>> = {
  status: ({ status }) => status,
  "own orders": ({ ownOrders }) => ownOrders.join(),
  "own levels in the book": ({ ownLevels }) => ownLevels.join(),
  "newest fill": ({ fills }) => fills[0],
  ...Object.fromEntries(
    [
      "Position, ZIL",
      "PnL today, USDT",
      "of it unrealised",
      "of it from the spread",
      "of it from inventory",
      "Volume of this run, USDT",
      "after 1 s",
      "Orders placed / kept / replaced / canceled",
    ].map((label) => [label, ({ facts }: PageReading) => facts[label]]),
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

describe.skipIf(executable === undefined)("the demo's page", () => {
  let folder = "";
  let journal = "";
  let browser: Browser;
  let demo: TouchlineHere;
  let url = "";
  const pages = new Map<Screen, DashboardPage>();

  async function startDemo(port: string): Promise<void> {
    journal = path.join(folder, `journal-${Date.now()}`);
    // In this process, whose work must not look like a strategy that hangs.
    const settings = [`journal.path=${journal}`, "watchdog.maxBlocked=60s"];
    const set = settings.flatMap((setting) => ["--set", setting]);
    demo = new TouchlineHere(["demo", "--port", port, ...set]);
    url = String((await demo.line("demo"))["dashboard"]);
  }

  const token = (role: Role): string =>
    new AccessTokens(journal).create({ name: `a-${role}`, role, createdMs: 1, expiresMs: null });

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "touchline-browser-"));
    [browser] = await Promise.all([launchChromium(executable ?? ""), startDemo("0")]);
    for (const screen of screens) {
      pages.set(screen, await DashboardPage.open(browser, url, screen));
    }
  });
  afterAll(async () => {
    await browser?.close();
    demo?.stop();
    await demo?.exit;
    rmSync(folder, { recursive: true, force: true });
  });

  function pageOn(screen: Screen): DashboardPage {
    const page = pages.get(screen);
    if (page === undefined) throw new Error(`no page ${nameOf(screen)}`);
    return page;
  }

  it("shows a moment of the past from the journal: the book, the targets and the orders", async () => {
    const page = pageOn(desktop);
    await expect.poll(async () => (await page.read()).status, POLL).toContain("1 of 1 quoting");
    await page.go("past");
    try {
      await page.press("−1 s");
      const shown = /zil-maker, market 1_2.*decided at.*target/;
      await expect.poll(() => page.text(), POLL).toMatch(shown);
    } finally {
      await page.go("");
    }
  });

  describe.each(screens.map((screen) => [nameOf(screen), screen] as const))("%s", (_, screen) => {
    const read = () => pageOn(screen).read();

    it("shows the overview: the mode, each strategy and market, and their totals", async () => {
      await expect
        .poll(async () => (await read()).rows["zil-maker"]?.["State"], POLL)
        .toMatch(/quoting/);
      const { mode, title, rows, totals, luminance } = await read();
      expect(mode).toBe("DEMO");
      expect(title).toMatch(/DEMO demo – Touchline$/);
      const { Market, Quoted, Orders, ...row } = rows["zil-maker"] ?? {};
      expect(Market).toBe("ZIL/USDT");
      expect(Quoted).toMatch(/^\d+\.\d % \/ \d+\.\d %$/);
      expect(Number(Orders)).toBeGreaterThan(0);
      expect(row["Limit used"]).toMatch(/ % maxPosition$/);
      expect(totals).toContain("USDT");
      if (screen.scheme === "light") expect(luminance).toBeGreaterThan(0.8);
      else expect(luminance).toBeLessThan(0.1);
    });

    it("offers no action to those who may only read", async () => {
      expect((await read()).buttons.join()).not.toMatch(/Pause|Halt|Cancel|Flatten|Reload/);
    });

    it("breaks no rule of WCAG AA on the overview", async () => {
      expect(await pageOn(screen).violations()).toEqual([]);
    });

    it("shows a market: its book with the own orders, and charts in the colours of the scheme", async () => {
      await pageOn(screen).go(MARKET);
      await expect.poll(async () => (await read()).ownLevels.length, POLL).toBeGreaterThan(0);
      await expect.poll(async () => (await read()).ownOrders.length, POLL).toBeGreaterThan(0);
      expect((await read()).levels).toBeGreaterThan(10);
      const inkOf = async (at: number) => (await read()).charts[at]?.ink;
      await expect
        .poll(() => inkOf(0), POLL)
        .toMatchObject({ bid: many(50), ask: many(50), text: many(20) });
      await expect.poll(() => inkOf(1), POLL).toMatchObject({ accent: many(20) });
      await expect.poll(() => inkOf(2), POLL).toMatchObject({ text: many(20) });
    });

    it("breaks no rule of WCAG AA on a market's page", async () => {
      expect(await pageOn(screen).violations()).toEqual([]);
    });

    it("does not scroll sideways, in narrower windows either", async () => {
      const page = pageOn(screen);
      for (const hash of [MARKET, "past", ""]) {
        await page.go(hash);
        for (const width of screen.isPhone ? [320, 360, 390] : [800, 1100, 1280]) {
          await page.setWidth(width);
          await expect
            .poll(async () => (await read()).contentWidth, { ...POLL, message: `${hash} ${width}` })
            .toBeLessThanOrEqual(width);
        }
      }
      expect((await read()).contentHeight).toBeLessThan(1_200);
    });

    it("redraws its charts when the system changes between light and dark", async () => {
      const page = pageOn(screen);
      await page.go(MARKET);
      await expect.poll(async () => (await read()).charts.length, POLL).toBe(3);
      const other = screen.scheme === "light" ? "dark" : "light";
      const before = await read();
      await page.setScheme(other);
      await expect
        .poll(async () => Math.abs((await read()).luminance - before.luminance), POLL)
        .toBeGreaterThan(0.7);
      await expect
        .poll(async () => (await read()).charts[0]?.ink, POLL)
        .toMatchObject({ bid: many(50), ask: many(50), text: many(20) });
      await page.setScheme(screen.scheme);
      await page.go("");
    });
  });

  it("shows every change of the bot while one watches", async () => {
    const page = pageOn(desktop);
    await page.go(MARKET);
    await vi.waitUntil(async () => (await page.read()).fills.length > 0, POLL);
    const first = await page.read();
    const same = new Map(Object.entries(livePieces));
    await expect
      .poll(async () => {
        const now = await page.read();
        for (const [piece, pick] of same) if (pick(now) !== pick(first)) same.delete(piece);
        return [...same.keys()];
      }, POLL)
      .toEqual([]);
    await page.go("");
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

    demo.stop();
    expect(await demo.exit).toBe(0);
    const gone = expect.stringMatching(/not connected, figures are \d+s old/);
    await expect.poll(statuses, POLL).toEqual(screens.map(() => gone));
    for (const { isDimmed, rows } of await everyPage((page) => page.read())) {
      expect(isDimmed).toBe(true);
      expect(Number(rows["zil-maker"]?.["Fills"])).toBeGreaterThan(0);
    }

    await startDemo(new URL(url).port);
    const back = expect.stringMatching(/of 1 quoting/);
    await expect.poll(statuses, POLL).toEqual(screens.map(() => back));
    expect((await everyPage((page) => page.read())).map(({ isDimmed }) => isDimmed)).not.toContain(
      true,
    );
    // The browser itself reports the connection that ended and each attempt to connect while the bot was away.
    const uncaught = [...pages.values()].flatMap(({ problems }) =>
      problems.filter((problem) => problem.startsWith("uncaught")),
    );
    expect(uncaught).toEqual([]);
  });

  describe("with access tokens", () => {
    let page: DashboardPage;
    let control = "";
    /** Own orders at the venue itself. */
    async function ordersAtVenue(): Promise<number> {
      const { rest, owner } = await demo.line("demo");
      const response = await fetch(`${String(rest)}/api/v1/order/open?address=${String(owner)}`);
      const { result } = (await response.json()) as { result: readonly unknown[] };
      return result.length;
    }

    beforeAll(async () => {
      control = token("control");
      page = await DashboardPage.open(browser, url, desktop);
    });

    it("asks everybody for one, those who were watching too, and refuses a wrong one", async () => {
      await expect.poll(() => page.text(), POLL).toContain("Log in");
      await expect.poll(() => pageOn(desktop).text(), POLL).toContain("Access token");
      expect(await page.violations()).toEqual([]);
      await page.logIn("touchline_wrong");
      await expect.poll(() => page.text(), POLL).toContain("no such access token");
    });

    it("shows who is logged in with which role, and no action to the role read", async () => {
      await page.logIn(token("read"));
      await expect.poll(() => page.text(), POLL).toContain("a-read, read");
      expect((await page.read()).buttons.join()).not.toMatch(/Pause|Halt/);
      await page.press("Log out");
      await page.logIn(control);
      await expect.poll(() => page.text(), POLL).toContain("a-control, control");
      expect(await page.violations()).toEqual([]);
    });

    it("pauses by the keyboard: the orders are gone at the venue, and the journal says who did it", async () => {
      await expect.poll(ordersAtVenue, POLL).toBeGreaterThan(0);
      await page.pressByKeyboard("Pause all");
      await expect.poll(() => page.result(), POLL).toMatch(/Pause all: done/);
      await expect.poll(() => page.result(), POLL).toContain("In the journal: pause by a-control");
      expect(await ordersAtVenue()).toBe(0);
      await expect
        .poll(async () => (await page.read()).problems, POLL)
        .toEqual(["▲ zil-maker: paused"]);
      expect((await page.read()).status).toMatch(/^▲ 0 of 1 quoting, 1 problem/);
    });

    it("halts after a confirmation with a reason, and is never green then", async () => {
      await page.press("Halt all");
      await page.confirm("Halt all", { Reason: "looks odd" });
      await expect.poll(() => page.result(), POLL).toMatch(/Halt all: done/);
      await expect
        .poll(async () => (await page.read()).problems, POLL)
        .toEqual(["■ zil-maker: halted: looks odd"]);
      await expect
        .poll(async () => (await page.read()).rows["zil-maker"]?.["State"], POLL)
        .toContain("looks odd");
      const { status, title } = await page.read();
      expect(status).toMatch(/^■ 0 of 1 quoting/);
      expect(title).toMatch(/^\(1\) DEMO/);
    });

    it("resumes: it quotes again at the venue", async () => {
      await page.press("Resume all");
      await page.confirm("Resume all");
      await expect.poll(() => page.result(), POLL).toMatch(/Resume all: done.*the halt/);
      await expect.poll(ordersAtVenue, POLL).toBeGreaterThan(0);
      await expect.poll(async () => (await page.read()).problems, POLL).toEqual([]);
    });
  });
});

function many(least: number): unknown {
  return expect.toSatisfy((count: number) => count >= least, `at least ${least} pixels`);
}
