import type { WireOrder } from "../spec/resources.ts";
import { integer, text, timeOption } from "./option.ts";
import { type Column, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { marketIdOf, type Venue, venueNowMs } from "./venue-access.ts";
import { addressOptions } from "./venue-options.ts";

/** What the three lists of an account have in common (§4.2). */
export function listOptions(limit: { readonly default: number; readonly max: number }) {
  return {
    ...addressOptions,
    market: text("--market <market>", "of one market only (1_2 or ETH/USDT)"),
    from: timeOption("--from <time>", "created at or after, ISO text or milliseconds"),
    to: timeOption("--to <time>", "created at or before (default now)"),
    limit: integer("--limit <n>", "how many, newest first", {
      min: 1,
      max: limit.max,
      fallback: limit.default,
    }),
  };
}

interface GivenList {
  readonly market: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly limit: number;
}

const DAY_MS = 86_400_000;

/** The query: both ends of a window or neither, never an end in the venue's future (D15). */
export async function listQuery(venue: Venue, address: string, given: GivenList) {
  const market =
    given.market === undefined ? {} : { marketId: await marketIdOf(venue, given.market) };
  if (given.from === undefined && given.to === undefined) {
    return { address, ...market, limit: given.limit };
  }
  const latest = (await venueNowMs(venue)) - 1000;
  const to = Math.min(given.to ?? latest, latest);
  const from = given.from ?? Math.max(0, to - 30 * DAY_MS);
  return { address, ...market, from, to, limit: given.limit };
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

/** Orders as a table. */
export function orderTable(orders: readonly WireOrder[], terminal: Terminal): string {
  return table(
    columns,
    orders.map((order) => [
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
