import { TouchlineError, TransportError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import type { SessionTerms } from "../sdk/session.ts";
import type { SessionAction } from "../spec/commands/session.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireSessionWallet } from "../spec/endpoints/session-list.ts";
import type { Invocation } from "./command.ts";
import { distanceText } from "../domain/time-words.ts";
import { type ExitCode, exitCode, usageError } from "./exit-code.ts";
import { ownerNamed, ownerSigner, sessionOptions, sessionSigner } from "./session-keys.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { type VenueAccess, venueNowMs, withVenue } from "./venue-access.ts";

export { sessionOptions };

/** Creating, extending and deleting a session: the owner signs typed data (§5), here or elsewhere. */
export interface SessionWork {
  readonly action: SessionAction;
  /** Undefined: the address of the session key given. */
  readonly sessionWallet: Address | undefined;
  readonly name?: string | undefined;
  /** Unix seconds. */
  expirySec(nowMs: number, known: WireSessionWallet | undefined): number;
}

type Given = {
  readonly [Name in keyof typeof sessionOptions]: (typeof sessionOptions)[Name] extends {
    parse(text: string): infer Value;
    readonly fallback: infer Fallback;
  }
    ? Value | Fallback
    : never;
};

/** A person with a hardware wallet has until a minute after it (D6). */
const AHEAD_MS = 55_000;
const PATIENCE_MS = 10_000;

export async function runSession(
  invocation: Invocation<unknown, Given>,
  work: SessionWork,
): Promise<ExitCode> {
  const { options, terminal, interrupt } = invocation;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const { sendSession, sessionRequest, signSession } = await import("../sdk/session.ts");
  const { ownerOf } = await import("../sdk/node.ts");
  const { withFreshNonce } = await import("../sdk/wallet.ts");
  const { action } = work;
  const crypto = await loadCrypto();
  const isOutside = options.printRequest || options.signature !== undefined;
  return withVenue(invocation, async (venue) => {
    const { address } = venue;
    const parties = await partiesOf(invocation, work, venue, crypto);
    const { key, ownerKey, owner, sessionWallet } = parties;
    const nowMs = await venueNowMs(venue);
    const known = await sessionOf(venue, owner, sessionWallet);
    if (known === undefined && action !== "create") {
      throw new TouchlineError("SESSION_UNKNOWN", `${owner} has no session ${sessionWallet}.`, {
        hint: "See: touchline session list",
      });
    }
    // A new key has used no nonce yet, so 0 is its first in sequence and waits for a person as long as need be.
    const outsideNonce = action === "create" && known === undefined ? 0 : nowMs + AHEAD_MS;
    const terms = {
      action,
      sessionWallet,
      expirySec: unixSec(work.expirySec(nowMs, known)),
      nonce: options.nonce ?? (isOutside ? outsideNonce : nowMs),
      name: work.name,
    };
    const signing = { owner, chainId: address.chainId, l1ChainId: address.l1ChainId, crypto };
    const request = sessionRequest(signing, terms);

    if (options.printRequest) {
      printRequest(terminal, { owner, nowMs, terms, typedData: request.typedData });
      return exitCode.done;
    }

    const by =
      ownerKey === undefined
        ? outsideOwner(owner, options.signature ?? "", crypto)
        : ownerOf(ownerKey);
    const signer = key?.signer ?? ownerKey;
    if (signer === undefined) throw usageError("No key to sign the transaction with.");
    const isFixed = isOutside || options.nonce !== undefined;
    const send = async (): Promise<void> => {
      const fresh = isFixed ? terms : { ...terms, nonce: await venueNowMs(venue) };
      const l1signature = await by.signTypedData(sessionRequest(signing, fresh));
      const signed = signSession({ ...signing, signer }, fresh, l1signature);
      interrupt.lastWords(() => terminal.fail(interruptedSession(owner)));
      await sendSession(venue.connection, fresh, signed);
    };
    let isUnknown = false;
    try {
      await (isFixed ? send() : withFreshNonce(send));
    } catch (error) {
      if (!(error instanceof TransportError) || error.outcome === "not-sent") throw error;
      isUnknown = true;
    }
    const session = await settled(venue, owner, sessionWallet, (found) =>
      action === "delete"
        ? found?.applied !== true
        : found?.applied === true && found.expiry === terms.expirySec,
    );
    if (session === "unsettled") {
      throw new TouchlineError(
        isUnknown ? "OUTCOME_UNKNOWN" : "SESSION_NOT_APPLIED",
        `The venue does not show the session ${sessionWallet} as it should be yet.`,
        { hint: `Ask again: touchline session list --address ${owner}` },
      );
    }
    report(invocation, { owner, nowMs, terms, session });
    return exitCode.done;
  });
}

interface Parties {
  /** The session wallet's own key; undefined where none is given. */
  readonly key: Awaited<ReturnType<typeof sessionSigner>>;
  /** Undefined where the owner signs elsewhere. */
  readonly ownerKey: Awaited<ReturnType<typeof ownerSigner>> | undefined;
  readonly owner: Address;
  readonly sessionWallet: Address;
}

async function partiesOf(
  { options, env, terminal }: Invocation<unknown, Given>,
  work: SessionWork,
  { address }: VenueAccess,
  crypto: Crypto,
): Promise<Parties> {
  const isOutside = options.printRequest || options.signature !== undefined;
  const key = await sessionSigner(options, crypto, env, terminal, work.action === "create");
  const sessionWallet = work.sessionWallet ?? key?.signer.address;
  if (sessionWallet === undefined || (key === undefined && isOutside)) {
    throw usageError(
      "The session wallet's key is not named.",
      "Name it with --session-keystore (made if it is not there) or --session-env.",
    );
  }
  if (key !== undefined && key.signer.address !== sessionWallet) {
    throw usageError(`The session key given is that of ${key.signer.address}.`);
  }
  const ownerKey = isOutside ? undefined : await ownerSigner(options, address, crypto, env);
  const owner = ownerKey?.address ?? ownerNamed(options, address);
  if (owner === undefined) throw usageError("Whose session it is is not said: name --owner.");
  if (owner === sessionWallet) {
    throw usageError(
      "The key of the session wallet is the owner's own.",
      "Give the session a key of its own: --session-keystore makes one.",
    );
  }
  return { key, ownerKey, owner, sessionWallet };
}

const eventNames = { create: "create", update: "extend", delete: "delete" } as const;
const pastForms = { create: "created", update: "extended", delete: "deleted" } as const;

/** What a person has to sign elsewhere, and how to go on with the signature. */
function printRequest(
  terminal: Terminal,
  request: {
    readonly owner: Address;
    readonly nowMs: number;
    readonly terms: SessionTerms;
    readonly typedData: unknown;
  },
): void {
  const { owner, nowMs, typedData } = request;
  const { action, sessionWallet, expirySec, nonce } = request.terms;
  terminal.emit(`session.${eventNames[action]}`, {
    request: typedData,
    sessionAddress: sessionWallet,
    expiry: expirySec,
    nonce,
  });
  terminal.print(JSON.stringify(typedData, undefined, 2));
  const until = nonce === 0 ? "" : `, within ${Math.floor((nonce + 60_000 - nowMs) / 1000)} s,`;
  terminal.note(
    `${owner} has to sign this typed data (eth_signTypedData_v4). Then${until} run the same command again with ` +
      `--expires ${expirySec} --nonce ${nonce} --signature 0x… in place of --print-request.`,
  );
}

/** The owner whose signature was made elsewhere; any other signature is an error. */
function outsideOwner(owner: Address, signature: string, crypto: Crypto): OwnerSigner {
  return {
    address: owner,
    async signTypedData({ digest }) {
      const { parseTypedSignature } = await import("../spec/session-typed-data.ts");
      const parsed = parseTypedSignature(signature);
      const by = parsed && crypto.recover(digest, parsed.rs, parsed.recovery);
      if (by === owner) return signature;
      throw new TouchlineError(
        "SIGNATURE_WRONG",
        by === undefined
          ? "--signature is not a signature of 65 bytes in hex."
          : `The signature is by ${by}, or of another request; the owner is ${owner}.`,
        { hint: "--expires, --nonce and the session key must be those of --print-request." },
      );
    },
  };
}

function report(
  { options, terminal }: Invocation<unknown, Given>,
  done: {
    readonly owner: Address;
    readonly nowMs: number;
    readonly terms: SessionTerms;
    readonly session: WireSessionWallet | undefined;
  },
): void {
  const { owner, nowMs, session } = done;
  const { action, sessionWallet, expirySec } = done.terms;
  terminal.emit(`session.${eventNames[action]}`, {
    ownerAddress: owner,
    sessionAddress: sessionWallet,
    ...session,
  });
  const expiry =
    action === "delete"
      ? ""
      : `, expires ${distanceText(expirySec, nowMs)} (${timeText(expirySec * 1000).slice(0, 19)} UTC)`;
  terminal.print(
    `Session ${terminal.bold(sessionWallet)} of ${owner} ${pastForms[action]}${expiry}.`,
  );
  if (action !== "create" || options.sessionKeystore === undefined) return;
  terminal.print("In a bot's YAML:");
  terminal.print(
    `  account:\n    owner: "${owner}"\n    signer:\n      type: session\n      key: { type: keystore, path: ${options.sessionKeystore}, password: { env: TOUCHLINE_PASSWORD } }`,
  );
}

function interruptedSession(owner: Address): TouchlineError {
  return new TouchlineError(
    "INTERRUPTED",
    "Interrupted after the session was signed: the venue may have taken it.",
    { hint: `Ask: touchline session list --address ${owner}` },
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

async function settled(
  venue: VenueAccess,
  owner: Address,
  wallet: Address,
  isDone: (session: WireSessionWallet | undefined) => boolean,
): Promise<WireSessionWallet | undefined | "unsettled"> {
  const until = performance.now() + PATIENCE_MS;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 1000)) {
    const session = await sessionOf(venue, owner, wallet);
    if (isDone(session)) return session;
    if (performance.now() + waitMs > until) return "unsettled";
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
