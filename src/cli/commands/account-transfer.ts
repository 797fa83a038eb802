import { fixed } from "../../domain/fixed.ts";
import { listTransfers } from "../../gateway/account-lists.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument, decimal } from "../option.ts";
import { openWallet, outcomeUnknown } from "../order-command.ts";
import { listRows } from "../order-list.ts";
import { tokenOf } from "../token-of.ts";
import { withVenue } from "../venue-access.ts";
import { addressArgument, signingOptions } from "../venue-options.ts";

export const accountTransfer = defineCommand({
  words: ["account", "transfer"],
  summary: "send a token to another layer-2 address, at once and for good",
  args: {
    token: argument("<token>", "token id (2) or symbol (USDT)"),
    amount: decimal("<amount>", "how much"),
    to: argument("<address>", "who gets it"),
  },
  options: signingOptions,
  examples: ["account transfer USDT 25 0x00000000000000000000000000000000000000a1"],
  async run(invocation) {
    const { args, options, terminal, env } = invocation;
    const to = addressArgument("<address>", args.to);
    const { token, owner, txHash } = await withVenue(invocation, async (venue) => {
      const wallet = await openWallet(venue, options, env);
      const found = await tokenOf(venue, args.token);
      const sent = await wallet.send({
        type: "token-transfer",
        to,
        tokenId: found.tokenId,
        value: fixed(args.amount),
      });
      if (sent.outcome === "unknown") {
        const rows = await listRows(venue, wallet.owner, { limit: 500 }, listTransfers);
        if (!rows.some((row) => row.hash.toLowerCase() === sent.txHash)) {
          throw outcomeUnknown("made the transfer", sent.txHash, "touchline account transfers");
        }
      }
      return { token: found, owner: wallet.owner, txHash: sent.txHash };
    });
    terminal.emit("account.transfer", {
      hash: txHash,
      tokenId: token.tokenId,
      amount: args.amount,
      fromAddress: owner,
      toAddress: to,
    });
    terminal.print(`${args.amount} ${token.symbol} sent to ${to} by ${txHash}`);
    return exitCode.done;
  },
});
