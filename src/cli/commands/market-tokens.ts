import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { right, table } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list the tokens of the venue",
  options: venueOptions,
  examples: ["market tokens"],
  async run(invocation) {
    const { terminal } = invocation;
    const tokens = await withVenue(invocation, (venue) => venue.call(endpoints.tokens, {}));
    terminal.emit("market.tokens", { tokens });
    terminal.print(
      table(
        ["token", "symbol", "name", right("layer-1 decimals"), "layer-1 address"],
        tokens.map((token) => [
          token.tokenId,
          token.l2Symbol,
          token.l2Name,
          String(token.l1Decimal),
          token.l1Address,
        ]),
      ),
    );
  },
});
