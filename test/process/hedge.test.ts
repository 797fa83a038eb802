import { expect, it, onTestFinished, vi } from "vitest";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import type { NetFigures } from "../../src/metrics/net-fold.ts";
import { Touchline, TouchlineHere } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** A hedged maker whose first run is a process of its own. */

const maker = { TOUCHLINE_KEY: `0x${"61".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"62".repeat(32)}` };
const main = marketId("1", "2");
const hedge = marketId("1", "3");
const fees = { makerFee: "0.0002", takerFee: "0.0005", listed: true };

async function twoMarkets(): Promise<BotVenue> {
  const venue = await BotVenue.start(
    `  - name: hedged
    plugin: hedged-maker
    markets: { main: "1_2", hedge: "1_3" }
    params: { size: "0.5" }
`,
    {
      tokens: [
        { tokenId: "1", symbol: "ETH", decimals: 18 },
        { tokenId: "2", symbol: "USDT", decimals: 6 },
        { tokenId: "3", symbol: "USDC", decimals: 6 },
      ],
      markets: ["2", "3"].map((quote) => ({ base: "1", quote, ...fees })),
    },
  );
  onTestFinished(() => venue.stop());
  await venue.offer(other, "BUY", "1980", "5");
  await venue.offer(other, "SELL", "2020", "5");
  await venue.offerIn(hedge, other, "BUY", "1999", "5");
  await venue.offerIn(hedge, other, "SELL", "2001", "5");
  return venue;
}

/** Base token that the account bought in a market, less what it sold. */
async function netIn(venue: BotVenue, market: string): Promise<number> {
  let net = 0;
  for (const { marketId: where, side, quantity } of await venue.trades(maker)) {
    if (where === market) net += fixedToNumber(quantity) * (side === "BUY" ? 1 : -1);
  }
  return net;
}

it("hedges after the next start what was filled while it was killed, and counts how long it was not hedged", async () => {
  const venue = await twoMarkets();
  const words = ["run", venue.botConfig];
  const first = new Touchline(words, maker);
  await venue.untilOpen(maker, 2);
  first.kill("SIGKILL");
  await first.exit;
  // Down to the bid of the bot, not to that of the others.
  await venue.offer(other, "SELL", "1990", "0.5");
  expect(await netIn(venue, main)).toBeCloseTo(0.5, 3);

  const second = new TouchlineHere(words, maker);
  await vi.waitFor(async () => expect(await netIn(venue, hedge)).toBeCloseTo(-0.5, 3), PATIENCE);
  await venue.untilOpen(maker, 2);
  second.stop();
  expect(await second.exit).toBe(0);
  expect(await netIn(venue, hedge)).toBeCloseTo(-0.5, 3);
  const [net] = (await second.line("summary"))["nets"] as readonly NetFigures[];
  const [exposure] = net?.exposure ?? [];
  expect(Number(exposure?.max)).toBeCloseTo(0.5, 3);
  expect(Number(exposure?.position)).toBeCloseTo(0, 3);
  expect(exposure?.baseSeconds).toBeGreaterThan(0);
});
