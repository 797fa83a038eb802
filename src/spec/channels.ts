import { depthSnapshotChannel } from "./channels/depth-snapshot.ts";
import { depthChannel } from "./channels/depth.ts";
import { tickerChannel } from "./channels/ticker.ts";
import { tradeChannel } from "./channels/trade.ts";
import { userEventChannel } from "./channels/user-event.ts";

/** Every stream channel by its name (§6.3). */
export const channels = {
  trade: tradeChannel,
  depth: depthChannel,
  depthSnapshot: depthSnapshotChannel,
  ticker: tickerChannel,
  userEvent: userEventChannel,
} as const;

export type Channels = typeof channels;
export type ChannelKind = keyof Channels;
