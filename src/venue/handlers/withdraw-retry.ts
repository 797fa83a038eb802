import { ok } from "../../base/result.ts";
import type { withdrawRetry as endpoint } from "../../spec/endpoints/withdraw-retry.ts";
import type { Handler } from "../handler.ts";

export const withdrawRetry: Handler<typeof endpoint> = () => ok("0x0");
