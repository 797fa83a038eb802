import type { Address, OrderId } from "../../domain/ids.ts";
import { listTransfers } from "../../gateway/account-lists.ts";
import { defineCliCommand } from "../command.ts";
import { argument, decimal } from "../option.ts";
import { openCliWallet, outcomeUnknown } from "../order-command.ts";
import { listRows } from "../order-list.ts";
import { poll } from "../poll.ts";
import { tokenOf } from "../token-of.ts";
import { type VenueAccess, withVenue } from "../venue-access.ts";
import { addressArgument, signingOptions } from "../venue-options.ts";

/** Given instead of a token: the venue's own transfer of its native token, without a token id (0x02, D8). */
const NATIVE = "native";
/** How many of the newest transfers are searched. */
const NEWEST = 500;
const PATIENCE_MS = 1_000;

export default defineCliCommand({
  summary: "send a token to another layer-2 address; this is immediate and final",
  details:
    "Any token is sent with one kind of transaction; the venue's native token can also be sent with one of its own: give native as token.",
  args: {
    token: argument("<token>", "token id (2), symbol (USDT), or the word native"),
    amount: decimal("<amount>", "amount to send"),
    to: argument("<address>", "address of the receiver"),
  },
  options: signingOptions,
  examples: [
    "account transfer USDT 25 0x00000000000000000000000000000000000000a1",
    "account transfer native 0.5 0x00000000000000000000000000000000000000a1",
  ],
  async run(invocation) {
    const { args, terminal } = invocation;
    const to = await addressArgument("<address>", args.to);
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
      // Only the venue knows which token the native one is.
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
  },
});

/** Finds a transfer in the venue's list, which may lag by a moment; undefined when it does not appear. */
async function recordOf(venue: VenueAccess, owner: Address, hash: OrderId) {
  const { value } = await poll(PATIENCE_MS, async () => {
    const rows = await listRows(venue, owner, { limit: NEWEST }, listTransfers);
    const found = rows.find((row) => row.hash.toLowerCase() === hash);
    return [found, found !== undefined];
  });
  return value;
}
