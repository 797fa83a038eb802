import { TransportError } from "../base/error.ts";
import type { AccountListOptions, Ask } from "../gateway/account-lists.ts";
import { listWindow } from "../spec/limits.ts";
import type { WireOrder } from "../spec/resources.ts";
import { integer, text, timeOption } from "./option.ts";
import { type Column, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { marketIdOf, type Venue, venueNowMs } from "./venue-access.ts";
import { addressOptions } from "./venue-options.ts";

/** Rows that one command shows at most. */
const ROWS_MAX = 100_000;

/** What the lists of an account have in common (§4.1, §4.2). `limit` undefined: all rows unless told otherwise. */
export function listOptions<Fallback extends number | undefined>(limit: Fallback) {
  return {
    ...addressOptions,
    market: text("--market <market>", "of one market only (1_2 or ETH/USDT)"),
    ...rangeOptions(limit),
  };
}

export function rangeOptions<Fallback extends number | undefined>(limit: Fallback) {
  const all = limit === undefined ? " (default: all)" : "";
  return {
    from: timeOption("--from <time>", "created at or after, ISO text or milliseconds"),
    to: timeOption("--to <time>", "created at or before (default now)"),
    limit: integer("--limit <n>", `how many, newest first${all}`, {
      min: 1,
      max: ROWS_MAX,
      fallback: limit,
    }),
  };
}

interface GivenList {
  readonly market?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit?: number | undefined;
}

/** A list grows while it is read: so often it is begun again. */
const TRIES = 4;
const PAUSE_MS = 1_100;

/** All the rows asked for, whatever the venue's pages and windows (D15). `sinceMs` is how far back without `--from`. */
export async function listRows<Row>(
  venue: Venue,
  address: string,
  given: GivenList,
  list: (ask: Ask, options: AccountListOptions) => Promise<readonly Row[]>,
  sinceMs?: number,
): Promise<readonly Row[]> {
  const marketId = given.market === undefined ? undefined : await marketIdOf(venue, given.market);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await list((endpoint, query) => venue.ask(endpoint, query), {
        address,
        marketId,
        venueNowMs: await venueNowMs(venue),
        sinceMs: given.from ?? sinceMs,
        untilMs: given.to,
        maxRows: given.limit,
      });
    } catch (error) {
      const isMoving = error instanceof TransportError && error.code === "LIST_MOVING";
      if (!isMoving || attempt >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** As far back as the venue keeps: an open order may be older than the 30 days that one question reaches (D15). */
export async function oldestMs(venue: Venue): Promise<number> {
  return (await venueNowMs(venue)) - listWindow.historyMs;
}

const columns: readonly Column[] = [
  { title: "created (UTC)" },
  { title: "market" },
  { title: "side" },
  { title: "type" },
  { title: "price", align: "right" },
  { title: "quantity", align: "right" },
  { title: "executed", align: "right" },
  { title: "status" },
  { title: "order id" },
];

/** Orders as a table; with `tags` also whose order it is, as a journal of ours says. */
export function orderTable(
  orders: readonly WireOrder[],
  terminal: Terminal,
  tags?: ReadonlyMap<string, string>,
): string {
  return table(
    tags === undefined ? columns : [{ title: "strategy" }, ...columns],
    orders.map((order) => [
      ...(tags === undefined ? [] : [tags.get(order.orderId.toLowerCase()) ?? ""]),
      timeText(order.createdAt),
      order.marketId,
      order.side === "BUY" ? terminal.green("BUY") : terminal.red("SELL"),
      order.orderType,
      order.price === "0" ? "market" : order.price,
      order.orderMode === 1 ? `${order.origQuoteOrderQty} quote` : order.origQty,
      order.executedQty,
      order.status,
      order.orderId,
    ]),
  );
}
