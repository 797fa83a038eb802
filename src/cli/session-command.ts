import { TouchlineError, TransportError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import type { SessionAction } from "../spec/commands/session.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireSessionWallet } from "../spec/endpoints/session-list.ts";
import type { Invocation } from "./command.ts";
import { distanceText } from "../domain/time-words.ts";
import { type ExitCode, exitCode, usageError } from "./exit-code.ts";
import { ownerNamed, ownerSigner, sessionOptions, sessionSigner } from "./session-keys.ts";
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
  const { options, terminal, interrupt, env } = invocation;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const { parseTypedSignature } = await import("../spec/session-typed-data.ts");
  const { sendSession, sessionRequest, signSession } = await import("../sdk/session.ts");
  const { ownerOf } = await import("../sdk/node.ts");
  const { withFreshNonce } = await import("../sdk/wallet.ts");
  const { action } = work;
  const crypto = await loadCrypto();
  const isOutside = options.printRequest || options.signature !== undefined;
  return withVenue(invocation, async (venue) => {
    const { address } = venue;
    const key = await sessionSigner(options, crypto, env, terminal, action === "create");
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
      const { nonce, expirySec } = terms;
      terminal.emit(`session.${action === "update" ? "extend" : action}`, {
        request: request.typedData,
        sessionAddress: sessionWallet,
        expiry: expirySec,
        nonce,
      });
      terminal.print(JSON.stringify(request.typedData, undefined, 2));
      const until = nonce === 0 ? "" : `, within ${Math.floor((nonce + 60_000 - nowMs) / 1000)} s,`;
      terminal.note(
        `${owner} has to sign this typed data (eth_signTypedData_v4). Then${until} run the same command again with ` +
          `--expires ${expirySec} --nonce ${nonce} --signature 0x… in place of --print-request.`,
      );
      return exitCode.done;
    }

    const outside: OwnerSigner = {
      address: owner,
      async signTypedData({ digest }) {
        const signature = parseTypedSignature(options.signature ?? "");
        const by = signature && crypto.recover(digest, signature.rs, signature.recovery);
        if (by === owner) return options.signature ?? "";
        throw new TouchlineError(
          "SIGNATURE_WRONG",
          by === undefined
            ? "--signature is not a signature of 65 bytes in hex."
            : `The signature is by ${by}, or of another request; the owner is ${owner}.`,
          { hint: "--expires, --nonce and the session key must be those of --print-request." },
        );
      },
    };
    const by = ownerKey === undefined ? outside : ownerOf(ownerKey);
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
    const event = action === "update" ? "extend" : action;
    terminal.emit(`session.${event}`, {
      ownerAddress: owner,
      sessionAddress: sessionWallet,
      ...session,
    });
    const done = { create: "created", update: "extended", delete: "deleted" }[action];
    const expiry =
      action === "delete"
        ? ""
        : `, expires ${distanceText(terms.expirySec, nowMs)} (${timeText(terms.expirySec * 1000).slice(0, 19)} UTC)`;
    terminal.print(`Session ${terminal.bold(sessionWallet)} of ${owner} ${done}${expiry}.`);
    if (action === "create" && options.sessionKeystore !== undefined) {
      terminal.print("In a bot's YAML:");
      terminal.print(
        `  account:\n    owner: "${owner}"\n    signer:\n      type: session\n      key: { type: keystore, path: ${options.sessionKeystore}, password: { env: TOUCHLINE_PASSWORD } }`,
      );
    }
    return exitCode.done;
  });
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
