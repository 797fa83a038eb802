import { ok } from "../../base/result.ts";
import type { transfers as endpoint } from "../../spec/endpoints/transfers.ts";
import type { Handler } from "../handler.ts";

export const transfers: Handler<typeof endpoint> = () => ok([]);
