import { assert } from "../base/assert.ts";
import { TransportError } from "../base/error.ts";
import type { OrderId } from "../domain/ids.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import { VenueError } from "../gateway/venue-error.ts";
import type { CommandSpec } from "../spec/command.ts";
import { commands, type Commands } from "../spec/commands.ts";
import type { Endpoint } from "../spec/endpoint.ts";
import { endpoints } from "../spec/endpoints.ts";
import { callVenue, type VenueConnection } from "./call.ts";
import { type CamelCase, camelCase } from "./camel-case.ts";
import type { NonceSource } from "./nonce-source.ts";
import {
  type ContextInput,
  type SignedTransaction,
  type Signing,
  signTransaction,
} from "./sign-transaction.ts";
import { methodsOf, namesOf } from "./table-methods.ts";
import { withdrawalCommand, type WithdrawalStructure } from "./withdrawal.ts";

/** The commands that a wallet has as methods. Sessions have functions of their own, since they also need the owner's signature. */
export type WalletCommands = Omit<Commands, "session">;

/** Each command as a method: signs with the next nonce, sends, and resolves once the venue accepted it. */
export type CommandMethods = {
  readonly [Name in keyof WalletCommands as CamelCase<Name>]: (
    context: ContextInput<WalletCommands[Name]>,
    options?: CallOptions,
  ) => Promise<Sent>;
};

export interface Wallet extends CommandMethods, Pick<Signing, "owner"> {
  /** Address of the key that signs. */
  readonly signerAddress: Signing["signer"]["address"];
  /** Signs and does not send, so that the order id can be stored first. */
  sign<Name extends keyof WalletCommands>(
    name: Name,
    context: ContextInput<WalletCommands[Name]>,
    options?: CallOptions,
  ): Promise<Prepared>;
  /** Sends signed bytes. Repeating it is safe: the venue responds to the same transaction as it did the first time (D6). */
  send(prepared: Prepared, options?: CallOptions): Promise<Sent>;
}

/** A command that the venue accepted. */
export interface Sent {
  /** For an order, a modify or a stop order, the new order's id; `legIdsOf` derives the ids of its take profit and stop loss. */
  readonly txHash: OrderId;
  readonly nonce: number;
}

/** A signed command and its endpoint. */
export interface Prepared extends SignedTransaction {
  readonly endpoint: Endpoint;
}

export interface WalletOptions extends Signing {
  readonly venue: VenueConnection;
  readonly nonces: NonceSource;
  /** Without it the wallet refuses to withdraw (D9). */
  readonly withdrawal?: WithdrawalStructure | undefined;
}

/** Attempts with a fresh nonce each: another process with the same key may have used ours. */
const NONCE_TRIES = 3;

/** Repeats an attempt, which must sign with a new nonce, after the refusal `nonceUsed`. A refused command had no effect. */
export async function withFreshNonce<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const isTaken = thrown instanceof VenueError && thrown.reason === "nonceUsed";
      if (!isTaken || tries >= NONCE_TRIES) throw thrown;
    }
  }
}

/**
 * A wallet at one venue. Every method rejects with VenueError when the venue refuses (nothing was done) and with TransportError
 * otherwise. If its `outcome` is `unknown`, its context has the `txHash`; query the venue by that id for the actual outcome.
 */
export function openWallet(options: WalletOptions): Wallet {
  const { venue, nonces, owner, signer } = options;
  const commandOf = (name: keyof WalletCommands): CommandSpec =>
    name === "withdraw" ? withdrawalCommand(options.withdrawal) : commands[name];

  const sign = async (
    name: keyof WalletCommands,
    context: object,
    callOptions?: CallOptions,
  ): Promise<Prepared> => {
    const command = commandOf(name);
    const nonce = await nonces.next(callOptions);
    return { ...signTransaction(options, command, context, nonce), endpoint: endpointOf(command) };
  };
  const send = (prepared: Prepared, callOptions?: CallOptions): Promise<Sent> =>
    sendTransaction(venue, prepared.endpoint, prepared, callOptions);
  const run = (
    name: keyof WalletCommands,
    context: object,
    callOptions?: CallOptions,
  ): Promise<Sent> =>
    withFreshNonce(async () => send(await sign(name, context, callOptions), callOptions));

  const methods = methodsOf<CommandMethods, keyof WalletCommands, [object, CallOptions?]>(
    namesOf(commands).filter((name) => name !== "session"),
    camelCase,
    (name) => (context, callOptions) => run(name, context, callOptions),
  );
  return {
    ...methods,
    owner,
    signerAddress: signer.address,
    sign,
    send,
  };
}

/** Sends signed bytes once. `bodyFields` go into the request's body besides `tx`. */
export async function sendTransaction(
  venue: VenueConnection,
  endpoint: Endpoint,
  transaction: SignedTransaction & { readonly bodyFields?: object },
  options: CallOptions = {},
): Promise<Sent> {
  const { tx, txHash, nonce, bodyFields } = transaction;
  try {
    const response: unknown = await callVenue<Endpoint>(
      venue,
      endpoint,
      { tx, ...bodyFields },
      options,
    );
    // The venue's response to a session command has no hash (§1.2).
    if (endpoint.envelope === "bare") return { txHash, nonce };
    if (typeof response === "string" && response.toLowerCase() === txHash) return { txHash, nonce };
    throw new TransportError(
      "unknown",
      "VENUE_UNREADABLE",
      "The venue responded with the hash of another transaction.",
    );
  } catch (thrown) {
    if (!(thrown instanceof TransportError)) throw thrown;
    const { outcome, code, message, context, hint } = thrown;
    throw new TransportError(outcome, code, message, {
      context: { ...context, txHash },
      ...(hint === undefined ? {} : { hint }),
      cause: thrown,
    });
  }
}

/** The endpoint of a command: the POST endpoint of its first path (D10). */
function endpointOf(command: CommandSpec): Endpoint {
  const [path] = command.paths;
  const found = Object.values(endpoints).find(
    (endpoint) => endpoint.method === "POST" && endpoint.path === path,
  );
  assert(found !== undefined, "a command has an endpoint");
  return found;
}
