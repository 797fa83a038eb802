import { expect, it } from "vitest";
import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { OrderEvent } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Balances } from "../../src/orders/balances.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { eventOf, fillOf, idOf, placeCommand, reportOf } from "./order-fixture.ts";

/** The free balance beside an order with take profit and stop loss (D25: one lock for both legs). */

const base = tokenId("1");
const quote = tokenId("2");
const A = idOf(0x100);
const { takeProfit: TP, stopLoss: SL } = legIdsOf(A);

function placedBracket(side: Side) {
  const [tpLimit, slTrigger] = side === "BUY" ? [110, 90] : [90, 110];
  const tpsl = { tpLimit, slTrigger, slLimit: undefined };
  const command: PlaceCommand = { ...placeCommand(1, { side, quantity: "10", price: 100 }), tpsl };
  const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
  tracker.commands.place(command, unixMs(1_000));
  tracker.commands.signed(1, A);
  const balances = new Balances();
  const has = (unlocked: [string, string], block: number, queriedAtMs: number): boolean =>
    balances.report(
      [
        { tokenId: base, unlocked: fixed(unlocked[0]), locked: fixed("0") },
        { tokenId: quote, unlocked: fixed(unlocked[1]), locked: fixed("0") },
      ],
      block,
      queriedAtMs,
    );
  const free = () =>
    [base, quote].map((token) => fixedText(balances.free(token, tracker.live()) ?? fixed("-1")));
  /** With `isToBalances` the balances learn of each event, too, as in the kernel. */
  const told = (event: OrderEvent, atMs: number, isToBalances: boolean): void => {
    if (isToBalances) balances.orderEvent(event, 0);
    tracker.reports.event(event, unixMs(atMs));
  };
  const fill = (executed = "10", isToBalances = false) => {
    const status = executed === "10" ? "FILLED" : "PARTIALLY_FILLED";
    const report = reportOf(A, status, { side, executed });
    const more = { fill: fillOf(A, "1", executed, { side }), blockNumber: 5 };
    told(eventOf("TRADE", report, more), 2_000, isToBalances);
  };
  const place = (id: typeof TP, price: string, isToBalances = false) => {
    const legSide = side === "BUY" ? "SELL" : "BUY";
    const type = id === TP ? "TAKE_PROFIT_LIMIT" : "STOP_LOSS_MARKET";
    const report = { ...reportOf(id, "NEW", { side: legSide, price }), orderType: type } as const;
    told(eventOf("NEW", report, { blockNumber: 5 }), 2_100, isToBalances);
  };
  /** The venue has shown over REST that so much of the take profit was executed; its fill is not known yet. */
  const executed = (price: string, quantity: string) => {
    const legSide = side === "BUY" ? "SELL" : "BUY";
    const more = { side: legSide, price, quantity: "10", executed: quantity } as const;
    tracker.reports.report(TP, reportOf(TP, "PARTIALLY_FILLED", more), 2_200, unixMs(2_250));
  };
  return { tracker, has, free, fill, place, executed };
}

it("a buy's legs need nothing until it fills, then the base once until the venue has locked it", () => {
  const bracket = placedBracket("BUY");
  bracket.has(["50", "5000"], 1, 500);
  expect(bracket.free()).toEqual(["50", "4000"]);
  bracket.fill();
  bracket.has(["60", "4000"], 5, 2_050);
  // The quote is filled; there is no event of the legs yet.
  expect(bracket.free()).toEqual(["50", "4000"]);
  bracket.place(TP, "110");
  bracket.place(SL, "0");
  bracket.has(["50", "4000"], 5, 2_100);
  expect(bracket.free()).toEqual(["50", "4000"]);
});

it("a sell's legs need the higher cost of buying back minus the proceeds", () => {
  const bracket = placedBracket("SELL");
  bracket.has(["50", "5000"], 1, 500);
  expect(bracket.free()).toEqual(["40", "4900"]);
  bracket.fill();
  bracket.has(["40", "6000"], 5, 2_050);
  expect(bracket.free()).toEqual(["40", "4900"]);
  bracket.place(TP, "90");
  bracket.place(SL, "0");
  bracket.has(["40", "4900"], 5, 2_100);
  expect(bracket.free()).toEqual(["40", "4900"]);
});

it.each([
  ["BUY", ["50", "4000"], ["50", "4000"]],
  ["SELL", ["40", "5000"], ["40", "4900"]],
] as const)(
  "the legs of a filled %s need the larger worth of the two, also before a report has their lock",
  (side, unlocked, free) => {
    const bracket = placedBracket(side);
    // The venue has locked what the order itself needs.
    bracket.has([...unlocked], 4, 1_500);
    bracket.fill("10", true);
    bracket.place(TP, side === "BUY" ? "110" : "90", true);
    bracket.place(SL, "0", true);
    expect(bracket.free()).toEqual(free);
  },
);

it.each([true, false])(
  "an executed part of the take profit is paid beside the stop loss's lock of the rest (placed by events: %s)",
  (isToBalances) => {
    const bracket = placedBracket("SELL");
    bracket.has(["40", isToBalances ? "5000" : "6000"], isToBalances ? 4 : 5, 1_500);
    bracket.fill("10", isToBalances);
    if (isToBalances) {
      bracket.place(TP, "90", true);
      bracket.place(SL, "0", true);
    }
    bracket.executed("90", "4");
    // Of 6000, 4 were bought back for 90 each, and 6 may have to be for 110 each.
    expect(bracket.free()).toEqual(["40", "4980"]);
  },
);

it.each([
  ["BUY", ["54", "4000"], ["50", "4000"]],
  ["SELL", ["40", "5400"], ["40", "4900"]],
] as const)("the proceeds of a partly filled %s are reserved for its legs", (side, has, free) => {
  const bracket = placedBracket(side);
  bracket.has(["50", "5000"], 1, 500);
  bracket.fill("4");
  bracket.has([...has], 5, 2_050);
  expect(bracket.free()).toEqual(free);
});

it("a stop market order counts as locked once a balance report reaches the block of its event", () => {
  const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
  const stop = {
    ...placeCommand(1, { side: "BUY", quantity: "1", price: 0 }),
    type: "stop",
  } as const;
  const more = { name: "s", kind: "stop-loss", stopPrice: 120, orderType: "MARKET" } as const;
  tracker.commands.place({ ...stop, ...more }, unixMs(1_000));
  tracker.commands.signed(1, A);
  const balances = new Balances();
  const report = (unlocked: string, block: number, queriedMs: number): boolean =>
    balances.report(
      [{ tokenId: quote, unlocked: fixed(unlocked), locked: fixed("0") }],
      block,
      queriedMs,
    );
  const free = () => fixedText(balances.free(quote, tracker.live()) ?? fixed("-1"));
  report("1000", 1, 500);
  expect(free()).toBe("880");
  const stopReport = {
    ...reportOf(A, "NEW", { price: "0", quantity: "1" }),
    orderType: "STOP_LOSS_MARKET",
  } as const;
  tracker.reports.event(eventOf("NEW", stopReport, { blockNumber: 2 }), unixMs(1_500));
  expect(free()).toBe("880");
  // From a cache, of a block before the order's, although it was requested later.
  report("1000", 1, 2_000);
  expect(free()).toBe("880");
  report("880", 2, 2_100);
  expect(free()).toBe("880");
});
