import type { MarketId } from "./ids.ts";

/** A channel of the stream that a bot can subscribe to again by itself (§6.3). */
export type StreamChannel =
  | { readonly kind: "depth" | "trade"; readonly marketId: MarketId }
  | { readonly kind: "userEvent" };

/** The channel's name for people. */
export function channelText(channel: StreamChannel): string {
  return channel.kind === "userEvent" ? "user channel" : `${channel.kind} channel`;
}
