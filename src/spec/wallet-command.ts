import { assert } from "../base/assert.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { UnixSec } from "../domain/time.ts";
import { wireQuantity } from "./command-amount.ts";
import { parseTypedSignature } from "./session-typed-data.ts";

/** Creates, extends or ends a session wallet (0x01). */
export interface SessionCommand {
  readonly type: "session-create" | "session-update" | "session-delete";
  /** Also the nonce of the signed typed data. */
  readonly nonce: number;
  readonly sessionWallet: Address;
  readonly expirySec: UnixSec;
  /** The owner's signature of the typed data (§5). */
  readonly l1signature: string;
}

/** Moves the native token to a layer-2 address (0x02, D8). Only the owner's key may sign it (D7). */
export interface TransferCommand {
  readonly type: "transfer";
  readonly nonce: number;
  readonly to: Address;
  readonly value: Fixed;
}

/** Moves a token to a layer-2 address (0x11). Only the owner's key may sign it (D7). */
export interface TokenTransferCommand {
  readonly type: "token-transfer";
  readonly nonce: number;
  readonly to: Address;
  readonly tokenId: TokenId;
  readonly value: Fixed;
}

/** Moves a token to a layer-1 address. The structure is assumed (D9). Only the owner's key may sign it (D7). */
export interface WithdrawCommand {
  readonly type: "withdraw";
  readonly nonce: number;
  readonly to: Address;
  readonly tokenId: TokenId;
  readonly value: Fixed;
}

export type WalletCommand =
  | SessionCommand
  | TransferCommand
  | TokenTransferCommand
  | WithdrawCommand;

const sessionTypes = { "session-create": 1, "session-update": 2, "session-delete": 3 } as const;

/** Formats the context; `checksum` converts addresses to EIP-55 form. */
export function walletContextText(
  command: WalletCommand,
  owner: string,
  checksum: (address: Address) => string,
): string {
  switch (command.type) {
    case "session-create":
    case "session-update":
    case "session-delete": {
      const { nonce, sessionWallet, expirySec, l1signature } = command;
      assert(Number.isSafeInteger(expirySec) && expirySec >= 0, "an expiry in whole seconds");
      assert(parseTypedSignature(l1signature) !== undefined, "a typed signature of 65 bytes");
      return JSON.stringify({
        type: sessionTypes[command.type],
        publickey: checksum(sessionWallet),
        expiresAt: expirySec,
        nonce,
        l1owner: owner,
        l1signature,
      });
    }
    case "transfer": {
      const { to, value } = command;
      return JSON.stringify({ l1owner: owner, to: checksum(to), value: wireQuantity(value) });
    }
    case "token-transfer":
    case "withdraw": {
      const { to, tokenId: token, value } = command;
      return JSON.stringify({
        l1owner: owner,
        to: checksum(to),
        token,
        value: wireQuantity(value),
      });
    }
  }
}
