import { tokenSymbols } from "../token-of.ts";
import { TouchlineError } from "../../base/error.ts";
import { errorText } from "../../base/error-text.ts";
import type { OrderId } from "../../domain/ids.ts";
import { endpoints } from "../../spec/endpoints.ts";
import type { WireOrder } from "../../spec/resources.ts";
import { defineCliCommand } from "../command.ts";
import { durationOption, text } from "../option.ts";
import { isOver, orderIdArgument } from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { userEventText } from "../user-event-text.ts";
import { marketIdOf, type VenueAccess, withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";
import { watch } from "../watch.ts";

export default defineCliCommand({
  summary: "follow an account's orders, or one order until it is over",
  details:
    "Without an id: prints the order events of an account until --duration or Ctrl-C. With an id: follows that order on its own account " +
    "and exits with 0 when it is over, in whatever status, or with 1 when --duration ends first.",
  args: {
    orderId: {
      form: "[order-id]",
      about: "0x and 64 hex digits",
      takesHash: true,
      parse: (written: string): OrderId | undefined => orderIdArgument.parse(written),
    },
  },
  options: {
    ...addressOptions,
    market: text("--market <market>", "only this market (1_2 or ETH/USDT)"),
    duration: durationOption("--duration <time>", "end after this time, such as 5m"),
  },
  examples: ["order watch --market 1_2", `order watch 0x${"1f".repeat(32)} --duration 10m --json`],
  async run(invocation) {
    const { args, options, terminal, interrupt, env } = invocation;
    const { orderId } = args;
    const last = await withVenue(invocation, async (venue) => {
      const order = orderId === undefined ? undefined : await orderOf(venue, orderId);
      if (order !== undefined && isOver(order)) return order;
      const address = order?.accountAddress ?? (await accountAddress(options, venue.address, env));
      const marketId =
        options.market === undefined ? undefined : await marketIdOf(venue, options.market);
      const symbols = await tokenSymbols(venue);
      let found = order;
      /** Queries the order by id, since events may have been missed. */
      const query = async (): Promise<void> => {
        if (orderId === undefined) return;
        found = await orderOf(venue, orderId);
        if (isOver(found)) interrupt.request();
      };
      let querying = Promise.resolve();
      const queryNext = (): void => {
        querying = querying.then(query).catch((error: unknown) => {
          terminal.warn(errorText(error));
        });
      };
      await watch({
        venue,
        terminal,
        interrupt,
        event: "order.watch",
        durationMs: options.duration,
        opened: queryNext,
        channels: [
          {
            kind: "userEvent",
            parameter: address,
            show(event) {
              if (event.topic !== "ORDER") return;
              if (marketId !== undefined && event.marketId !== marketId) return;
              if (orderId !== undefined && event.orderId.toLowerCase() !== orderId) return;
              terminal.emit("order.watch", { type: "event", ...event });
              terminal.print(userEventText(event, symbols, terminal));
              queryNext();
            },
          },
        ],
      });
      await querying;
      return found;
    });
    if (last === undefined) return;
    terminal.emit("order.watch", { type: "order", ...last });
    terminal.print(orderTable([last], terminal));
    if (isOver(last)) return;
    throw new TouchlineError("NOT_OVER", `The order is still ${last.status}.`, {
      hint: `Keep watching, or cancel it: touchline order cancel ${last.orderId}`,
    });
  },
});

function orderOf(venue: VenueAccess, orderId: OrderId): Promise<WireOrder> {
  return venue.call(endpoints["order-show"], { orderId });
}
