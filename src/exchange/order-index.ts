import { assert } from "../base/assert.ts";
import { Ring } from "../base/ring.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Account } from "./account.ts";
import type { TpslRequest } from "./command.ts";
import { BookedTrade } from "./booked-trade.ts";
import { flat, type SnapshotPart, partLater, partNow, type SavedRows, unflat } from "./snapshot.ts";
import {
  type ExchangeBracket,
  imageOf,
  type Order,
  type OrderImage,
  orderRow,
  rowOfImage,
  type SavedOrder,
} from "./order.ts";
import { OrderTable } from "./order-table.ts";
import type { UserTrade } from "./records.ts";
import { SharedHistory } from "./shared-history.ts";

export interface IndexLimits {
  /** Ended orders and executions kept of each account. */
  readonly historyPerAccount: number;
  /** The same of all accounts together. */
  readonly historyOfAll: number;
  readonly openOrdersPerAccount: number;
  readonly openOrdersOfAll: number;
}

/** The orders and executions of one account. */
interface AccountOrders {
  readonly account: Account;
  /** Open orders as a linked list in order of admission, which is cheaper than a set. */
  newest: Order | undefined;
  openCount: number;
  /** In the order in which they ended. */
  ended: Ring<Order>;
  /** Trades restored from a snapshot are records. */
  trades: Ring<BookedTrade | UserTrade>;
}

/** Finds orders by id and by account. Orders of recorded liquidity are only in their levels. */
export class OrderIndex {
  readonly #limits: IndexLimits;
  readonly #exempt: ReadonlySet<Address>;
  readonly #byId = new OrderTable();
  /** Indexed by account number. */
  readonly #accounts: (AccountOrders | undefined)[] = [];
  readonly #shared: SharedHistory;
  #openOfAll = 0;

  /** `exempt`: accounts that the bounds of all accounts together do not hold back. */
  constructor(limits: IndexLimits, exempt: ReadonlySet<Address>) {
    this.#limits = limits;
    this.#exempt = exempt;
    this.#shared = new SharedHistory(
      limits.historyOfAll,
      (account) => this.#clear(account),
      exempt,
    );
  }

  find(orderId: OrderId): Order | undefined {
    return this.#byId.find(orderId);
  }

  /** Why the account may have no further open order; undefined while it may. */
  fullReason(account: Account): string | undefined {
    const { openOrdersPerAccount, openOrdersOfAll } = this.#limits;
    const count = this.#accounts[account.number]?.openCount ?? 0;
    if (count >= openOrdersPerAccount) return "the account has too many open orders";
    if (this.#exempt.has(account.address)) return undefined;
    return this.#openOfAll >= openOrdersOfAll ? "the venue has too many open orders" : undefined;
  }

  /** Newest first. */
  open(account: Account): Order[] {
    const orders: Order[] = [];
    for (
      let order = this.#accounts[account.number]?.newest;
      order !== undefined;
      order = order.older
    ) {
      orders.push(order);
    }
    return orders;
  }

  /** Ended orders, the latest end first. */
  ended(account: Account): Iterable<Order> {
    return this.#accounts[account.number]?.ended.newestFirst() ?? [];
  }

  *trades(account: Account): Iterable<UserTrade> {
    for (const trade of this.#accounts[account.number]?.trades.newestFirst() ?? []) {
      yield recordOf(account, trade);
    }
  }

  /** Adds an order that may trade. */
  add(order: Order): void {
    const { account } = order;
    this.#byId.set(order);
    const orders = this.#ordersOf(account);
    order.isOpen = true;
    order.older = orders.newest;
    if (orders.newest !== undefined) orders.newest.newer = order;
    orders.newest = order;
    orders.openCount += 1;
    this.#openOfAll += 1;
  }

  /** Adds a leg that is not placed yet: it can be found by its id, and is in no list. */
  addPending(order: Order): void {
    this.#byId.set(order);
  }

  /** Moves an ended order to the history; a rejected order was never added. */
  end(order: Order): void {
    const { account } = order;
    const orders = this.#ordersOf(account);
    if (order.isOpen) {
      unlink(orders, order);
      this.#openOfAll -= 1;
    } else {
      this.#byId.set(order);
    }
    const forgotten = orders.ended.push(order);
    if (forgotten !== undefined) this.#byId.delete(forgotten.orderId);
    this.#shared.note(account, forgotten !== undefined);
  }

  trade(account: Account, trade: BookedTrade | UserTrade): void {
    const replaced = this.#ordersOf(account).trades.push(trade);
    this.#shared.note(account, replaced !== undefined);
  }

  /** Forgets an account that never owned anything, so that all its orders were rejected. */
  forget(account: Account): void {
    const orders = this.#accounts[account.number];
    if (orders === undefined) return;
    assert(orders.newest === undefined, "an account without money has no open orders");
    this.#shared.forget(account, this.#clear(account));
    this.#accounts[account.number] = undefined;
  }

  /** Forgets an account's ended orders and executions, and returns how many they were. */
  #clear(account: Account): number {
    const orders = this.#accounts[account.number];
    if (orders === undefined) return 0;
    const { ended, trades } = orders;
    for (const order of ended.newestFirst()) this.#byId.delete(order.orderId);
    const { historyPerAccount } = this.#limits;
    orders.ended = new Ring(historyPerAccount);
    orders.trades = new Ring(historyPerAccount);
    return ended.size + trades.size;
  }

  /** Open orders are saved in their current state. */
  save(): SnapshotPart[] {
    const open: OrderImage[] = [];
    const brackets = new Set<ExchangeBracket>();
    // One part per account with a history: they are long, and only their arrays are copied here.
    const histories: SnapshotPart[] = [];
    const addresses: Address[] = [];
    for (const orders of this.#accounts) {
      if (orders === undefined) continue;
      for (const order of this.open(orders.account).reverse()) {
        open.push(imageOf(order));
        if (order.bracket !== undefined) brackets.add(order.bracket);
      }
    }
    for (const orders of this.#accounts) {
      if (orders === undefined) continue;
      const { account } = orders;
      const { address } = account;
      addresses.push(address);
      const { ended, trades } = orders;
      if (ended.size > 0)
        histories.push(partLater(`ended-orders/${address}`, ended.oldestFirst(), orderRow));
      if (trades.size > 0)
        histories.push(
          partLater(`user-trades/${address}`, trades.oldestFirst(), (trade) =>
            flat(recordOf(account, trade)),
          ),
        );
    }
    return [
      partLater("open-orders", open, rowOfImage),
      partNow("brackets", [...brackets].map(bracketRow)),
      partNow("histories", addresses),
      this.#shared.save("history-order"),
      ...histories,
    ];
  }

  /** `orderOf` creates the order of a row. */
  restore(
    saved: SavedRows,
    orderOf: (row: SavedOrder) => Order,
    accountOf: (address: Address) => Account,
  ): void {
    const open = new Map<number, Order>();
    for (const row of saved<SavedOrder>("open-orders")) {
      const order = orderOf(row);
      this.add(order);
      open.set(order.recordId, order);
    }
    for (const address of saved<Address>("histories")) {
      for (const row of saved<SavedOrder>(`ended-orders/${address}`)) this.end(orderOf(row));
      const account = accountOf(address);
      for (const row of saved(`user-trades/${address}`)) {
        this.trade(account, unflat<UserTrade>(row));
      }
    }
    this.#shared.restore(saved<Address>("history-order"), accountOf);
    const known = (order: number | SavedOrder): Order => {
      if (typeof order !== "number") return orderOf(order);
      const found = open.get(order);
      assert(found !== undefined, "an open order of a bracket is among the open orders");
      return found;
    };
    for (const row of saved<BracketRow>("brackets")) this.#restoreBracket(row, known);
  }

  #restoreBracket(row: BracketRow, known: (order: number | SavedOrder) => Order): void {
    const [working, takeProfit, stopLoss, request, base, locked] = row;
    const bracket: ExchangeBracket = {
      request: unflat<TpslRequest>(request),
      working: working === null ? undefined : known(working),
      takeProfit: known(takeProfit),
      stopLoss: known(stopLoss),
      base: BigInt(base) as Fixed,
      locked: BigInt(locked) as Fixed,
      isEntering: false,
    };
    for (const order of [bracket.working, bracket.takeProfit, bracket.stopLoss]) {
      if (order === undefined) continue;
      order.bracket = bracket;
      if (order.status === "PENDING_NEW") this.addPending(order);
    }
  }

  #ordersOf(account: Account): AccountOrders {
    const known = this.#accounts[account.number];
    if (known !== undefined) return known;
    while (this.#accounts.length <= account.number) this.#accounts.push(undefined);
    const keep = this.#limits.historyPerAccount;
    const orders = {
      account,
      newest: undefined,
      openCount: 0,
      ended: new Ring<Order>(keep),
      trades: new Ring<BookedTrade | UserTrade>(keep),
    };
    this.#accounts[account.number] = orders;
    return orders;
  }
}

function recordOf({ address }: Account, trade: BookedTrade | UserTrade): UserTrade {
  return trade instanceof BookedTrade ? trade.ofAccount(address) : trade;
}

function unlink(orders: AccountOrders, order: Order): void {
  const { older, newer } = order;
  if (older !== undefined) older.newer = newer;
  if (newer === undefined) orders.newest = older;
  else newer.older = older;
  orders.openCount -= 1;
  order.isOpen = false;
  order.older = undefined;
  order.newer = undefined;
}

/** A bracket as a row of a snapshot. Open legs are saved by their record ids, the others as rows. */
type BracketRow = readonly [
  working: number | null,
  takeProfit: number | SavedOrder,
  stopLoss: number | SavedOrder,
  request: unknown,
  base: string,
  locked: string,
];

function bracketRow(bracket: ExchangeBracket): BracketRow {
  const { working, takeProfit, stopLoss, request, base, locked } = bracket;
  const legRow = (leg: Order) => (leg.isOpen ? leg.recordId : orderRow(leg));
  return [
    working?.recordId ?? null,
    legRow(takeProfit),
    legRow(stopLoss),
    flat(request),
    String(base),
    String(locked),
  ];
}
