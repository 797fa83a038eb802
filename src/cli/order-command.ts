import { TouchlineError, TransportError } from "../base/error.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { isTerminal } from "../domain/order.ts";
import { orderId } from "../domain/ids.ts";
import { VenueError } from "../gateway/venue-error.ts";
import { NonceSource } from "../sdk/nonce-source.ts";
import type { ContextInput } from "../sdk/sign-transaction.ts";
import { openWallet, type WalletCommands, withFreshNonce } from "../sdk/wallet.ts";
import type { WithdrawalStructure } from "../sdk/withdrawal.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireOrder } from "../spec/resources.ts";
import type { Invocation } from "./command.ts";
import type { Argument } from "./option.ts";
import { poll } from "./poll.ts";
import type { VenueAccess } from "./venue-access.ts";
import { waitHint } from "./venue-hint.ts";
import { addressArgument, type GivenKey, openSigner, type SignedBy } from "./venue-options.ts";

/** Manual orders: sign, send, and query the result by order id. */

export const orderIdArgument: Argument<OrderId> = {
  form: "<order-id>",
  about: "0x and 64 hex digits",
  takesHash: true,
  parse: (written) => {
    const id = orderId(written);
    if (id === undefined) throw new Error("must be 0x and 64 hex digits");
    return id;
  },
};

interface GivenSigner extends GivenKey {
  readonly owner: string | undefined;
}

export type CliSigning = Pick<
  Invocation<unknown, GivenSigner>,
  "options" | "env" | "terminal" | "interrupt"
>;

/** The SDK wallet with messages for the command line. */
export interface CliWallet {
  readonly owner: Address;
  /** Signs and sends. Throws when the venue refused. `unknown`: the outcome must be queried by id. */
  send<Name extends keyof WalletCommands>(
    name: Name,
    context: ContextInput<WalletCommands[Name]>,
  ): Promise<SentCommand>;
}

export interface SentCommand {
  readonly txHash: OrderId;
  readonly outcome: "accepted" | "unknown";
}

/** How messages call each command, and the command line that shows its result. `target`: the order concerned. */
const kinds: Readonly<
  Record<keyof WalletCommands, readonly [string, (txHash: OrderId, target?: string) => string]>
> = {
  order: ["order", (txHash) => `order show ${txHash}`],
  cancel: ["cancel", (_, target) => `order show ${target}`],
  "cancel-all": ["cancel of all orders", () => "order open"],
  modify: ["modify", (txHash) => `order show ${txHash}`],
  stop: ["stop order", (txHash) => `order show ${txHash}`],
  transfer: ["transfer", () => "account transfers"],
  "token-transfer": ["transfer", () => "account transfers"],
  withdraw: ["withdrawal", () => "account balances"],
};

/** Opens the key given by the options and prepares it for this venue. */
export async function openCliWallet(
  venue: VenueAccess,
  { options: given, env, terminal, interrupt }: CliSigning,
  by: SignedBy = "anyone",
  withdrawal?: WithdrawalStructure,
): Promise<CliWallet> {
  const { systemClock: clock } = await import("../platform/clock.ts");
  const { address, connection } = venue;
  const { crypto, signer } = await openSigner(given, address, env, by);
  const owner =
    given.owner === undefined
      ? (address.owner ?? signer.address)
      : await addressArgument("--owner", given.owner);
  const nonces = new NonceSource({ venue: connection, clock, venueClock: venue.clock });
  const { chainId } = address;
  const wallet = openWallet({
    venue: connection,
    nonces,
    owner,
    signer,
    chainId,
    crypto,
    withdrawal,
  });
  return {
    owner,
    async send(name, context) {
      try {
        const { txHash } = await withFreshNonce(async () => {
          const prepared = await wallet.sign(name, context);
          const orderId = Reflect.get(context, "orderId");
          const target = typeof orderId === "string" ? orderId : undefined;
          interrupt.beforeExit(() =>
            terminal.fail(interruptedAfter(name, target, prepared.txHash)),
          );
          return wallet.send(prepared);
        });
        return { txHash, outcome: "accepted" };
      } catch (error) {
        return { txHash: unknownHashOf(error, kinds[name][0], address.rest), outcome: "unknown" };
      }
    },
  };
}

/** The hash of a command whose outcome is unknown. Throws an error for the command line if the command was not accepted. */
function unknownHashOf(error: unknown, noun: string, rest: string): OrderId {
  if (error instanceof VenueError) {
    const { venueCode: code, retryAfterMs, context } = error;
    const message = String(context["errMsg"]).replace(/\.$/, "");
    throw new TouchlineError(
      "VENUE_REFUSED",
      `The venue refused the ${noun}: ${message} (${code}).`,
      {
        context: { code },
        ...(retryAfterMs === undefined ? {} : { hint: waitHint(retryAfterMs) }),
        cause: error,
      },
    );
  }
  if (!(error instanceof TransportError)) throw error;
  if (error.outcome === "not-sent") {
    throw new TouchlineError("VENUE_UNREACHABLE", `The ${noun} was not sent: ${error.message}.`, {
      hint: `Is a venue running at ${rest}?`,
      cause: error,
    });
  }
  const { txHash } = error.context;
  // Not of a command: the venue's clock could not be read.
  if (typeof txHash !== "string") throw error;
  return txHash as OrderId;
}

/**
 * Queries an order until `isDecided`, or for `limitMs`, and returns its last state. Undefined when the venue does not know the
 * order, which does not prove after an unreadable response that it never will.
 */
export async function awaitOrder(
  venue: VenueAccess,
  id: OrderId,
  isDecided: (order: WireOrder) => boolean,
  limitMs = 10_000,
): Promise<WireOrder | undefined> {
  const found = await poll<WireOrder | undefined>(limitMs, async (last) => {
    const order = (await venue.find(endpoints["order-show"], { orderId: id })) ?? last;
    return [order, order !== undefined && isDecided(order)];
  });
  return found.value;
}

export function isOver(order: WireOrder): boolean {
  return isTerminal(order.status);
}

/** Error for a signal that came after a command was signed and before its result was known. `target`: the order concerned. */
function interruptedAfter(
  name: keyof WalletCommands,
  target: string | undefined,
  txHash: OrderId,
): TouchlineError {
  const [noun, lookUp] = kinds[name];
  return new TouchlineError(
    "INTERRUPTED",
    `Interrupted after the ${noun} was signed as ${txHash}: the venue may have accepted it.`,
    { context: { txHash }, hint: `Check the result: touchline ${lookUp(txHash, target)}` },
  );
}

/** Error when the response was unreadable and querying by id did not settle the outcome either. */
export function outcomeUnknown(
  what: string,
  id: OrderId,
  lookUp = `touchline order show ${id}`,
): TouchlineError {
  return new TouchlineError(
    "OUTCOME_UNKNOWN",
    `The venue sent no readable response, so it is unknown whether it ${what}.`,
    { context: { orderId: id }, hint: `Check again: ${lookUp}` },
  );
}
