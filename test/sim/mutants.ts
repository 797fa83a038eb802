import { moneyMutants } from "./money-mutants.ts";
import { ordinaryMutants } from "./ordinary-mutants.ts";
import { riskMutants } from "./risk-mutants.ts";
import { sessionMutants } from "./session-mutants.ts";
import { sourceMutants } from "./source-mutants.ts";
import { worldMutants } from "./world-mutants.ts";

/** `search` occurs exactly once in `file` and becomes `replace`. */
export interface Edit {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

/** A deliberate bug. `npm run mutants` counts the simulated worlds that it takes until one of them notices. */
export interface Mutant extends Edit {
  /** What the code does with the bug, e.g. `a time-out means not placed`. */
  readonly name: string;
  /** A second place that would make up for the first. */
  readonly also?: Edit;
  /** Rare faults, separated by commas, that its worlds have besides those that the seed picks. */
  readonly faults?: string;
  /** Its worlds have no faults but those: others hide what it does. */
  readonly isAlone?: true;
}

const orders: readonly Mutant[] = [
  {
    name: "a time-out means not placed",
    file: "src/orders/order-machine.ts",
    search: `    noResponse: "unknown",
    open: "working",
    over: "ended",
  },
  // The refusal`,
    replace: `    noResponse: "never-placed",
    open: "working",
    over: "ended",
  },
  // The refusal`,
  },
  {
    name: "an order that was given up never counts again",
    file: "src/orders/order-machine.ts",
    search: '"never-placed": { accepted: "working", open: "working", over: "ended" },',
    replace: '"never-placed": {},',
    faults: "refused-by-proxy",
  },
  {
    name: "one 404 proves that an order was never placed",
    file: "src/orders/absence.ts",
    search: "if (queriedAtMs >= landedByMs) {",
    replace: "if (queriedAtMs >= order.requestEndedAtMs) {",
  },
  {
    name: "a request lands within 10 s or never",
    file: "src/orders/nonce-expiry.ts",
    search: "return nonce + this.#windowMs + this.#doubtMs - this.#offsetMs;",
    replace: "return 0;",
  },
  {
    name: "an accepted cancel ends the order at once",
    file: "src/orders/own-commands.ts",
    search: `this.#orders.learn(order, { kind: "accepted" }, nowMs, changes);`,
    replace: `this.#orders.learn(order, { kind: "over", status: "CANCELED" }, nowMs, changes);`,
  },
  {
    name: "an order missing in one list has ended",
    file: "src/orders/execution-reports.ts",
    search: "if (!isDormant(order)) this.#absence.unlisted(order, queriedAtMs, nowMs, changes);",
    replace: `if (!isDormant(order))
        this.#orders.learn(order, { kind: "over", status: "CANCELED" }, nowMs, changes);`,
  },
  {
    name: "a trade reported twice is booked twice",
    file: "src/orders/order-registry.ts",
    search: "if (!this.#fills.add(fill.orderId, fill.tradeId, fill)) return false;",
    replace: "this.#fills.add(fill.orderId, fill.tradeId, fill);",
  },
  {
    name: "orders of an earlier run are not queried",
    file: "src/orders/order-tracker.ts",
    search: "for (const order of taken) this.queries.want(order, nowMs + listMs);",
    replace: "",
    faults: "kill",
  },
  {
    name: "fills of an earlier run are forgotten",
    file: "src/orders/restore-orders.ts",
    search: "order.executed = fixed(saved.executed);",
    replace: "order.executed = ZERO;",
  },
  {
    name: "a doubled event changes the balance twice",
    file: "src/orders/balances.ts",
    search: "if (entry.changes.length === 0 || this.#events.has(key)) return;",
    replace: "if (entry.changes.length === 0) return;",
  },
  {
    name: "events that a balance report includes are applied again",
    file: "src/orders/balances.ts",
    search: "else if (entry.blockNumber > blockNumber) this.#apply(entry.changes);",
    replace: "else this.#apply(entry.changes);",
  },
];

const kernel: readonly Mutant[] = [
  {
    name: "a fill counts twice in the position",
    file: "src/kernel/orders/order-changes.ts",
    search: "state.positions.apply(order.strategy, change.fill);",
    replace: `state.positions.apply(order.strategy, change.fill);
        state.positions.apply(order.strategy, change.fill);`,
  },
  {
    name: "fills of legs count in no position",
    file: "src/kernel/orders/order-changes.ts",
    search: "state.positions.apply(order.strategy, change.fill);",
    replace: "if (order.leg === undefined) state.positions.apply(order.strategy, change.fill);",
  },
  {
    name: "nonces of an earlier run are forgotten",
    file: "src/kernel/restored.ts",
    search: "state.nonces.observe(restored.nonceHighWater);",
    replace: "",
    faults: "kill,clock-jumps",
  },
  {
    // Each of the two finds what the other one would.
    name: "open orders and balances are read only after a reconnect",
    file: "src/kernel/stream.ts",
    search: "periodMs: state.config.timing.reconcileMs,",
    replace: "periodMs: Number.POSITIVE_INFINITY,",
    also: {
      file: "src/kernel/stream.ts",
      search: "periodMs: state.config.timing.balancesMs,",
      replace: "periodMs: Number.POSITIVE_INFINITY,",
    },
    faults: "frames-lost",
  },
  {
    name: "quotes stay however old the book is",
    file: "src/kernel/freshness/needs.ts",
    search: "if (nowMs - lastMessageMs > staleMs) return NO_MESSAGE;",
    replace: "if (nowMs > 0) return undefined;",
  },
  {
    name: "a stop does not wait for missing fills",
    file: "src/kernel/lifecycle.ts",
    search: "if (fillsToList(state).length > 0) return [];",
    replace: "",
  },
  {
    name: "a stop does not list the open orders",
    file: "src/kernel/lifecycle.ts",
    search: "if (mayHaveOrders && state.ending.finalList === undefined) {",
    replace: "if (false) {",
  },
  {
    name: "a stop that ran out of time ends as ok",
    file: "src/kernel/lifecycle.ts",
    search: "return [finished(state, false, reason)];",
    replace: "return [finished(state, true, reason)];",
  },
  {
    name: "a stop does not wait for orders in doubt",
    file: "src/kernel/lifecycle.ts",
    search: "state.orders.live().some((order) => !isKept(state, order));",
    replace:
      'state.orders.live().some((order) => order.phase !== "unknown" && !isKept(state, order));',
  },
  {
    name: "orders that a power cut lost are not adopted",
    file: "src/kernel/orders/adoption.ts",
    search: "if (adopted.length === 0) return;",
    replace: "if (adopted.length >= 0) return;",
    faults: "power-cut",
  },
];

const executionAndRisk: readonly Mutant[] = [
  {
    name: "an order in doubt serves no quote",
    file: "src/execution/planner.ts",
    search: 'if (order.side !== side || order.phase === "ended") continue;',
    replace:
      'if (order.side !== side || order.phase === "ended" || order.phase === "unknown") continue;',
  },
  {
    name: "an order in flight serves no quote",
    file: "src/execution/planner.ts",
    search: 'if (order.side !== side || order.phase === "ended") continue;',
    replace:
      'if (order.side !== side || order.phase === "ended" || order.phase === "in-flight") continue;',
  },
  {
    name: "the second order beside a partly filled one has the whole size",
    file: "src/execution/planner.ts",
    search: "const size = subFixed(quote.size, remainingOf(order));",
    replace: "const { size } = quote;",
  },
  {
    name: "bids may cross the touch",
    file: "src/execution/maker-guard.ts",
    search: "return positive(Math.min(price, bound));",
    replace: "return positive(price);",
  },
  {
    name: "reads cost no token",
    file: "src/execution/rate-budget.ts",
    search: `    this.#tokens -= TOKEN;
    if (kind === "other") return true;`,
    replace: `    if (kind !== "read") this.#tokens -= TOKEN;
    if (kind === "other") return true;`,
  },
  {
    name: "a 429 holds cancels back",
    file: "src/execution/rate-budget.ts",
    search: "if (!isUrgent && nowMs < this.#pausedUntilMs) return false;",
    replace: "if (nowMs < this.#pausedUntilMs) return false;",
  },
  {
    name: "two commands in one millisecond share a nonce",
    file: "src/execution/nonce.ts",
    search: "const rising = Math.max(this.#last + 1, venueMs);",
    replace: "const rising = Math.max(this.#last, venueMs);",
    also: {
      file: "src/execution/nonce.ts",
      search: "while (given.has(this.#last)) this.#last += 1;",
      replace: "",
    },
  },
  {
    name: "orders in flight count in no position limit",
    file: "src/risk/exposure.ts",
    search:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended") continue;',
    replace:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended" || order.phase === "in-flight") continue;',
  },
  {
    name: "the position limit ignores open orders",
    file: "src/risk/rules/max-position.ts",
    search: "size && addFixed(addFixed(held, liveQuantity(orders, marketId, side)), size);",
    replace: "size && addFixed(held, size);",
  },
  {
    name: "orders in doubt count in no position limit",
    file: "src/risk/exposure.ts",
    search:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended") continue;',
    replace:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended" || order.phase === "unknown") continue;',
  },
  {
    name: "orders being canceled count in no position limit",
    file: "src/risk/exposure.ts",
    search:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended") continue;',
    replace:
      'if (order.marketId !== marketId || order.side !== side || order.phase === "ended" || order.cancel !== "none") continue;',
  },
  {
    name: "the bot may trade with itself",
    file: "src/risk/rules.ts",
    search: "  selfCross,\n  balance,\n  budget,",
    replace: "  balance,\n  budget,",
  },
  {
    name: "orders need no balance",
    file: "src/risk/rules.ts",
    search: "  selfCross,\n  balance,\n  budget,",
    replace: "  selfCross,\n  budget,",
  },
];

const edges: readonly Mutant[] = [
  {
    name: "a gap in the book is ignored",
    file: "src/book/book-sync.ts",
    search: "if (!this.continues(event)) {",
    replace: "if (event.finalId < 0) {",
  },
  {
    name: "an older snapshot replaces a live book",
    file: "src/book/book-sync.ts",
    search: "if (snapshot.lastId > this.#lastId) this.#take(snapshot);",
    replace: "this.#take(snapshot);",
    also: {
      file: "src/kernel/freshness/book-fact.ts",
      search: "if (snapshot.lastId <= sync.lastId) return sync.onAudit(snapshot, queriedMs);",
      replace: "if (snapshot.lastId <= sync.lastId) return this.#take(snapshot, queriedMs);",
    },
  },
  {
    name: "a gap among waiting book events is ignored",
    file: "src/book/book-sync.ts",
    search: "const isGap = last !== undefined && event.firstId !== last.finalId + 1;",
    replace: "const isGap = false;",
    faults: "frames-lost,slow",
  },
  {
    name: "a strategy sees its own orders in the book",
    file: "src/book/book-view.ts",
    search: "const own = this.#own(side, walk.price);",
    replace: "const own = 0 * this.#own(side, walk.price);",
  },
  {
    name: "own orders are taken out of the book twice",
    file: "src/book/book-view.ts",
    search: "const rest = walk.quantity - own;",
    replace: "const rest = walk.quantity - 2 * own;",
  },
  {
    name: "user events of trades are dropped",
    file: "src/gateway/stream-decoder.ts",
    search: '        return push.payload.topic === "ORDER"\n',
    replace: `        if (JSON.stringify(push.payload).includes('"TRADE"')) return undefined;
        return push.payload.topic === "ORDER"
`,
  },
  {
    name: "user events of cancels are dropped",
    file: "src/gateway/stream-decoder.ts",
    search: '        return push.payload.topic === "ORDER"\n',
    replace: `        if (JSON.stringify(push.payload).includes('"CANCEL"')) return undefined;
        return push.payload.topic === "ORDER"
`,
  },
  {
    name: "an unreadable response means not sent",
    file: "src/gateway/request.ts",
    search: `    case "broken":
      throw new TransportError(
        "unknown",`,
    replace: `    case "broken":
      throw new TransportError(
        "not-sent",`,
  },
  {
    name: "a time-out means refused",
    file: "src/gateway/venue-client.ts",
    search: `  const isNotSent = thrown instanceof TransportError && thrown.outcome === "not-sent";`,
    replace: `  const isNotSent = thrown instanceof TransportError && thrown.outcome === "not-sent";
  if (!isNotSent) return { type: "refused", reason: "unavailable", message, retryAfterMs: 0 };`,
  },
  {
    name: "one wrong answer moves the venue's clock",
    file: "src/gateway/venue-clock.ts",
    search: "if (this.#isExpected(first)) return this.#believe(first);",
    replace: "return this.#believe(first);",
    faults: "wrong-time",
  },
  {
    name: "commands leave before they are in the journal",
    file: "src/runtime/driver.ts",
    search: `    writer?.append(carried.length === 0 ? entry : { ...entry, carried });
    const stepMs = signed.length === 0 ? 0 : clock.nowMs() - batch.nowMs;
    const turn = { batch, step, signed, receivedUs, stepMs };`,
    replace: `    const turn = { batch, step, signed, receivedUs, stepMs: 0 };
    this.#finish(turn);
    writer?.append(carried.length === 0 ? entry : { ...entry, carried });
    if (turn.batch === batch) return;`,
  },
  {
    name: "orders do not wait for a disk that hangs",
    file: "src/runtime/journal-writer.ts",
    search: "return !this.#isFirstOrderDurable || nowMs - this.#durableMs > DURABLE_AGE_MAX_MS;",
    replace: "return !this.#isFirstOrderDurable && false;",
    faults: "disk-hangs",
  },
  {
    name: "durability: power is ignored",
    file: "src/runtime/journal-writer.ts",
    search: 'if (this.#options.durability === "power") return true;',
    replace: "",
    faults: "power-cut,disk-hangs",
  },
  {
    name: "orders of a slow decision are sent",
    file: "src/runtime/carry-out.ts",
    search: "if (stepMs + diskMs <= ORDER_AGE_MAX_MS) return undefined;",
    replace: "if (diskMs <= ORDER_AGE_MAX_MS) return undefined;",
  },
  {
    name: "orders leave although the journal has failed",
    file: "src/runtime/carry-out.ts",
    search: 'if (!hasJournal) return "the journal cannot be written";',
    replace: "",
    faults: "disk-full",
  },
];

export const mutants: readonly Mutant[] = [
  ...orders,
  ...kernel,
  ...executionAndRisk,
  ...edges,
  ...moneyMutants,
  ...ordinaryMutants,
  ...riskMutants,
  ...worldMutants,
  ...sessionMutants,
  ...sourceMutants,
];
