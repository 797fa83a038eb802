import { withdraw as endpoint } from "../../spec/endpoints/withdraw.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const withdraw: Handler<typeof endpoint> = (context, _query, body) => {
  const answer = submitTransaction(context, endpoint.path, body.tx);
  if (answer.ok) context.settlements.executeDue();
  return answer;
};
