import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { table } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export const marketTokens = defineCliCommand({
  words: ["market", "tokens"],
  summary: "list the tokens of the venue",
  args: {},
  options: venueOptions,
  examples: ["market tokens"],
  async run(invocation) {
    const { terminal } = invocation;
    const tokens = await withVenue(invocation, (venue) => venue.call(endpoints.tokens, {}));
    terminal.emit("market.tokens", { tokens });
    terminal.print(
      table(
        [
          { title: "token" },
          { title: "symbol" },
          { title: "name" },
          { title: "layer-1 decimals", align: "right" },
          { title: "layer-1 address" },
        ],
        tokens.map((token) => [
          token.tokenId,
          token.l2Symbol,
          token.l2Name,
          String(token.l1Decimal),
          token.l1Address,
        ]),
      ),
    );
    return exitCode.done;
  },
});
