import { endpoints, type Endpoints } from "../spec/endpoints.ts";
import type { Handler } from "./handler.ts";
import { balance } from "./handlers/balance.ts";
import { candles } from "./handlers/candles.ts";
import { depth } from "./handlers/depth.ts";
import { market } from "./handlers/market.ts";
import { orderHistory } from "./handlers/order-history.ts";
import { orderOpen } from "./handlers/order-open.ts";
import { orderShow } from "./handlers/order-show.ts";
import { orderTrade } from "./handlers/order-trade.ts";
import { sessionCreate } from "./handlers/session-create.ts";
import { sessionList } from "./handlers/session-list.ts";
import { ticker } from "./handlers/ticker.ts";
import { time } from "./handlers/time.ts";
import { tokens } from "./handlers/tokens.ts";
import { trades } from "./handlers/trades.ts";
import { transfers } from "./handlers/transfers.ts";
import { withdrawRetry } from "./handlers/withdraw-retry.ts";
import { withdraw } from "./handlers/withdraw.ts";
import { takesTransactions } from "./submit-transaction.ts";

/** The handler of each endpoint. An endpoint without one does not compile. */
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
  "session-update": takesTransactions(endpoints["session-update"]),
  "session-delete": takesTransactions(endpoints["session-delete"]),
  transfer: takesTransactions(endpoints.transfer),
  transfers,
  "order-open": orderOpen,
  "order-history": orderHistory,
  "order-show": orderShow,
  "order-trade": orderTrade,
  order: takesTransactions(endpoints.order),
  "order-cancel": takesTransactions(endpoints["order-cancel"]),
  "order-cancel-all": takesTransactions(endpoints["order-cancel-all"]),
  "order-modify": takesTransactions(endpoints["order-modify"]),
  "order-trigger": takesTransactions(endpoints["order-trigger"]),
};
