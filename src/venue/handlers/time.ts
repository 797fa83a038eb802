import { ok } from "../../base/result.ts";
import type { time as endpoint } from "../../spec/endpoints/time.ts";
import type { Handler } from "../handler.ts";

export const time: Handler<typeof endpoint> = ({ clock }) => ok({ serverTime: clock.nowMs() });
