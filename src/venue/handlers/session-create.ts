import { sessionCreate as endpoint } from "../../spec/endpoints/session-create.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const sessionCreate: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx, body.name);
