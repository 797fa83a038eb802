import { orderTrigger as endpoint } from "../../spec/endpoints/order-trigger.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const orderTrigger: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx);
