import { tokenSymbols } from "../token-of.ts";
import { fixedText, parseFixed, type Fixed } from "../../domain/fixed.ts";
import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { right, table } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "show an account's balances, free and in open orders",
  options: addressOptions,
  examples: [
    "account balances --config config/pure-market-making.yaml",
    "account balances --address 0x00000000000000000000000000000000000000a1",
  ],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, response, symbols } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      return {
        address: account,
        response: await venue.call(endpoints.balance, { address: account }),
        symbols: await tokenSymbols(venue),
      };
    });
    terminal.emit("account.balances", { address, ...response });
    terminal.print(terminal.dim(`${address}  block ${response.blockNumber}`));
    terminal.print(
      table(
        ["token", "symbol", right("free"), right("in orders"), right("total")],
        response.balances.map((balance) => [
          balance.tokenId,
          symbols.get(balance.tokenId) ?? "",
          balance.unlocked,
          balance.locked,
          sum(balance.unlocked, balance.locked),
        ]),
      ),
    );
  },
});

function sum(left: string, right: string): string {
  const total = (parseFixed(left) ?? 0n) + (parseFixed(right) ?? 0n);
  return fixedText(total as Fixed);
}
