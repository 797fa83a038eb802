import fc from "fast-check";
import { expect, it } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { isQuote } from "../../src/orders/bracket.ts";
import { LiveOrders } from "../../src/orders/live-orders.ts";
import type { TrackedOrder } from "../../src/orders/tracked-order.ts";
import { anOrder } from "../execution/an-order.ts";

const strategies = ["maker", "taker"];
const markets = [marketId("1", "2"), marketId("3", "2")];

/** An order enters, or one of those before leaves; lists may be read or not in between. */
const moves = fc.array(
  fc.record({
    strategy: fc.constantFrom(...strategies),
    market: fc.constantFrom(...markets),
    isStop: fc.boolean(),
    leaves: fc.option(fc.nat(20), { nil: undefined }),
    isRead: fc.boolean(),
  }),
  { maxLength: 40 },
);

it("lists what lives by strategy and market, as a search of all orders does", () => {
  fc.assert(
    fc.property(moves, (all) => {
      const live = new LiveOrders();
      let expected: TrackedOrder[] = [];
      for (const { strategy, market, isStop, leaves, isRead } of all) {
        const leaving = leaves === undefined ? undefined : expected[leaves];
        if (leaving === undefined) {
          const stopName = isStop ? "exit" : undefined;
          const order = anOrder({ strategy, marketId: market, stopName });
          live.enter(order);
          expected = [...expected, order];
        } else {
          live.leave(leaving);
          expected = expected.filter((order) => order !== leaving);
        }
        if (!isRead) continue;
        expect(live.list()).toEqual(expected);
        for (const name of strategies) {
          for (const id of markets) {
            const own = expected.filter((one) => one.strategy === name && one.marketId === id);
            expect(live.of(name, id).quotes).toEqual(own.filter(isQuote));
            expect(live.of(name, id).contingent).toEqual(own.filter((one) => !isQuote(one)));
            expect(live.of(name, id).quotes).toBe(live.of(name, id).quotes);
          }
        }
      }
    }),
  );
});

it("never changes a list that it gave", () => {
  const live = new LiveOrders();
  const [first, second] = [anOrder(), anOrder()];
  live.enter(first);
  const before = live.of("maker", first.marketId).quotes;
  live.enter(second);
  live.leave(first);
  expect(before).toEqual([first]);
  expect(live.of("maker", first.marketId).quotes).toEqual([second]);
});
