import { orderCancelAll as endpoint } from "../../spec/endpoints/order-cancel-all.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const orderCancelAll: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx);
