/**
 * `touchline/venue`: a client of the venue with every endpoint, channel and command as a method, typed from the venue's interface. Its
 * parts are at `touchline/venue/parts`, the paper venue at `touchline/venue/paper`.
 */

export { connectVenue, openSigner, ownerOf } from "./node.ts";
export { newPrivateKey } from "../platform/keys.ts";
export type { ConnectOptions, EndpointMethods, Venue, VenueAddresses } from "./connect-venue.ts";
export type { MessagesMethods, SubscribeMethods, SubscribeOptions } from "./channel-methods.ts";
export type { SessionChange } from "./session-methods.ts";
export type { ListOf } from "./venue-lists.ts";
export type { CommandMethods, Prepared, Sent, Wallet } from "./wallet.ts";
export type { WithdrawalStructure } from "./withdrawal.ts";
export type { BookLevel, BookOptions, LiveBook, LocalBook } from "./local-book.ts";
export {
  byEventType,
  type UserEvent,
  type UserEventHandlers,
  type UserEventOf,
  type UserEventType,
} from "./user-events.ts";

// Orders in plain terms, and the ids of their take profit and stop loss.
export {
  limitOrder,
  type LimitOrder,
  marketOrder,
  type MarketOrder,
  stopOrder,
  type StopOrder,
} from "./order-context.ts";
export { type LegIds, legIdsOf } from "../domain/leg-ids.ts";
export type { Address, OrderId } from "../domain/ids.ts";
export type { KeyPlace } from "../ports/key-source.ts";
export type { OwnerSigner, TypedDataRequest } from "../ports/owner-signer.ts";

// Errors.
export { TouchlineError, TransportError } from "../base/error.ts";
export { VenueError } from "../gateway/venue-error.ts";
