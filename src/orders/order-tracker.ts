import { assert } from "../base/assert.ts";
import type { UnixMs } from "../domain/time.ts";
import { Absence } from "./absence.ts";
import { ExecutionReports } from "./execution-reports.ts";
import type { NonceExpiry } from "./nonce-expiry.ts";
import { OrderRegistry } from "./order-registry.ts";
import { OwnCommands } from "./own-commands.ts";
import type { QueryTiming } from "./query-schedule.ts";
import { restoreOrders } from "./restore-orders.ts";
import type { RestoredOrder } from "./restored-order.ts";
import type { TrackedOrder } from "./tracked-order.ts";

interface OrderTrackerOptions extends QueryTiming {
  /** Most ended orders remembered, so that late and repeated reports about them are recognised. */
  readonly maxEnded: number;
  /** Most trade ids remembered, besides those of live orders; default four for each ended order. */
  readonly maxTradeIds?: number;
  /** What the venue accepted shows in queries no later than this. Default 10 s. */
  readonly inFlightMs?: number;
  /** Until when the venue may accept an order's bytes (D37). Default: for `inFlightMs` after their request ended. */
  readonly nonceExpiry?: NonceExpiry | undefined;
}

/**
 * The bot's own orders, from the decision to the end, by the id that is known before an order is sent (§1.7).
 *
 * A `TrackedOrder` is plain data that only this folder changes. `commands` takes what we decided and how the requests ended, `reports` what the
 * venue says; both return the `OrderChange`s that follow. `order-machine.ts` has the phases of an order and of its newest cancel, and
 * `OrderRegistry` applies them and keeps everything that is derived from the orders: who is live, what rests at which price, which trades
 * are booked, who is queried by id and when (`QuerySchedule`). `Absence` decides what it means that the venue does not show an order.
 * Beside them stand what follows from fills (`Position`, `PositionBook`), the balances (`Balances`, `BalanceLedger`), and the tables for
 * observers (`OrderSnapshot`, `OwnOrders`). Imports base and domain.
 */
export class OrderTracker extends OrderRegistry {
  readonly commands: OwnCommands;
  readonly reports: ExecutionReports;
  readonly absence: Absence;
  /** Orders taken from a journal so far. */
  #restored = 0;

  constructor(options: OrderTrackerOptions) {
    const { maxEnded, maxTradeIds = 4 * maxEnded, queryFirstMs, queryMaxMs } = options;
    assert(maxEnded > 0 && maxTradeIds > 0, "maxEnded and maxTradeIds above 0");
    assert(queryFirstMs > 0 && queryMaxMs >= queryFirstMs, "a back-off that grows from above 0");
    super({ maxEnded, maxTradeIds }, { queryFirstMs, queryMaxMs });
    const { inFlightMs = 10_000, nonceExpiry } = options;
    this.commands = new OwnCommands(this);
    this.absence = new Absence(this, { inFlightMs, nonceExpiry });
    this.reports = new ExecutionReports(this, this.absence, inFlightMs);
  }

  /**
   * Adds open orders of an earlier run as unknown exposure. Queries by id those that the next list of open orders lacks when it
   * comes, and all that no list has settled `listMs` after `nowMs`. Returns those that are now tracked.
   */
  restore(restored: readonly RestoredOrder[], nowMs: UnixMs, listMs = 0): readonly TrackedOrder[] {
    const taken = restoreOrders(this, restored, -this.#restored, nowMs);
    for (const order of taken) this.queries.want(order, nowMs + listMs);
    this.#restored += taken.length;
    return taken;
  }
}
