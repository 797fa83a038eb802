import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId, TokenId } from "../../src/domain/ids.ts";
import type { Fill, OrderStatus } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { csvLine } from "../../src/base/csv-line.ts";
import { tableColumns, tableRows, type TableName } from "../../src/journal/journal-tables.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { market, place, report } from "./journal-fixture.ts";

const id = `0x${"1".repeat(64)}` as OrderId;

const fill: Fill = {
  tradeId: "t1",
  orderId: id,
  marketId: market,
  side: "BUY",
  price: fixed("100"),
  quantity: fixed("0.5"),
  fee: fixed("0.01"),
  feeToken: "1" as TokenId,
  isMaker: true,
  timeMs: unixMs(1_500),
};

function batch(
  seq: number,
  atMs: number,
  inputs: readonly Input[],
  effects: readonly Effect[] = [],
  ended: readonly OrderId[] = [],
  booked: readonly Fill[] = [],
): Entry {
  const signed = effects.flatMap((effect) =>
    effect.type === "place" ? [{ intent: effect.intent, txHash: id, bytesHex: "0x00" }] : [],
  );
  return {
    type: "batch",
    entry: { batch: { seq, nowMs: unixMs(atMs), inputs }, effects, signed, ended, booked },
  };
}

/** As the kernel adopts an order that it knew. */
const adopted = {
  nonce: 1_700_000_000_001,
  strategy: "maker",
  marketId: market,
  side: "BUY" as const,
  price: 100,
  quantity: "2",
  executed: "0",
  tradeIds: [],
};

const cancel: Effect = { type: "cancel", intent: 2, nonce: 9, strategy: "maker", orderId: id };

/** An order that is placed, partly filled, told twice of its fill, and canceled. */
const entries: readonly Entry[] = [
  batch(1, 1_000, [], [place(1)]),
  batch(2, 1_040, [{ type: "response", intent: 1, outcome: { type: "accepted" } }]),
  batch(
    3,
    1_500,
    [
      {
        type: "orderEvent",
        event: {
          eventType: "TRADE",
          order: { ...report(id, "PARTIALLY_FILLED"), executedQty: fixed("0.5") },
          fill,
          blockNumber: 1,
          timeMs: unixMs(1_500),
          txHash: "",
        },
      },
    ],
    [],
    [],
    [fill],
  ),
  batch(4, 2_000, [{ type: "fills", fills: [fill] }], [cancel]),
  batch(5, 2_100, [{ type: "order", orderId: id, report: report(id, "CANCELED") }], [], [id]),
  batch(6, 900_000, []),
];

describe("tables of a journal", () => {
  it("have one row for each order, with what became of it", () => {
    expect([...tableRows("orders", 1, entries)]).toEqual([
      {
        run: 1,
        orderId: id,
        strategy: "maker",
        market: "1_2",
        role: "quote",
        key: null,
        side: "BUY",
        price: 100,
        stopPrice: null,
        quantity: "2",
        executed: "0.5",
        nonce: 1_700_000_000_001,
        placedAt: 1_000,
        placedSeq: 1,
        response: "accepted",
        responseMs: 40,
        cancelAt: 2_000,
        status: "CANCELED",
        endedAt: 2_100,
      },
    ]);
  });

  it("have one row for an order that came back after its end, with what became of it then", () => {
    const told = (seq: number, atMs: number, status: OrderStatus, ended: readonly OrderId[] = []) =>
      batch(seq, atMs, [{ type: "order", orderId: id, report: report(id, status) }], [], ended);
    const back: Effect = { type: "adopt", order: { ...adopted, orderId: id } };
    const rows = [
      ...tableRows("orders", 1, [
        ...entries.slice(0, 2),
        told(3, 2_000, "CANCELED", [id]),
        batch(4, 3_100, [{ type: "order", orderId: id, report: report(id, "NEW") }], [back]),
        batch(5, 100_000, [{ type: "fills", fills: [fill] }], [], [], [fill]),
        told(6, 110_000, "CANCELED", [id]),
        batch(7, 900_000, []),
      ]),
    ];
    expect(rows).toEqual([
      expect.objectContaining({
        orderId: id,
        executed: "0.5",
        placedAt: 1_000,
        placedSeq: 1,
        response: "accepted",
        status: "CANCELED",
        endedAt: 110_000,
      }),
    ]);
  });

  it("have each fill of an own order once", () => {
    const foreign = { ...fill, orderId: `0x${"2".repeat(64)}` as OrderId };
    const rows = [
      ...tableRows("fills", 2, [...entries, batch(7, 1e6, [{ type: "fills", fills: [foreign] }])]),
    ];
    expect(rows).toEqual([
      expect.objectContaining({ run: 2, time: 1_500, tradeId: "t1", quantity: "0.5", fee: "0.01" }),
    ]);
  });

  it("leave out fills that an earlier run has counted", () => {
    const restored: Input = {
      type: "restored",
      restored: {
        nonceHighWater: 1,
        carried: [],
        orders: [
          {
            orderId: id,
            nonce: 1,
            strategy: "maker",
            marketId: market,
            side: "BUY",
            price: 100,
            quantity: "2",
            executed: "0.5",
            tradeIds: ["t1"],
          },
        ],
      },
    };
    const again = [batch(1, 1, [restored]), batch(2, 2, [{ type: "fills", fills: [fill] }])];
    expect([...tableRows("fills", 1, again)]).toEqual([]);
    expect([...tableRows("orders", 1, again)]).toMatchObject([{ executed: "0.5", placedAt: null }]);
  });

  it("have every command, with the order that it is about", () => {
    expect([...tableRows("decisions", 1, entries)]).toMatchObject([
      { seq: 1, time: 1_000, command: "place", orderId: id, quantity: "2", txHash: id },
      { seq: 4, time: 2_000, command: "cancel", orderId: id, quantity: null, txHash: null },
    ]);
  });

  it("have the columns that are documented, in every row", () => {
    for (const name of Object.keys(tableColumns) as TableName[]) {
      for (const row of tableRows(name, 1, entries)) {
        expect(Object.keys(row).toSorted()).toEqual(tableColumns[name].toSorted());
      }
    }
  });
});

describe("a line of CSV", () => {
  it("quotes what needs it, and leaves missing values empty", () => {
    expect(csvLine([1, null, 'a "b", c', true, "plain"])).toBe('1,,"a ""b"", c",true,plain');
  });

  it("have no text that a spreadsheet runs as a formula", () => {
    const cells = ['=HYPERLINK("http://a")', "@sum", "+1+cmd", "-1+cmd", "-", "\t=1", "\r=1"];
    expect(csvLine(cells)).toBe(
      `"'=HYPERLINK(""http://a"")",'@sum,'+1+cmd,'-1+cmd,'-,'\t=1,"'\r=1"`,
    );
    const numbers = ["-0.5", "+3", "-12", -1.5e-9, "0x12", "a=b", "1_2"];
    expect(csvLine(numbers)).toBe("-0.5,+3,-12,-1.5e-9,0x12,a=b,1_2");
  });

  it("has the delays of placements and of market data, on our clock", () => {
    // The venue's clock is 100 ms ahead of ours: it created the order at 1,112 of its clock, 12 ms after we sent it.
    const created = { ...report(id, "NEW"), createdAtMs: unixMs(1_112) };
    const trade = { marketId: market, tradeId: "1", price: 1, quantity: 1, isBuyerMaker: true };
    const measured = [
      batch(1, 990, [{ type: "venueTime", offsetMs: 100, roundTripMs: 20 }]),
      batch(2, 1_000, [], [place(1)]),
      batch(3, 1_030, [{ type: "response", intent: 1, outcome: { type: "accepted" } }]),
      batch(4, 1_035, [{ type: "order", orderId: id, report: created }]),
      batch(5, 1_050, [{ type: "trade", trade: { ...trade, timeMs: unixMs(1_143) } }]),
    ];
    expect([...tableRows("latency", 1, measured)]).toEqual([
      { run: 1, time: 1_000, way: "entry", ms: 12 },
      { run: 1, time: 1_000, way: "response", ms: 18 },
      { run: 1, time: 1_050, way: "feed", ms: 7 },
    ]);
    expect([...tableRows("latency", 1, measured.slice(1))]).toEqual([]);
  });
});
