import { TouchlineError } from "../base/error.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { isTerminal } from "../domain/order.ts";
import { orderId } from "../domain/ids.ts";
import { endpoints } from "../spec/endpoints.ts";
import { refusalCodes } from "../spec/refusal.ts";
import type { WireOrder } from "../spec/resources.ts";
import { CommandSigner, type SignableCommand } from "../spec/sign-command.ts";
import type { Invocation } from "./command.ts";
import type { Argument } from "./option.ts";
import { type VenueAccess, venueNowMs } from "./venue-access.ts";
import { waitHint } from "./venue-hint.ts";
import { addressArgument, type GivenKey, openSigner, type SignedBy } from "./venue-options.ts";

/** Orders by hand: sign, send, and ask the venue by id what came of it. */

export const orderIdArgument: Argument<OrderId> = {
  form: "<order-id>",
  about: "0x and 64 hex digits",
  parse: (written) => {
    const id = orderId(written);
    if (id === undefined) throw new Error("must be 0x and 64 hex digits");
    return id;
  },
};

interface GivenSigner extends GivenKey {
  readonly owner: string | undefined;
}

type Signing = Pick<Invocation<unknown, GivenSigner>, "options" | "env" | "terminal" | "interrupt">;

/** A wallet that signs commands for one venue. */
export interface CliWallet {
  readonly owner: Address;
  readonly signer: Address;
  /** Signs with a nonce of the venue's clock, sends; throws when the venue refused. `unknown`: only its answer by id can tell. */
  send(command: Unnumbered): Promise<SentCommand>;
}

/** A command without its nonce. */
export type Unnumbered = SignableCommand extends infer Each
  ? Each extends SignableCommand
    ? Omit<Each, "nonce">
    : never
  : never;

export interface SentCommand {
  readonly txHash: OrderId;
  readonly outcome: "accepted" | "unknown";
}

/** A nonce may be taken by a bot with the same key in the same millisecond. */
const NONCE_TRIES = 3;

/** In the words of a sentence. */
const nouns: Readonly<Record<SignableCommand["type"], string>> = {
  place: "order",
  cancel: "cancel",
  "cancel-all": "cancel of all orders",
  modify: "modify",
  stop: "stop order",
  "session-create": "session",
  "session-update": "session",
  "session-delete": "end of the session",
  transfer: "transfer",
  "token-transfer": "transfer",
  withdraw: "withdrawal",
};

/** Opens the key named by the options and prepares it for this venue. */
export async function openWallet(
  venue: VenueAccess,
  { options: given, env, terminal, interrupt }: Signing,
  by: SignedBy = "anybody",
): Promise<CliWallet> {
  const { crypto, signer } = await openSigner(given, venue.address, env, by);
  const owner =
    given.owner === undefined
      ? (venue.address.owner ?? signer.address)
      : addressArgument("--owner", given.owner);
  const commandSigner = new CommandSigner({
    owner,
    chainId: venue.address.chainId,
    crypto,
    signer,
  });
  return {
    owner,
    signer: signer.address,
    async send(command) {
      let nonce = 0;
      for (let attempt = 1; ; attempt += 1) {
        nonce = Math.max(nonce + 1, await venueNowMs(venue));
        const signed = commandSigner.sign({ ...command, nonce });
        interrupt.lastWords(() => terminal.fail(interruptedAfter(command, signed.txHash)));
        const outcome = await venue.send(command.type, signed);
        switch (outcome.type) {
          case "accepted":
          case "unknown":
            return { txHash: signed.txHash, outcome: outcome.type };
          case "refused":
            if (outcome.reason === "nonceUsed" && attempt < NONCE_TRIES) continue;
            throw new TouchlineError(
              "VENUE_REFUSED",
              `The venue refused the ${nouns[command.type]}: ${outcome.message.replace(/\.$/, "")} (${refusalCodes[outcome.reason]}).`,
              {
                context: { code: refusalCodes[outcome.reason] },
                ...(outcome.retryAfterMs === undefined
                  ? {}
                  : { hint: waitHint(outcome.retryAfterMs) }),
              },
            );
          case "not-sent":
            throw new TouchlineError(
              "VENUE_UNREACHABLE",
              `The ${nouns[command.type]} was not sent: ${outcome.message}.`,
              { hint: `Is a venue running at ${venue.address.rest}?` },
            );
        }
      }
    },
  };
}

/**
 * What the venue says of an order once `isDecided`, or the last it said within `patienceMs`. Undefined when it does not know
 * the order: after an answer that could not be read that is no proof that it never will.
 */
export async function fateOf(
  venue: VenueAccess,
  id: OrderId,
  isDecided: (order: WireOrder) => boolean,
  patienceMs = 10_000,
): Promise<WireOrder | undefined> {
  const until = performance.now() + patienceMs;
  let last: WireOrder | undefined;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 1000)) {
    last = (await venue.find(endpoints["order-show"], { orderId: id })) ?? last;
    if (last !== undefined && isDecided(last)) return last;
    if (performance.now() + waitMs > until) return last;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

export function isOver(order: WireOrder): boolean {
  return isTerminal(order.status);
}

/** A signal came while a command was on its way, or before the venue showed what became of it. */
export function interruptedAfter(
  command: Pick<Unnumbered, "type"> & { readonly orderId?: OrderId },
  txHash: OrderId,
): TouchlineError {
  const makesOrder = ["place", "stop", "modify"].includes(command.type);
  const requested = makesOrder ? txHash : command.orderId;
  const ask =
    makesOrder || command.type === "cancel"
      ? `order show ${requested}`
      : command.type === "cancel-all"
        ? "order open"
        : command.type === "withdraw"
          ? "account balances"
          : "account transfers";
  return new TouchlineError(
    "INTERRUPTED",
    `Interrupted after the ${nouns[command.type]} was signed as ${txHash}: the venue may have taken it.`,
    { context: { txHash }, hint: `Ask: touchline ${ask}` },
  );
}

/** The venue gave no readable answer and, asked by id, did not settle it. */
export function outcomeUnknown(
  what: string,
  id: OrderId,
  ask = `touchline order show ${id}`,
): TouchlineError {
  return new TouchlineError(
    "OUTCOME_UNKNOWN",
    `The venue gave no readable answer, so it is not known whether it ${what}.`,
    { context: { orderId: id }, hint: `Ask again: ${ask}` },
  );
}
