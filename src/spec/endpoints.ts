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
import { orderTrigger } from "./endpoints/order-trigger.ts";
import { orderTrade } from "./endpoints/order-trade.ts";
import { order } from "./endpoints/order.ts";
import { sessionCreate } from "./endpoints/session-create.ts";
import { sessionDelete } from "./endpoints/session-delete.ts";
import { sessionList } from "./endpoints/session-list.ts";
import { sessionUpdate } from "./endpoints/session-update.ts";
import { ticker } from "./endpoints/ticker.ts";
import { time } from "./endpoints/time.ts";
import { tokens } from "./endpoints/tokens.ts";
import { trades } from "./endpoints/trades.ts";
import { transfer } from "./endpoints/transfer.ts";
import { transfers } from "./endpoints/transfers.ts";
import { withdrawRetry } from "./endpoints/withdraw-retry.ts";
import { withdraw } from "./endpoints/withdraw.ts";

/** Every endpoint by its name. */
export const endpoints = {
  time,
  market,
  ticker,
  tokens,
  trades,
  depth,
  candles,
  balance,
  withdraw,
  "withdraw-retry": withdrawRetry,
  "session-list": sessionList,
  "session-create": sessionCreate,
  "session-update": sessionUpdate,
  "session-delete": sessionDelete,
  transfer,
  transfers,
  "order-open": orderOpen,
  "order-history": orderHistory,
  "order-show": orderShow,
  "order-trade": orderTrade,
  order,
  "order-cancel": orderCancel,
  "order-cancel-all": orderCancelAll,
  "order-modify": orderModify,
  "order-trigger": orderTrigger,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
