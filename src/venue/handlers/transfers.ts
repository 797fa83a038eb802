import { ok } from "../../base/result.ts";
import { addressOf, tokenId } from "../../domain/ids.ts";
import type { transfers as endpoint } from "../../spec/endpoints/transfers.ts";
import { listWindow } from "../../spec/limits.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";
import { wireTransfer } from "../wire.ts";

/** Unlike the order lists, this one has no limits on its time span (D15). */
export const transfers: Handler<typeof endpoint> = ({ exchange, clock }, query) => {
  const address = addressOf(query.address);
  if (address === undefined) return failure(400, "address is not a 0x address of 20 bytes.");
  const token = query.token_id === undefined ? undefined : tokenId(query.token_id);
  if (token !== undefined && !exchange.hasToken(token)) {
    return failure(404, `There is no token ${token}.`);
  }
  const { from: fromMs, limit } = query;
  const nowMs = clock.nowMs();
  if (fromMs > nowMs + listWindow.futureSlackMs) {
    return failure(400, `from lies in the future of the venue's clock ${nowMs}.`);
  }
  const toMs = query.to ?? Math.max(nowMs, fromMs);
  if (fromMs > toMs) return failure(400, "from is above to.");
  return ok(exchange.transfers(address, { tokenId: token, fromMs, toMs, limit }).map(wireTransfer));
};
