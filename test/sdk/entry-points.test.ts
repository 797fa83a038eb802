import { expect, test } from "vitest";
import * as estimators from "../../src/estimators/index.ts";
import * as strategy from "../../src/index.ts";
import * as ladder from "../../src/ladder.ts";
import * as client from "../../src/sdk/index.ts";
import * as paper from "../../src/sdk/paper.ts";
import * as parts from "../../src/sdk/parts.ts";

test("`touchline` has what every strategy needs, and its errors", () => {
  expect(Object.keys(strategy).sort()).toEqual([
    "Decimal",
    "Prng",
    "TouchlineError",
    "amount",
    "baseAmount",
    "defineStrategy",
    "duration",
    "inBase",
    "inMarkets",
    "keepQuotes",
    "noQuotes",
    "opposite",
    "percentText",
    "price",
    "setQuotes",
    "share",
    "sides",
    "sourceName",
    "z",
  ]);
});

test("each name is at one door", () => {
  const doors = [
    [strategy, ladder, estimators],
    [client, parts, paper],
  ];
  for (const group of doors) {
    const names = group.flatMap((each) => Object.keys(each));
    expect(names).toEqual([...new Set(names)]);
  }
});

test("`touchline/venue` is the client and its words", () => {
  expect(Object.keys(client).length).toBeLessThan(15);
  expect(Object.keys(paper).sort()).toEqual([
    "startPaperVenue",
    "startVenue",
    "venueSchema",
    "venueWithoutConfig",
  ]);
});
