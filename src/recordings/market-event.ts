import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import type { UnixMs } from "../domain/time.ts";

/** What happened in one market of a recording, as numbers, at the time of its receipt. */
export type MarketEvent =
  | { readonly type: "depth"; readonly atMs: UnixMs; readonly event: DepthEvent }
  | { readonly type: "book"; readonly atMs: UnixMs; readonly snapshot: BookSnapshot }
  | { readonly type: "trade"; readonly atMs: UnixMs; readonly trade: Trade };
