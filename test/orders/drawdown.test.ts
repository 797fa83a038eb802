import { expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { Drawdown } from "../../src/orders/drawdown.ts";

test.each([
  [[], "0"],
  [[1, 2, 3], "0"],
  [[-2, -1], "2"],
  [[1, 4, 2, 5, 1.5, 6, 4], "3.5"],
])("of %j is %s", (totals, expected) => {
  const drawdown = new Drawdown();
  for (const total of totals) drawdown.add(new Decimal(total));
  expect(drawdown.max.toFixed()).toBe(expected);
});
