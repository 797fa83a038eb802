/**
 * `touchline/venue/parts`: the client's parts, for small bundles, browsers and other transports, and the venue's interface as data.
 * Single endpoints and commands are at `touchline/venue/endpoints/…` and `touchline/venue/commands/…`.
 */

// A client on ports of one's own, and those of Node and browsers.
export { connectVenueOn, type VenueClientPorts } from "./connect-venue.ts";
export { nodeClientPorts } from "./node.ts";
export { webClientPorts } from "./web.ts";
export { fetchHttp } from "../platform/fetch-http.ts";
export type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
export type { Crypto, Signer } from "../ports/crypto.ts";
export type { Http } from "../ports/http.ts";
export type { SocketConnector } from "../ports/socket.ts";

// Requests and streams.
export { callVenue, type InputOf, type VenueConnection } from "./call.ts";
export { messagesOf, type MessagesOptions } from "./messages.ts";
export {
  type Listener,
  type Subscription,
  VenueStream,
  type VenueStreamOptions,
} from "./venue-stream.ts";

// Commands.
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
export { openWallet, sendTransaction, type WalletOptions } from "./wallet.ts";
export { withdrawalCommand } from "./withdrawal.ts";

// The interface as data.
export { channels, type ChannelKind, type Channels } from "../spec/channels.ts";
export type { PayloadOf } from "../spec/channel.ts";
export { type CommandName, commands, type Commands } from "../spec/commands.ts";
export type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
export { type EndpointName, endpoints, type Endpoints } from "../spec/endpoints.ts";
