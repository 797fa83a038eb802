import type { Address, OrderId } from "../../domain/ids.ts";
import { listTransfers } from "../../gateway/account-lists.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument, decimal } from "../option.ts";
import { openCliWallet, outcomeUnknown } from "../order-command.ts";
import { listRows } from "../order-list.ts";
import { tokenOf } from "../token-of.ts";
import { type VenueAccess, withVenue } from "../venue-access.ts";
import { receiverArgument, signingOptions } from "../venue-options.ts";

/** In place of a token: the transaction that names none (0x02, D8). */
const NATIVE = "native";
/** The newest transfers among which one is looked for. */
const NEWEST = 500;
const LOOKS = 4;
const PAUSE_MS = 250;

export const accountTransfer = defineCliCommand({
  words: ["account", "transfer"],
  summary: "send a token to another layer-2 address, at once and for good",
  details:
    "The venue has two transactions for it: one for any token, and one of its own for its native token, which the word native takes.",
  args: {
    token: argument("<token>", "token id (2), symbol (USDT), or the word native"),
    amount: decimal("<amount>", "how much"),
    to: argument("<address>", "who gets it"),
  },
  options: signingOptions,
  examples: [
    "account transfer USDT 25 0x00000000000000000000000000000000000000a1",
    "account transfer native 0.5 0x00000000000000000000000000000000000000a1",
  ],
  async run(invocation) {
    const { args, terminal } = invocation;
    const to = await receiverArgument("<address>", args.to);
    const isNative = args.token.toLowerCase() === NATIVE;
    const { token, owner, txHash } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation, "owner");
      const known = isNative ? undefined : await tokenOf(venue, args.token);
      const value = args.amount;
      const sent =
        known === undefined
          ? await wallet.send("transfer", { to, value })
          : await wallet.send("token-transfer", { to, token: known.tokenId, value });
      const record = await recordOf(venue, wallet.owner, sent.txHash);
      if (record === undefined && sent.outcome === "unknown") {
        throw outcomeUnknown(
          "made the transfer",
          sent.txHash,
          `touchline account transfers, and look for ${sent.txHash}`,
        );
      }
      // Which token the native one is, only the venue can tell.
      const moved = record === undefined ? undefined : await tokenOf(venue, record.tokenId);
      return { token: known ?? moved, owner: wallet.owner, txHash: sent.txHash };
    });
    terminal.emit("account.transfer", {
      hash: txHash,
      type: isNative ? "TRANSFER" : "TOKEN_TRANSFER",
      tokenId: token?.tokenId ?? null,
      amount: args.amount,
      fromAddress: owner,
      toAddress: to,
    });
    terminal.print(`${args.amount} ${token?.symbol ?? NATIVE} sent to ${to} by ${txHash}`);
    return exitCode.done;
  },
});

/** The venue's own record of a transfer; its list may lag by a moment. */
async function recordOf(venue: VenueAccess, owner: Address, hash: OrderId) {
  for (let attempt = 1; ; attempt += 1) {
    const rows = await listRows(venue, owner, { limit: NEWEST }, listTransfers);
    const found = rows.find((row) => row.hash.toLowerCase() === hash);
    if (found !== undefined || attempt >= LOOKS) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
