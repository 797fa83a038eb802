import type { Mutant } from "./mutants.ts";

/** Ordinary bugs, as a change of the code may bring them. */
export const ordinaryMutants: readonly Mutant[] = [
  {
    name: "a partial fill forgets the rest",
    file: "src/orders/tracked-order.ts",
    search: "const left = (order.quantity - order.executed) as Fixed;",
    replace: "const left = (order.executed > 0n ? 0n : order.quantity) as Fixed;",
  },
  {
    name: "placements take the reserve for cancels",
    file: "src/execution/rate-budget.ts",
    search: "if (this.#tokens < TOKEN + (isUrgent ? 0 : this.#reserve)) {",
    replace: "if (this.#tokens < TOKEN) {",
  },
  {
    name: "a fill starts no cool-down",
    file: "strategies/pure-market-making.ts",
    search: "state.coolUntilMs[side] = view.nowMs + settings.coolDown;",
    replace: "state.coolUntilMs[side] = view.nowMs;",
  },
  {
    name: "asks are quoted at the bids' spread",
    file: "strategies/pure-market-making.ts",
    search: "SELL: ladderDistances(askSpread, levelSpread, levels),",
    replace: "SELL: ladderDistances(bidSpread, levelSpread, levels),",
  },
  {
    name: "a fee in base adds to the position",
    file: "src/orders/position.ts",
    search: "return feeToken === baseToken ? subFixed(change, fee) : change;",
    replace: "return feeToken === baseToken ? addFixed(change, fee) : change;",
  },
  {
    name: "a fee adds to the balance",
    file: "src/orders/balance-change.ts",
    search: "{ tokenId: fill.feeToken, locked: ZERO, unlocked: negFixed(fill.fee) },",
    replace: "{ tokenId: fill.feeToken, locked: ZERO, unlocked: fill.fee },",
  },
  {
    name: "bids are rounded up and asks down",
    file: "src/kernel/targets.ts",
    search: 'return side === "BUY" ? rules.roundDown(price) : rules.roundUp(price);',
    replace: 'return side === "BUY" ? rules.roundUp(price) : rules.roundDown(price);',
  },
  {
    name: "new targets make no plan",
    file: "src/kernel/strategy/quoting.ts",
    search: "if (slot.runner.fault === undefined && (isNew || slot.pulledNow || slot.needsPlan)) {",
    replace:
      "if (slot.runner.fault === undefined && (slot.plan === undefined || slot.pulledNow || slot.needsPlan)) {",
  },
  {
    name: "a stop cancels no quotes",
    file: "src/kernel/risk/quote-pull.ts",
    search: 'if (isCanceling(state)) return "the bot is stopping";',
    replace: 'if (state.phase === "finished") return "the bot is stopping";',
  },
  {
    name: "the tolerance is ten times as wide",
    file: "src/execution/fit.ts",
    search: "return Math.abs(price - wanted) <= (limits.tolerance + NOISE) * limits.mid;",
    replace: "return Math.abs(price - wanted) <= (10 * limits.tolerance + NOISE) * limits.mid;",
  },
  {
    name: "of several levels only the first comes back",
    file: "src/execution/planner.ts",
    search: "    result.place.push(placement);\n    if (mayWait)",
    replace: "    if (rank === 0) result.place.push(placement);\n    if (mayWait)",
  },
  {
    name: "a modify sends the size of one lot",
    file: "src/kernel/commands.ts",
    search: "    newQty: quantity,",
    replace: "    newQty: (quantity / 2n) as typeof quantity,",
  },
  {
    name: "the position limit takes a short position for a long one",
    file: "src/risk/rules/max-position.ts",
    search: 'const held = side === "BUY" ? position : negFixed(position);',
    replace: 'const held = side === "BUY" ? position : position;',
  },
  {
    name: "a denied quote keeps the order that it replaces",
    file: "src/kernel/commands.ts",
    search: `  if (proposal === undefined) {
    remove(state, predecessor, emitted);
    return false;`,
    replace: `  if (proposal === undefined) {
    return false;`,
  },
  {
    name: "a refusal lets a side wait for good",
    file: "src/kernel/commands.ts",
    search: "if (slot.cooldown[side].untilMs > state.nowMs) return undefined;",
    replace: "if (slot.cooldown[side].untilMs > 0) return undefined;",
  },
  {
    name: "a strategy is not called at its time",
    file: "src/kernel/strategy/strategy-runner.ts",
    search: "(this.wakeAtMs !== undefined && this.wakeAtMs <= nowMs) ||",
    replace: "",
  },
  {
    name: "own orders and fills call no strategy",
    file: "src/kernel/strategy/strategy-runner.ts",
    search: '(news.orders && wakeOn !== "time") ||',
    replace: "",
  },
  {
    name: "a rejection frees what it never locked",
    file: "src/orders/balance-change.ts",
    search:
      'if (order.price === ZERO || (eventType !== "NEW" && eventType !== "CANCEL")) return [];',
    replace: "if (order.price === ZERO) return [];",
  },
  {
    name: "an unlocked order does not count against the balance",
    file: "src/orders/balances.ts",
    search: "const need = this.#isLocked(order) ? this.#unlockedSurplus(order) : unpaidOf(order);",
    replace: "const need = this.#isLocked(order) ? this.#unlockedSurplus(order) : undefined;",
  },
  {
    name: "a balance report forgets the events that are newer",
    file: "src/orders/balances.ts",
    search: "else if (entry.blockNumber > blockNumber) this.#apply(entry.changes);",
    replace: "else this.#events.delete(key);",
  },
];
