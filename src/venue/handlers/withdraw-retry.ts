import { ok } from "../../base/result.ts";
import { orderId } from "../../domain/ids.ts";
import type { withdrawRetry as endpoint } from "../../spec/endpoints/withdraw-retry.ts";
import { failure, refusalFailure } from "../failure.ts";
import type { Handler } from "../handler.ts";

export const withdrawRetry: Handler<typeof endpoint> = (context, _query, body) => {
  const txHash = orderId(body.txHash);
  if (txHash === undefined) return failure(400, "txHash is not 0x and 64 hex digits.");
  context.settlements.executeDue();
  const result = context.exchange.retryWithdrawal(txHash, context.clock.nowMs());
  return result.type === "executed" ? ok(result.l1Hash) : refusalFailure(result);
};
