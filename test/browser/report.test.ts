import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportData } from "../../src/backtest/report-data.ts";
import { reportPage } from "../../src/dashboard/report-page.ts";
import { equityRow, fillOf, orderRow, reportDocument } from "../backtest/report-rows.ts";
import { findChromium, launchChromium } from "./chromium.ts";

/** The report of a replay as a reader opens it: one file, without a server. */

const evil =
  "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
const equity = Array.from({ length: 60 }, (_, at) =>
  equityRow({
    timeMs: at * 1_000,
    bid: "99.9",
    ask: "100.1",
    mid: String(100 + Math.sin(at)),
    ownBid: "99",
    ownAsk: "101",
    pnl: String(-at),
    drawdown: String(at),
  }),
);
const tables = {
  equity,
  fills: [fillOf({ timeMs: 5_000 }), fillOf({ timeMs: 9_000, side: "SELL" })],
  orders: [orderRow({ queueAhead: "2", enteredMs: 1_020, acknowledgedMs: 1_040 })],
  markouts: [],
};
const { config } = reportDocument();
const document = reportDocument({
  warnings: [evil],
  riskSteps: [
    { atMs: 20_000, strategy: "maker", trigger: "drawdown", step: "pause", message: evil },
    {
      atMs: 21_000,
      strategy: null,
      trigger: "dayLoss",
      step: "halt",
      message: "lost 50 USDT today",
    },
  ],
  config: {
    ...config,
    balances: { "1": "5", "2": "10000" },
    strategies: config.strategies.map((one) => ({ ...one, plugin: evil, params: { note: evil } })),
  },
});
const executable = findChromium();

test("the page is one file that names no other one, and its data cannot end its element", async () => {
  const page = await reportPage(reportData(document, tables));
  expect(page).not.toMatch(/<(script|link|img|iframe)[^>]*\s(src|href)=/i);
  expect(page.match(/<\/script>/g)).toHaveLength(2);
  expect(page).not.toContain("<img");
  expect(page).toContain("default-src 'none'");
  // A reader gets a copy of these libraries, and with it their notice.
  for (const author of ["Jason Miller", "Leon Sorokin"]) expect(page).toContain(author);
  expect(page.length).toBeLessThan(400_000);
});

describe.skipIf(executable === undefined)("in a browser", () => {
  let browser: Browser;
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-report-"));
  const file = path.join(folder, "report.html");

  beforeAll(async () => {
    writeFileSync(file, await reportPage(reportData(document, tables)));
    browser = await launchChromium(executable ?? "");
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)("it fits %i pixels, draws its charts and asks for nothing", async (width, scheme) => {
    const page = await browser.newPage({
      viewport: { width, height: 844 },
      colorScheme: scheme,
    });
    const requests: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(`file://${file}`);
    await page.locator(".chart canvas").nth(4).waitFor();
    expect(await page.title()).toBe("Replay – Touchline");
    expect([requests.length, errors]).toEqual([1, []]);
    const shown = await page.evaluate(() => ({
      overflow: globalThis.document.documentElement.scrollWidth - globalThis.innerWidth,
      charts: globalThis.document.querySelectorAll(".chart canvas").length,
      titles: [...globalThis.document.querySelectorAll("h3")].map(({ textContent }) => textContent),
      text: globalThis.document.body.innerText,
    }));
    expect(shown.overflow).toBeLessThanOrEqual(0);
    expect(shown.charts).toBe(5);
    expect(shown.titles).toEqual([
      "Not modelled",
      "Warnings",
      "Risk ladder",
      "Price and own quotes, USDT",
      "Position, ETH",
      "PnL by source, USDT",
      "Underwater: PnL below its peak, USDT",
      "Markouts",
      "Spread",
      "Queue in front of orders on arrival",
      "Latency, ms",
      "Data, models and versions",
      "Parameters of maker",
    ]);
    expect(shown.text).toContain(evil);
    expect(shown.text).toContain("-1.50");
    expect(shown.text).toMatch(/1970-01-01 00:00:21\s+halt\s+dayLoss\s+lost 50 USDT today/);
    expect(shown.text).toContain("Dashed lines are steps of the risk ladder");
    // The recording's names in place of the config's ids, and what the strategy got without being asked.
    expect(shown.text).toContain("ETH/USDT: maker 0.02 %, taker 0.05 %");
    expect(shown.text).toContain("ETH 5, USDT 10000");
    expect(shown.text).toMatch(/levels\s+1 \(default\)/);
    await page.close();
  });
});
