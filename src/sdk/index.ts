/** `touchline/venue`: a client of the venue, typed from the venue's interface, and a paper venue for trying it. */

// The client: every endpoint, channel and command as a method.
export { connectVenue, nodeClientPorts, openSigner, ownerOf } from "./node.ts";
export { webClientPorts } from "./web.ts";
export { fetchHttp } from "../platform/fetch-http.ts";
export { newPrivateKey } from "../platform/keys.ts";
export {
  type ConnectOptions,
  connectVenueOn,
  type EndpointMethods,
  type Venue,
  type VenueAddresses,
  type VenueClientPorts,
} from "./connect-venue.ts";
export type { MessagesMethods, SubscribeMethods, SubscribeOptions } from "./channel-methods.ts";
export type { SessionChange } from "./session-methods.ts";
export type { ListOf } from "./venue-lists.ts";
export type { CommandMethods, Prepared, Sent, Wallet } from "./wallet.ts";
export type { WithdrawalStructure } from "./withdrawal.ts";

// The client's parts, for small bundles. Single endpoints and commands are at `touchline/venue/endpoints/…` and `touchline/venue/commands/…`.
export { callVenue, type InputOf, type VenueConnection } from "./call.ts";
export { NonceSource } from "./nonce-source.ts";
export {
  type ContextInput,
  type SignedTransaction,
  type Signing,
  signTransaction,
} from "./sign-transaction.ts";
export {
  changeSession,
  sendSession,
  sessionRequest,
  type SessionSigning,
  type SessionTerms,
  signSession,
} from "./session.ts";
export { type BookLevel, type BookOptions, type LiveBook, type LocalBook } from "./local-book.ts";
export {
  byEventType,
  type UserEvent,
  type UserEventHandlers,
  type UserEventOf,
  type UserEventType,
} from "./user-events.ts";
export { messagesOf, type MessagesOptions } from "./messages.ts";
export {
  type Listener,
  type Subscription,
  VenueStream,
  type VenueStreamOptions,
} from "./venue-stream.ts";
export { openWallet, sendTransaction, type WalletOptions } from "./wallet.ts";
export { withdrawalCommand } from "./withdrawal.ts";

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

// Errors.
export { TouchlineError, TransportError } from "../base/error.ts";
export { VenueError } from "../gateway/venue-error.ts";

// The interface as data.
export { channels, type ChannelKind, type Channels } from "../spec/channels.ts";
export type { PayloadOf } from "../spec/channel.ts";
export { type CommandName, commands, type Commands } from "../spec/commands.ts";
export type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
export { type EndpointName, endpoints, type Endpoints } from "../spec/endpoints.ts";

// Ports, for programs that implement their own.
export type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
export type { Crypto, Signer } from "../ports/crypto.ts";
export type { Http } from "../ports/http.ts";
export type { KeyPlace } from "../ports/key-source.ts";
export type { OwnerSigner, TypedDataRequest } from "../ports/owner-signer.ts";
export type { SocketConnector } from "../ports/socket.ts";

// The paper venue.
export { type PaperVenueOptions, startPaperVenue } from "./paper-venue.ts";
export {
  startVenue,
  type RunningVenue,
  type VenueOptions,
  type VenuePorts,
} from "../venue/start-venue.ts";
export {
  venueSchema,
  venueWithoutConfig,
  type VenueConfig,
  type VenueDocument,
} from "../venue/config.ts";
export type { RecordedMarket, RecordedMarketEvent } from "../venue/flow/recorded-market.ts";
