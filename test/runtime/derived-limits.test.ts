import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Note } from "../../src/kernel/note.ts";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { connectedSettings } from "../../src/runtime/live-settings.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { limit, testAddress } from "../support/exchange.ts";
import { expectVerified, liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

const unsetLimits = { limits: ["maxPosition", "maxOrderNotional"], dayLoss: ["maker"] } as const;

/** Starts a bot, and collects the limits that it derives or keeps, and the codes of its log. */
async function started(world: World, settings: Partial<LiveSettings> = { unsetLimits }) {
  const lines: string[] = [];
  const log = { ...world.ports.log, info: (_: unknown, text: string) => void lines.push(text) };
  const { bot, kill } = await world.startProcess(settings, { log });
  const limits: Extract<Note, { type: "limit" }>[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "limit") limits.push(note);
  });
  await world.clock.runFor(10_000);
  return { bot, kill, limits, lines };
}

const shown = (limits: readonly Extract<Note, { type: "limit" }>[]): string[] =>
  limits.map(({ code, limit, value }) => `${code} ${limit} ${fixedText(value)}`);

describe("a live bot whose configuration sets no limits", () => {
  test("derives them, shows them, and keeps them after kill -9 and a loss of the balance", async () => {
    const world = await liveWorld(5);
    const first = await started(world);
    expect(first.limits.map(({ code, limit }) => `${code} ${limit}`)).toEqual([
      "LIMIT_DERIVED maxPosition",
      "LIMIT_DERIVED maxOrderNotional",
      "LIMIT_DERIVED dayLoss",
    ]);
    expect(first.lines).toContain(
      "an order in 1_2 is priced within 5% of the mid, the default; to raise it set risk.priceCollar, or null for no limit",
    );
    expect(world.openOrders(first.bot).length).toBeGreaterThan(0);
    await expectVerified(world);
    first.kill();
    const { ledger } = world.venue.exchange;
    const account = ledger.account(first.bot.owner);
    ledger.withdraw(account, tokenId("2"), fixed("1"));
    await world.clock.runFor(1_000);

    const second = await started(world);
    expect(shown(second.limits)).toEqual(
      shown(first.limits).map((text) => text.replace("DERIVED", "KEPT")),
    );
    const end = await stopped(world, second.bot);
    expect(end.summary.derivedLimits).toEqual(
      first.limits.map(({ limit, of, value }) => ({
        limit,
        of: of ?? null,
        value: fixedText(value),
      })),
    );
    expect(world.openOrders(second.bot)).toEqual([]);
    await expectVerified(world);
    const { carried } = restore(world.store, "journal").restored;
    expect(carried.filter(({ type }) => type === "limit")).toHaveLength(3);
  });

  test("obeys what its configuration sets after a restart", async () => {
    const world = await liveWorld(6);
    const first = await started(world);
    first.kill();
    await world.clock.runFor(1_000);
    const second = await started(world, {
      unsetLimits: { limits: [], dayLoss: [] },
      risk: riskSchema.parse({ maxPosition: "1000", maxOrderNotional: null }),
    });
    expect(second.limits).toEqual([]);
    expect(world.openOrders(second.bot).length).toBeGreaterThan(0);
    await stopped(world, second.bot);
    await expectVerified(world);
  });
});

/** The settings of a YAML without limits. */
async function written(market: string, more = ""): Promise<Partial<LiveSettings>> {
  const params = "{ bidSpread: 0.1%, askSpread: 0.1%, size: 0.5 }";
  const text = `venue: { rest: http://venue:1, ws: ws://venue:1/ws, chainId: 1001, allowInsecure: true }
${more}
strategies:
  - { name: maker, plugin: pure-market-making, market: "${market}", params: ${params} }
`;
  const config = await botConfigFrom(parseYaml({ file: "bot.yaml", text, env: {} }));
  const { venue: _, ...settings } = connectedSettings(config);
  return settings;
}

test.each([
  ["1_2", ""],
  ["ETH/USDT", ""],
  ["ETH/USDT", 'reportingCurrency: "2"'],
  ["ETH_USDT", "reportingCurrency: usdt"],
  ["1_2", "reportingCurrency: USDT"],
])("a bot in %s derives its loss stop and adds up its totals (%s)", async (market, more) => {
  const world = await liveWorld(5);
  const { bot, limits } = await started(world, await written(market, more));
  expect(limits.map(({ code, limit }) => `${code} ${limit}`)).toContain("LIMIT_DERIVED dayLoss");
  expect(world.openOrders(bot).length).toBeGreaterThan(0);
  const { summary } = await stopped(world, bot);
  expect(summary.portfolio).toMatchObject({ currency: "2" });
  await expectVerified(world);
  const again = await started(world, await written("1_2"));
  expect(again.limits.map(({ code }) => code)).toEqual(limits.map(() => "LIMIT_KEPT"));
  await stopped(world, again.bot);
});

test("a bot with a ticker is refused a currency to which its market does not lead", async () => {
  const world = await liveWorld(5);
  const refused = await written("ETH/USDT", "reportingCurrency: DOGE");
  await expect(world.start(refused)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message:
      "reportingCurrency: no market of the strategies converts 2 to DOGE: name a token that they lead to, or leave it out.",
  });
});

const idsOf = (market: "1_2" | "3_2") => [market === "1_2" ? "1" : "3", "2"] as const;

/** An account other than the bot's places a limit order. */
function place(
  { venue, clock }: World,
  account: number,
  { side, price, size, market }: { side: Side; price: number; size: string; market: "1_2" | "3_2" },
): void {
  const address = testAddress(account);
  const nowMs = clock.nowMs();
  venue.exchange.see(address, nowMs);
  const order = { ...limit(side, String(price), size), marketId: marketId(...idsOf(market)) };
  expect(venue.exchange.execute(address, order, nowMs)).toMatchObject({ rejected: undefined });
}

/** Another account quotes both sides. */
function fillBook(world: World, market: "1_2" | "3_2", mid: number, account = 77): void {
  place(world, account, { side: "BUY", price: mid - 1, size: "7.77", market });
  place(world, account, { side: "SELL", price: mid + 1, size: "7.77", market });
}

describe("a bot in two markets, of which the second has its book late", () => {
  const twoMarkets = {
    unsetLimits: { ...unsetLimits, dayLoss: ["eth", "btc"] },
    strategies: strategiesOf([
      { name: "eth", marketId: "1_2" },
      { name: "btc", marketId: "3_2" },
    ]),
  };

  test.each([
    { bookAfterMs: 4_000, killAfterMs: undefined, when: "in time for the loss stop" },
    { bookAfterMs: 15_000, killAfterMs: undefined, when: "after the loss stop was derived" },
    { bookAfterMs: 4_000, killAfterMs: 2_000, when: "in the run after a kill" },
    {
      bookAfterMs: 15_000,
      killAfterMs: 14_000,
      when: "in the run after the loss stop was derived",
    },
    { bookAfterMs: 4_000, killAfterMs: 9_000, when: "and is killed with all limits" },
  ])("re-runs the same, $when", async ({ bookAfterMs, killAfterMs }) => {
    const world = await liveWorld(9, { moreMarkets: ["3"], flow: "none" });
    const { clock } = world;
    fillBook(world, "1_2", 2_000);
    const startMs = clock.nowMs();
    clock.after(bookAfterMs, () => fillBook(world, "3_2", 33_333));
    const first = await world.startProcess(twoMarkets);
    let { bot } = first;
    if (killAfterMs !== undefined) {
      await clock.runFor(startMs + killAfterMs - clock.nowMs());
      first.kill();
      await expectVerified(world);
      ({ bot } = await world.startProcess(twoMarkets));
    }
    await clock.runFor(25_000);
    expect(world.openOrders(bot, "1_2").length).toBeGreaterThan(0);
    expect(world.openOrders(bot, "3_2").length).toBeGreaterThan(0);
    const { summary } = await stopped(world, bot);
    expect(summary.derivedLimits).toHaveLength(5);
    for (const { value } of summary.derivedLimits ?? []) {
      expect(value.replace(".", "").replace(/^0+|0+$/g, "").length).toBeLessThanOrEqual(4);
    }
    await expectVerified(world);
  });
});
