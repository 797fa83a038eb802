import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addFixed, fixed, fixedText, negFixed, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { addressOf, tokenId, type TokenId } from "../../src/domain/ids.ts";
import type { AccountEvent, Fill, OrderEvent, Transfer } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { type BalanceDrift, BalanceLedger } from "../../src/orders/balance-ledger.ts";
import { account, eventOf, fillOf, idOf, reportOf } from "./order-fixture.ts";

const base = tokenId("1");
const quote = tokenId("2");
const SETTLE_MS = 10_000;

/** A buy of 1 at 100 with a fee of 0.01 base: trade `number`. */
function fillAt(number: number, timeMs: number): Fill {
  const fill = fillOf(idOf(number), `t${number}`, "1", { fee: "0.01" });
  return { ...fill, timeMs: unixMs(timeMs) };
}

function trade(number: number, timeMs: number, blockNumber: number): OrderEvent {
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

function transfer(amount: string, timeMs: number, txHash: string, status?: string): Transfer {
  const row = { tokenId: base, amount: fixed(amount), timeMs: unixMs(timeMs), txHash };
  return status === undefined ? row : { ...row, status };
}

/** A ledger whose account had 100 base and 1000 quote in block 0, at 0 ms; block n is of second n. */
function world() {
  const ledger = new BalanceLedger(SETTLE_MS, new Set([base, quote]));
  ledger.clockRead(0);
  const drifts: BalanceDrift[] = [];
  const at = (queriedMs: number) => ({ queriedMs, nowMs: queriedMs });
  const lists = (nowMs: number, fills: readonly Fill[] = [], rows: readonly Transfer[] = []) => {
    ledger.listFills(fills, at(nowMs), false);
    ledger.listTransfers(rows, at(nowMs));
  };
  const report = (
    [baseTotal, quoteTotal]: readonly [string, string],
    nowMs: number,
    { locked = "0", isLive = true, blockNumber = Math.floor(nowMs / 1_000) } = {},
  ) => {
    const unlocked = addFixed(fixed(baseTotal), negFixed(fixed(locked)));
    const balances = [
      { tokenId: base, unlocked, locked: fixed(locked) },
      { tokenId: quote, unlocked: fixed(quoteTotal), locked: ZERO },
    ];
    drifts.push(...ledger.report({ balances, blockNumber, isLive, ...at(nowMs) }));
  };
  report(["100", "1000"], 0);
  const told = () =>
    drifts.map(({ tokenId: token, amount }) => `${token} ${fixedText(amount)}`).sort();
  return { ledger, report, lists, told, drifts };
}

const before = ["100", "1000"] as const;
const afterTrade = ["100.99", "900"] as const;
const afterLoss = ["99.5", "1000"] as const;

describe("what is no drift", () => {
  it("a fill with its fee, a lock, a deposit, a withdrawal and transfers", () => {
    const { ledger, report, lists, told } = world();
    const other = addressOf(`0x${"bb".repeat(20)}`);
    ledger.orderEvent(trade(1, 1_000, 1), 1_000);
    report(afterTrade, 5_000, { locked: "40" });
    ledger.accountEvent(deposit("5", 6), 6_000);
    ledger.accountEvent({ ...deposit("2", 7), eventType: "WITHDRAW" }, 7_000);
    const moved = { ...deposit("3", 8), eventType: "TRANSFER" } as const;
    ledger.accountEvent({ ...moved, fromAddress: account, toAddress: other }, 8_000);
    ledger.accountEvent(
      { ...moved, txHash: "0xself", fromAddress: account, toAddress: account },
      8_000,
    );
    report(afterTrade, 10_000);
    lists(20_000);
    report(afterTrade, 30_000);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("an event that comes after the report of its block, and comes twice", () => {
    const { ledger, report, lists, told } = world();
    report(afterTrade, 5_000);
    expect(ledger.checkMs).toBe(15_000);
    ledger.orderEvent(trade(1, 4_000, 4), 9_000);
    ledger.orderEvent(trade(1, 4_000, 4), 9_500);
    lists(10_000);
    report(afterTrade, 15_000);
    ledger.orderEvent(trade(1, 4_000, 4), 16_000);
    report(afterTrade, 40_000);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("a fill that only a list shows, also when its event comes at last", () => {
    const { ledger, report, lists, told } = world();
    report(afterTrade, 20_000);
    lists(25_000, [fillAt(1, 19_000)]);
    report(afterTrade, 30_000);
    ledger.orderEvent(trade(1, 19_000, 19), 60_000);
    lists(60_000, [fillAt(1, 19_000)]);
    for (const nowMs of [70_000, 90_000]) report(afterTrade, nowMs);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("fills of an earlier run in a list, also of just before the start", () => {
    const { report, lists, told } = world();
    lists(1_000, [fillAt(1, -60_000), fillAt(2, -100)]);
    for (const nowMs of [30_000, 60_000, 90_000]) {
      report(before, nowMs);
      lists(nowMs + 5_000, [fillAt(1, -60_000), fillAt(2, -100)]);
    }
    expect(told()).toEqual([]);
  });

  it("one report that contradicts those before and after it", () => {
    const { report, lists, told } = world();
    report(["0", "1000"], 20_000);
    lists(25_000);
    for (const nowMs of [31_000, 50_000]) report(before, nowMs);
    expect(told()).toEqual([]);
  });

  it("a fill that a list shows shortly before a report is believed, which contains it", () => {
    const { ledger, report, lists, told } = world();
    lists(61_000, [fillAt(1, 60_000), fillAt(2, 1_000)]);
    report(["101.98", "800"], 62_000);
    for (const nowMs of [67_000, 72_000, 77_000, 90_000]) report(["101.98", "800"], nowMs);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("a fill that only a list shows, of just before the start, and that a node behind does not know yet", () => {
    const { ledger, report, lists, told } = world();
    lists(4_000, [fillAt(1, 3_500)]);
    report(before, 5_000, { blockNumber: 3 });
    for (const nowMs of [10_000, 20_000, 40_000]) report(afterTrade, nowMs);
    lists(45_000, [fillAt(1, 3_500)]);
    report(afterTrade, 60_000);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("a fill that only a list has shown, after a report of a lower block is believed", () => {
    const { ledger, report, lists, told } = world();
    lists(30_000, [fillAt(1, 29_000)]);
    report(afterTrade, 60_000);
    report(afterTrade, 75_000, { blockNumber: 40 });
    for (const nowMs of [80_000, 95_000, 120_000]) report(afterTrade, nowMs);
    expect(told()).toEqual([]);
    expect(ledger.checkMs).toBeUndefined();
  });

  it("what the next reports of a node of a lower block show, once that is believed", () => {
    const { ledger, report, lists, told } = world();
    ledger.orderEvent(trade(1, 50_000, 50), 50_000);
    report(afterTrade, 60_000);
    report(before, 70_000, { blockNumber: 40 });
    report(afterTrade, 80_000);
    lists(85_000);
    for (const nowMs of [95_000, 110_000]) report(afterTrade, nowMs);
    expect(told()).toEqual([]);
  });
});

describe("a drift", () => {
  it("names token, amount, blocks and the transactions in them, once", () => {
    const { ledger, report, lists, drifts } = world();
    report(before, 10_000);
    ledger.orderEvent(trade(1, 12_000, 12), 12_000);
    report(["100.49", "900"], 20_000);
    lists(25_000);
    report(["100.49", "900"], 30_000);
    lists(35_000);
    report(["100.49", "900"], 60_000);
    expect(drifts).toMatchObject([
      { tokenId: base, amount: fixed("-0.5"), afterBlock: 10, untilBlock: 20, transfers: [] },
    ]);
    expect(drifts[0]?.transactions).toHaveLength(1);
    expect(ledger.total).toEqual(new Map([[base, fixed("-0.5")]]));
  });

  it("needs a second report after `timing.drift`, and lists that were read again since the first", () => {
    const { report, lists, told } = world();
    lists(19_000);
    report(afterLoss, 20_000);
    report(afterLoss, 29_999);
    report(afterLoss, 31_000);
    lists(24_000);
    report(afterLoss, 32_000);
    expect(told()).toEqual([]);
    lists(33_000);
    report(afterLoss, 33_500);
    expect(told()).toEqual(["1 -0.5"]);
  });

  it("waits no longer than a minute for lists that cannot be read", () => {
    const { report, told } = world();
    for (let nowMs = 20_000; nowMs < 80_000; nowMs += 10_000) report(afterLoss, nowMs);
    expect(told()).toEqual([]);
    report(afterLoss, 80_000);
    expect(told()).toEqual(["1 -0.5"]);
  });

  it("is not found while the user channel does not deliver, and may be a deposit in blocks whose events may have been missed", () => {
    const { ledger, report, lists, drifts } = world();
    report(afterLoss, 20_000, { isLive: false });
    lists(25_000);
    report(afterLoss, 40_000, { isLive: false });
    expect(drifts).toEqual([]);
    report(afterLoss, 50_000);
    expect(drifts).toMatchObject([{ amount: fixed("-0.5"), mayBeUnseen: true }]);
    expect(ledger.total.size).toBe(0);
    report(afterLoss, 60_000);
    report(["98.5", "1000"], 70_000);
    lists(75_000);
    report(["98.5", "1000"], 80_000);
    expect(drifts[1]).toMatchObject({ amount: fixed("-1"), mayBeUnseen: false });
    expect(ledger.total).toEqual(new Map([[base, fixed("-1")]]));
  });

  it("is reported once; the new balance then counts, and a later loss is reported with its own amount", () => {
    const { ledger, report, lists, told } = world();
    report(afterLoss, 20_000);
    lists(25_000);
    for (const nowMs of [30_000, 60_000]) report(afterLoss, nowMs);
    report(["99.2", "1000"], 70_000);
    lists(75_000);
    for (const nowMs of [80_000, 110_000]) report(["99.2", "1000"], nowMs);
    expect(told()).toEqual(["1 -0.3", "1 -0.5"]);
    expect(ledger.total).toEqual(new Map([[base, fixed("-0.8")]]));
  });

  it("that grows with each trade is found although no two reports agree", () => {
    const { ledger, report, lists } = world();
    for (let number = 1; number <= 20; number += 1) {
      const nowMs = number * 10_000;
      ledger.orderEvent(trade(number, nowMs - 500, nowMs / 1_000), nowMs - 400);
      report([String(100 + 0.98 * number), String(1000 - 100 * number)], nowMs);
      lists(nowMs + 5_000);
    }
    const found = ledger.total.get(base) ?? ZERO;
    expect(Number(fixedText(found))).toBeLessThanOrEqual(-0.18);
  });

  it("of tokens that nobody trades counts for a thousand of them, and of own tokens always", () => {
    const { ledger } = world();
    for (let nowMs = 20_000; nowMs <= 400_000; nowMs += 20_000) {
      const balances = Array.from({ length: 1_000 }, (_, token) => ({
        tokenId: tokenId(String(1_000 * Math.ceil(nowMs / 40_000) + token)),
        unlocked: fixed("1"),
        locked: ZERO,
      }));
      ledger.listFills([], { queriedMs: nowMs - 1_000, nowMs }, false);
      ledger.listTransfers([], { queriedMs: nowMs - 1_000, nowMs });
      const times = { queriedMs: nowMs, nowMs };
      ledger.report({ balances, blockNumber: nowMs / 1_000, isLive: true, ...times });
    }
    expect(ledger.total.size).toBeLessThanOrEqual(1_002);
    expect(ledger.total.get(base)).toBe(fixed("-100"));
  });
});

describe("a venue's clock that is set back", () => {
  it("lets a difference be a change that no list shows yet, until the clock has caught up", () => {
    const { ledger, report, lists, drifts } = world();
    ledger.clockRead(-60_000);
    ledger.gap(80_000);
    for (const loss of ["99.5", "98.5"]) {
      const nowMs = loss === "99.5" ? 40_000 : 100_000;
      report([loss, "1000"], nowMs);
      lists(nowMs + 5_000);
      report([loss, "1000"], nowMs + 10_000);
      report([loss, "1000"], nowMs + 40_000);
    }
    expect(drifts).toMatchObject([{ mayBeUnseen: true }, { mayBeUnseen: false }]);
    expect(ledger.total).toEqual(new Map([[base, fixed("-1")]]));
  });

  it.each([40_000, 40_000 - 30_000, 40_000 - 60_000])(
    "lets a list explain a change by a fill of the time of either clock: %i",
    (timeMs) => {
      const { ledger, report, lists, told } = world();
      ledger.clockRead(-60_000);
      report(afterTrade, 41_000);
      lists(46_000, [fillAt(1, timeMs)]);
      for (const nowMs of [51_000, 80_000]) report(afterTrade, nowMs);
      lists(85_000, [fillAt(1, timeMs)]);
      expect(told()).toEqual([]);
      expect(ledger.checkMs).toBeUndefined();
    },
  );
});

describe("the list of transfers", () => {
  const changed = ["103", "1000"] as const;
  const after = (rows: readonly Transfer[]) => {
    const known = world();
    known.report(changed, 20_000);
    known.lists(25_000, [], rows);
    for (const nowMs of [30_000, 40_000]) known.report(changed, nowMs);
    return known;
  };

  it("explains a change of which no event came, and names it with the blocks in which it happened", () => {
    const { drifts, ledger } = after([
      transfer("1", 18_000, "0xt2", "CONFIRMED"),
      transfer("2", 17_000, "0xt1", "Success"),
      transfer("9", -60_000, "0xt0", "CONFIRMED"),
    ]);
    const blocks = { afterBlock: 0, untilBlock: 30, mayBeUnseen: true };
    expect(drifts).toMatchObject([
      { amount: fixed("1"), transfers: ["0xt2"], ...blocks },
      { amount: fixed("2"), transfers: ["0xt1"], ...blocks },
    ]);
    expect(ledger.total.size).toBe(0);
  });

  it.each(["PENDING", "FAILED", "", "UNCONFIRMED"])(
    "does not explain it with the status %j, which the drift names",
    (status) => {
      const { drifts } = after([transfer("3", 18_000, "0xt1", status)]);
      expect(drifts).toMatchObject([
        { amount: fixed("3"), transfers: [], unconfirmed: [`0xt1 (${status})`] },
      ]);
    },
  );

  it("explains one change by one transfer, however often it is listed or its event comes", () => {
    const row = transfer("3", 18_000, "0xd19");
    const { ledger, report, lists, drifts } = after([row]);
    ledger.accountEvent({ ...deposit("3", 19), eventType: "TRANSFER", toAddress: account }, 41_000);
    report(["106", "1000"], 50_000);
    lists(55_000, [], [row]);
    report(["106", "1000"], 60_000);
    expect(drifts).toMatchObject([{ transfers: ["0xd19"] }, { amount: fixed("3"), transfers: [] }]);
  });
});

/**
 * A day at a venue with a block each second, told apart from the ledger: what the account has in each block. Events, lists and reports are up
 * to four seconds late, events come twice, and those of fills and transfers may be lost, and lists are read now and then without a reason. For
 * a while a node may answer that is five seconds behind. Nothing else is wrong.
 */
describe("random worlds", () => {
  const SECONDS = 240;
  const changes = fc.array(
    fc.record({
      block: fc.integer({ min: 1, max: SECONDS - 60 }),
      kind: fc.constantFrom("trade", "deposit", "withdrawal", "transfer"),
      amount: fc.integer({ min: 1, max: 9 }),
      lateMs: fc.integer({ min: 0, max: 4_000 }),
      isLost: fc.boolean(),
      isTwice: fc.boolean(),
    }),
    { maxLength: 25 },
  );
  const lags = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 20 });
  const losses = fc.option(
    fc.record({ block: fc.integer({ min: 90, max: 180 }), amount: fc.integer({ min: 1, max: 9 }) }),
  );

  const reads = fc.record({
    listEvery: fc.integer({ min: 2, max: 30 }),
    behindFrom: fc.option(fc.integer({ min: 20, max: 40 })),
  });

  it("show no drift, unless money is lost: then its token, amount and blocks", () => {
    fc.assert(
      fc.property(changes, lags, losses, reads, (drawn, lagOf, loss, { listEvery, behindFrom }) => {
        // No changes cancel out.
        const happened = drawn.map((one, index) => ({
          ...one,
          amount: one.amount + 2 ** index / 1e9,
        }));
        const { ledger, report, lists, drifts } = world();
        const lagAt = (second: number): number => lagOf[second % lagOf.length] ?? 0;
        const worth = ({ kind, amount }: (typeof happened)[number]): [number, number] =>
          kind === "trade" ? [0.99, -100] : [kind === "withdrawal" ? -amount : amount, 0];
        const hasAt = (block: number): [string, string] => {
          let [inBase, inQuote] = [100, 1_000];
          for (const one of happened) {
            if (one.block > block) continue;
            const [baseWorth, quoteWorth] = worth(one);
            inBase += baseWorth;
            inQuote += quoteWorth;
          }
          if (loss !== null && loss.block <= block) inBase -= loss.amount / 100;
          return [inBase.toFixed(9), inQuote.toFixed(0)];
        };
        const deliver = (index: number, nowMs: number): void => {
          const one = happened[index];
          if (one === undefined) return;
          const { kind, block, amount } = one;
          const txHash = `0xc${index}`;
          const moved = { ...deposit(amount.toFixed(9), block), txHash };
          if (kind === "trade") ledger.orderEvent(trade(index, block * 1_000, block), nowMs);
          else if (kind === "deposit") ledger.accountEvent(moved, nowMs);
          else if (kind === "withdrawal")
            ledger.accountEvent({ ...moved, eventType: "WITHDRAW" }, nowMs);
          else ledger.accountEvent({ ...moved, eventType: "TRANSFER", toAddress: account }, nowMs);
        };
        const events = happened
          .flatMap((one, index) => {
            const canBeLost = one.kind === "trade" || one.kind === "transfer";
            if (one.isLost && canBeLost) return [];
            const atMs = one.block * 1_000 + one.lateMs;
            return one.isTwice
              ? [
                  { atMs, index },
                  { atMs: atMs + 3_000, index },
                ]
              : [{ atMs, index }];
          })
          .sort((left, right) => left.atMs - right.atMs);
        let lastBlock = 0;
        for (let second = 1; second <= SECONDS; second += 1) {
          const nowMs = second * 1_000;
          while ((events[0]?.atMs ?? Infinity) <= nowMs)
            deliver(events.shift()?.index ?? -1, nowMs);
          const isBehind = behindFrom !== null && second >= behindFrom && second < behindFrom + 20;
          const block = isBehind ? Math.max(0, second - 5) : second - lagAt(second);
          const isWanted = second % 5 === 0 || (ledger.checkMs ?? Infinity) <= nowMs;
          // A report of a lower block is read again, for ten seconds.
          const isBelieved = block >= lastBlock || (isBehind && second >= behindFrom + 10);
          if (isWanted && isBelieved) {
            lastBlock = block;
            report(hasAt(block), nowMs, { blockNumber: block });
          }
          if ((ledger.listsWantedMs ?? Infinity) > nowMs && second % listEvery > 0) continue;
          const listed = happened.map((one, index) => ({ ...one, index }));
          const known = listed.filter((one) => one.block <= second - lagAt(second + 1));
          lists(
            nowMs,
            known.flatMap((one) =>
              one.kind === "trade" ? [fillAt(one.index, one.block * 1_000)] : [],
            ),
            known.flatMap(({ kind, amount, block: atBlock, index }) =>
              kind === "transfer"
                ? [transfer(amount.toFixed(9), atBlock * 1_000, `0xc${index}`)]
                : [],
            ),
          );
        }
        const found = drifts.filter(({ transfers }) => transfers.length === 0);
        const totals: [TokenId, Fixed][] =
          loss === null ? [] : [[base, fixed(String(-loss.amount / 100))]];
        expect([...ledger.total]).toEqual(totals);
        expect(found).toHaveLength(totals.length);
        if (loss === null) return;
        expect(found[0]?.afterBlock).toBeLessThan(loss.block);
        expect(found[0]?.untilBlock).toBeGreaterThanOrEqual(loss.block);
      }),
      { numRuns: 500 },
    );
  });
});

it("remembers a bounded number of changes, and believes the next report when more come between two", () => {
  const { ledger, report, told } = world();
  for (let number = 1; number <= 10_500; number += 1) {
    ledger.orderEvent(trade(number, 5_000, 5), 5_000);
  }
  expect(ledger.size).toBe(10_000);
  report(["7", "7"], 10_000);
  for (const nowMs of [30_000, 60_000]) report(["7", "7"], nowMs);
  expect(told()).toEqual([]);
});
