import { sessionUpdate as endpoint } from "../../spec/endpoints/session-update.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const sessionUpdate: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx);
