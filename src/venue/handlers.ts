import type { Endpoints } from "../spec/endpoints.ts";
import type { Handler } from "./handler.ts";
import { balance } from "./handlers/balance.ts";
import { candles } from "./handlers/candles.ts";
import { depth } from "./handlers/depth.ts";
import { market } from "./handlers/market.ts";
import { orderCancelAll } from "./handlers/order-cancel-all.ts";
import { orderCancel } from "./handlers/order-cancel.ts";
import { orderHistory } from "./handlers/order-history.ts";
import { orderModify } from "./handlers/order-modify.ts";
import { orderOpen } from "./handlers/order-open.ts";
import { orderShow } from "./handlers/order-show.ts";
import { orderTrigger } from "./handlers/order-trigger.ts";
import { orderTrade } from "./handlers/order-trade.ts";
import { order } from "./handlers/order.ts";
import { sessionCreate } from "./handlers/session-create.ts";
import { sessionDelete } from "./handlers/session-delete.ts";
import { sessionList } from "./handlers/session-list.ts";
import { sessionUpdate } from "./handlers/session-update.ts";
import { ticker } from "./handlers/ticker.ts";
import { time } from "./handlers/time.ts";
import { tokens } from "./handlers/tokens.ts";
import { trades } from "./handlers/trades.ts";
import { transfer } from "./handlers/transfer.ts";
import { transfers } from "./handlers/transfers.ts";
import { withdrawRetry } from "./handlers/withdraw-retry.ts";
import { withdraw } from "./handlers/withdraw.ts";

/** Who answers which endpoint. An endpoint without a handler does not compile. */
export const handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> } = {
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
};
