import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import type { LiveSettings } from "./live-settings.ts";

/** Whose markets a bot locks. A paper venue is a chain of its own, so its address takes the place of the chain id. */
export interface LockedMarkets {
  readonly owner: Address;
  readonly marketIds: readonly MarketId[];
  readonly isPaperVenue: boolean;
}

/**
 * Locks the account's markets on this machine, whatever journals its bots have. Returns the locked folders. Throws TouchlineError
 * `ANOTHER_BOT` when another process holds one of them. A lock that cannot be made is left out, with a warning.
 */
export function lockMarkets(
  { lockFolder, venue, dryRun }: Pick<LiveSettings, "lockFolder" | "venue" | "dryRun">,
  { owner, marketIds, isPaperVenue }: LockedMarkets,
  store: Store,
  log: Log,
): readonly string[] {
  // A dry run sends nothing, so it may run beside a bot.
  if (lockFolder === undefined || dryRun === true) return [];
  const chain = isPaperVenue ? hostOf(venue.rest) : String(venue.chainId);
  const held: string[] = [];
  for (const marketId of marketIds) {
    const folder = `${lockFolder}/${fileName(`${chain} ${owner} ${marketId}`)}`;
    try {
      if (store.lock(folder, { isPrivate: true })) {
        held.push(folder);
        continue;
      }
    } catch (thrown) {
      const reason = errorText(thrown);
      log.warn(
        { code: "NO_MARKET_LOCK", marketId, err: thrown },
        `another bot on this machine would not be noticed in ${marketId}, since its lock cannot be taken: ${reason}`,
      );
      continue;
    }
    for (const one of held) store.unlock(one);
    throw new TouchlineError(
      "ANOTHER_BOT",
      `Another bot on this machine trades in ${marketId} on the account ${owner}.`,
      {
        context: { marketId, owner },
        hint: "Stop it first, or give this bot another account. Several strategies in one market belong into one configuration.",
      },
    );
  }
  return held;
}

/** Host and port of an address; the names of this machine are one. */
function hostOf(rest: string): string {
  const { hostname, port, protocol } = new URL(rest);
  const isLocal = ["localhost", "[::1]", "0.0.0.0"].includes(hostname);
  return `${isLocal ? "127.0.0.1" : hostname} ${port === "" ? protocol : port}`;
}

function fileName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, "-");
}
