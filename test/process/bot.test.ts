import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccessTokens } from "../../src/dashboard/access-tokens.ts";
import { TouchlineHere, touchline } from "../support/touchline-process.ts";

/** The demo's bot at real sockets. */

const root = fileURLToPath(new URL("../../", import.meta.url));
const owner = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a";
const key = { TOUCHLINE_KEY: `0x${"11".repeat(32)}` };

let folder = "";
let venue: TouchlineHere;
let rest = "";
let ws = "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-process-"));
  venue = new TouchlineHere(["venue", path.join(root, "config/demo-venue.yaml"), "--port", "0"]);
  const listening = await venue.line("listening");
  rest = String(listening["rest"]);
  ws = String(listening["ws"]);
});
afterAll(async () => {
  venue.stop();
  expect(await venue.exit).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

function runArgs(journal: string, ...more: string[]): string[] {
  const set = {
    "venue.rest": rest,
    "venue.ws": ws,
    "account.owner": owner,
    "account.signer.type": "env",
    "account.signer.name": "TOUCHLINE_KEY",
    "journal.path": path.join(folder, journal),
    "dashboard.port": "0",
  };
  const sets = Object.entries(set).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  return ["run", path.join(root, "config/demo.yaml"), ...sets, ...more];
}

/** Ids of the account's open orders, as the venue says. */
async function openIds(): Promise<string[]> {
  const { lines } = await touchline(["order", "open", "--venue", rest], key);
  const orders = (lines[0]?.["orders"] ?? []) as { orderId: string }[];
  return orders.map(({ orderId }) => orderId);
}

const PAUSED = "the pause of the bot";
/** Who gave an operator's command, in a line of `journal show --json`. */
const BY = /"by":\{[^}]*\}/g;

describe("a bot at the demo's venue", () => {
  it("quotes, keeps its journal to itself, is steered over HTTP, tells an order's story, is stopped, leaves nothing behind, and its journal names who did it and verifies", async () => {
    const journal = path.join(folder, "steered");
    const token = { name: "ops", role: "control", createdMs: 1, expiresMs: null } as const;
    const headers = { authorization: `Bearer ${new AccessTokens(journal).create(token)}` };
    const bot = new TouchlineHere(runArgs("steered"), key);
    const url = `${String((await bot.line("run"))["dashboard"])}/api/v1`;
    const act = async (name: string, body: unknown = {}): Promise<unknown> => {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${url}/${name}`, init)).json();
    };
    await expect.poll(openIds).not.toEqual([]);
    const second = new TouchlineHere(runArgs("steered"), key);
    expect(await second.exit).toBe(1);
    expect(second.lines.at(-1)).toMatchObject({ event: "error", code: "JOURNAL_LOCKED" });
    const [id = ""] = await openIds();
    expect(await act("pause")).toEqual({ ok: true });
    expect(await openIds()).toEqual([]);
    expect(await act("resume")).toMatchObject({ ok: true, resumed: { lifted: [PAUSED] } });
    const story: unknown = await (await fetch(`${url}/orders/${id}/story`, { headers })).json();
    expect(story).toMatchObject({
      orderId: id,
      events: expect.arrayContaining([expect.objectContaining({ what: "decision" })]),
      warning: null,
    });
    const trade = { marketId: "1_2", side: "BUY", price: "0.2", quantity: "1", fee: "0" };
    const booked = {
      strategy: "zil-maker",
      trade: { ...trade, timeMs: Date.now(), tradeId: "otc-7" },
    };
    expect(await act("book", booked)).toEqual({ ok: true });
    expect(await act("book", booked)).toMatchObject({ error: { code: "TRADE_BOOKED" } });
    const again = { ...booked, trade: { ...booked.trade, tradeId: "otc-8" } };
    const both = await Promise.all([act("book", again), act("book", again)]);
    expect(both.filter((answer) => JSON.stringify(answer) === '{"ok":true}')).toHaveLength(1);
    const elsewhere = { ...again, trade: { ...again.trade, tradeId: "", marketId: "9_8" } };
    expect(await act("book", elsewhere)).toMatchObject({
      message: "zil-maker does not trade in 9_8; nothing was booked",
    });
    bot.stop();
    expect(await bot.exit).toBe(0);
    const summary = await bot.line("summary");
    expect(summary).toMatchObject({ ordersLeft: 0, ordersRejected: 0, unknownOutcomes: 0 });
    expect(summary["quotesPlaced"]).toBeGreaterThan(0);
    expect(await openIds()).toEqual([]);
    const shown = await touchline(["journal", "show", journal, "--limit", "100000"]);
    const given = shown.lines.flatMap((line) => JSON.stringify(line).match(BY) ?? []);
    expect(given).toEqual([
      '"by":{"who":"ops","from":"127.0.0.1"}',
      '"by":{"who":"ops","from":"127.0.0.1"}',
      '"by":{"who":"ops","from":"127.0.0.1"}',
      '"by":{"who":"ops","from":"127.0.0.1"}',
      '"by":{"who":"signal","from":"SIGTERM"}',
    ]);
    const verified = (await touchline(["journal", "verify", journal])).lines.at(-1);
    expect(verified).toMatchObject({ event: "verified", identical: true, firstDifference: null });
    expect(verified?.["recovered"]).toBe(verified?.["signed"]);
    expect(verified?.["signed"]).toBeGreaterThan(0);
  });
});
