import { getOrMake } from "../base/get-or-make.ts";
import type { Address } from "../domain/ids.ts";
import { toUnixSec, unixSec, type UnixMs, type UnixSec } from "../domain/time.ts";
import { transactionLimits } from "../spec/limits.ts";
import type { ChangeSession } from "./command.ts";
import { type Refusal, refused } from "./records.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

/** A session wallet of an owner (§2.3). */
export interface SessionRecord {
  readonly owner: Address;
  readonly sessionWallet: Address;
  readonly name: string;
  readonly createdSec: UnixSec;
  readonly expirySec: UnixSec;
  /** Whether the session is neither deleted nor expired. */
  readonly applied: boolean;
}

interface Session {
  readonly name: string;
  readonly createdSec: UnixSec;
  expirySec: UnixSec;
  isDeleted: boolean;
}

/** The sessions of one owner. */
interface Owned {
  /** By session wallet, oldest first. */
  readonly sessions: Map<Address, Session>;
  /** Used signatures of the owner, with the nonce of each. */
  readonly used: Map<string, number>;
}

/** Signatures with sequential nonces are remembered forever; beyond this number, the owner has to use time nonces. */
const USED_MAX = 4096;

/**
 * Session wallets by owner (D7, D26). The typed data that an owner signs does not state the action, so each signature is valid
 * once: otherwise a deleted wallet could create itself again with the signature of its own deletion.
 */
export class SessionBook {
  readonly #perOwner: number;
  readonly #nonceWindowMs: number;
  readonly #owners = new Map<Address, Owned>();

  /** Keeps `sessionsPerOwner` sessions of each owner and drops ended ones first. */
  constructor(limits: { readonly sessionsPerOwner: number; readonly nonceWindowMs: number }) {
    this.#perOwner = limits.sessionsPerOwner;
    this.#nonceWindowMs = limits.nonceWindowMs;
  }

  /** Whether this wallet may trade for the owner now. */
  isApplied(owner: Address, sessionWallet: Address, nowMs: UnixMs): boolean {
    const session = this.#owners.get(owner)?.sessions.get(sessionWallet);
    return session !== undefined && isApplied(session, nowMs);
  }

  /** All sessions of an owner, newest first. */
  list(owner: Address, nowMs: UnixMs): SessionRecord[] {
    const sessions = [...(this.#owners.get(owner)?.sessions ?? [])].reverse();
    return sessions.map(([sessionWallet, session]) => ({
      owner,
      sessionWallet,
      name: session.name,
      createdSec: session.createdSec,
      expirySec: session.expirySec,
      applied: isApplied(session, nowMs),
    }));
  }

  /** Why the request is refused; undefined when `apply` may follow. `nonce` is the transaction's. */
  problem(
    owner: Address,
    request: ChangeSession,
    nonce: number,
    nowMs: UnixMs,
  ): Refusal | undefined {
    const { action, sessionWallet, expirySec } = request;
    if (request.nonce !== nonce) {
      return refused(
        "invalid",
        `The context's nonce ${request.nonce} differs from the transaction's, ${nonce}.`,
      );
    }
    if (request.l1signer !== owner) {
      return refused(
        "unauthorized",
        `l1signature was made by ${request.l1signer}, not by ${owner}.`,
      );
    }
    const owned = this.#owners.get(owner);
    if (owned?.used.has(signatureKey(request)) === true) {
      return refused("nonceUsed", "l1signature was used before.");
    }
    if (nonce < transactionLimits.timeNonceFrom && (owned?.used.size ?? 0) >= USED_MAX) {
      return refused("invalid", `${owner} has used too many sequential nonces: use time nonces.`);
    }
    if (action !== "delete" && expirySec <= toUnixSec(nowMs)) {
      return refused("invalid", `expiresAt ${expirySec} is not in the future.`);
    }
    const session = owned?.sessions.get(sessionWallet);
    if (action === "create") {
      const applied = [...(owned?.sessions.values() ?? [])].filter((each) =>
        isApplied(each, nowMs),
      );
      const isFull = applied.length >= this.#perOwner;
      return session === undefined && isFull
        ? refused("invalid", `${owner} has ${this.#perOwner} session wallets already.`)
        : undefined;
    }
    if (session === undefined) {
      return refused("notFound", `${owner} has no session wallet ${sessionWallet}.`);
    }
    return session.isDeleted
      ? refused("invalid", `Session wallet ${sessionWallet} is deleted already.`)
      : undefined;
  }

  apply(owner: Address, request: ChangeSession, nowMs: UnixMs): void {
    const owned = this.#of(owner);
    this.#noteUse(owned, request, nowMs);
    const { action, sessionWallet, expirySec, name } = request;
    const session = owned.sessions.get(sessionWallet);
    if (action === "create") {
      owned.sessions.delete(sessionWallet);
      this.#makeRoom(owned, nowMs);
      const createdSec = toUnixSec(nowMs);
      owned.sessions.set(sessionWallet, { name, createdSec, expirySec, isDeleted: false });
    } else if (session !== undefined) {
      if (action === "update") session.expirySec = expirySec;
      else session.isDeleted = true;
    }
  }

  /** Forgets an owner who never owned anything. */
  forget(owner: Address): void {
    this.#owners.delete(owner);
  }

  save(): SnapshotPart[] {
    const rows = [...this.#owners].map(([owner, { sessions, used }]): OwnerRow => {
      const lines = [...sessions].map(
        ([wallet, { name, createdSec, expirySec, isDeleted }]) =>
          [wallet, name, createdSec, expirySec, isDeleted] as const,
      );
      return [owner, lines, [...used]];
    });
    return [partNow("sessions", rows)];
  }

  restore(saved: SavedRows): void {
    for (const [owner, lines, used] of saved<OwnerRow>("sessions")) {
      const owned = this.#of(owner);
      for (const [wallet, name, createdSec, expirySec, isDeleted] of lines) {
        owned.sessions.set(wallet, {
          name,
          createdSec: unixSec(createdSec),
          expirySec: unixSec(expirySec),
          isDeleted,
        });
      }
      for (const [key, nonce] of used) owned.used.set(key, nonce);
    }
  }

  /** Forgets time nonces that have left the window, since the window refuses them. */
  #noteUse(owned: Owned, request: ChangeSession, nowMs: UnixMs): void {
    for (const [key, nonce] of owned.used) {
      const isTime = nonce >= transactionLimits.timeNonceFrom;
      if (isTime && nonce < nowMs - this.#nonceWindowMs) owned.used.delete(key);
    }
    owned.used.set(signatureKey(request), request.nonce);
  }

  #makeRoom(owned: Owned, nowMs: UnixMs): void {
    for (const [wallet, session] of owned.sessions) {
      if (owned.sessions.size < this.#perOwner) return;
      if (!isApplied(session, nowMs)) owned.sessions.delete(wallet);
    }
  }

  #of(owner: Address): Owned {
    return getOrMake(this.#owners, owner, () => ({ sessions: new Map(), used: new Map() }));
  }
}

type OwnerRow = readonly [
  owner: Address,
  sessions: readonly (readonly [
    wallet: Address,
    name: string,
    createdSec: number,
    expirySec: number,
    isDeleted: boolean,
  ])[],
  used: readonly (readonly [key: string, nonce: number])[],
];

/** Identifies a signature by the message it signs. */
function signatureKey({ sessionWallet, expirySec, nonce }: ChangeSession): string {
  return `${sessionWallet} ${expirySec} ${nonce}`;
}

function isApplied(session: Session, nowMs: UnixMs): boolean {
  return !session.isDeleted && nowMs < session.expirySec * 1000;
}
