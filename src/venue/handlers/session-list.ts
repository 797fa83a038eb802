import { ok } from "../../base/result.ts";
import type { sessionList as endpoint } from "../../spec/endpoints/session-list.ts";
import type { Handler } from "../handler.ts";

export const sessionList: Handler<typeof endpoint> = () => ok([]);
