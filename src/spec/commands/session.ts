import { z } from "zod";
import { unixSec } from "../../domain/time.ts";
import { defineCommand } from "../command.ts";
import { contextAddress } from "../context-values.ts";
import { addressText, contextInteger, typedSignatureHex } from "../fields.ts";

/** The action of each `type`, and the only path that accepts it (§2.1, D10). */
export const sessionActions = {
  1: { action: "create", path: "/api/v1/wallet/session" },
  2: { action: "update", path: "/api/v1/wallet/session/update" },
  3: { action: "delete", path: "/api/v1/wallet/session/delete" },
} as const;
export type SessionAction = (typeof sessionActions)[keyof typeof sessionActions]["action"];

/** SessionContext (§4.4). A session wallet may sign it only for itself; it contains the owner's `l1signature` (§5, D7). */
export const session = defineCommand({
  name: "session",
  section: "§4.4",
  summary: "Creates a session wallet, changes its expiry or deletes it.",
  byte: 0x01,
  paths: Object.values(sessionActions).map(({ path }) => path),
  context: z.strictObject({
    /** 1 create, 2 update, 3 delete. */
    type: z.literal([1, 2, 3]),
    /** Address of the session wallet. */
    publickey: addressText,
    /** Unix seconds. */
    expiresAt: contextInteger,
    /** The same nonce as in the transaction and in the typed data. */
    nonce: contextInteger,
    l1owner: addressText,
    /** The owner's signature of the typed data (§5). */
    l1signature: typedSignatureHex,
  }),
  sessionMaySign: true,
  pathOf: ({ type }) => sessionActions[type].path,
  /** The reader recovers the signer of `l1signature`. */
  decode: ({ type, publickey, expiresAt, nonce, l1signature }) => ({
    type: "session",
    action: sessionActions[type].action,
    sessionWallet: contextAddress(publickey),
    expirySec: unixSec(expiresAt),
    nonce,
    l1signature,
  }),
});
