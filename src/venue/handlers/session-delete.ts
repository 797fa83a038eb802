import { sessionDelete as endpoint } from "../../spec/endpoints/session-delete.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const sessionDelete: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx);
