import { TouchlineError } from "../../base/error.ts";
import { listOpenOrders } from "../../gateway/account-lists.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { openCliWallet } from "../order-command.ts";
import { listRows, oldestMs } from "../order-list.ts";
import { type VenueAccess, withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

/** The venue may take a moment until its list shows what it has done. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

export const orderCancelAll = defineCliCommand({
  words: ["order", "cancel-all"],
  summary: "cancel every open order of the account, also those placed elsewhere",
  args: {},
  options: signingOptions,
  examples: ["order cancel-all --config config/pure-market-making.yaml"],
  async run(invocation) {
    const { terminal } = invocation;
    const { owner, before, left } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const open = await openOrders(venue, wallet.owner);
      // Sent even when the list is empty: an order of the last moment may not stand there yet.
      await wallet.send("cancel-all", {});
      return { owner: wallet.owner, before: open, left: await untilGone(venue, wallet.owner) };
    });
    const leftIds = new Set(left);
    const canceled = before.filter((id) => !leftIds.has(id));
    terminal.emit("order.cancel-all", {
      address: owner,
      canceled: canceled.length,
      orders: canceled,
      left,
    });
    if (left.length > 0) {
      throw new TouchlineError(
        "ORDERS_LEFT",
        `${left.length} orders of ${owner} are still open: ${left.slice(0, 5).join(", ")}.`,
        { hint: "They may be new ones: is a bot running with this account?" },
      );
    }
    const noun = canceled.length === 1 ? "order" : "orders";
    terminal.print(`${canceled.length} ${noun} canceled, none left open.`);
    return exitCode.done;
  },
});

/** Ids of all open orders, however old and however many. */
async function openOrders(venue: VenueAccess, address: string): Promise<readonly string[]> {
  const orders = await listRows(venue, address, {}, listOpenOrders, await oldestMs(venue));
  return orders.map((order) => order.orderId);
}

async function untilGone(venue: VenueAccess, address: string): Promise<readonly string[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = await openOrders(venue, address);
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
