import { isCommand, type Command } from "../domain/command.ts";
import { addFixed, fixed, fixedText, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Fill, OrderReport } from "../domain/order.ts";
import type { Input, RestoredOrder } from "../kernel/input.ts";
import { savedRole } from "../orders/restored-order.ts";
import type { BatchEntry, Entry, StrategyFill } from "./entry.ts";
import { latencyRows } from "./latency-rows.ts";
import { placedOrders } from "./placed-orders.ts";
import { OwnFills, restoredBy } from "./own-fills.ts";
import { uptimeRows } from "./uptime-rows.ts";

/** A row of an exported table: its cells by column. Times are Unix milliseconds, amounts exact decimal text. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export type TableName = "orders" | "fills" | "decisions" | "latency" | "uptime";

/** What every list of fills has of a fill. */
export const fillColumns = [
  "strategy",
  "market",
  "side",
  "price",
  "quantity",
  "fee",
  "feeToken",
] as const;

/** The columns of each table, in order; docs/journal.md says what they mean. */
export const tableColumns: Readonly<Record<TableName, readonly string[]>> = {
  orders: [
    "run",
    "orderId",
    "strategy",
    "market",
    "role",
    "key",
    "side",
    "price",
    "stopPrice",
    "quantity",
    "executed",
    "nonce",
    "placedAt",
    "placedSeq",
    "response",
    "responseMs",
    "cancelAt",
    "status",
    "endedAt",
  ],
  fills: ["run", "time", "tradeId", "orderId", ...fillColumns, "isMaker", "paramsVersion"],
  decisions: [
    "run",
    "seq",
    "time",
    "strategy",
    "command",
    "orderId",
    "market",
    "side",
    "price",
    "stopPrice",
    "quantity",
    "intent",
    "nonce",
    "txHash",
  ],
  latency: ["run", "time", "way", "ms"],
  uptime: [
    "run",
    "strategy",
    "market",
    "from",
    "until",
    "uptimeBid",
    "uptimeAsk",
    "uptimeObligation",
  ],
};

/** The rows of a table for one run, in the order of the journal; orders follow when they are settled. */
export function* tableRows(
  table: TableName,
  run: number,
  entries: Iterable<Entry>,
): Generator<Row> {
  switch (table) {
    case "fills":
      yield* fillRows(run, entries);
      return;
    case "uptime":
      yield* uptimeRows(run, entries);
      return;
    default: {
      const rows = { orders: orderRows, decisions: decisionRows, latency: latencyRows }[table];
      yield* rows(run, batchesAmong(entries));
    }
  }
}

export function* batchesAmong(entries: Iterable<Entry>): Generator<BatchEntry> {
  for (const entry of entries) if (entry.type === "batch") yield entry.entry;
}

function* decisionRows(run: number, batches: Iterable<BatchEntry>): Generator<Row> {
  for (const { batch, effects, signed } of batches) {
    for (const effect of effects) {
      if (!isCommand(effect)) continue;
      const txHash = signed.find(({ intent }) => intent === effect.intent)?.txHash ?? null;
      const { type: command, strategy, intent, nonce } = effect;
      const step = { run, seq: batch.seq, time: batch.nowMs, strategy, command };
      const rest = { intent, nonce, txHash };
      yield { ...step, ...subjectOf(effect, txHash), ...rest };
    }
  }
}

/** The order that a command is about: for a cancel or modify the one that it ends. */
function subjectOf(command: Command, txHash: OrderId | null): Row {
  const none = { market: null, side: null, price: null, stopPrice: null, quantity: null };
  switch (command.type) {
    case "cancel":
      return { orderId: command.orderId, ...none };
    case "modify": {
      const { orderId, marketId: market, side, newPrice: price, newQty } = command;
      return { orderId, market, side, price, stopPrice: null, quantity: fixedText(newQty) };
    }
    case "place":
    case "stop": {
      const { marketId: market, side, price, quantity } = command;
      const stopPrice = command.type === "stop" ? command.stopPrice : null;
      return { orderId: txHash, market, side, price, stopPrice, quantity: fixedText(quantity) };
    }
  }
}

function* fillRows(run: number, entries: Iterable<Entry>): Generator<Row> {
  const versions = new Map<string, number>();
  const own = new OwnFills();
  for (const entry of entries) {
    for (const input of entry.type === "batch" ? entry.entry.batch.inputs : []) {
      if (input.type !== "params") continue;
      for (const { name } of input.strategies) versions.set(name, (versions.get(name) ?? 1) + 1);
    }
    for (const trade of own.apply(entry)) {
      const { timeMs: time, tradeId, orderId, isMaker } = trade.fill;
      const paramsVersion = versions.get(trade.strategy) ?? 1;
      yield { run, time, tradeId, orderId, ...fillCells(trade), isMaker, paramsVersion };
    }
  }
}

/** The cells of `fillColumns`. */
export function fillCells({
  strategy,
  fill,
}: StrategyFill): Readonly<Record<(typeof fillColumns)[number], string>> {
  const { marketId: market, side, price, quantity, fee, feeToken } = fill;
  const amounts = { price: fixedText(price), quantity: fixedText(quantity), fee: fixedText(fee) };
  return { strategy, market, side, ...amounts, feeToken };
}

/** Fills and reports of an order may follow its end by this much. */
const SETTLED_MS = 60_000;

interface ExportedOrder {
  readonly saved: RestoredOrder;
  /** Undefined for an order of an earlier run, and one that was adopted. */
  readonly placed: { readonly seq: number; readonly atMs: number } | undefined;
  quantity: Fixed;
  /** See `RestoredOrder`. */
  filled: Fixed;
  readonly tradeIds: Set<string>;
  response: { readonly type: string; readonly tookMs: number } | undefined;
  cancelMs: number | undefined;
  status: string | undefined;
  endedMs: number | undefined;
}

function* orderRows(run: number, batches: Iterable<BatchEntry>): Generator<Row> {
  const table = new OrderTable();
  for (const entry of batches) {
    for (const order of table.apply(entry)) yield orderRow(run, order);
  }
  for (const order of table.left()) yield orderRow(run, order);
}

/** The orders of a run, each until it is settled. */
class OrderTable {
  readonly #orders = new Map<OrderId, ExportedOrder>();
  readonly #requests = new Map<number, { readonly orderId: OrderId; readonly sentMs: number }>();
  /** Ended orders, oldest end first. */
  readonly #ended = new Set<OrderId>();

  /** Applies a step; returns the orders that are settled by now. */
  apply(entry: BatchEntry): readonly ExportedOrder[] {
    const { nowMs, seq } = entry.batch;
    for (const input of entry.batch.inputs) this.#input(input, nowMs);
    const adopted = entry.effects.flatMap((effect) =>
      effect.type === "adopt" ? [effect.order.orderId] : [],
    );
    for (const saved of placedOrders(entry)) {
      this.#add(saved, adopted.includes(saved.orderId) ? undefined : { seq, atMs: nowMs });
    }
    for (const fill of entry.booked) this.#fill(fill);
    for (const { intent, txHash } of entry.signed) {
      if (this.#orders.has(txHash)) this.#requests.set(intent, { orderId: txHash, sentMs: nowMs });
    }
    for (const effect of entry.effects) {
      if (!isCommand(effect) || !("orderId" in effect)) continue;
      const order = this.#orders.get(effect.orderId);
      if (order !== undefined) order.cancelMs ??= nowMs;
    }
    for (const id of entry.ended) {
      const order = this.#orders.get(id);
      if (order === undefined) continue;
      order.endedMs = nowMs;
      this.#ended.add(id);
    }
    return this.#settled(nowMs - SETTLED_MS);
  }

  left(): Iterable<ExportedOrder> {
    return this.#orders.values();
  }

  #settled(untilMs: number): readonly ExportedOrder[] {
    const settled: ExportedOrder[] = [];
    for (const id of this.#ended) {
      const order = this.#orders.get(id);
      if (order?.endedMs !== undefined && order.endedMs > untilMs) break;
      this.#ended.delete(id);
      this.#orders.delete(id);
      if (order !== undefined) settled.push(order);
    }
    return settled;
  }

  /** Also an order that comes back after its end, which the kernel adopts: its row follows its next end. */
  #add(saved: RestoredOrder, placed: ExportedOrder["placed"]): void {
    const known = this.#orders.get(saved.orderId);
    this.#ended.delete(saved.orderId);
    this.#orders.set(saved.orderId, {
      saved,
      placed: placed ?? known?.placed,
      quantity: fixed(saved.quantity),
      filled: fixed(saved.executed),
      tradeIds: new Set(saved.tradeIds),
      response: known?.response,
      cancelMs: known?.cancelMs,
      status: undefined,
      endedMs: undefined,
    });
  }

  #input(input: Input, nowMs: number): void {
    for (const saved of restoredBy(input)) this.#add(saved, undefined);
    if (input.type === "orderEvent") this.#report(input.event.order);
    if (input.type === "order" && input.report !== "absent") this.#report(input.report);
    if (input.type === "openOrders") for (const report of input.orders) this.#report(report);
    if (input.type !== "response") return;
    const request = this.#requests.get(input.intent);
    this.#requests.delete(input.intent);
    const order = request === undefined ? undefined : this.#orders.get(request.orderId);
    if (request === undefined || order === undefined) return;
    order.response = { type: input.outcome.type, tookMs: nowMs - request.sentMs };
  }

  #fill({ orderId, tradeId, quantity }: Fill): void {
    const order = this.#orders.get(orderId);
    if (order === undefined || order.tradeIds.has(tradeId)) return;
    order.tradeIds.add(tradeId);
    order.filled = addFixed(order.filled, quantity);
  }

  #report(report: OrderReport): void {
    const order = this.#orders.get(report.orderId);
    if (order === undefined) return;
    order.status = report.status;
    // The venue decides the size of a leg (D25) and makes a replacement smaller (D23).
    const mayDiffer = order.saved.leg !== undefined || report.origQty < order.quantity;
    if (mayDiffer && report.origQty !== ZERO) order.quantity = report.origQty;
  }
}

function orderRow(run: number, order: ExportedOrder): Row {
  const { saved, placed, response } = order;
  const { orderId, strategy, marketId, side, price, nonce, leg, stop } = saved;
  return {
    run,
    orderId,
    strategy,
    market: marketId,
    role: savedRole(saved),
    key: saved.key ?? null,
    side,
    price,
    stopPrice: stop?.stopPrice ?? leg?.stopPrice ?? null,
    quantity: fixedText(order.quantity),
    executed: fixedText(order.filled),
    nonce,
    placedAt: placed?.atMs ?? null,
    placedSeq: placed?.seq ?? null,
    response: response?.type ?? null,
    responseMs: response?.tookMs ?? null,
    cancelAt: order.cancelMs ?? null,
    status: order.status ?? null,
    endedAt: order.endedMs ?? null,
  };
}
