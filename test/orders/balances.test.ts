import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { addressOf, tokenId } from "../../src/domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Balances } from "../../src/orders/balances.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import {
  account,
  cancelCommand,
  eventOf,
  fillOf,
  idOf,
  placeCommand,
  reportOf,
} from "./order-fixture.ts";

const base = tokenId("1");
const quote = tokenId("2");

function balance(token: Balance["tokenId"], unlocked: string, locked = "0"): Balance {
  return { tokenId: token, unlocked: fixed(unlocked), locked: fixed(locked) };
}

function held(balances: Balances, token: Balance["tokenId"]): string | undefined {
  const found = balances.of(token);
  return found && `${fixedText(found.unlocked)} ${fixedText(found.locked)}`;
}

function at(blockNumber: number, start: readonly Balance[]): Balances {
  const balances = new Balances();
  balances.report(start, blockNumber, 0);
  return balances;
}

const start = [balance(base, "100"), balance(quote, "5000")];

/** The events of a limit order of 10 at 100 that trades 4 at 99 and is then canceled, in blocks 1, 2 and 3. */
function life(side: Side): readonly [OrderEvent, OrderEvent, OrderEvent] {
  const id = idOf(1);
  const price = side === "BUY" ? "99" : "101";
  const fee = side === "BUY" ? "0.002" : "0.2";
  const fill = fillOf(id, "t1", "4", { side, price, fee });
  const traded = reportOf(id, "PARTIALLY_FILLED", { side, executed: "4" });
  return [
    eventOf("NEW", reportOf(id, "NEW", { side }), { blockNumber: 1 }),
    eventOf("TRADE", traded, { fill, blockNumber: 2 }),
    eventOf("CANCEL", reportOf(id, "CANCELED", { side, executed: "4" }), { blockNumber: 3 }),
  ];
}

describe("stop orders and legs, whose locks events do not show (D24, D25)", () => {
  const leg = (number: number) => ({
    ...reportOf(idOf(number), "NEW", { side: "SELL" }),
    orderType: "TAKE_PROFIT_LIMIT" as const,
  });

  it("count as locked when placed, and are free again only after a report of the venue", () => {
    const balances = at(0, start);
    balances.orderEvent(eventOf("NEW", leg(1), { blockNumber: 1 }), 0);
    expect(held(balances, base)).toBe("90 10");
    balances.orderEvent(
      eventOf("CANCEL", { ...leg(1), status: "CANCELED" }, { blockNumber: 2 }),
      0,
    );
    expect(held(balances, base)).toBe("90 10");
    balances.report(start, 2, 0);
    expect(held(balances, base)).toBe("100 0");
  });

  it("free nothing when a leg is canceled before it was placed", () => {
    const balances = at(0, start);
    balances.orderEvent(
      eventOf("CANCEL", { ...leg(1), status: "CANCELED" }, { blockNumber: 1 }),
      0,
    );
    expect(held(balances, base)).toBe("100 0");
  });
});

describe("balances", () => {
  it("stay as they are when the venue rejects an order, which has locked nothing", () => {
    const balances = at(1, start);
    const rejected = reportOf(idOf(9), "REJECTED", { side: "BUY" });
    balances.orderEvent(eventOf("REJECTED", rejected, { blockNumber: 2 }), 0);
    expect([held(balances, base), held(balances, quote)]).toEqual([
      held(at(1, start), base),
      held(at(1, start), quote),
    ]);
  });

  it("are unknown before the first report, and then 0 for a token that the account never had", () => {
    const balances = new Balances();
    expect(balances.of(base)).toBeUndefined();
    expect(balances.free(base, [])).toBeUndefined();
    balances.report(start, 7, 0);
    expect(held(balances, tokenId("9"))).toBe("0 0");
  });

  it("follow a buy: lock, trade below the limit, release (D18, D19)", () => {
    const balances = at(0, start);
    const [placed, traded, canceled] = life("BUY");
    balances.orderEvent(placed, 0);
    expect(held(balances, quote)).toBe("4000 1000");
    balances.orderEvent(traded, 0);
    expect(held(balances, quote)).toBe("4004 600");
    expect(held(balances, base)).toBe("103.998 0");
    balances.orderEvent(canceled, 0);
    expect(held(balances, quote)).toBe("4604 0");
  });

  it("follow a sell", () => {
    const balances = at(0, start);
    for (const event of life("SELL")) balances.orderEvent(event, 0);
    expect(held(balances, base)).toBe("96 0");
    expect(held(balances, quote)).toBe("5403.8 0");
  });

  it("lock nothing for a market order", () => {
    const balances = at(0, start);
    const report = reportOf(idOf(1), "FILLED", { price: "0", executed: "10" });
    balances.orderEvent(eventOf("NEW", { ...report, status: "NEW" }, { blockNumber: 1 }), 0);
    const fill = fillOf(idOf(1), "t1", "10", { price: "101", fee: "0.005" });
    balances.orderEvent(eventOf("TRADE", report, { fill, blockNumber: 1 }), 0);
    expect(held(balances, quote)).toBe("3990 0");
    expect(held(balances, base)).toBe("109.995 0");
  });

  it("are not free while a market order has traded a part of its quantity only (D19)", () => {
    const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
    const sale = placeCommand(1, { side: "SELL", price: 0 });
    tracker.commands.place({ ...sale, take: { name: "out", worst: 99 } }, unixMs(0));
    tracker.commands.signed(1, idOf(1));
    const balances = at(0, start);
    const free = () => fixedText(balances.free(base, tracker.live()) ?? fixed("-1"));
    expect(free()).toBe("90");
    const order = { side: "SELL", price: "0" } as const;
    const fill = fillOf(idOf(1), "t1", "4", { side: "SELL", price: "99" });
    const traded = reportOf(idOf(1), "PARTIALLY_FILLED", { ...order, executed: "4" });
    const event = eventOf("TRADE", traded, { fill, blockNumber: 1 });
    balances.orderEvent(event, 1);
    tracker.reports.event(event, unixMs(1));
    expect(free()).toBe("90");
  });

  it("follow deposits, withdrawals and transfers", () => {
    const other = addressOf(`0x${"bb".repeat(20)}`);
    const event = (
      hash: string,
      eventType: AccountEvent["eventType"],
      from?: typeof other,
      to?: typeof other,
    ): AccountEvent => ({
      eventType,
      account,
      tokenId: base,
      amount: fixed("5"),
      fromAddress: from,
      toAddress: to,
      blockNumber: 1,
      timeMs: unixMs(0),
      txHash: hash,
    });
    const balances = at(0, start);
    balances.accountEvent(event("a", "DEPOSIT"), 0);
    expect(held(balances, base)).toBe("105 0");
    balances.accountEvent(event("a", "DEPOSIT"), 0);
    expect(held(balances, base)).toBe("105 0");
    balances.accountEvent(event("b", "WITHDRAW"), 0);
    balances.accountEvent(event("c", "TRANSFER", account, other), 0);
    expect(held(balances, base)).toBe("95 0");
    balances.accountEvent(event("d", "TRANSFER", other, account), 0);
    balances.accountEvent(event("e", "TRANSFER", account, account), 0);
    expect(held(balances, base)).toBe("100 0");
  });

  it("keep what they know when a report has a lower block, since a cache or node may be behind", () => {
    const balances = at(50, start);
    balances.orderEvent({ ...life("BUY")[0], blockNumber: 51 }, 0);
    expect(balances.report([balance(quote, "77")], 49, 100)).toBe(false);
    expect(held(balances, quote)).toBe("4000 1000");
    expect(balances.blockNumber).toBe(50);
    // A newer report in between: the next old one is again the first.
    expect(balances.report(start, 50, 5_000)).toBe(true);
    expect(balances.report([balance(quote, "77")], 49, 10_100)).toBe(false);
    expect(held(balances, quote)).toBe("4000 1000");
  });

  it("believe a lower block when no other has come for ten seconds", () => {
    const balances = at(50, start);
    balances.orderEvent({ ...life("BUY")[0], blockNumber: 51 }, 0);
    for (const [count, atMs] of [100, 2_500, 5_000, 10_099].entries()) {
      expect(balances.report(start, 2 + count, atMs)).toBe(false);
    }
    expect(balances.report(start, 6, 10_100)).toBe(true);
    expect(held(balances, quote)).toBe("5000 0");
    expect(balances.blockNumber).toBe(6);
  });

  it("keep the events of later blocks than that of the lower report which is believed", () => {
    const balances = at(50, start);
    balances.report(start, 2, 0);
    const [placed] = life("BUY");
    balances.orderEvent({ ...placed, blockNumber: 3 }, 9_000);
    expect(held(balances, quote)).toBe("5000 0");
    expect(balances.report(start, 2, 10_000)).toBe(true);
    expect(held(balances, quote)).toBe("4000 1000");
    expect(balances.report([balance(quote, "4000", "1000")], 3, 10_500)).toBe(true);
    expect(held(balances, quote)).toBe("4000 1000");
  });

  it("are never those of a node that is minutes behind when its reports alternate with those of another", () => {
    const balances = at(1_000, start);
    for (let second = 1; second <= 3_600; second += 1) {
      const isBehind = second % 10 > 1;
      const block = 1_000 + second - (isBehind ? 300 : 0);
      expect(balances.report(start, block, second * 1_000)).toBe(!isBehind);
    }
  });

  it("are not changed for ever by an event whose block never comes", () => {
    const event = { ...life("BUY")[0], blockNumber: 1_000_000 };
    const balances = at(0, start);
    balances.orderEvent(event, 1_000);
    balances.report(start, 1, 11_000);
    expect(held(balances, quote)).toBe("4000 1000");
    balances.report(start, 2, 11_001);
    expect(held(balances, quote)).toBe("5000 0");
  });

  it("combine reports and events by block, in any order and with repetitions", () => {
    const events = [...life("BUY"), ...life("SELL")].map((event, index) => ({
      ...event,
      order: { ...event.order, orderId: idOf(index < 3 ? 1 : 2) },
      blockNumber: index + 1,
    }));
    /** The venue's balances after each block: base and quote, unlocked and locked. */
    const truth = [
      ["100", "0", "5000", "0"],
      ["100", "0", "4000", "1000"],
      ["103.998", "0", "4004", "600"],
      ["103.998", "0", "4604", "0"],
      ["93.998", "10", "4604", "0"],
      ["93.998", "6", "5007.8", "0"],
      ["99.998", "0", "5007.8", "0"],
    ].map(([inBase = "", lockedBase, inQuote = "", lockedQuote]) => [
      balance(base, inBase, lockedBase),
      balance(quote, inQuote, lockedQuote),
    ]);
    const last = truth.at(-1);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...events, ...events], { minLength: 12 }),
        fc.array(fc.record({ block: fc.nat({ max: 6 }), before: fc.nat({ max: 12 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        (deliveries, reports) => {
          const balances = new Balances();
          // Each report is read somewhere among the events; one of a lower block than the last is ignored.
          const blocks = reports.map(({ block }) => block);
          const places = reports.map(({ before }) => before).sort((left, right) => left - right);
          deliveries.forEach((event, index) => {
            places.forEach((place, nth) => {
              const block = blocks[nth] ?? 0;
              if (place === index) balances.report(truth[block] ?? start, block, 0);
            });
            balances.orderEvent(event, 0);
          });
          places.forEach((place, nth) => {
            const block = blocks[nth] ?? 0;
            if (place === 12) balances.report(truth[block] ?? start, block, 0);
          });
          for (const token of [base, quote]) {
            expect(balances.of(token)).toEqual(last?.find(({ tokenId }) => tokenId === token));
          }
        },
      ),
    );
  });
});

describe("free balance", () => {
  function world() {
    const balances = at(0, start);
    const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 250, queryMaxMs: 1000 });
    const free = (token: Balance["tokenId"]) =>
      fixedText(balances.free(token, tracker.live()) ?? ZERO);
    tracker.commands.place(placeCommand(1), unixMs(10));
    tracker.commands.signed(1, idOf(1));
    return { balances, tracker, free };
  }

  it("excludes the need of an order in flight until an event shows its lock", () => {
    const { balances, tracker, free } = world();
    expect(free(quote)).toBe("4000");
    expect(free(base)).toBe("100");
    tracker.commands.responded(1, { type: "accepted" }, unixMs(20));
    expect(free(quote)).toBe("4000");
    const [placed] = life("BUY");
    tracker.reports.event(placed, unixMs(30));
    balances.orderEvent(placed, 0);
    expect(held(balances, quote)).toBe("4000 1000");
    expect(free(quote)).toBe("4000");
  });

  it("excludes the need of an unknown order until it is known not to exist", () => {
    const { tracker, free } = world();
    tracker.commands.responded(1, { type: "unknown", message: "" }, unixMs(20));
    expect(free(quote)).toBe("4000");
    tracker.reports.report(idOf(1), "absent", 10_020, unixMs(10_030));
    expect(free(quote)).toBe("5000");
  });

  it("counts an acknowledged order once when a report that was requested later contains its lock", () => {
    const { balances, tracker, free } = world();
    tracker.commands.responded(1, { type: "accepted" }, unixMs(20));
    balances.report([balance(base, "100"), balance(quote, "4000", "1000")], 1, 25);
    expect(free(quote)).toBe("4000");
    tracker.commands.cancelMade(cancelCommand(2, idOf(1)));
    tracker.commands.responded(2, { type: "accepted" }, unixMs(30));
    expect(free(quote)).toBe("4000");
  });

  it("takes a report of the same millisecond as older than the acknowledgement", () => {
    const { balances, tracker, free } = world();
    tracker.commands.responded(1, { type: "accepted" }, unixMs(25));
    balances.report([balance(base, "100"), balance(quote, "5000")], 1, 25);
    expect(free(quote)).toBe("4000");
  });

  it("excludes what an order paid in fills that are not known yet", () => {
    const { balances, tracker } = world();
    tracker.commands.responded(1, { type: "accepted" }, unixMs(20));
    tracker.reports.report(
      idOf(1),
      reportOf(idOf(1), "FILLED", { executed: "10" }),
      25,
      unixMs(30),
    );
    const free = () => fixedText(balances.free(quote, tracker.missingFills()) ?? ZERO);
    expect(free()).toBe("4000");
    // A report that was requested later contains it.
    balances.report([balance(quote, "4000")], 9, 40);
    expect(free()).toBe("4000");
  });

  it("is never negative", () => {
    const { balances, free } = world();
    balances.report([balance(quote, "1")], 1, 5);
    expect(free(quote)).toBe("0");
  });
});
