import { counted, firstFew } from "../../base/counted.ts";
import { TouchlineError } from "../../base/error.ts";
import { listOpenOrders } from "../../gateway/account-lists.ts";
import { defineCliCommand, type Invocation } from "../command.ts";
import { confirm, saysYes, yesOption } from "../confirm.ts";
import { askBot, askStatus } from "../control-command.ts";
import { openCliWallet } from "../order-command.ts";
import { listRows, oldestMs } from "../order-list.ts";
import { poll } from "../poll.ts";
import { journalOption, strategyTags, tagOf, type TagSource } from "../strategy-tags.ts";
import { type VenueAccess, venueNowMs, withVenue } from "../venue-access.ts";
import { type ConfigInputs, signingOptions } from "../venue-options.ts";

/** How long to wait until the venue's list shows the cancels. */
const PATIENCE_MS = 10_000;

export default defineCliCommand({
  summary: "cancel every open order of the account, including those of other programs",
  details:
    "A running bot of --config would quote again, so on a terminal it is paused first, if you say so.",
  options: { ...signingOptions, journal: journalOption, yes: yesOption },
  examples: [
    "order cancel-all --config config/pure-market-making.yaml",
    "order cancel-all --config config/pure-market-making.yaml --yes --json",
  ],
  async run(invocation) {
    const { options, terminal } = invocation;
    const { owner, before, foreign, left } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const open = await openOrders(venue, wallet.owner);
      const source = { given: options.journal, configured: venue.address.journal, terminal };
      const notOurs = await foreignOrders(open, source, await venueNowMs(venue));
      await offerPause(invocation);
      if (!options.yes) await confirm(questionAbout(wallet.owner, open.length, notOurs));
      // Sent even if the list is empty, since it may lag behind the newest order.
      await wallet.send("cancel-all", {});
      const { value: remaining } = await poll(PATIENCE_MS, async () => {
        const listed = await openOrders(venue, wallet.owner);
        return [listed, listed.length === 0];
      });
      return { owner: wallet.owner, before: open, foreign: notOurs, left: remaining };
    });
    const leftIds = new Set(left);
    const canceled = before.filter((id) => !leftIds.has(id));
    terminal.emit("order.cancel-all", {
      address: owner,
      canceled: canceled.length,
      orders: canceled,
      left,
      /** Orders found that the bot's journal does not know; null without a journal. */
      foreign: foreign ?? null,
    });
    if (left.length > 0) {
      throw new TouchlineError(
        "ORDERS_LEFT",
        `${counted(left.length, "order")} of ${owner} ${left.length === 1 ? "is" : "are"} still open: ${firstFew(left)}.`,
        { hint: "They may be new. Is a bot trading on this account?" },
      );
    }
    const others = foreign === undefined ? "" : `, ${foreign} of them not this bot's`;
    terminal.print(`${counted(canceled.length, "order")} canceled${others}, none left open.`);
  },
});

/** A running bot of the configuration places its quotes again: says so, and pauses it when the person on the terminal wants that. */
async function offerPause({
  options: { config, yes },
  terminal,
  ...inputs
}: Pick<Invocation<unknown, { config: string | undefined; yes: boolean }>, "options" | "terminal"> &
  ConfigInputs): Promise<void> {
  if (config === undefined || !(await isQuoting(config, inputs))) return;
  const isRunning = `The bot of ${config} is running and places its quotes again`;
  const isAsked = !yes && process.stdin.isTTY;
  if (isAsked && (await saysYes(`${isRunning}. Pause it first?`, true))) {
    await askBot(config, { request: { command: "pause" }, ...inputs });
    terminal.say("The bot is paused until `touchline resume`.");
    return;
  }
  terminal.warn(`${isRunning}. To keep it from quoting: touchline pause ${config}`);
}

/** Whether a bot of the configuration runs and is neither halted nor paused; false when that cannot be known. */
async function isQuoting(config: string, inputs: ConfigInputs): Promise<boolean> {
  try {
    const { strategies } = await askStatus(config, inputs);
    return strategies.some(({ halted, paused }) => !halted && !paused);
  } catch {
    return false;
  }
}

/** How many of these open orders the bot's journal does not know; undefined without a journal. */
async function foreignOrders(
  orderIds: readonly string[],
  source: TagSource,
  nowMs: number,
): Promise<number | undefined> {
  const rows = orderIds.map((orderId) => ({ orderId, createdAt: nowMs }));
  const tags = await strategyTags(rows, source);
  if (tags === undefined) return undefined;
  return rows.filter((row) => tagOf(tags, row) === undefined).length;
}

function questionAbout(owner: string, count: number, foreign: number | undefined): string {
  if (count === 0) {
    return `The venue lists no open order of ${owner}. Cancel what it may not list yet, orders of other programs included?`;
  }
  const orders = counted(count, "open order");
  const whose =
    foreign === undefined
      ? "those of other programs included"
      : `${foreign} of them not placed by this bot`;
  return `Cancel ${orders} of ${owner}, ${whose}?`;
}

/** Ids of all open orders, without limits on age or number. */
async function openOrders(venue: VenueAccess, address: string): Promise<readonly string[]> {
  const orders = await listRows(venue, address, { sinceMs: await oldestMs(venue) }, listOpenOrders);
  return orders.map((order) => order.orderId);
}
