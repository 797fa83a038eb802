import { assert } from "../../base/assert.ts";
import type { Fixed } from "../../domain/fixed.ts";
import type { Address, OrderId, TokenId } from "../../domain/ids.ts";
import type { UnixMs } from "../../domain/time.ts";
import type { OrderRequest } from "../../exchange/admission.ts";
import type { ChangeSession, CommandOptions, ExchangeCommand } from "../../exchange/command.ts";
import type { WireCommand } from "../../spec/commands.ts";
import { type ContextCommand, decodeCommand } from "../../spec/context.ts";
import type { Action } from "./action.ts";

/** Actions of format 1, which kept signed commands as wire contexts and had a form of its own for each unsigned command. */
export type OldAction = { readonly atMs: UnixMs } & (
  | { readonly type: "submit"; readonly transaction: OldTransaction }
  | ({ readonly account: Address } & OldCall)
);

interface OldTransaction {
  readonly signer: Address;
  readonly txHash: OrderId;
  readonly nonce: number;
  readonly command: WireCommand;
  readonly session?: { readonly l1signer: Address; readonly name: string };
}

type OldCall =
  | { readonly type: "place"; readonly request: OrderRequest; readonly options: CommandOptions }
  | { readonly type: "cancel"; readonly orderId: OrderId; readonly txHash?: OrderId }
  | { readonly type: "cancel-all"; readonly txHash?: OrderId }
  | {
      readonly type: "modify";
      readonly orderId: OrderId;
      readonly change: { readonly price?: Fixed; readonly quantity?: Fixed };
      readonly options: CommandOptions;
    }
  | {
      readonly type: "transfer" | "withdraw";
      readonly request: { readonly to: Address; readonly tokenId: TokenId; readonly amount: Fixed };
      readonly txHash?: OrderId;
    };

const oldCalls: ReadonlySet<string> = new Set<OldCall["type"]>([
  "place",
  "cancel",
  "cancel-all",
  "modify",
  "transfer",
  "withdraw",
]);

export function isOldAction(action: Action | OldAction): action is OldAction {
  if (action.type === "submit") return "context" in action.transaction.command;
  return oldCalls.has(action.type);
}

/** Converts an action to the current form. */
export function upgradedAction(action: OldAction): Action {
  const { atMs } = action;
  if (action.type === "submit") {
    const { signer, txHash, nonce, command: wire, session } = action.transaction;
    const { owner, sessionMaySign, command: decoded } = decodeCommand(wire);
    const command = decoded.type === "session" ? completed(decoded, session) : decoded;
    const transaction = { signer, txHash, nonce, owner, sessionMaySign, command };
    return { type: "submit", atMs, transaction };
  }
  const { account } = action;
  const options = "options" in action ? action.options : { txHash: action.txHash };
  return { type: "execute", atMs, account, command: commandOf(action), options };
}

/** Adds the signer of the typed data and the name, which were kept beside the context. */
function completed(
  decoded: Extract<ContextCommand, { readonly type: "session" }>,
  session: OldTransaction["session"],
): ChangeSession {
  const { l1signature: _, ...command } = decoded;
  assert(session !== undefined, "a session command was kept with the signer of its typed data");
  return { ...command, ...session };
}

function commandOf(call: OldCall): ExchangeCommand {
  switch (call.type) {
    case "place": {
      const { stopPrice, tpsl, ...terms } = call.request;
      return stopPrice === undefined
        ? { type: "place", ...terms, tpsl }
        : { type: "stop", ...terms, stopPrice };
    }
    case "cancel":
      return { type: "cancel", orderId: call.orderId };
    case "cancel-all":
      return { type: "cancel-all" };
    case "modify": {
      const { price, quantity } = call.change;
      return { type: "modify", orderId: call.orderId, price, quantity };
    }
    case "transfer":
      return { type: "token-transfer", ...call.request };
    case "withdraw":
      return { type: "withdraw", ...call.request };
  }
}
