import { tokenSymbols } from "../token-of.ts";
import { TouchlineError } from "../../base/error.ts";
import type { OrderId } from "../../domain/ids.ts";
import { endpoints } from "../../spec/endpoints.ts";
import type { WireOrder } from "../../spec/resources.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { durationOption, text } from "../option.ts";
import { isOver, orderIdArgument } from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { userEventText } from "../user-event-text.ts";
import { marketIdOf, type VenueAccess, withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";
import { watch } from "../watch.ts";

export const orderWatch = defineCliCommand({
  words: ["order", "watch"],
  summary: "orders as they change; with an id, until that order is over",
  details:
    "Without an id: the order events of an account, until --duration or Ctrl-C. With an id the account is that of the order, and it is " +
    "exit 0 when the order is over, whatever became of it; exit 1 when --duration came first.",
  args: {
    orderId: {
      form: "[order-id]",
      about: "0x and 64 hex digits",
      parse: (written): OrderId | undefined => orderIdArgument.parse(written),
    },
  },
  options: {
    ...addressOptions,
    market: text("--market <market>", "of one market only (1_2 or ETH/USDT)"),
    duration: durationOption("--duration <time>", "end after this time, like 5m"),
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
      /** Queries the order by id: events sent before the subscription are missing. */
      const look = async (): Promise<void> => {
        if (orderId === undefined) return;
        found = await orderOf(venue, orderId);
        if (isOver(found)) interrupt.request();
      };
      let looking = Promise.resolve();
      const lookSoon = (): void => {
        looking = looking.then(look).catch((error: unknown) => {
          terminal.warn(error instanceof Error ? error.message : String(error));
        });
      };
      await watch({
        venue,
        terminal,
        interrupt,
        event: "order.watch",
        durationMs: options.duration,
        opened: lookSoon,
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
              lookSoon();
            },
          },
        ],
      });
      await looking;
      return found;
    });
    if (last === undefined) return exitCode.done;
    terminal.emit("order.watch", { type: "order", ...last });
    terminal.print(orderTable([last], terminal));
    if (isOver(last)) return exitCode.done;
    throw new TouchlineError("NOT_OVER", `The order is ${last.status} still.`, {
      hint: `Go on watching, or: touchline order cancel ${last.orderId}`,
    });
  },
});

function orderOf(venue: VenueAccess, orderId: OrderId): Promise<WireOrder> {
  return venue.call(endpoints["order-show"], { orderId });
}
