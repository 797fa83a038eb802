import type { MarketId } from "../../domain/ids.ts";
import { limitsFor } from "../../risk/settings.ts";
import { ChannelHealing } from "./channel-healing.ts";
import type { ClockReading } from "./channel-lag.ts";
import type { KernelConfig } from "../config.ts";
import { DepthLiveness } from "./depth-liveness.ts";
import { OwnTrades } from "./own-trades.ts";
import { UserLiveness } from "./user-liveness.ts";

/** The channels of one market. */
export interface MarketChannels {
  readonly depth: DepthLiveness;
  readonly depthHealing: ChannelHealing;
  /** Whether observers know the depth channel as behind. */
  isDepthNoted: boolean;
  readonly tradeHealing: ChannelHealing;
  /** Since when the trade channel lacks a trade that a user event has told; Infinity while it does not. */
  tradeBehindSinceMs: number;
  isTradeNoted: boolean;
  /** The public trades of this market name their orders. */
  hasOrderIds: boolean;
  /** When the newest public trade came that names its orders, our clock. */
  lastTradeMs: number;
  /** Since when the live book shows less than our orders in it; Infinity while it does not. */
  ownMissingSinceMs: number;
}

/** What the kernel knows about the liveness of single channels (D38). */
export interface ChannelState {
  readonly checkMs: number;
  /** Without an event or trade for this long, own fills are read over REST while orders rest; Infinity for never. */
  readonly silenceMs: number;
  /** When fills were last requested for that reason or for an order that is gone from a book. */
  fillsMs: number;
  readonly clock: ClockReading;
  readonly user: UserLiveness;
  readonly userHealing: ChannelHealing;
  isUserNoted: boolean;
  /** When the lists were last requested because the user channel is behind. */
  listsMs: number;
  readonly ownTrades: OwnTrades;
  /** When a new connection was requested for a channel that is behind. */
  reconnectMs: number;
}

/** Undefined when the configuration turns it off, as every journal does that is older than this. */
export function makeChannels({
  timing,
  risk,
  strategies,
  crossChecks = false,
  repeatsQueries = false,
}: KernelConfig): ChannelState | undefined {
  const { channelCheckMs } = timing;
  if (channelCheckMs === Number.POSITIVE_INFINITY) return undefined;
  const limits = strategies.map(({ marketId }) => limitsFor(risk, marketId).staleBook ?? Infinity);
  const limitMs = Math.min(...limits);
  return {
    checkMs: channelCheckMs,
    silenceMs: crossChecks ? limitMs : Number.POSITIVE_INFINITY,
    fillsMs: Number.NEGATIVE_INFINITY,
    clock: { offsetMs: undefined, doubtMs: 0, queriedMs: Number.NEGATIVE_INFINITY },
    user: new UserLiveness({ checkMs: channelCheckMs, limitMs, crossChecks, repeatsQueries }),
    userHealing: new ChannelHealing(),
    isUserNoted: false,
    listsMs: Number.NEGATIVE_INFINITY,
    ownTrades: new OwnTrades(),
    reconnectMs: Number.NEGATIVE_INFINITY,
  };
}

export function makeMarketChannels(
  { timing, risk, crossChecks = false, doubtsUnshownBooks = false }: KernelConfig,
  marketId: MarketId,
): MarketChannels | undefined {
  const { channelCheckMs: checkMs } = timing;
  if (checkMs === undefined || checkMs === Number.POSITIVE_INFINITY) return undefined;
  const limitMs = limitsFor(risk, marketId).staleBook ?? Number.POSITIVE_INFINITY;
  return {
    depth: new DepthLiveness({ checkMs, limitMs, crossChecks, doubtsUnshownBooks }),
    depthHealing: new ChannelHealing(),
    isDepthNoted: false,
    tradeHealing: new ChannelHealing(),
    tradeBehindSinceMs: Number.POSITIVE_INFINITY,
    isTradeNoted: false,
    hasOrderIds: false,
    lastTradeMs: Number.NEGATIVE_INFINITY,
    ownMissingSinceMs: Number.POSITIVE_INFINITY,
  };
}
