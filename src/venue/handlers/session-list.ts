import { ok } from "../../base/result.ts";
import { addressOf } from "../../domain/ids.ts";
import type { sessionList as endpoint } from "../../spec/endpoints/session-list.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";
import { wireSession } from "../wire.ts";

export const sessionList: Handler<typeof endpoint> = ({ exchange, clock }, query) => {
  const owner = addressOf(query.address);
  if (owner === undefined) return failure(400, "address is not a 0x address of 20 bytes.");
  return ok(exchange.sessions(owner, clock.nowMs()).map(wireSession));
};
