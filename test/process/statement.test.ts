import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  addFixed,
  fixed,
  fixedText,
  mulFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import { setTimeout as pause } from "node:timers/promises";
import { runLine } from "../cli/run-line.ts";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, TouchlineHere, touchline, type Line } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** What the journal says of a day, against what the venue's own lists say. */

const maker = { TOUCHLINE_KEY: `0x${"41".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"42".repeat(32)}` };
const taker = { TOUCHLINE_KEY: `0x${"43".repeat(32)}` };
const OBLIGED = `${ONE_LEVEL_MAKER}    obligation: { spread: 5%, size: "0.1" }\n`;
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(OBLIGED);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
});
afterAll(() => venue.stop());

function positionsOf(statement: Line | undefined) {
  return statement?.["positions"] as readonly {
    readonly pnl: string;
    readonly closingMid: number;
    readonly uptimeBid: number;
    readonly uptimeObligation: number;
  }[];
}

interface VenueFill {
  readonly orderId: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly feeTokenId: string;
}

async function type(...words: readonly string[]): Promise<readonly Line[]> {
  const { code, events, err } = await runLine([...words, "--json"], { ...process.env, ...maker });
  expect(code, err).toBe(0);
  return events as readonly Line[];
}

/** Without the deposits of the faucet. */
function transfersOf(statement: Line | undefined): readonly unknown[] {
  const movements = statement?.["movements"] as readonly { readonly type: string }[];
  return movements.filter(({ type: kind }) => kind === "transfer");
}

/** The taker trades a quote of the maker, which may just be moving, through the other account's, which is then placed again. */
async function takeQuote(): Promise<void> {
  const before = (await venue.trades(maker)).length;
  while ((await venue.trades(maker)).length === before) {
    const [quote] = await venue.openOrders(maker);
    const isBid = quote?.side === "BUY";
    await venue.place(taker, isBid ? "sell" : "buy", "1.2", isBid ? "1975" : "2025");
    await pause(300);
    await venue.cancelAll(taker);
    await venue.place(other, isBid ? "buy" : "sell", "1", isBid ? "1990" : "2010");
  }
}

it("a statement is the venue's own lists to the last digit, over a kill -9, a restart and trades by hand", async () => {
  const first = new Touchline(["run", venue.botConfig], maker);
  await first.line("run");
  await venue.untilOpen(maker, 2);
  await takeQuote();
  await venue.untilOpen(maker, 2);
  first.kill("SIGKILL");
  await first.exit;
  // This fill happens while no bot runs, so the next start books it.
  await takeQuote();

  const byHand = ["--side", "buy", "--size", "0.25", "--price", "1999.5", "--fee", "0.001"];
  const book = ["position", "book", venue.botConfig, ...byHand] as const;
  await type(...book, "--tx", "0xa1");
  const second = new TouchlineHere(["run", venue.botConfig], maker);
  await second.line("run");
  await venue.untilOpen(maker, 2);
  await type(...book, "--tx", "0xa2");
  const again = await runLine([...book, "--tx", "0xa2", "--json"], maker);
  expect(again.events).toMatchObject([{ event: "error", code: "TRADE_BOOKED" }]);

  const owner = String((await type("order", "fills", "--config", venue.botConfig))[0]?.["address"]);
  const sent = await touchline(
    ["account", "transfer", "2", "12.345678", owner, "--venue", venue.rest],
    other,
  );
  expect(sent.code, sent.stderr).toBe(0);
  await takeQuote();
  await venue.untilOpen(maker, 2);
  const day = new Date().toISOString().slice(0, 10);
  const running = await vi.waitFor(
    async () => {
      const [statement] = await type("statement", venue.botConfig, "--day", day);
      expect(transfersOf(statement)).toHaveLength(1);
      expect(statement?.["positions"]).toMatchObject([{ fills: 5 }]);
      // Uptime counts from three seconds after a start.
      expect(positionsOf(statement)[0]?.uptimeObligation).toBeGreaterThan(0.2);
      return statement;
    },
    { ...PATIENCE, interval: 500 },
  );
  expect(running?.["positions"]).toMatchObject([{ fillsByHand: 2 }]);
  await type("stop", venue.botConfig);
  await second.exit;

  const out = path.join(path.dirname(venue.botConfig), "statement");
  const [statement] = await type("statement", venue.botConfig, "--day", day, "--out", out);
  const [listedFills] = await type("order", "fills", "--config", venue.botConfig);
  const fills = listedFills?.["fills"] as readonly VenueFill[];
  const hand: VenueFill = {
    orderId: "",
    side: "BUY",
    price: "1999.5",
    quantity: "0.25",
    fee: "0.001",
    feeTokenId: "1",
  };
  const expected = totals([...fills, hand, hand]);
  expect(fills).toHaveLength(3);
  expect(statement?.["positions"]).toMatchObject([{ ...expected, openingPosition: "0", fills: 5 }]);
  const [row] = positionsOf(statement);
  expect(row?.uptimeBid).toBeGreaterThan(0.2);
  expect(row?.uptimeObligation).toBeGreaterThan(0.2);
  expect(row?.uptimeObligation).toBeLessThan(1);
  expect(row?.closingMid).toBe(2000);
  expect(row?.pnl).toBe(pnlOf([...fills, hand, hand], "2000"));

  const [listedTransfers] = await type("account", "transfers", "--config", venue.botConfig);
  const transfers = listedTransfers?.["transfers"] as readonly { amount: string; hash: string }[];
  expect(transfersOf(statement)).toMatchObject(
    transfers.map(({ amount, hash }) => ({ type: "transfer", token: "2", amount, txHash: hash })),
  );
  expect(transfersOf(statement)).toMatchObject([{ amount: "12.345678" }]);

  const lines = readFileSync(path.join(out, "fills.csv"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines.filter((line) => line.includes(",by hand,"))).toHaveLength(2);
  expect(readFileSync(path.join(out, "statement.html"), "utf8")).toContain("12.345678");
  const listed = await type("trades", venue.botConfig, "--day", day);
  expect(listed.filter(({ event }) => event === "trade")).toHaveLength(5);
  const [, total] = await type("pnl", venue.journal);
  expect(total).toMatchObject({ event: "pnl.total", pnl: row?.pnl, fills: 5 });

  for (const run of ["1", "2"]) {
    const verified = await type("journal", "verify", venue.journal, "--run", run);
    expect(verified.at(-1)).toMatchObject({ identical: true });
  }
});

function totals(fills: readonly VenueFill[]) {
  let volumeBase: Fixed = ZERO;
  let volumeQuote: Fixed = ZERO;
  const fees: Record<string, string> = {};
  for (const { price, quantity, fee, feeTokenId } of fills) {
    volumeBase = addFixed(volumeBase, fixed(quantity));
    volumeQuote = addFixed(volumeQuote, mulFixed(fixed(price), fixed(quantity)));
    fees[feeTokenId] = fixedText(addFixed(fixed(fees[feeTokenId] ?? "0"), fixed(fee)));
  }
  return {
    closingPosition: fixedText(changes(fills).base),
    volumeBase: fixedText(volumeBase),
    volumeQuote: fixedText(volumeQuote),
    fees,
  };
}

/** By the definition in the class Position: what was bought and paid, less the fees in their tokens. */
function changes(fills: readonly VenueFill[]): { readonly base: Fixed; readonly quote: Fixed } {
  let [base, quote]: Fixed[] = [ZERO, ZERO];
  for (const { side, price, quantity, fee, feeTokenId } of fills) {
    const paid = mulFixed(fixed(price), fixed(quantity));
    const [bought, spent] =
      side === "BUY" ? [fixed(quantity), paid] : [negFixed(fixed(quantity)), negFixed(paid)];
    base = addFixed(base ?? ZERO, bought);
    quote = subFixed(quote ?? ZERO, spent);
    if (feeTokenId === "1") base = subFixed(base, fixed(fee));
    else quote = subFixed(quote, fixed(fee));
  }
  return { base: base ?? ZERO, quote: quote ?? ZERO };
}

function pnlOf(fills: readonly VenueFill[], mid: string): string {
  const { base, quote } = changes(fills);
  return fixedText(addFixed(quote, mulFixed(base, fixed(mid))));
}
