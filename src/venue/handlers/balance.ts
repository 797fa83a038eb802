import { ok } from "../../base/result.ts";
import { fixedText } from "../../domain/fixed.ts";
import { addressOf } from "../../domain/ids.ts";
import type { balance as endpoint } from "../../spec/endpoints/balance.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";

export const balance: Handler<typeof endpoint> = ({ exchange, clock }, query) => {
  const address = addressOf(query.address);
  if (address === undefined) return failure(400, "address is not a 0x address of 20 bytes.");
  exchange.see(address, clock.nowMs());
  return ok({
    balances: exchange.balances(address).map((line) => ({
      tokenId: line.tokenId,
      locked: fixedText(line.locked),
      unlocked: fixedText(line.unlocked),
    })),
    blockNumber: exchange.blockNumber,
  });
};
