import { withdraw as endpoint } from "../../spec/endpoints/withdraw.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const withdraw: Handler<typeof endpoint> = (context, _query, body) => {
  const result = submitTransaction(context, endpoint.path, body.tx);
  if (result.ok) context.settlements.executeDue();
  return result;
};
