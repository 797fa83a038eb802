import {
  addFixed,
  fixed,
  fixedText,
  maxFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { isLegalPrice, minSizeAt } from "../domain/price.ts";
import type { Side } from "../domain/side.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { LiveEnd } from "../runtime/live-bot.ts";
import type { Scenario } from "./scenario.ts";
import type { SeenTransaction, Witness } from "./witness.ts";

/** Where an invariant looks. */
export interface Watched {
  readonly scenario: Scenario;
  readonly witness: Witness;
  /** Milliseconds since the world began. */
  elapsedMs(): number;
  /** A bot runs: between its start and its end or a kill. */
  isBotAlive(): boolean;
  /** What the journal's file was given last. */
  lastAppended(): string;
}

/** Something that must always be true. Each hook gives a sentence when it is not. */
export interface Invariant {
  readonly name: string;
  /** Made anew for each world. */
  watch(world: Watched): InvariantHooks;
}

export interface InvariantHooks {
  /** A new process of the bot begins. */
  runStarts?(): void;
  /** After each step of the kernel that observers are told of; the witness knows it already. */
  entry?(entry: ObservedEntry): string | undefined;
  /** A request leaves the bot; with its transaction, when it is a command. */
  request?(transaction: SeenTransaction | undefined): string | undefined;
  /** Every 50 ms, and after each request that the venue served. */
  tick?(): string | undefined;
  /** The last fault ended this moment. */
  calm?(): string | undefined;
  /** The faults are over for so long that everything has to be in order, and the bot still works. */
  healed?(): string | undefined;
  /** The bot was stopped, and nothing is under way any more. */
  ended?(end: LiveEnd): string | undefined;
}

const sides: readonly Side[] = ["BUY", "SELL"];

/** Fees of fills that the bot knows of only by their quantity are not in its position yet. */
const FEE_SLACK = 1000n;

/**
 * 1. Exposure: what the venue has executed and still has open, per side, never goes beyond the position limit. A limit counts
 * from the start of a run (risk/rules/max-position.ts), so orders left by a killed one may be above it, but not grow.
 */
const exposure: Invariant = {
  name: "exposure",
  watch({ scenario, witness }) {
    const { baseToken } = witness.market;
    const before = witness.total(baseToken);
    const written = fixed(scenario.maxPosition);
    const limit = addFixed(written, (written / FEE_SLACK) as Fixed);
    const allowed = { BUY: limit, SELL: limit };
    const worst = (side: Side): Fixed => {
      const net = subFixed(subFixed(witness.total(baseToken), before), witness.runStartBase);
      return witness
        .openAtVenue()
        .filter((order) => order.side === side)
        .reduce(
          (sum, { origQty, executedQty }) => addFixed(sum, subFixed(origQty, executedQty)),
          side === "BUY" ? net : negFixed(net),
        );
    };
    return {
      runStarts() {
        for (const side of sides) allowed[side] = maxFixed(limit, worst(side));
      },
      tick() {
        for (const side of sides) {
          const now = worst(side);
          if (now > allowed[side])
            return `${side} ${fixedText(now)}, limit ${fixedText(allowed[side])}`;
        }
        return undefined;
      },
    };
  },
};

/** Longest that an order may be open at the venue without a living bot knowing it. */
const ORPHAN_MS = 15_000;

/** 2. No orphan: every order of ours that is open at the venue is held for live by the bot. */
const noOrphan: Invariant = {
  name: "no-orphan",
  watch({ witness, elapsedMs, isBotAlive }) {
    const since = new Map<OrderId, number>();
    return {
      runStarts: () => since.clear(),
      tick() {
        if (!isBotAlive()) {
          since.clear();
          return undefined;
        }
        const nowMs = elapsedMs();
        const unknown = witness
          .openAtVenue()
          .map(({ orderId }) => orderId)
          .filter((orderId) => witness.orders.get(orderId) !== "live");
        for (const orderId of since.keys()) if (!unknown.includes(orderId)) since.delete(orderId);
        for (const orderId of unknown) {
          const firstMs = since.get(orderId) ?? nowMs;
          since.set(orderId, firstMs);
          if (nowMs - firstMs > ORPHAN_MS) {
            return `${orderId} is open at the venue, for the bot it is ${witness.orders.get(orderId) ?? "unheard of"}`;
          }
        }
        return undefined;
      },
    };
  },
};

/** 3. Liveness: once the faults are over, what the bot holds for live is open at the venue, or on its way. */
const nothingInDoubt: Invariant = {
  name: "nothing-in-doubt",
  watch({ witness, elapsedMs }) {
    const since = new Map<OrderId, number>();
    return {
      tick() {
        const nowMs = elapsedMs();
        for (const [orderId, state] of witness.orders) {
          if (state === "ended") since.delete(orderId);
          else if (!since.has(orderId)) since.set(orderId, nowMs);
        }
        return undefined;
      },
      healed() {
        const open = new Set(witness.openAtVenue().map(({ orderId }) => orderId));
        for (const [orderId, sinceMs] of since) {
          if (
            witness.orders.get(orderId) === "live" &&
            !open.has(orderId) &&
            elapsedMs() - sinceMs > 5_000
          ) {
            return `${orderId} is held for live for ${Math.round(elapsedMs() - sinceMs)} ms and is ${witness.exchange.order(orderId)?.status ?? "not there"} at the venue`;
          }
        }
        return undefined;
      },
      ended({ ok }) {
        if (!ok) return undefined;
        const live = [...witness.orders].find(([, state]) => state === "live");
        return live === undefined ? undefined : `${live[0]} never ended`;
      },
    };
  },
};

/** 4. At the end fills, position, fees and balances are the venue's. */
const sameMoney: Invariant = {
  name: "same-money",
  watch({ witness }) {
    const { baseToken, quoteToken } = witness.market;
    const before = { base: witness.total(baseToken), quote: witness.total(quoteToken) };
    return {
      entry: () => {
        const repeated = witness.repeatedFills.pop();
        return repeated === undefined ? undefined : `trade ${repeated} was told twice`;
      },
      ended({ ok }) {
        if (!ok) return undefined;
        const trades = witness.tradesAtVenue();
        if (trades.length !== witness.fills) {
          return `${witness.fills} fills, ${trades.length} at the venue`;
        }
        const fees = trades.reduce((sum, { fee }) => addFixed(sum, fee), ZERO);
        const known = [...witness.position.fees.values()].reduce(addFixed, ZERO);
        if (fees !== known) return `fees ${fixedText(known)}, ${fixedText(fees)} at the venue`;
        const base = subFixed(witness.total(baseToken), before.base);
        const quote = subFixed(witness.total(quoteToken), before.quote);
        const { position } = witness;
        if (base !== position.base || quote !== position.quote) {
          return `position ${fixedText(position.base)} and ${fixedText(position.quote)}, at the venue ${fixedText(base)} and ${fixedText(quote)}`;
        }
        return undefined;
      },
    };
  },
};

/** 5. The local book is the venue's at the same update id, and nothing is placed on a book that is not in sync. */
const sameBook: Invariant = {
  name: "same-book",
  watch({ witness }) {
    const { marketId } = witness.market;
    return {
      entry({ effects }) {
        const { book } = witness;
        const { live } = book;
        if (live === undefined) {
          return effects.some(({ type }) => type === "place") ? "placed without a book" : undefined;
        }
        const real = witness.exchange.book(marketId, 10_000);
        if (book.lastId !== real.lastId) return undefined;
        witness.reach("book compared");
        for (const [side, levels] of [
          ["BUY", real.bids],
          ["SELL", real.asks],
        ] as const) {
          const held = live.side(side).top(10_000);
          const isSame =
            held.length === 2 * levels.length &&
            levels.every(
              ({ price, quantity }, at) =>
                held[2 * at] === price && held[2 * at + 1] === Number(fixedText(quantity)),
            );
          if (!isSame) return `${side} differs at id ${book.lastId}`;
        }
        return undefined;
      },
      healed: () => (witness.book.live === undefined ? "the book is not in sync" : undefined),
    };
  },
};

/** 6. No nonce signs twice; prices and sizes are legal. */
const oneNonceOneCommand: Invariant = {
  name: "one-nonce-one-command",
  watch() {
    const signed = new Map<number, string>();
    return {
      request(transaction) {
        if (transaction === undefined) return undefined;
        const { nonce, bytesHex } = transaction;
        const known = signed.get(nonce) ?? bytesHex;
        signed.set(nonce, known);
        return known === bytesHex ? undefined : `nonce ${nonce} signs two commands`;
      },
      entry({ effects }) {
        for (const effect of effects) {
          if (effect.type !== "place") continue;
          const { price, quantity } = effect;
          if (!isLegalPrice(price)) return `placed at the illegal price ${price}`;
          if (quantity < minSizeAt(price))
            return `placed ${fixedText(quantity)} at ${price}, too small`;
        }
        return undefined;
      },
    };
  },
};

/** What a fault left on its way has arrived by then. */
const AFTERMATH_MS = 15_000;

/**
 * 6. The venue rejects nothing in calm weather. Under faults a fill may be known before the balance that it left, and an order
 * for the same money be refused: rarely.
 */
const noRejections: Invariant = {
  name: "no-rejections",
  watch({ witness, elapsedMs }) {
    const rejected = (): number => witness.reached.get("order REJECTED") ?? 0;
    let calmMs = Number.POSITIVE_INFINITY;
    let before: number | undefined;
    return {
      calm() {
        calmMs = elapsedMs();
        const placed = witness.reached.get("effect place") ?? 0;
        const isRare = rejected() <= 2 + placed / 100;
        return isRare ? undefined : `${rejected()} of ${placed} orders were rejected`;
      },
      tick() {
        if (elapsedMs() > calmMs + AFTERMATH_MS) before ??= rejected();
        return undefined;
      },
      ended() {
        const count = rejected() - (before ?? rejected());
        return count === 0 ? undefined : `${count} orders were rejected without a fault`;
      },
    };
  },
};

/** Reads held in the gateway's lane, and the few questions outside the kernel at the start and the end. */
const RATE_SLACK = 16;

/** 6. Requests keep to the rate limit, whatever fails. A clock that jumps refills the bucket once. */
const rateLimit: Invariant = {
  name: "rate-limit",
  watch({ scenario, elapsedMs }) {
    const { perSecond, burst } = scenario.rate;
    const full = burst + RATE_SLACK;
    const jumps = scenario.faults.some(({ name }) => name === "clock-jumps");
    let tokens = full;
    let lastMs = 0;
    return {
      runStarts() {
        tokens = full;
      },
      request() {
        if (jumps) return undefined;
        tokens = Math.min(full, tokens + ((elapsedMs() - lastMs) * perSecond) / 1000) - 1;
        lastMs = elapsedMs();
        return tokens < 0 ? `more than ${burst} requests and ${perSecond} a second` : undefined;
      },
    };
  },
};

/** Steps without news in one second: the kernel's own deadlines are far fewer. */
const IDLE_STEPS = 100;

/** 10. The loop sleeps when nothing happens: a deadline in the past would burn the processor. */
const noSpinning: Invariant = {
  name: "no-spinning",
  watch({ elapsedMs }) {
    let second = 0;
    let steps = 0;
    return {
      entry({ batch, effects }) {
        const now = Math.floor(elapsedMs() / 1000);
        if (now !== second) steps = 0;
        second = now;
        if (batch.inputs.length === 0 && effects.length === 0) steps += 1;
        return steps === IDLE_STEPS ? `${steps} empty steps in one second` : undefined;
      },
    };
  },
};

/** 8. Journal before wire: what leaves stands in the newest append. */
const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  watch: ({ lastAppended }) => ({
    request(transaction) {
      if (transaction === undefined || lastAppended().includes(transaction.bytesHex))
        return undefined;
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};

/** 2. After the stop nothing of ours is open, or the bot says what may be. Foreign orders are never touched. */
const cleanEnd: Invariant = {
  name: "clean-end",
  watch: ({ scenario, witness }) => ({
    ended({ ok, inQuestion, summary, reason }) {
      if (!ok && !scenario.stopsInTrouble) return `it ended badly without a fault: ${reason}`;
      for (const { orderId, status } of witness.openAtVenue()) {
        if (!inQuestion.includes(orderId)) return `${orderId} is left open as ${status}, unsaid`;
      }
      if (ok && (summary.ordersLeft !== 0 || summary.unknownOutcomes !== 0)) {
        return `a good end with ${summary.ordersLeft} orders left, ${summary.unknownOutcomes} unknown`;
      }
      if (ok && summary.foreignOrders !== witness.foreign.size) {
        return `${summary.foreignOrders} foreign orders, there are ${witness.foreign.size}`;
      }
      for (const orderId of witness.foreign) {
        const status = witness.exchange.order(orderId)?.status;
        if (status !== "NEW") return `the foreign order ${orderId} is ${status}`;
      }
      return undefined;
    },
  }),
};

/** All of them; a new one is one more entry. */
export const invariants: readonly Invariant[] = [
  exposure,
  noOrphan,
  nothingInDoubt,
  sameMoney,
  sameBook,
  oneNonceOneCommand,
  noRejections,
  rateLimit,
  noSpinning,
  journalBeforeWire,
  cleanEnd,
];
