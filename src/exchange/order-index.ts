import { Ring } from "../base/ring.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Account } from "./account.ts";
import { flat, type ImagePart, partLater, partNow, type SavedRows, unflat } from "./image.ts";
import { type Order, orderRow, type OrderRow } from "./order.ts";
import type { UserTrade } from "./records.ts";

export interface IndexLimits {
  /** Ended orders and executions kept of each account. */
  readonly historyPerAccount: number;
}

/** The orders and executions of one account. */
interface Shelf {
  /** In the order of their admission. */
  readonly open: Set<Order>;
  /** In the order of their end. */
  readonly ended: Ring<Order>;
  readonly trades: Ring<UserTrade>;
}

/** Finds orders by id and by account. Orders of recorded liquidity are not in it; their levels hold them. */
export class OrderIndex {
  readonly #limits: IndexLimits;
  readonly #byId = new Map<OrderId, Order>();
  readonly #shelves = new Map<Account, Shelf>();

  constructor(limits: IndexLimits) {
    this.#limits = limits;
  }

  find(orderId: OrderId): Order | undefined {
    return this.#byId.get(orderId);
  }

  /** Newest first. */
  open(account: Account): Order[] {
    return [...(this.#shelves.get(account)?.open ?? [])].reverse();
  }

  /** Ended orders, the one that ended last first. */
  ended(account: Account): Iterable<Order> {
    return this.#shelves.get(account)?.ended.newestFirst() ?? [];
  }

  trades(account: Account): Iterable<UserTrade> {
    return this.#shelves.get(account)?.trades.newestFirst() ?? [];
  }

  /** A new order that may trade. */
  add(order: Order): void {
    const { account } = order.terms;
    if (account.isFlow) return;
    this.#byId.set(order.orderId, order);
    this.#shelf(account).open.add(order);
  }

  /** The order is over; a rejected one was never added. */
  end(order: Order): void {
    const { account } = order.terms;
    if (account.isFlow) return;
    const shelf = this.#shelf(account);
    if (!shelf.open.delete(order)) this.#byId.set(order.orderId, order);
    const forgotten = shelf.ended.push(order);
    if (forgotten !== undefined) this.#byId.delete(forgotten.orderId);
  }

  trade(account: Account, trade: UserTrade): void {
    this.#shelf(account).trades.push(trade);
  }

  /** Orders that are not over are among them as they stand now. */
  save(): ImagePart[] {
    const open: OrderRow[] = [];
    const ended: Order[] = [];
    const trades: (readonly [Address, UserTrade])[] = [];
    for (const [account, shelf] of this.#shelves) {
      for (const order of shelf.open) open.push(orderRow(order));
      for (const order of shelf.ended.oldestFirst()) ended.push(order);
      for (const trade of shelf.trades.oldestFirst()) trades.push([account.address, trade]);
    }
    return [
      partNow("open-orders", open),
      partLater("ended-orders", ended, orderRow),
      partLater("user-trades", trades, ([address, trade]) => [address, flat(trade)]),
    ];
  }

  /** `orderOf` makes the order of a row. */
  restore(
    saved: SavedRows,
    orderOf: (row: OrderRow) => Order,
    accountOf: (address: Address) => Account,
  ): void {
    for (const row of saved<OrderRow>("open-orders")) this.add(orderOf(row));
    for (const row of saved<OrderRow>("ended-orders")) this.end(orderOf(row));
    for (const [address, trade] of saved<[Address, unknown]>("user-trades")) {
      this.trade(accountOf(address), unflat<UserTrade>(trade));
    }
  }

  #shelf(account: Account): Shelf {
    let shelf = this.#shelves.get(account);
    if (shelf === undefined) {
      const keep = this.#limits.historyPerAccount;
      shelf = { open: new Set(), ended: new Ring(keep), trades: new Ring(keep) };
      this.#shelves.set(account, shelf);
    }
    return shelf;
  }
}
