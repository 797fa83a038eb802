import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import type { UnixMs } from "../domain/time.ts";

/** One event of a market in a recording, as numbers; `atMs` is the time of receipt. */
export type MarketEvent =
  | { readonly type: "depth"; readonly atMs: UnixMs; readonly event: DepthEvent }
  | { readonly type: "book"; readonly atMs: UnixMs; readonly snapshot: BookSnapshot }
  | { readonly type: "trade"; readonly atMs: UnixMs; readonly trade: Trade };
