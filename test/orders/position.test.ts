import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import { Position } from "../../src/orders/position.ts";
import { fillOf, idOf, market } from "./order-fixture.ts";

interface Step {
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly fee?: string;
  readonly feeToken?: string;
}

function positionAfter(steps: readonly Step[]): Position {
  const position = new Position(market);
  steps.forEach((step, at) => {
    position.apply(fillOf(idOf(1), `t${at}`, step.quantity, step));
  });
  return position;
}

interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly mid: string;
  readonly base: string;
  readonly quote: string;
  readonly average: string | undefined;
  readonly realised: string;
  readonly unrealised: string;
}

const cases: readonly Case[] = [
  {
    name: "a long without fees",
    steps: [{ side: "BUY", quantity: "2", price: "100" }],
    mid: "110",
    base: "2",
    quote: "-200",
    average: "100",
    realised: "0",
    unrealised: "20",
  },
  {
    name: "adding averages the cost",
    steps: [
      { side: "BUY", quantity: "1", price: "100" },
      { side: "BUY", quantity: "3", price: "104" },
    ],
    mid: "100",
    base: "4",
    quote: "-412",
    average: "103",
    realised: "0",
    unrealised: "-12",
  },
  {
    name: "reducing realises at the average, which stays",
    steps: [
      { side: "BUY", quantity: "4", price: "103" },
      { side: "SELL", quantity: "1", price: "107" },
    ],
    mid: "103",
    base: "3",
    quote: "-305",
    average: "103",
    realised: "4",
    unrealised: "0",
  },
  {
    name: "a short, partly bought back",
    steps: [
      { side: "SELL", quantity: "2", price: "100" },
      { side: "BUY", quantity: "1", price: "90" },
    ],
    mid: "95",
    base: "-1",
    quote: "110",
    average: "100",
    realised: "10",
    unrealised: "5",
  },
  {
    name: "crossing zero closes at the average and opens at the fill's price",
    steps: [
      { side: "BUY", quantity: "1", price: "100" },
      { side: "SELL", quantity: "3", price: "110" },
    ],
    mid: "105",
    base: "-2",
    quote: "230",
    average: "110",
    realised: "10",
    unrealised: "10",
  },
  {
    name: "a fee in base makes the base dearer",
    // 100 paid for 0.8 received.
    steps: [{ side: "BUY", quantity: "1", price: "100", fee: "0.2", feeToken: "1" }],
    mid: "125",
    base: "0.8",
    quote: "-100",
    average: "125",
    realised: "0",
    unrealised: "0",
  },
  {
    name: "a round trip with D18's fees",
    // Buys 10, gets 9.5; sells 9.5 for 11 each less 4.5 of quote.
    steps: [
      { side: "BUY", quantity: "10", price: "9.5", fee: "0.5", feeToken: "1" },
      { side: "SELL", quantity: "9.5", price: "11", fee: "4.5", feeToken: "2" },
    ],
    mid: "11",
    base: "0",
    quote: "5",
    average: undefined,
    realised: "5",
    unrealised: "0",
  },
  {
    name: "crossing zero with a fee in quote: the closing and the opening part bear their share",
    // Sells 4 at 100 minus a fee of 8, so 98 each: 2 close (cost 180), 2 open.
    steps: [
      { side: "BUY", quantity: "2", price: "90" },
      { side: "SELL", quantity: "4", price: "100", fee: "8", feeToken: "2" },
    ],
    mid: "98",
    base: "-2",
    quote: "212",
    average: "98",
    realised: "16",
    unrealised: "0",
  },
  {
    name: "a short bought back with a fee in base stays a little short",
    steps: [
      { side: "SELL", quantity: "1", price: "100" },
      { side: "BUY", quantity: "1", price: "80", fee: "0.5", feeToken: "1" },
    ],
    // 80 bought half of it back, for which 50 had been received.
    mid: "100",
    base: "-0.5",
    quote: "20",
    average: "100",
    realised: "-30",
    unrealised: "0",
  },
  {
    name: "all of a buy eaten by its fee is a loss at once",
    steps: [{ side: "BUY", quantity: "1", price: "10", fee: "1", feeToken: "1" }],
    mid: "10",
    base: "0",
    quote: "-10",
    average: undefined,
    realised: "-10",
    unrealised: "0",
  },
];

describe("position", () => {
  for (const expected of cases) {
    it(expected.name, () => {
      const position = positionAfter(expected.steps);
      expect(fixedText(position.base)).toBe(expected.base);
      expect(fixedText(position.quote)).toBe(expected.quote);
      expect(position.averagePrice?.toFixed()).toBe(expected.average);
      expect(position.realisedPnl.toFixed()).toBe(expected.realised);
      expect(position.unrealisedPnl(new Decimal(expected.mid)).toFixed()).toBe(expected.unrealised);
    });
  }

  it("keeps fees by token, and leaves a fee in a third token out of the PnL", () => {
    const position = positionAfter([
      { side: "BUY", quantity: "1", price: "100", fee: "0.001", feeToken: "1" },
      { side: "BUY", quantity: "1", price: "100", fee: "0.002", feeToken: "1" },
      { side: "SELL", quantity: "1", price: "100", fee: "0.05", feeToken: "2" },
      { side: "SELL", quantity: "0.5", price: "100", fee: "7", feeToken: "9" },
    ]);
    expect(position.fees).toEqual(
      new Map([
        [tokenId("1"), fixed("0.003")],
        [tokenId("2"), fixed("0.05")],
        [tokenId("9"), fixed("7")],
      ]),
    );
    expect(fixedText(position.quote)).toBe("-50.05");
    expect(fixedText(position.base)).toBe("0.497");
  });
});
