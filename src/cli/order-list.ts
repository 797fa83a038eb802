import type { AccountListOptions, CallEndpoint } from "../gateway/account-lists.ts";
import { readMovingList } from "../gateway/moving-list.ts";
import { systemTimer } from "../platform/timer.ts";
import { listWindow } from "../spec/limits.ts";
import type { WireOrder } from "../spec/resources.ts";
import { usageError } from "./exit-code.ts";
import { integer, pastTimeOption, text, type TimeFrom } from "./option.ts";
import {
  averageText,
  orderPriceText,
  orderQuantityText,
  relationText,
  stopText,
} from "./order-text.ts";
import { type StrategyTags, tagOf } from "./strategy-tags.ts";
import { type Column, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { marketIdOf, type VenueAccess, venueNowMs } from "./venue-access.ts";
import { addressOptions } from "./venue-options.ts";

/** Highest number of rows that one command shows. */
const ROWS_MAX = 100_000;

/** Options shared by the lists of an account (§4.1, §4.2). Without `limit`, all rows are shown by default. */
export function listOptions<Fallback extends number | undefined>(limit: Fallback, reach?: string) {
  return {
    ...addressOptions,
    market: text("--market <market>", "only this market (1_2 or ETH/USDT)"),
    ...rangeOptions(limit, reach),
  };
}

/** `reach` describes how far back the list goes by default. */
export function rangeOptions<Fallback extends number | undefined>(limit: Fallback, reach = "") {
  const all = limit === undefined ? " (default: all)" : "";
  return {
    from: pastTimeOption(
      "--since, --from <time>",
      `created at or after: a time, or an age such as 2h${reach}`,
    ),
    to: pastTimeOption("--until, --to <time>", "created at or before (default now)"),
    limit: integer("--limit <n>", `number of rows, newest first${all}`, {
      min: 1,
      max: ROWS_MAX,
      fallback: limit,
    }),
  };
}

interface GivenList {
  readonly market?: string | undefined;
  readonly from?: TimeFrom | undefined;
  readonly to?: TimeFrom | undefined;
  readonly limit?: number | undefined;
  /** Start of the list when `from` is not given, in ms. */
  readonly sinceMs?: number | undefined;
}

/** For lists that go back 30 days by default (§4.2). */
export const reachOf30Days = " (default 30 days ago)";

/** Message for an empty list. */
export function emptyListText(noun: string, given: GivenList): string {
  return given.from === undefined && given.to === undefined
    ? `No ${noun} in the last 30 days; use --since to go further back.`
    : `No ${noun} in that time.`;
}

/** Lists all requested rows across the venue's pages and windows (D15). */
export async function listRows<Row>(
  venue: VenueAccess,
  address: string,
  given: GivenList,
  list: (call: CallEndpoint, options: AccountListOptions) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const nowMs = await venueNowMs(venue);
  const [fromMs, toMs] = [given.from?.(nowMs), given.to?.(nowMs)];
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw usageError("--since is after --until.");
  }
  const marketId = given.market === undefined ? undefined : await marketIdOf(venue, given.market);
  return readMovingList(systemTimer, async () =>
    list((endpoint, query) => venue.call(endpoint, query), {
      address,
      marketId,
      venueNowMs: await venueNowMs(venue),
      sinceMs: fromMs ?? given.sinceMs,
      untilMs: toMs,
      maxRows: given.limit,
    }),
  );
}

/** How far back the venue keeps data: open orders may be older than the 30 days of one query (D15). */
export async function oldestMs(venue: VenueAccess): Promise<number> {
  return (await venueNowMs(venue)) - listWindow.historyMs;
}

interface OrderColumn extends Column {
  text(order: WireOrder, terminal: Terminal): string;
  /** Hidden when empty in all rows. */
  readonly isRare?: true;
}

const columns: readonly OrderColumn[] = [
  { title: "created (UTC)", text: ({ createdAt }) => timeText(createdAt) },
  { title: "market", text: ({ marketId }) => marketId },
  {
    title: "side",
    text: ({ side }, terminal) => (side === "BUY" ? terminal.green(side) : terminal.red(side)),
  },
  { title: "type", text: ({ orderType }) => orderType },
  { title: "price", align: "right", text: orderPriceText },
  { title: "stop", align: "right", text: stopText, isRare: true },
  { title: "quantity", align: "right", text: orderQuantityText },
  { title: "executed", align: "right", text: ({ executedQty }) => executedQty },
  { title: "average", align: "right", text: averageText, isRare: true },
  { title: "status", text: ({ status }) => status },
  { title: "part", text: relationText, isRare: true },
  { title: "order id", text: ({ orderId }) => orderId },
];

/** Formats orders as a table; with `tags` it has a column for the strategy. */
export function orderTable(
  orders: readonly WireOrder[],
  terminal: Terminal,
  tags?: StrategyTags,
): string {
  const strategy: OrderColumn = {
    title: "strategy",
    text: (order) => tagOf(tags, order) ?? "",
  };
  const shown = [...(tags === undefined ? [] : [strategy]), ...columns].filter(
    ({ isRare, text }) => isRare !== true || orders.some((order) => text(order, terminal) !== ""),
  );
  return table(
    shown,
    orders.map((order) => shown.map(({ text }) => text(order, terminal))),
  );
}
