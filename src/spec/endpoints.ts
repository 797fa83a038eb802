import { balance } from "./endpoints/balance.ts";
import { candles } from "./endpoints/candles.ts";
import { depth } from "./endpoints/depth.ts";
import { market } from "./endpoints/market.ts";
import { orderCancelAll } from "./endpoints/order-cancel-all.ts";
import { orderCancel } from "./endpoints/order-cancel.ts";
import { orderHistory } from "./endpoints/order-history.ts";
import { orderModify } from "./endpoints/order-modify.ts";
import { orderOpen } from "./endpoints/order-open.ts";
import { orderShow } from "./endpoints/order-show.ts";
import { orderTrade } from "./endpoints/order-trade.ts";
import { order } from "./endpoints/order.ts";
import { ticker } from "./endpoints/ticker.ts";
import { time } from "./endpoints/time.ts";
import { tokens } from "./endpoints/tokens.ts";
import { trades } from "./endpoints/trades.ts";

/**
 * Every endpoint by its name. Client calls, server routes and the docs are derived from this table.
 *
 * To come, each in a file of its own:
 *   §4.1 withdraw, withdraw-retry, session-list, session-create, session-update, session-delete, transfer, transfers
 *   §4.4 order-trigger (stop orders)
 */
export const endpoints = {
  time,
  market,
  ticker,
  tokens,
  trades,
  depth,
  candles,
  balance,
  "order-open": orderOpen,
  "order-history": orderHistory,
  "order-show": orderShow,
  "order-trade": orderTrade,
  order,
  "order-cancel": orderCancel,
  "order-cancel-all": orderCancelAll,
  "order-modify": orderModify,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
