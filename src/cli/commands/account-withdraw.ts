import { defineCliCommand } from "../command.ts";
import { argument, decimal, type Option } from "../option.ts";
import { openCliWallet, outcomeUnknown } from "../order-command.ts";
import { tokenOf } from "../token-of.ts";
import { withVenue } from "../venue-access.ts";
import { addressArgument, signingOptions } from "../venue-options.ts";

const commandByte: Option<number, undefined> = {
  flags: "--command-byte <byte>",
  about: "command byte of this venue's withdrawals (default: venue.withdrawal of --config)",
  fallback: undefined,
  parse: (written) => {
    const value = /^(0x[0-9a-f]{1,2}|\d{1,3})$/i.test(written) ? Number(written) : Number.NaN;
    if (!(value <= 255)) throw new Error("must be a byte such as 0x12");
    return value;
  },
};

export default defineCliCommand({
  summary: "withdraw a token to a layer-1 address",
  details:
    "The venue's interface does not specify withdrawals, so you have to give their command byte: " +
    "with venue: { withdrawal: { byte: 0x12 } } in the configuration, or with --command-byte 0x12. 0x12 is that of the paper venue.",
  args: {
    token: argument("<token>", "token id (2) or symbol (USDT)"),
    amount: decimal("<amount>", "amount to withdraw"),
    to: argument("<address>", "layer-1 address of the receiver"),
  },
  options: { ...signingOptions, commandByte },
  examples: [
    "account withdraw USDT 25 0x00000000000000000000000000000000000000a1 --command-byte 0x12",
  ],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const { withdrawalCommand } = await import("../../sdk/withdrawal.ts");
    const to = await addressArgument("<address>", args.to);
    const { symbol, tokenId, owner, txHash } = await withVenue(invocation, async (venue) => {
      const structure =
        options.commandByte === undefined
          ? venue.address.withdrawal
          : { ...venue.address.withdrawal, byte: options.commandByte };
      // Before a key is opened: without the structure nothing is signed.
      withdrawalCommand(structure);
      const wallet = await openCliWallet(venue, invocation, "owner", structure);
      const token = await tokenOf(venue, args.token);
      const context = { to, token: token.tokenId, value: args.amount };
      const sent = await wallet.send("withdraw", context);
      if (sent.outcome === "accepted") {
        return { ...token, txHash: sent.txHash, owner: wallet.owner };
      }
      throw outcomeUnknown(
        "took the withdrawal",
        sent.txHash,
        `touchline account retry-withdraw ${sent.txHash} (404 means that it did not)`,
      );
    });
    terminal.emit("account.withdraw", {
      hash: txHash,
      tokenId,
      amount: args.amount,
      fromAddress: owner,
      toAddress: to,
    });
    terminal.print(`${args.amount} ${symbol} on the way to ${to} on layer 1: ${txHash}`);
    terminal.print(
      terminal.dim(`If it fails on layer 1: touchline account retry-withdraw ${txHash}`),
    );
  },
});
