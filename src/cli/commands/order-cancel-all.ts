import { TouchlineError } from "../../base/error.ts";
import { listOpenOrders } from "../../gateway/account-lists.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { openCliWallet } from "../order-command.ts";
import { listRows, oldestMs } from "../order-list.ts";
import { type VenueAccess, withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

/** How long to wait until the venue's list shows the cancels. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

export const orderCancelAll = defineCliCommand({
  words: ["order", "cancel-all"],
  summary: "cancel every open order of the account, including those of other programs",
  args: {},
  options: signingOptions,
  examples: ["order cancel-all --config config/pure-market-making.yaml"],
  async run(invocation) {
    const { terminal } = invocation;
    const { owner, before, left } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const open = await openOrders(venue, wallet.owner);
      // Sent even if the list is empty, since it may lag behind the newest order.
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
        { hint: "They may be new. Is a bot trading on this account?" },
      );
    }
    const noun = canceled.length === 1 ? "order" : "orders";
    terminal.print(`${canceled.length} ${noun} canceled, none left open.`);
    return exitCode.done;
  },
});

/** Ids of all open orders, without limits on age or number. */
async function openOrders(venue: VenueAccess, address: string): Promise<readonly string[]> {
  const orders = await listRows(venue, address, { sinceMs: await oldestMs(venue) }, listOpenOrders);
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
