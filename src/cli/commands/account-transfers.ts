import { listTransfers } from "../../gateway/account-lists.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCliCommand } from "../command.ts";
import { text } from "../option.ts";
import { listRows, rangeOptions } from "../order-list.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { tokenOf, tokenSymbols } from "../token-of.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list an account's transfers, newest first",
  options: {
    ...addressOptions,
    token: text("--token <token>", "only this token (2 or USDT)"),
    ...rangeOptions(listLimits.transfers.default),
  },
  examples: ["account transfers --token USDT --limit 20"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, transfers, symbols } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      const tokenId =
        options.token === undefined ? undefined : (await tokenOf(venue, options.token)).tokenId;
      const rows = await listRows(venue, account, options, (call, list) =>
        listTransfers(call, { ...list, tokenId }),
      );
      return {
        address: account,
        transfers: rows,
        symbols: await tokenSymbols(venue),
      };
    });
    terminal.emit("account.transfers", { address, transfers });
    if (transfers.length === 0) {
      terminal.print("No transfers in that time.");
      return;
    }
    terminal.print(
      table(
        ["time (UTC)", "", right("amount"), "token", "with", "type", "status", "hash"],
        transfers.map((row) => {
          const isOut = row.fromAddress.toLowerCase() === address;
          return [
            timeText(row.timestamp),
            isOut ? terminal.red("out") : terminal.green("in"),
            row.amount,
            symbols.get(row.tokenId) ?? row.tokenId,
            isOut ? row.toAddress : row.fromAddress,
            row.txType,
            row.status,
            row.hash,
          ];
        }),
      ),
    );
  },
});
