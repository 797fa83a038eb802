import { TouchlineError, TransportError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import type { SessionSigning, SessionTerms } from "../sdk/session.ts";
import type { SessionAction } from "../spec/commands/session.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireSessionWallet } from "../spec/endpoints/session-list.ts";
import type { parseTypedSignature } from "../spec/session-typed-data.ts";
import type { Invocation, Values } from "./command.ts";
import { distanceText } from "../domain/time-words.ts";
import { type ExitCode, exitCode, usageError } from "./exit-code.ts";
import { poll } from "./poll.ts";
import { configuredOwner, ownerSigner, sessionOptions, sessionSigner } from "./session-keys.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { type VenueAccess, venueNowMs, withVenue } from "./venue-access.ts";
import type { VenueAddress } from "./venue-options.ts";

export { sessionOptions };

/** A change of a session: the owner signs typed data (§5), with a key on this machine or elsewhere. */
export interface SessionTask {
  readonly action: SessionAction;
  /** Undefined: the address of the session key given by the options. */
  readonly sessionWallet: Address | undefined;
  readonly name?: string | undefined;
  /** Expiry in Unix seconds; `known` is the session as the venue shows it. */
  expirySec(nowMs: number, known: WireSessionWallet | undefined): number;
}

type Given = Values<typeof sessionOptions>;

type SessionInvocation = Invocation<unknown, Given>;

/** The nonce of a request that is signed elsewhere lies this far ahead, so it is valid for almost two minutes (D6). */
const AHEAD_MS = 55_000;
const SETTLE_TIMEOUT_MS = 10_000;

/** Runs `session create`, `session extend` or `session delete`. */
export async function runSession(
  invocation: SessionInvocation,
  change: SessionTask,
): Promise<ExitCode> {
  const { options, terminal } = invocation;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const crypto = await loadCrypto();
  return withVenue(invocation, async (venue) => {
    const keys = await openKeys(invocation, change, venue.address, crypto);
    const { owner, sessionWallet } = keys;
    const nowMs = await venueNowMs(venue);
    const known = await sessionOf(venue, owner, sessionWallet);
    if (known === undefined && change.action !== "create") {
      throw new TouchlineError("SESSION_UNKNOWN", `${owner} has no session ${sessionWallet}.`, {
        hint: "See: touchline session list",
      });
    }
    const terms: NamedTerms = {
      action: change.action,
      sessionWallet,
      expirySec: unixSec(change.expirySec(nowMs, known)),
      nonce: options.nonce ?? defaultNonce(options, change.action, known, nowMs),
      name: change.name,
    };
    const { checkExpiry } = await import("../sdk/session.ts");
    checkExpiry(terms, nowMs);
    const { chainId, l1ChainId } = venue.address;
    const signing = { owner, chainId, l1ChainId, crypto };
    if (options.printRequest) {
      await printRequest(signing, terms, nowMs, terminal);
      return exitCode.done;
    }
    const isUnknown = await sendChange(invocation, venue, keys, signing, terms);
    const { value: session, isDone } = await poll(SETTLE_TIMEOUT_MS, async () => {
      const found = await sessionOf(venue, owner, sessionWallet);
      const isThere = found?.applied === true;
      const isSettled =
        change.action === "delete" ? !isThere : isThere && found.expiry === terms.expirySec;
      return [found, isSettled];
    });
    if (!isDone) {
      throw new TouchlineError(
        isUnknown ? "OUTCOME_UNKNOWN" : "SESSION_NOT_APPLIED",
        `The venue does not show the change of session ${sessionWallet} yet.`,
        { hint: `Check again: touchline session list --address ${owner}` },
      );
    }
    report(invocation, owner, terms, session, nowMs);
    return exitCode.done;
  });
}

interface NamedTerms extends SessionTerms {
  readonly name: string | undefined;
}
type RequestSigning = Omit<SessionSigning, "signer">;

interface SessionKeys {
  readonly owner: Address;
  readonly sessionWallet: Address;
  /** The session wallet's key; undefined when no option gives one. */
  readonly sessionKey: Signer | undefined;
  /** The owner's key; undefined when the owner signs elsewhere. */
  readonly ownerKey: Signer | undefined;
}

/** Whether the owner signs elsewhere, such as on a hardware wallet. */
function isSignedElsewhere(options: Given): boolean {
  return options.printRequest || options.signature !== undefined;
}

/** Opens the keys that the options give. Throws a usage error when one is missing or they do not fit. */
async function openKeys(
  { options, env, terminal }: SessionInvocation,
  change: SessionTask,
  address: VenueAddress,
  crypto: Crypto,
): Promise<SessionKeys> {
  const isElsewhere = isSignedElsewhere(options);
  const mayCreate = change.action === "create";
  const key = await sessionSigner(options, { crypto, env, terminal }, mayCreate);
  const sessionWallet = change.sessionWallet ?? key?.signer.address;
  if (sessionWallet === undefined || (key === undefined && isElsewhere)) {
    throw usageError(
      "The session wallet's key is missing.",
      "Give it with --session-keystore (created if it does not exist) or --session-env.",
    );
  }
  if (key !== undefined && key.signer.address !== sessionWallet) {
    throw usageError(`The session key given belongs to ${key.signer.address}.`);
  }
  const ownerKey = isElsewhere ? undefined : await ownerSigner(options, address, crypto, env);
  const owner = ownerKey?.address ?? (await configuredOwner(options, address));
  if (owner === undefined) throw usageError("The session's owner is missing: give --owner.");
  if (owner === sessionWallet) {
    if (!mayCreate) {
      throw usageError(
        `${owner} is the owner's own address, not a session wallet.`,
        "`touchline session list` shows the owner's session wallets.",
      );
    }
    throw usageError(
      "The key of the session wallet is the owner's own.",
      "Give the session a key of its own: --session-keystore creates one.",
    );
  }
  return { owner, sessionWallet, sessionKey: key?.signer, ownerKey };
}

function defaultNonce(
  options: Given,
  action: SessionAction,
  known: WireSessionWallet | undefined,
  nowMs: number,
): number {
  if (!isSignedElsewhere(options)) return nowMs;
  // A new key has used no nonce yet, so 0 is its first in sequence and stays valid until it is signed.
  return action === "create" && known === undefined ? 0 : nowMs + AHEAD_MS;
}

/** Prints the typed data for the owner's wallet, and how to continue with the signature. */
async function printRequest(
  signing: RequestSigning,
  terms: NamedTerms,
  nowMs: number,
  terminal: Terminal,
): Promise<void> {
  const { sessionRequest } = await import("../sdk/session.ts");
  const { typedData } = sessionRequest(signing, terms);
  const { nonce, expirySec, sessionWallet } = terms;
  terminal.emit(eventName(terms.action), {
    request: typedData,
    sessionAddress: sessionWallet,
    expiry: expirySec,
    nonce,
  });
  terminal.print(JSON.stringify(typedData, undefined, 2));
  const expires =
    terms.action === "delete" ? "" : `--expires ${new Date(expirySec * 1000).toISOString()} `;
  const until = nonce === 0 ? "" : `, within ${Math.floor((nonce + 60_000 - nowMs) / 1000)} s,`;
  terminal.note(
    `${signing.owner} has to sign this typed data (eth_signTypedData_v4). Then${until} run the same command again with ` +
      `${expires}--nonce ${nonce} --signature 0x… instead of --print-request.`,
  );
}

/** Signs and sends the change. Resolves with true when the venue's response was unreadable, so the outcome is unknown. */
async function sendChange(
  { options, interrupt, terminal }: SessionInvocation,
  venue: VenueAccess,
  { ownerKey, sessionKey }: SessionKeys,
  signing: RequestSigning,
  terms: NamedTerms,
): Promise<boolean> {
  const { sendSession, sessionRequest, signSession } = await import("../sdk/session.ts");
  const { ownerOf } = await import("../sdk/node.ts");
  const { withFreshNonce } = await import("../sdk/wallet.ts");
  const { parseTypedSignature } = await import("../spec/session-typed-data.ts");
  const pasted = () => pastedSignature(signing, options.signature ?? "", parseTypedSignature);
  const owner = ownerKey === undefined ? pasted() : ownerOf(ownerKey);
  const signer = sessionKey ?? ownerKey;
  if (signer === undefined) throw usageError("There is no key to sign the transaction with.");
  const isFixed = isSignedElsewhere(options) || options.nonce !== undefined;
  const send = async (): Promise<void> => {
    const fresh = isFixed ? terms : { ...terms, nonce: await venueNowMs(venue) };
    const l1signature = await owner.signTypedData(sessionRequest(signing, fresh));
    const signed = signSession({ ...signing, signer }, fresh, l1signature);
    interrupt.beforeExit(() => terminal.fail(interruptedSession(signing.owner)));
    await sendSession(venue.connection, fresh, signed);
  };
  try {
    await (isFixed ? send() : withFreshNonce(send));
    return false;
  } catch (error) {
    if (!(error instanceof TransportError) || error.outcome === "not-sent") throw error;
    return true;
  }
}

/** An owner whose signature was made elsewhere and given by option. Rejects with `SIGNATURE_WRONG` unless it fits the request. */
function pastedSignature(
  { owner, crypto }: RequestSigning,
  text: string,
  parse: typeof parseTypedSignature,
): OwnerSigner {
  return {
    address: owner,
    async signTypedData({ digest }) {
      const signature = parse(text);
      const by = signature && crypto.recover(digest, signature.rs, signature.recovery);
      if (by === owner) return text;
      throw new TouchlineError(
        "SIGNATURE_WRONG",
        by === undefined
          ? "--signature is not a signature of 65 bytes in hex."
          : `The signature is by ${by} or of another request; the owner is ${owner}.`,
        { hint: "--expires, --nonce and the session key must be those of --print-request." },
      );
    },
  };
}

function report(
  { options, terminal }: SessionInvocation,
  owner: Address,
  { action, sessionWallet, expirySec }: NamedTerms,
  session: WireSessionWallet | undefined,
  nowMs: number,
): void {
  terminal.emit(eventName(action), {
    ownerAddress: owner,
    sessionAddress: sessionWallet,
    ...session,
  });
  const done = { create: "created", update: "extended", delete: "deleted" }[action];
  const expiry =
    action === "delete"
      ? ""
      : `, expires ${distanceText(expirySec, nowMs)} (${timeText(expirySec * 1000).slice(0, 19)} UTC)`;
  terminal.print(`Session ${terminal.bold(sessionWallet)} of ${owner} ${done}${expiry}.`);
  if (action !== "create" || options.sessionKeystore === undefined) return;
  terminal.print("In a bot's YAML:");
  terminal.print(
    `  account:\n    owner: "${owner}"\n    signer:\n      type: session\n      key: { type: keystore, path: ${options.sessionKeystore}, password: { env: TOUCHLINE_PASSWORD } }`,
  );
}

function eventName(action: SessionAction): string {
  return `session.${action === "update" ? "extend" : action}`;
}

function interruptedSession(owner: Address): TouchlineError {
  return new TouchlineError(
    "INTERRUPTED",
    "Interrupted after the session was signed: the venue may have accepted it.",
    { hint: `Check the result: touchline session list --address ${owner}` },
  );
}

async function sessionOf(
  venue: VenueAccess,
  owner: Address,
  wallet: Address,
): Promise<WireSessionWallet | undefined> {
  const sessions = await venue.call(endpoints["session-list"], { address: owner });
  return sessions.find((session) => session.sessionAddress.toLowerCase() === wallet);
}
