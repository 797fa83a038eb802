import type { Mutant } from "./mutants.ts";

/** Deliberate bugs in what the bot says of its money and its books. */
export const moneyMutants: readonly Mutant[] = [
  {
    name: "a fill that closes a part of the position leaves its cost",
    file: "src/orders/position.ts",
    search: ": cost.times(decimalOf(after)).div(decimalOf(before));",
    replace: ": cost;",
  },
  {
    name: "taker fills count as maker fills",
    file: "src/metrics/counters.ts",
    search: 'note.fill.isMaker ? "makerFills" : "takerFills"',
    replace: '"makerFills"',
  },
  {
    name: "fills of adopted orders are booked nowhere",
    file: "src/kernel/orders/order-changes.ts",
    search: "state.lists.lastFillMs = Math.max(state.lists.lastFillMs, change.fill.timeMs);",
    replace: 'if (order.strategy === "(adopted)") break;',
    faults: "power-cut-after-order",
  },
  {
    name: "an event of a trade is booked as a maker's",
    file: "src/gateway/from-wire.ts",
    search: "            isMaker: wire.isMaker,",
    replace: "            isMaker: true,",
  },
  {
    name: "strategies in one market share a position",
    file: "src/orders/position-book.ts",
    search: "const key = `${strategy} ${marketId}`;",
    replace: "const key: string = marketId;",
  },
  {
    name: "unrealised PnL leaves out what the position cost",
    file: "src/orders/position.ts",
    search: "return decimalOf(this.#base).times(mid).minus(this.#cost);",
    replace: "return decimalOf(this.#base).times(mid);",
  },
  {
    name: "own legs are taken out of the book twice",
    file: "src/orders/own-quantity.ts",
    search: "this.#count(order, restsInBook(order) ? remainingOf(order) : ZERO);",
    replace: `const left = remainingOf(order);
    const own = order.leg === undefined ? left : ((2n * left) as Fixed);
    this.#count(order, restsInBook(order) ? own : ZERO);`,
  },
  {
    name: "stop orders that wait are taken out of the book",
    file: "src/orders/tracked-order.ts",
    search:
      'return order.phase === "working" && order.price > 0 && order.trigger?.isFired !== false;',
    replace: 'return order.phase === "working" && order.price > 0;',
  },
];
