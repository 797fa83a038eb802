import { TouchlineError } from "../base/error.ts";
import { addFixed, fixed, fixedText, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import { isCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { isTerminal, type Fill, type OrderReport } from "../domain/order.ts";
import { carriedKey } from "../orders/carried.ts";
import type { CarriedItem, Input, Restored, RestoredOrder } from "../kernel/input.ts";
import { AwaitedList } from "./awaited-list.ts";
import { believedInputs } from "./believed-inputs.ts";
import type { BatchEntry, CrashEntry } from "./entry.ts";
import { adoptedOrder, placedOrders } from "./placed-orders.ts";

interface OpenOrder {
  readonly saved: RestoredOrder;
  quantity: Fixed;
  /** See `RestoredOrder`. */
  isSized: boolean;
  /** Sum of the known fills. */
  executed: Fixed;
  /** Highest executed quantity that the venue reported. */
  reported: Fixed;
  /** It ended, and is kept until all of its fills are known and its end is confirmed. */
  isOver: boolean;
  /** The venue said that it had ended it, its fills are complete, or no byte of it was sent. */
  isProven: boolean;
  /** The venue accepted it or showed it. */
  isAcknowledged: boolean;
  /** The venue showed it in the book. */
  hasRested: boolean;
  /** The venue accepted a cancel or modify of it, and no query or list has shown it open since. */
  isCancelAccepted: boolean;
  readonly tradeIds: Set<string>;
}

/** Most orders remembered that ended by our own conclusion; the oldest are dropped first. */
const MAX_GIVEN_UP = 200;
/** Most orders of which only an event said that they had ended; the oldest count as ended first. */
const MAX_UNCONFIRMED = 200;

/**
 * The open orders and the highest nonce of a journal, computed from its entries, and what the kernel published for the next run. An order is open
 * from its signing until its end and all its fills are known; otherwise a restart would never read those fills. An end that
 * only an event told is known once the venue has confirmed it (docs/decisions/235). A running bot writes checkpoints from the ledger, and a restart finds its orders
 * with it. It is independent of the tracker on purpose.
 */
export class OrderLedger {
  /** The newest item of each key (`carriedKey`), as the kernel published it or a person set it. */
  readonly #carried = new Map<string, CarriedItem>();
  #nonceHighWater: number;
  readonly #open = new Map<OrderId, OpenOrder>();
  /** Orders that the kernel took for never placed or lost, refused ones included. They are open again once the venue shows them. */
  readonly #givenUp = new Map<OrderId, OpenOrder>();
  /** Orders of which something executed was doubted, until a list of fills has come. */
  readonly #awaitsFills = new AwaitedList();
  /** Orders of which only an event said that they had ended, until a query by id, a list of open orders or an accepted cancel confirms it. */
  readonly #unconfirmed = new AwaitedList();
  /** Orders whose request is open, by intent. */
  readonly #requests = new Map<number, OpenOrder>();
  /** Orders of which a cancel or modify is open, by its intent. */
  readonly #cancels = new Map<number, OpenOrder>();
  /** Orders that the current batch adopts, and those of them that an input has opened. */
  readonly #adopting = new Map<OrderId, RestoredOrder>();
  readonly #adopted = new Set<OrderId>();
  /** See `Restored`. */
  #venueOffsetMs: number | undefined;
  #lastEntryMs: number | undefined;

  constructor(restored: Restored = { nonceHighWater: 0, orders: [] }) {
    this.#nonceHighWater = restored.nonceHighWater;
    this.#venueOffsetMs = restored.venueOffsetMs;
    this.#lastEntryMs = restored.lastEntryMs;
    for (const saved of restored.orders) this.#restore(saved);
    for (const saved of restored.givenUp ?? []) this.#giveUp(openOrder(saved));
    this.carry(restored.carried ?? []);
  }

  get nonceHighWater(): number {
    return this.#nonceHighWater;
  }

  apply(entry: BatchEntry): void {
    const { nowMs } = entry.batch;
    for (const effect of entry.effects) {
      if (effect.type === "adopt") this.#adopting.set(effect.order.orderId, adoptedOrder(effect));
      if (effect.type !== "disbelieve" || effect.awaitsFills !== true) continue;
      const doubted = entry.batch.inputs[effect.at];
      if (doubted?.type === "orderEvent") this.#awaitsFills.add(doubted.event.order.orderId);
    }
    for (const input of believedInputs(entry)) this.#input(input);
    if (this.#lastEntryMs !== undefined) this.#lastEntryMs = nowMs;
    if (entry.effects.length > 0) {
      for (const saved of placedOrders(entry)) {
        if (!this.#adopted.has(saved.orderId)) this.#open.set(saved.orderId, openOrder(saved));
        this.#lastEntryMs = nowMs;
      }
    }
    this.#adopting.clear();
    this.#adopted.clear();
    for (const { intent, txHash } of entry.signed) {
      const order = this.#open.get(txHash);
      if (order !== undefined) this.#requests.set(intent, order);
    }
    for (const effect of entry.effects) {
      if (isCommand(effect) || effect.type === "standby") {
        this.#raiseNonce(effect.nonce);
        if (effect.type !== "cancel" && effect.type !== "modify") continue;
        const order = this.#open.get(effect.orderId);
        if (order !== undefined) this.#cancels.set(effect.intent, order);
      } else if (effect.type === "openOrders") {
        this.#unconfirmed.requested();
      } else if (effect.type === "fills") {
        this.#awaitsFills.requested();
      }
    }
    for (const id of entry.ended) {
      const order = this.#open.get(id);
      if (order === undefined) continue;
      if (order.executed >= order.quantity) order.isProven = true;
      if (order.isProven || order.executed < order.reported) this.#over(order);
      else this.#giveUp(order);
    }
    this.carry(entry.carried ?? []);
  }

  /** Replaces what the next run has to know besides orders, item by item. */
  carry(items: readonly CarriedItem[]): void {
    for (const item of items) this.#carried.set(carriedKey(item), item);
  }

  crashed(crash: CrashEntry): void {
    this.#raiseNonce(crash.nonceHighWater);
  }

  /** The run ended cleanly: the journal has all of its orders. */
  ended(): void {
    this.#lastEntryMs = undefined;
  }

  /** The orders whose end is not known, oldest first. */
  open(): readonly {
    readonly orderId: OrderId;
    readonly nonce: number;
    readonly isAcknowledged: boolean;
  }[] {
    return [...this.#open.values()]
      .filter(({ isOver, saved }) => !isOver || this.#unconfirmed.has(saved.orderId))
      .map(({ saved: { orderId, nonce }, isAcknowledged }) => ({ orderId, nonce, isAcknowledged }));
  }

  /** The open orders as plain data, oldest first, and the highest nonce. */
  restored(): Restored {
    const givenUp = [...this.#givenUp.values()].map((order) => restoredOrder(order));
    const carried = [...this.#carried.values()];
    return {
      nonceHighWater: this.#nonceHighWater,
      orders: [...this.#open.values()].map((order) =>
        restoredOrder(order, this.#awaitsFills.has(order.saved.orderId)),
      ),
      ...(givenUp.length === 0 ? {} : { givenUp }),
      ...(carried.length === 0 ? {} : { carried }),
      ...(this.#venueOffsetMs === undefined ? {} : { venueOffsetMs: this.#venueOffsetMs }),
      ...(this.#lastEntryMs === undefined ? {} : { lastEntryMs: this.#lastEntryMs }),
    };
  }

  /** One wrong number would make every later nonce wrong. */
  #raiseNonce(nonce: number): void {
    if (!Number.isSafeInteger(nonce)) {
      throw new TouchlineError("JOURNAL_DAMAGED", `A nonce in the journal is ${nonce}.`);
    }
    this.#nonceHighWater = Math.max(this.#nonceHighWater, nonce);
  }

  #giveUp(order: OpenOrder): void {
    const { orderId } = order.saved;
    this.#open.delete(orderId);
    this.#givenUp.set(orderId, order);
    const [oldest] = this.#givenUp.keys();
    if (this.#givenUp.size > MAX_GIVEN_UP && oldest !== undefined) this.#givenUp.delete(oldest);
  }

  /** The open or given-up order that the venue has just shown; undefined for an order that the ledger does not have. */
  #shown(orderId: OrderId): OpenOrder | undefined {
    const order = this.#open.get(orderId) ?? this.#givenUp.get(orderId);
    if (order === undefined) return undefined;
    order.isAcknowledged = true;
    // The kernel had concluded its end, and counts it again.
    if (!order.isProven) order.isOver = false;
    if (this.#givenUp.delete(orderId)) this.#open.set(orderId, order);
    return order;
  }

  #input(input: Input): void {
    switch (input.type) {
      case "restored":
        for (const saved of input.restored.orders) {
          if (!this.#open.has(saved.orderId)) this.#restore(saved);
        }
        for (const saved of input.restored.givenUp ?? []) {
          if (!this.#givenUp.has(saved.orderId)) this.#giveUp(openOrder(saved));
        }
        this.carry(input.restored.carried ?? []);
        this.#raiseNonce(input.restored.nonceHighWater);
        return;
      case "venueTime":
        this.#venueOffsetMs = input.offsetMs;
        return;
      case "response":
        this.#response(input);
        return;
      case "orderEvent":
        this.#adopt(input.event.order.orderId);
        if (input.event.fill !== undefined) this.#fill(input.event.fill);
        this.#report(input.event.order, true);
        return;
      case "order":
        if (input.report !== "absent") this.#report(input.report);
        return;
      case "openOrders":
        for (const report of input.orders.toReversed()) this.#report(report);
        for (const orderId of this.#unconfirmed.listed()) this.#forgetEnded(orderId);
        return;
      case "fills":
        for (const fill of input.fills) this.#fill(fill);
        if (input.isPart === true) return;
        for (const orderId of this.#awaitsFills.listed()) this.#forgetEnded(orderId);
        return;
      default:
        return;
    }
  }

  #response({ intent, outcome }: Extract<Input, { type: "response" }>): void {
    const order = this.#requests.get(intent);
    const canceled = this.#cancels.get(intent);
    this.#requests.delete(intent);
    this.#cancels.delete(intent);
    if (order !== undefined) {
      if (outcome.type === "accepted") order.isAcknowledged = true;
      // A refused order may have a copy that the venue takes (docs/decisions/208).
      else if (outcome.type === "not-sent") order.isProven = true;
    }
    if (canceled === undefined || outcome.type !== "accepted") return;
    canceled.isCancelAccepted = true;
    this.#confirmEnd(canceled.saved.orderId);
  }

  /** A report makes an order ours that this batch adopts, so a fill or end that comes with it counts. */
  #adopt(orderId: OrderId): void {
    const saved = this.#adopting.get(orderId);
    // A later report of the same batch may be older than the order's end.
    if (saved === undefined || this.#adopted.has(orderId)) return;
    if (this.#open.get(orderId)?.isOver === false) return;
    this.#givenUp.delete(orderId);
    this.#unconfirmed.delete(orderId);
    this.#open.set(orderId, openOrder(saved));
    this.#adopted.add(orderId);
  }

  #report(report: OrderReport, isEvent = false): void {
    this.#adopt(report.orderId);
    const order = this.#shown(report.orderId);
    if (order === undefined) return;
    order.reported = maxFixed(order.reported, report.executedQty);
    takeSize(order, report);
    const hasEnded = isTerminal(report.status);
    if (hasEnded) order.isProven = true;
    else order.hasRested ||= report.status !== "PENDING_NEW";
    if (isEvent) {
      if (hasEnded && isDoubtful(order, report)) this.#doubtEnd(report.orderId);
    } else if (hasEnded) {
      this.#unconfirmed.delete(report.orderId);
    } else {
      order.isCancelAccepted = false;
      // A list that shows it confirms no end. The kernel queries it.
      if (this.#unconfirmed.has(report.orderId)) this.#unconfirmed.add(report.orderId);
    }
    if (hasEnded) this.#over(order);
  }

  /** Only an event says that the order has ended. */
  #doubtEnd(orderId: OrderId): void {
    this.#unconfirmed.add(orderId);
    const { size, oldest } = this.#unconfirmed;
    if (size > MAX_UNCONFIRMED && oldest !== undefined) this.#confirmEnd(oldest);
  }

  #confirmEnd(orderId: OrderId): void {
    this.#unconfirmed.delete(orderId);
    this.#forgetEnded(orderId);
  }

  /** Something that the order waited for has come. Forgets it if it has ended and waits for nothing else. */
  #forgetEnded(orderId: OrderId): void {
    const order = this.#open.get(orderId);
    if (order?.isOver === true) this.#over(order);
  }

  #over(order: OpenOrder): void {
    order.isOver = true;
    const { orderId } = order.saved;
    if (order.executed < order.reported) return;
    if (this.#awaitsFills.has(orderId) || this.#unconfirmed.has(orderId)) return;
    this.#open.delete(orderId);
  }

  #restore(saved: RestoredOrder): void {
    this.#open.set(saved.orderId, openOrder(saved));
    if (saved.awaitsFills === true) this.#awaitsFills.add(saved.orderId);
  }

  #fill(fill: Fill): void {
    const order = this.#shown(fill.orderId);
    if (order === undefined || order.tradeIds.has(fill.tradeId)) return;
    order.tradeIds.add(fill.tradeId);
    order.executed = addFixed(order.executed, fill.quantity);
    if (order.isOver) this.#over(order);
  }
}

/** Whether an event alone says that an order has ended: the venue has accepted no cancel of it, and it is not executed in full. */
function isDoubtful(order: OpenOrder, { status, executedQty }: OrderReport): boolean {
  // A leg that waits for its quote ends with it (D25).
  if (order.isCancelAccepted || (order.saved.leg !== undefined && !order.hasRested)) return false;
  // A leg has the size of its newest report.
  const isSized = order.isSized || order.saved.leg !== undefined;
  return status !== "FILLED" || (isSized && executedQty < order.quantity);
}

/** Takes the venue's size of a leg, which may change, or of a replacement (D23). A waiting leg may be reported without one. */
export function takeSize(
  order: Pick<OpenOrder, "saved" | "quantity" | "isSized">,
  { orderMode, origQty }: OrderReport,
): void {
  if (order.isSized || orderMode !== 0 || origQty === ZERO) return;
  order.quantity = origQty;
  order.isSized = order.saved.leg === undefined;
}

function openOrder(saved: RestoredOrder): OpenOrder {
  return {
    saved,
    quantity: fixed(saved.quantity),
    isSized: saved.isSized === true,
    executed: fixed(saved.executed),
    reported: ZERO,
    isOver: false,
    isProven: false,
    isAcknowledged: saved.isAcknowledged === true,
    hasRested: false,
    isCancelAccepted: false,
    tradeIds: new Set(saved.tradeIds),
  };
}

/** An order as plain data, for a checkpoint and for the next run. */
function restoredOrder(order: OpenOrder, awaitsFills = false): RestoredOrder {
  const { saved, quantity, isSized, executed, tradeIds, isAcknowledged } = order;
  const { awaitsFills: _, ...rest } = saved;
  return {
    ...rest,
    ...(awaitsFills ? { awaitsFills } : {}),
    quantity: fixedText(quantity),
    ...(isSized ? { isSized } : {}),
    ...(isAcknowledged ? { isAcknowledged } : {}),
    executed: fixedText(executed),
    tradeIds: [...tradeIds],
  };
}
