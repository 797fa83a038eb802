import { transfer as endpoint } from "../../spec/endpoints/transfer.ts";
import type { Handler } from "../handler.ts";
import { submitTransaction } from "../submit-transaction.ts";

export const transfer: Handler<typeof endpoint> = (context, _query, body) =>
  submitTransaction(context, endpoint.path, body.tx);
