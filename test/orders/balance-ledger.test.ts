import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addFixed, fixed, fixedText, negFixed, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { addressOf, tokenId } from "../../src/domain/ids.ts";
import type { AccountEvent, Fill, OrderEvent, Transfer } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { BalanceLedger } from "../../src/orders/balance-ledger.ts";
import { UnplacedChanges } from "../../src/orders/unexplained-change.ts";
import type { BalanceDrift } from "../../src/orders/kept-drifts.ts";
import { account, eventOf, fillOf, idOf, reportOf } from "./order-fixture.ts";

const base = tokenId("1");
const quote = tokenId("2");
const SETTLE_MS = 10_000;

/** A buy at 100 with a fee of 0.01 base, of 1 unless another quantity is given: trade `number`. */
function fillAt(number: number, timeMs: number, quantity = "1"): Fill {
  const fill = fillOf(idOf(number), `t${number}`, quantity, { fee: "0.01" });
  return { ...fill, timeMs: unixMs(timeMs) };
}

/** A transfer from the list; it has no event. */
function listed(amount: string, timeMs: number, txHash = "0xt1", status?: string): Transfer {
  const row = { tokenId: base, amount: fixed(amount), timeMs: unixMs(timeMs), txHash };
  return status === undefined ? row : { ...row, status };
}

function trade(number: number, timeMs: number, blockNumber = number): OrderEvent {
  const report = reportOf(idOf(number), "FILLED", { executed: "1" });
  return eventOf("TRADE", report, { fill: fillAt(number, timeMs), blockNumber });
}

function deposit(amount: string, blockNumber: number): AccountEvent {
  return {
    eventType: "DEPOSIT",
    account,
    tokenId: base,
    amount: fixed(amount),
    fromAddress: undefined,
    toAddress: undefined,
    blockNumber,
    timeMs: unixMs(0),
    txHash: `0xd${blockNumber}`,
  };
}

/** A ledger whose account had 100 base and 1000 quote, unless others are given, in block 0, at 0 ms. */
function world(first: readonly [string, string] = ["100", "1000"], isOfNow = true) {
  const ledger = new BalanceLedger(SETTLE_MS, {
    transfersExplainOnce: true,
    transfersInRuns: isOfNow,
    transfersWithFills: isOfNow,
    explainsDriftInParts: isOfNow,
    doubtsOpenBlock: isOfNow,
    waitsForListedFills: isOfNow,
    redatesByEvents: isOfNow,
    disprovesRestarts: isOfNow,
    followsRestarts: isOfNow,
    ownTokens: new Set([base, quote]),
  });
  const drifts: BalanceDrift[] = [];
  const report = (
    [baseTotal, quoteTotal]: readonly [string, string],
    blockNumber: number,
    nowMs: number,
    more: {
      locked?: string;
      isLive?: boolean;
      fillsQueriedMs?: number | undefined;
      offsetMs?: number;
    } = {},
  ) => {
    const { locked = "0", isLive = true, offsetMs = 0 } = more;
    const fillsQueriedMs = "fillsQueriedMs" in more ? more.fillsQueriedMs : nowMs;
    const unlocked = addFixed(fixed(baseTotal), negFixed(fixed(locked)));
    if (fillsQueriedMs !== undefined) ledger.fillsListed(fillsQueriedMs);
    drifts.push(
      ...ledger.report({
        balances: [
          { tokenId: base, unlocked, locked: fixed(locked) },
          { tokenId: quote, unlocked: fixed(quoteTotal), locked: ZERO },
        ],
        blockNumber,
        queriedMs: nowMs,
        nowMs,
        offsetMs,
        isLive,
      }),
    );
  };
  report(first, 0, 0);
  const told = () =>
    drifts.map(({ tokenId: token, amount }) => `${token} ${fixedText(amount)}`).sort();
  return { ledger, report, told, drifts };
}

describe("what is no drift", () => {
  it("a fill with its fee, a lock, a deposit, a withdrawal and transfers", () => {
    const { ledger, report, told } = world();
    const other = addressOf(`0x${"bb".repeat(20)}`);
    ledger.orderEvent(trade(1, 1_000));
    report(["100.99", "900"], 1, 5_000, { locked: "40" });
    ledger.accountEvent(deposit("5", 2));
    ledger.accountEvent({ ...deposit("2", 3), eventType: "WITHDRAW" });
    const transfer = { ...deposit("3", 4), eventType: "TRANSFER" } as const;
    ledger.accountEvent({ ...transfer, fromAddress: account, toAddress: other });
    ledger.accountEvent({ ...transfer, blockNumber: 5, fromAddress: account, toAddress: account });
    report(["100.99", "900"], 5, 30_000);
    report(["100.99", "900"], 6, 60_000);
    expect(told()).toEqual([]);
    expect(ledger.size).toBe(0);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("an event that comes after the report of its block, and comes twice", () => {
    const { ledger, report, told } = world();
    report(["100.99", "900"], 1, 5_000);
    expect(ledger.checkMs).toBe(15_000);
    ledger.orderEvent(trade(1, 4_000));
    ledger.orderEvent(trade(1, 4_000));
    report(["100.99", "900"], 1, 15_000);
    ledger.orderEvent(trade(1, 4_000));
    report(["100.99", "900"], 1, 60_000);
    report(["100.99", "900"], 1, 90_000);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("a fill that only the list shows, however near to a report", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: -4_000, max: 4_000 }),
        (times, skewMs) => {
          const { ledger, report, told } = world();
          // What the venue knows at 20 s, and at 45 s and 60 s. Its clock differs a little from what we believe.
          const after = (atMs: number): [string, string] => {
            const count = times.filter((timeMs) => timeMs <= atMs).length;
            return [fixedText(fixed(String(100 + 0.99 * count))), String(1000 - 100 * count)];
          };
          report(after(20_000), 20, 20_000);
          times.forEach((timeMs, index) => {
            ledger.fill(fillAt(index + 1, Math.max(1, timeMs + skewMs)));
          });
          report(after(45_000), 45, 45_000);
          report(after(60_000), 60, 60_000);
          report(after(75_000), 75, 75_000);
          expect(told()).toEqual([]);
        },
      ),
    );
  });

  it("fills of earlier runs in a list", () => {
    const { ledger, report, told } = world();
    ledger.fill(fillAt(1, -60_000));
    ledger.fill(fillAt(2, -100));
    for (const atMs of [30_000, 60_000, 90_000]) report(["100", "1000"], atMs, atMs);
    expect(told()).toEqual([]);
  });

  it("one report that contradicts those before and after it", () => {
    const { report, told } = world();
    report(["100", "1000"], 1, 10_000);
    report(["0", "1000"], 2, 20_000);
    report(["100", "1000"], 3, 40_000);
    report(["100", "1000"], 4, 60_000);
    expect(told()).toEqual([]);
  });

  it("a report of a node of the venue that is some blocks behind", () => {
    const { ledger, report, told } = world();
    ledger.orderEvent(trade(9, 5_000));
    report(["100.99", "900"], 10, 10_000);
    // This node does not know the trade in block 9 yet.
    report(["100", "1000"], 8, 20_000);
    for (let nowMs = 30_000; nowMs <= 120_000; nowMs += 10_000) {
      report(["100.99", "900"], nowMs / 1_000, nowMs);
    }
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("a change of before a restart of the venue from scratch, when the new blocks come to its number", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 50, 10_000);
    ledger.orderEvent(trade(55, 15_000));
    for (let nowMs = 20_000; nowMs <= 120_000; nowMs += 10_000) {
      report(["7", "7"], nowMs / 1_000 - 18, nowMs);
    }
    expect(told()).toEqual([]);
  });

  it("or one that comes while a node is behind, just before the restart", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 50, 50_000);
    report(["100", "1000"], 45, 60_000);
    ledger.orderEvent(trade(62, 62_000));
    for (let nowMs = 70_000; nowMs <= 200_000; nowMs += 10_000) {
      report(["7", "7"], nowMs / 1_000 - 65, nowMs);
    }
    expect(told()).toEqual([]);
    expect(ledger.size).toBe(0);
  });

  it("other balances after a restart of the venue from scratch", () => {
    const { report, told } = world();
    report(["100", "1000"], 50, 10_000);
    for (const atMs of [20_000, 40_000, 60_000]) report(["7", "7"], atMs / 10_000, atMs);
    expect(told()).toEqual([]);
  });
});

/**
 * A ledger whose reports come every 10 s, with a block each second. `behindOf` gives how many blocks the node that reports is behind. A trade every 50 s is
 * told by its event at once; the venue also takes 0.5 base and `lossInQuote` without an event in `lossBlock`. Every `wrongBlockEvery` seconds the report names a block that
 * never comes.
 */
function behindBalancer(
  behindOf: (second: number) => number,
  {
    lossBlock = Infinity,
    isOfNow = true,
    endSecond = 600,
    wrongBlockEvery = Infinity,
    lossInQuote = "0",
  } = {},
) {
  const compared = world(undefined, isOfNow);
  const totalsAt = (block: number): [string, string] => {
    const trades = Math.floor(Math.max(0, block) / 50);
    const cents = 10_000 + 99 * trades - (block >= lossBlock ? 50 : 0);
    const quoteLoss = block >= lossBlock ? Number(lossInQuote) : 0;
    return [(cents / 100).toFixed(2), String(1000 - 100 * trades - quoteLoss)];
  };
  for (let second = 10; second <= endSecond; second += 10) {
    const nowMs = second * 1_000;
    if (second % 50 === 0) compared.ledger.orderEvent(trade(second / 50, nowMs, second));
    const block = Math.max(1, second - behindOf(second));
    compared.ledger.listTransfers([], nowMs);
    const isWrongBlock = second % wrongBlockEvery === 0;
    compared.report(totalsAt(block), isWrongBlock ? 1_000_000 : block, nowMs);
  }
  return compared;
}

function lossOf(lossInQuote: string): readonly string[] {
  return lossInQuote === "0" ? ["1 -0.5"] : ["1 -0.5", `2 -${lossInQuote}`];
}

describe("reports of a node that is minutes behind, to which a balancer keeps the bot for a while (decision 198)", () => {
  const isKept = (second: number): boolean => second >= 400 && second < 460;
  const behindOf = (second: number): number => (isKept(second) ? 300 : 0);

  it("are no drift", () => {
    const { ledger, told } = behindBalancer(behindOf);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
    expect(ledger.size).toBe(0);
  });

  it("were one in journals of before that", () => {
    expect(behindBalancer(behindOf, { isOfNow: false }).told()).not.toEqual([]);
  });

  it("are no drift whatever the nodes and times, and a loss is reported once and in full", () => {
    const spans = fc.array(
      fc.record({
        behind: fc.constantFrom(0, 0, 7, 15, 60, 300),
        reports: fc.integer({ min: 1, max: 8 }),
      }),
      { minLength: 1, maxLength: 15 },
    );
    const lossBlocks = fc.option(fc.integer({ min: 100, max: 500 }));
    const quoteLosses = fc.constantFrom("0", "50");
    fc.assert(
      fc.property(spans, lossBlocks, quoteLosses, (kept, lossBlock, lossInQuote) => {
        const behind = kept.flatMap((span) =>
          Array.from({ length: span.reports }, () => span.behind),
        );
        const { ledger } = behindBalancer((second) => behind[second / 10] ?? 0, {
          lossBlock: lossBlock ?? Infinity,
          lossInQuote,
          endSecond: 1_300,
        });
        const totals = [...ledger.total].map(([token, amount]) => `${token} ${fixedText(amount)}`);
        expect(totals.sort()).toEqual(lossBlock === null ? [] : lossOf(lossInQuote));
      }),
      { numRuns: 300 },
    );
  });

  it("leave a drift of meanwhile its amount, and its blocks from before them", () => {
    const { drifts } = behindBalancer(behindOf, { lossBlock: 430 });
    expect(drifts).toMatchObject([
      { tokenId: base, amount: fixed("-0.5"), afterBlock: 390, untilBlock: 460 },
    ]);
  });

  it("hide no loss, although the node stands still and each report of another node is followed by two of its own", () => {
    const behindOf = (second: number): number =>
      second >= 400 && second % 30 !== 0 ? second - 350 : 0;
    expect(behindBalancer(behindOf).told()).toEqual([]);
    const { drifts } = behindBalancer(behindOf, { lossBlock: 430 });
    expect(drifts).toMatchObject([{ amount: fixed("-0.5"), afterBlock: 420, untilBlock: 450 }]);
  });

  it.each([
    [50, "0"],
    [300, "0"],
    [300, "50"],
    [590, "50"],
  ])(
    "or of one that names a block that never comes, every %i s, hide no loss for more than ten minutes (of quote: %s)",
    (wrongBlockEvery, lossInQuote) => {
      const settings = { wrongBlockEvery, lossInQuote, endSecond: 1_250 };
      expect(behindBalancer(() => 0, settings).told()).toEqual([]);
      const { drifts, told } = behindBalancer(() => 0, { ...settings, lossBlock: 625 });
      expect(told()).toEqual(lossOf(lossInQuote));
      expect(drifts[0]).toMatchObject({ afterBlock: 620, untilBlock: 630 });
    },
  );

  it("or one block show no drift for an event that came before its block, after a block that never comes", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 1_000_000, 40_000);
    report(["100", "1000"], 49, 50_000);
    ledger.orderEvent(trade(1, 60_000, 60));
    // This node does not know the trade in block 60 yet.
    report(["100", "1000"], 59, 60_100);
    for (let nowMs = 70_000; nowMs <= 760_000; nowMs += 10_000) {
      report(["100.99", "900"], nowMs / 1_000, nowMs);
    }
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("or eleven blocks show no drift for events that came meanwhile, after a block that comes later than its report", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 60, 60_000);
    // Of block 70, it says.
    report(["100", "1000"], 75, 70_000);
    report(["100", "1000"], 70, 71_000);
    ledger.orderEvent(trade(1, 73_000, 73));
    ledger.orderEvent(trade(2, 76_000, 76));
    // This node does not know the trade in block 76 yet, nor that in block 73.
    report(["100", "1000"], 72, 83_000);
    ledger.fill(fillAt(2, 76_000));
    for (let nowMs = 90_000; nowMs <= 760_000; nowMs += 10_000) {
      report(["101.98", "800"], nowMs / 1_000, nowMs);
    }
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("hide no loss between two blocks that never come, also when a trade cancels a part of it", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 1_000_000, 80_000);
    report(["100", "1000"], 85, 85_000);
    report(["100", "1000"], 95, 95_000);
    ledger.orderEvent(trade(1, 98_000, 98));
    report(["100.99", "900"], 100, 100_000);
    // A loss of 0.5 base and 50 quote.
    report(["100.49", "850"], 1_000_005, 105_000);
    for (let nowMs = 110_000; nowMs <= 810_000; nowMs += 10_000) {
      report(["100.49", "850"], nowMs / 1_000, nowMs);
    }
    expect(told()).toEqual(lossOf("50"));
  });

  it("show no drift for an event that comes again after the venue's clock was set forward", () => {
    const { ledger, report, told } = world();
    const offsetMs = 120_000;
    ledger.clockRead(0, 380_000);
    // From 384 s on the venue's clock is ahead, which is read at 411 s.
    ledger.orderEvent(trade(1, 386_000 + offsetMs, 386));
    report(["100.99", "900"], 390, 390_000);
    ledger.orderEvent(trade(2, 395_000 + offsetMs, 395));
    // The node is 25 s behind.
    report(["100", "1000"], 375, 400_000);
    report(["100", "1000"], 385, 410_000);
    ledger.clockRead(offsetMs, 411_000);
    ledger.orderEvent(trade(1, 386_000 + offsetMs, 386));
    for (let nowMs = 420_000; nowMs <= 500_000; nowMs += 10_000) {
      report(["101.98", "800"], nowMs / 1_000, nowMs, { offsetMs });
    }
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("show no drift for a fill that only a list has shown, between them", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 390, 390_000);
    report(["100.99", "900"], 400, 400_000);
    const more = { fillsQueriedMs: 401_000 };
    report(["100", "1000"], 100, 405_000, { fillsQueriedMs: undefined });
    report(["100", "1000"], 110, 415_000, { fillsQueriedMs: undefined });
    ledger.fill(fillAt(1, 395_000));
    report(["100", "1000"], 120, 425_000, more);
    report(["100", "1000"], 130, 435_000, more);
    report(["100.99", "900"], 470, 470_000, more);
    report(["100.99", "900"], 480, 480_000, more);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("that was restarted from scratch show a drift when its blocks stay below those of before for ten minutes", () => {
    const { report, drifts } = world();
    report(["100", "1000"], 5_000, 10_000);
    for (let nowMs = 20_000; nowMs <= 700_000; nowMs += 10_000) {
      report([nowMs < 100_000 ? "7" : "6", "7"], nowMs / 1_000, nowMs);
      if (nowMs <= 630_000) expect(drifts).toEqual([]);
    }
    expect(drifts).toMatchObject([{ amount: fixed("-1"), afterBlock: 90, untilBlock: 100 }]);
  });
});

describe("a drift", () => {
  it("names token, amount, blocks and the transactions in them, once", () => {
    const { ledger, report, drifts } = world();
    report(["100", "1000"], 10, 10_000);
    ledger.orderEvent(trade(11, 11_000));
    // The venue took a fee of 0.05 base for the trade, and told of 0.01.
    for (const [block, atMs] of [
      [20, 20_000],
      [30, 30_000],
      [40, 60_000],
      [50, 90_000],
    ] as const) {
      report(["100.95", "900"], block, atMs);
    }
    expect(drifts).toEqual([
      {
        tokenId: base,
        amount: fixed("-0.04"),
        afterBlock: 10,
        untilBlock: 20,
        transactions: [idOf(11)],
        transfers: [],
        unconfirmed: [],
        mayBeUnseen: false,
      },
    ]);
    expect([...ledger.total]).toEqual([[base, fixed("-0.04")]]);
  });

  it("is proven only after the time for late events, a newer list of fills, and while the user channel delivers", () => {
    const { report, told } = world();
    report(["99", "1000"], 1, 10_000);
    report(["99", "1000"], 2, 19_999);
    report(["99", "1000"], 3, 30_000, { fillsQueriedMs: 9_000 });
    report(["99", "1000"], 4, 40_000, { isLive: false });
    expect(told()).toEqual([]);
    report(["99", "1000"], 5, 50_000);
    expect(told()).toEqual(["1 -1"]);
  });

  it("that grows with each trade is found although no two reports agree", () => {
    const { ledger, report } = world();
    for (let number = 1; number <= 12; number += 1) {
      ledger.orderEvent(trade(number, number * 10_000));
      const left: [string, string] = [
        String(100 + Math.round(0.95 * number * 100) / 100),
        String(1000 - 100 * number),
      ];
      report(left, number, number * 10_000 + 1);
    }
    const total = Number(fixedText(ledger.total.get(base) ?? ZERO));
    expect(total).toBeLessThan(-0.3);
    expect(ledger.total.has(quote)).toBe(false);
  });

  it("is found although the report that showed it first named a block that never comes", () => {
    for (const isOfNow of [true, false]) {
      const { ledger, report, told } = world(undefined, isOfNow);
      report(["100", "1000"], 10, 10_000);
      report(["60", "1000"], 9_000_000, 20_000);
      for (let nowMs = 30_000; nowMs <= 120_000; nowMs += 10_000) {
        report(["60", "1000"], nowMs / 1_000, nowMs);
      }
      // In journals of before that every later report was taken for one of a node that is behind.
      expect(told()).toEqual(isOfNow ? ["1 -40"] : []);
      expect(ledger.checkMs === undefined).toBe(isOfNow);
    }
  });

  it("is not found in a report of a node that is behind while another shows the change explained", () => {
    const { ledger, report, told } = world();
    report(["100", "1000"], 10, 10_000);
    // The event comes late, and one node stays at block 19.
    report(["105", "1000"], 20, 20_000);
    for (const atMs of [25_000, 31_000, 38_000]) report(["100", "1000"], 19, atMs);
    ledger.accountEvent(deposit("5", 20));
    for (const atMs of [45_000, 60_000]) report(["105", "1000"], atMs / 1_000, atMs);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("in blocks whose events may have been missed does not count, since it may be a deposit", () => {
    const { ledger, report, drifts } = world();
    ledger.gap(5_000);
    report(["150", "1000"], 10, 10_000);
    report(["150", "1000"], 20, 30_000);
    expect(drifts).toMatchObject([{ amount: fixed("50"), mayBeUnseen: true }]);
    expect(ledger.total.size).toBe(0);
    // After the gap it counts again.
    report(["149", "1000"], 30, 40_000);
    report(["149", "1000"], 40, 60_000);
    expect(drifts.at(-1)).toMatchObject({ amount: fixed("-1"), mayBeUnseen: false });
  });

  it("is not explained by an event that was counted before and comes again", () => {
    const { ledger, report, told } = world();
    ledger.orderEvent(trade(1, 1_000));
    // The venue has booked the trade twice.
    const twice = ["101.98", "800"] as const;
    for (const nowMs of [5_000, 20_000, 40_000]) report(twice, nowMs / 5_000, nowMs);
    expect(told()).toEqual(["1 0.99", "2 -100"]);
    expect(ledger.orderEvent(trade(1, 1_000))).toEqual([]);
    expect([...ledger.total.values()].map(fixedText)).toEqual(["0.99", "-100"]);
  });

  it("is taken back when a late event explains it", () => {
    const { ledger, report, told } = world();
    report(["105", "1000"], 2, 10_000);
    report(["105", "1000"], 3, 30_000);
    expect(told()).toEqual(["1 5"]);
    expect(ledger.accountEvent(deposit("5", 3))).toEqual([]);
    expect(ledger.accountEvent(deposit("5", 2))).toMatchObject([{ tokenId: base }]);
    expect(ledger.accountEvent(deposit("5", 2))).toEqual([]);
    expect(ledger.total.size).toBe(0);
  });
});

describe("late events of a part of a drift", () => {
  /** The balance of the base token went from 100 to `total`, in the blocks 1 and 2. */
  function drifted(total: string, isOfNow = true) {
    const compared = world(undefined, isOfNow);
    compared.report([total, "1000"], 2, 10_000);
    compared.report([total, "1000"], 3, 30_000);
    return compared.ledger;
  }

  it("explain it together", () => {
    const ledger = drifted("105");
    expect(ledger.accountEvent(deposit("2", 1))).toMatchObject([{ amount: fixed("2") }]);
    expect(ledger.accountEvent(deposit("2", 1))).toEqual([]);
    expect(ledger.accountEvent(deposit("3", 2))).toMatchObject([{ amount: fixed("3") }]);
    expect([...ledger.total]).toEqual([]);
  });

  it("leave the rest to the list of transfers", () => {
    const ledger = drifted("105");
    ledger.accountEvent(deposit("2", 1));
    expect(ledger.listTransfers([listed("3", 2_000)], 31_000)).toMatchObject([
      { amount: fixed("3"), transfers: ["0xt1"] },
    ]);
    expect([...ledger.total]).toEqual([]);
  });

  it("show a loss that they had made smaller", () => {
    const ledger = drifted("95");
    ledger.accountEvent(deposit("3", 2));
    expect([...ledger.total]).toEqual([[base, fixed("-8")]]);
  });

  it("are no fills, which the list of fills may have shown before", () => {
    const ledger = drifted("105");
    expect(ledger.orderEvent(trade(1, 1_000))).toEqual([]);
    expect([...ledger.total]).toEqual([[base, fixed("5")]]);
  });

  it("explain nothing in journals of before that", () => {
    const ledger = drifted("105", false);
    expect(ledger.accountEvent(deposit("2", 1))).toEqual([]);
    expect([...ledger.total]).toEqual([[base, fixed("5")]]);
  });
});

describe("random days", () => {
  it("never alarm when every change has an event, in any order, and always when one is not", () => {
    const amounts = fc.array(
      fc.record({
        amount: fc.integer({ min: -50, max: 50 }).filter((amount) => amount !== 0),
        delay: fc.integer({ min: 0, max: 3 }),
      }),
      { minLength: 2, maxLength: 30 },
    );
    fc.assert(
      fc.property(amounts, fc.nat(), fc.boolean(), (changes, pick, isHidden) => {
        let total: Fixed = fixed("5000");
        const { ledger, report, told } = world([fixedText(total), "0"]);
        const hidden = isHidden ? pick % changes.length : -1;
        const waiting: { at: number; event: AccountEvent }[] = [];
        // A change a block and second, a report every fifth.
        for (let at = 0; at < changes.length + 60; at += 1) {
          const { amount: whole = 0, delay = 0 } = changes[at] ?? {};
          // No change with an event can cancel the hidden one out by chance.
          const amount = at === hidden ? whole + 0.5 : whole;
          if (at < changes.length) {
            total = addFixed(total, fixed(String(amount)));
            const eventType = amount < 0 ? "WITHDRAW" : "DEPOSIT";
            const event = { ...deposit(String(Math.abs(amount)), at + 1), eventType } as const;
            if (at !== hidden) waiting.push({ at: at + delay, event });
          }
          for (const { event } of waiting.filter((one) => one.at === at)) {
            ledger.accountEvent(event);
          }
          if (at % 5 === 4) report([fixedText(total), "0"], at + 1, (at + 1) * 1_000);
        }
        const expected = isHidden ? [`1 ${(changes[hidden]?.amount ?? 0) + 0.5}`] : [];
        expect(told()).toEqual(expected);
      }),
    );
  });
});

describe("the list of transfers", () => {
  /** Money moved in a block from 1 to 5, at 2,000 ms, and no event told of it. */
  function moved(amount: string, list: readonly Transfer[] = []) {
    const compared = world();
    compared.report([amount, "1000"], 5, 5_000);
    expect(compared.ledger.listTransfers(list, 5_000)).toEqual([]);
    compared.report([amount, "1000"], 9, 20_000);
    return compared;
  }

  it.each(["CONFIRMED", "confirmed", "Success", "SUCCEEDED", "SUCCESSFUL"])(
    "takes a transfer with the status %s as done",
    (status) => {
      const { drifts, ledger } = moved("97", [listed("-3", 2_000, "0xt1", status)]);
      expect(drifts).toMatchObject([{ transfers: ["0xt1"], unconfirmed: [] }]);
      expect(ledger.total.size).toBe(0);
    },
  );

  it.each(["PENDING", "FAILED", "", "UNCONFIRMED", "what is this"])(
    "explains nothing by a transfer with the status '%s', and names it",
    (status) => {
      const { drifts, ledger } = moved("97", [listed("-3", 2_000, "0xt1", status)]);
      expect(drifts).toMatchObject([{ transfers: [], unconfirmed: [`0xt1 (${status})`] }]);
      expect(ledger.total.get(base)).toBe(fixed("-3"));
    },
  );

  it("explains a drift as soon as a list says that its transfer is done", () => {
    const { ledger } = moved("97", [listed("-3", 2_000, "0xt1", "PENDING")]);
    expect(ledger.listTransfers([listed("-3", 2_000, "0xt1", "CONFIRMED")], 30_000)).toMatchObject([
      { transfers: ["0xt1"] },
    ]);
    expect(ledger.total.size).toBe(0);
  });

  it("names the transfer that explains a change, which is then no drift", () => {
    const { drifts, ledger } = moved("97", [listed("-3", 2_000), listed("8", 90_000, "0xt2")]);
    expect(drifts).toMatchObject([
      { amount: fixed("-3"), afterBlock: 0, untilBlock: 5, transfers: ["0xt1"] },
    ]);
    expect(ledger.total.size).toBe(0);
  });

  it("names all transfers that are a change together, oldest first", () => {
    const list = [listed("-1", 3_000, "0xt2"), listed("-2", 2_000)];
    expect(moved("97", list).drifts).toMatchObject([{ transfers: ["0xt1", "0xt2"] }]);
  });

  it("finds the one transfer of the amount among others", () => {
    const list = [listed("-1", 3_000, "0xt2"), listed("-3", 2_000)];
    expect(moved("97", list).drifts).toMatchObject([{ transfers: ["0xt1"] }]);
  });

  it("explains a change by the oldest of several transfers of its amount, and the next change by the next", () => {
    // The first is of before the first report, but near it; the venue's clock is known to 5 s only.
    const early = [listed("-3", 2_000, "0xt2"), listed("-3", -1_000)];
    const { ledger, report, drifts } = moved("97", early);
    report(["94", "1000"], 12, 21_000);
    ledger.listTransfers([listed("-3", 20_500, "0xt3"), ...early], 21_000);
    report(["94", "1000"], 13, 40_000);
    expect(drifts.map(({ transfers }) => transfers)).toEqual([["0xt1"], ["0xt3"]]);
    expect(ledger.total.size).toBe(0);
  });

  it("explains a change by transfers that follow each other, among others of the same amounts", () => {
    const list = [
      listed("-1", 4_000, "0xt4"),
      listed("-2", 3_000, "0xt3"),
      listed("-2", 2_000, "0xt2"),
      listed("-1", 1_000),
    ];
    expect(moved("97", list).drifts).toMatchObject([{ transfers: ["0xt1", "0xt2"] }]);
    expect(moved("96", list).drifts).toMatchObject([{ transfers: ["0xt2", "0xt3"] }]);
    expect(moved("98.5", list).drifts).toMatchObject([{ transfers: [] }]);
  });

  it("explains nothing by one of two transfers of the amount in a journal of before that", () => {
    const { ledger, report, drifts } = world(undefined, false);
    report(["97", "1000"], 5, 5_000);
    ledger.listTransfers([listed("-3", 3_000, "0xt2"), listed("-3", 2_000)], 5_000);
    report(["97", "1000"], 9, 20_000);
    expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: [] }]);
  });

  it("explains a change together with a fill that only a list shows, near a report", () => {
    const changed = (amount: string, isNewest = true) => {
      const { ledger, report, drifts } = world(undefined, isNewest);
      report([amount, "900"], 5, 5_000);
      ledger.fill(fillAt(1, 2_000));
      ledger.listTransfers([listed("-3", 2_000)], 5_000);
      report([amount, "900"], 9, 20_000);
      return drifts;
    };
    expect(changed("97.99")).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
    expect(changed("97.98")).toMatchObject([{ amount: fixed("-2.02"), transfers: [] }]);
    // A journal of before that.
    expect(changed("97.99", false)).toMatchObject([{ amount: fixed("-2.01"), transfers: [] }]);
  });

  it("explains nothing by a transfer of another amount, token or time, or one whose event came", () => {
    for (const row of [
      listed("-2", 2_000),
      listed("3", 2_000),
      listed("-3", 20_000),
      { ...listed("-3", 2_000), tokenId: quote },
    ]) {
      const { drifts, ledger } = moved("97", [row]);
      expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: [] }]);
      expect(ledger.total.get(base)).toBe(fixed("-3"));
    }
    const { ledger, report, drifts } = world();
    const other = addressOf(`0x${"bb".repeat(20)}`);
    const told = { ...deposit("3", 2), eventType: "TRANSFER", fromAddress: account } as const;
    ledger.accountEvent({ ...told, toAddress: other, txHash: "0xt1" });
    report(["94", "1000"], 5, 5_000);
    ledger.listTransfers([listed("-3", 2_000)], 5_000);
    report(["94", "1000"], 9, 20_000);
    expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: [] }]);
  });

  describe("after the venue's clock was set", () => {
    const offsetMs = -12_700;
    /** Money moved at 2 s by our clock. The venue's clock went back at 1 s, and was read again at 1.5 s. */
    function movedAfterStep(byMs = offsetMs) {
      const compared = world();
      compared.ledger.clockRead(0, 0);
      compared.ledger.clockRead(byMs, 1_500);
      compared.report(["97", "1000"], 5, 5_000, { offsetMs: byMs });
      return compared;
    }

    it.each([
      { step: "back", byMs: offsetMs, timeMs: 2_000 + offsetMs },
      { step: "back, with records of the highest time", byMs: offsetMs, timeMs: 1_000 },
      { step: "ahead", byMs: -offsetMs, timeMs: 2_000 - offsetMs },
    ])("$step, explains a change by its transfer", ({ byMs, timeMs }) => {
      const { ledger, report, drifts } = movedAfterStep(byMs);
      expect(ledger.openSinceMs).toBeLessThan(timeMs);
      ledger.listTransfers([listed("-3", timeMs)], 19_000);
      report(["97", "1000"], 9, 20_000, { offsetMs: byMs });
      expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
    });

    it("explains a change by a transfer when the clock was read only after the report", () => {
      const { ledger, report, drifts } = world();
      ledger.clockRead(0, 0);
      report(["97", "1000"], 5, 5_000);
      ledger.clockRead(offsetMs, 5_100);
      ledger.listTransfers([listed("-3", 2_000 + offsetMs)], 19_000);
      report(["97", "1000"], 9, 20_000, { offsetMs });
      expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
    });

    it("waits for a list that reaches up to the highest time of its records", () => {
      const { ledger, report, drifts } = movedAfterStep();
      ledger.listTransfers([], 14_000);
      report(["97", "1000"], 9, 20_000, { offsetMs });
      expect(drifts).toEqual([]);
      ledger.listTransfers([listed("-3", 1_000)], 20_000);
      report(["97", "1000"], 10, 25_000, { offsetMs });
      expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
    });

    it.each(["fills", "transfers"] as const)(
      "proves no drift by a list of %s that was requested before the clock was read",
      (late) => {
        const { ledger, report, drifts } = world();
        ledger.clockRead(0, 0);
        report(["100.99", "900"], 5, 10_000);
        if (late === "fills") ledger.fillsListed(12_000);
        else ledger.listTransfers([], 12_000);
        ledger.clockRead(offsetMs, 12_500);
        if (late === "fills") ledger.listTransfers([], 23_500);
        else ledger.fillsListed(23_500);
        report(["100.99", "900"], 9, 24_000, { offsetMs, fillsQueriedMs: undefined });
        expect(drifts).toEqual([]);
      },
    );

    describe("explains a change by a fill", () => {
      it("of a list that reaches up to the highest time of its records", () => {
        const { ledger, report, drifts } = world();
        ledger.clockRead(0, 0);
        ledger.clockRead(offsetMs, 9_500);
        // A buy at 9 s, when the venue's clock had shown 9 s. The list at 12 s ends where that clock is now.
        report(["100.99", "900"], 5, 10_000, { offsetMs });
        expect(ledger.lacksFills).toBe(true);
        ledger.listTransfers([], 22_500);
        report(["100.99", "900"], 9, 22_000, { offsetMs, fillsQueriedMs: 12_000 });
        expect(drifts).toEqual([]);
        expect(ledger.lacksFills).toBe(true);
        ledger.fill(fillAt(1, 9_000));
        report(["100.99", "900"], 10, 24_000, { offsetMs });
        expect(ledger.lacksFills).toBe(false);
        expect(drifts).toEqual([]);
      });

      it("although earlier ones, of before the first report, have the same time", () => {
        const { ledger, report, drifts } = world();
        ledger.clockRead(offsetMs, 0);
        // Until the venue's clock has caught up with 15 s, all records have that time.
        ledger.eventDated(15_000, 2_000);
        report(["100.99", "900"], 5, 5_000, { offsetMs });
        ledger.fill(fillAt(1, 15_000, "2"));
        ledger.fill(fillAt(2, 15_000));
        ledger.listTransfers([], 28_000);
        report(["100.99", "900"], 9, 29_000, { offsetMs });
        expect(drifts).toEqual([]);
      });

      it("and reports a drift when the list that reaches so far has none", () => {
        const { ledger, report, told } = world();
        ledger.clockRead(0, 0);
        ledger.clockRead(offsetMs, 9_500);
        report(["100.99", "900"], 5, 10_000, { offsetMs });
        ledger.listTransfers([], 22_900);
        report(["100.99", "900"], 10, 23_000, { offsetMs });
        expect(told()).toEqual([`${base} 0.99`, `${quote} -100`]);
      });
    });

    describe("before the ledger began", () => {
      /** The venue's clock had shown 15 s when it went back by 12.7 s, and at 2 s by our clock events still have that time. */
      function begunAfterStep(eventMs: number) {
        const compared = world();
        compared.ledger.clockRead(offsetMs, 0);
        compared.ledger.eventDated(eventMs, 2_000);
        compared.report(["97", "1000"], 5, 5_000, { offsetMs });
        compared.ledger.listTransfers([], 15_000);
        compared.report(["97", "1000"], 9, 16_000, { offsetMs });
        return compared;
      }

      it("waits for a list that reaches up to the time of the venue's events", () => {
        const { ledger, report, drifts } = begunAfterStep(15_000);
        expect(drifts).toEqual([]);
        ledger.listTransfers([listed("-3", 15_000)], 28_000);
        report(["97", "1000"], 10, 29_000, { offsetMs });
        expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
      });

      it("does not believe an event of more than a minute ahead of the clock", () => {
        expect(begunAfterStep(60_000).drifts).toMatchObject([{ amount: fixed("-3") }]);
      });
    });

    it("reports a drift a minute after the change when no such list comes", () => {
      const { report, drifts } = movedAfterStep();
      report(["97", "1000"], 9, 64_000, { offsetMs });
      expect(drifts).toEqual([]);
      report(["97", "1000"], 10, 65_000, { offsetMs });
      expect(drifts).toMatchObject([{ amount: fixed("-3"), transfers: [] }]);
    });
  });

  it("explains an earlier drift when it comes late", () => {
    const { ledger, drifts } = moved("97");
    expect(drifts).toMatchObject([{ transfers: [] }]);
    expect(ledger.total.get(base)).toBe(fixed("-3"));
    const explained = ledger.listTransfers([listed("-3", 2_000)], 5_000);
    expect(explained).toMatchObject([{ amount: fixed("-3"), transfers: ["0xt1"] }]);
    expect(ledger.total.size).toBe(0);
  });

  it("explains earlier drifts oldest first, so that each finds its own transfer", () => {
    // No list came in time. The first transfer is in the span of both changes, the second is not.
    const { ledger, report, drifts } = world();
    report(["97", "1000"], 5, 5_000);
    report(["94", "1000"], 12, 20_000);
    report(["94", "1000"], 13, 40_000);
    expect(drifts).toHaveLength(2);
    const explained = ledger.listTransfers(
      [listed("-3", 12_000, "0xt2"), listed("-3", 4_000)],
      41_000,
    );
    expect(explained.map(({ transfers }) => transfers)).toEqual([["0xt1"], ["0xt2"]]);
    expect([...ledger.total]).toEqual([]);
  });

  it("explains one change by one transfer, however often the list shows it", () => {
    const list = [listed("-3", 2_000)];
    const { ledger, report, drifts } = moved("97", list);
    report(["94", "1000"], 12, 21_000);
    ledger.listTransfers(list, 5_000);
    report(["94", "1000"], 13, 40_000);
    expect(drifts.map(({ transfers }) => transfers)).toEqual([["0xt1"], []]);
  });

  it("explains one change by one transfer, although a list leaves it out and the next one has it at a later time", () => {
    const { ledger, report, drifts } = moved("97", [listed("-3", 2_000)]);
    ledger.listTransfers([], 5_000);
    report(["94", "1000"], 12, 21_000);
    ledger.listTransfers([listed("-3", 20_500)], 21_000);
    report(["94", "1000"], 13, 40_000);
    expect(drifts.map(({ transfers }) => transfers)).toEqual([["0xt1"], []]);
    expect(ledger.total.get(base)).toBe(fixed("-3"));
  });
});

describe("a loss, and soon after it a transfer of the same amount", () => {
  const other = addressOf(`0x${"bb".repeat(20)}`);
  const sent: AccountEvent = {
    ...deposit("10", 2),
    eventType: "TRANSFER",
    fromAddress: account,
    toAddress: other,
    timeMs: unixMs(10_500),
    txHash: "0xt1",
  };

  it("stays a drift when the event of the transfer comes later, of a later block", () => {
    const { ledger, report } = world();
    report(["90", "1000"], 1, 10_000);
    ledger.listTransfers([listed("-10", 10_500)], 5_000);
    report(["80", "1000"], 3, 21_000);
    ledger.accountEvent(sent);
    report(["80", "1000"], 4, 40_000);
    report(["80", "1000"], 5, 60_000);
    expect([...ledger.total].map(([token, amount]) => `${token} ${fixedText(amount)}`)).toEqual([
      "1 -10",
    ]);
  });
});

describe("a venue that names new tokens again and again", () => {
  it("fills the totals of a thousand of them, and those of own tokens are still counted", () => {
    const { ledger } = world();
    const reportOf = (
      amounts: readonly (readonly [string, string])[],
      round: number,
      isLive: boolean,
    ) => {
      ledger.fillsListed(round * 100_000);
      ledger.report({
        balances: amounts.map(([token, amount]) => ({
          tokenId: tokenId(token),
          locked: ZERO,
          unlocked: fixed(amount),
        })),
        blockNumber: round,
        queriedMs: round * 100_000,
        nowMs: round * 100_000,
        offsetMs: 0,
        isLive,
      });
    };
    const own = [
      ["1", "100"],
      ["2", "1000"],
    ] as const;
    for (let set = 0; set < 5; set += 1) {
      const others = Array.from({ length: 900 }, (_, at) => [`new ${set} ${at}`, "5"] as const);
      // They appear where events may have been missed, which is no drift, and vanish where none were.
      reportOf([...own, ...others], set * 5 + 1, false);
      reportOf([...own, ...others], set * 5 + 2, true);
      for (const round of [3, 4, 5]) reportOf(own, set * 5 + round, true);
    }
    expect(ledger.total.size).toBe(1_000);
    for (const round of [26, 27]) reportOf([own[0], ["2", "900"]], round, true);
    expect(fixedText(ledger.total.get(quote) ?? ZERO)).toBe("-100");
  });

  it("costs each token no more than its own changes", () => {
    const changes = Array.from({ length: 100 }, (_, at) => ({
      amounts: [
        { tokenId: tokenId(`base ${at}`), amount: fixed("1") },
        { tokenId: tokenId(`base ${at}`), amount: fixed("-0.01") },
        { tokenId: quote, amount: fixed("-100") },
      ],
      blockNumber: undefined,
      timeMs: at,
      txHash: `0x${at}`,
    }));
    const unplaced = new UnplacedChanges(changes);
    const one = unplaced.sumsOf(tokenId("base 60"));
    expect(one?.sums.to.map(fixedText)).toEqual(["0", "0.99"]);
    expect([0, 60, 61, 100].map((cut) => one?.placeOf(cut))).toEqual([0, 0, 1, 1]);
    expect(unplaced.sumsOf(quote)?.sums.to).toHaveLength(101);
  });
});
