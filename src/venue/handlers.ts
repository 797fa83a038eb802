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
import { orderTrade } from "./handlers/order-trade.ts";
import { order } from "./handlers/order.ts";
import { ticker } from "./handlers/ticker.ts";
import { time } from "./handlers/time.ts";
import { tokens } from "./handlers/tokens.ts";
import { trades } from "./handlers/trades.ts";

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
  "order-open": orderOpen,
  "order-history": orderHistory,
  "order-show": orderShow,
  "order-trade": orderTrade,
  order,
  "order-cancel": orderCancel,
  "order-cancel-all": orderCancelAll,
  "order-modify": orderModify,
};
