import { ok } from "../../base/result.ts";
import { orderId } from "../../domain/ids.ts";
import type { withdrawRetry as endpoint } from "../../spec/endpoints/withdraw-retry.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";

export const withdrawRetry: Handler<typeof endpoint> = (context, _query, body) => {
  const txHash = orderId(body.txHash);
  if (txHash === undefined) return failure(400, "txHash is not 0x and 64 hex digits.");
  context.settlements.executeDue();
  const answer = context.exchange.retryWithdrawal(txHash, context.clock.nowMs());
  return answer.code === 200 ? ok(answer.l1Hash) : failure(answer.code, answer.errMsg);
};
