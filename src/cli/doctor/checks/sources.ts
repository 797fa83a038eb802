import { TouchlineError } from "../../../base/error.ts";
import type { SourceSettings } from "../../../config/sources-config.ts";
import type { SourceInput } from "../../../sources/price-feed.ts";
import { priceFeeds } from "../../../sources/price-feeds.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

/** How long a source may take to give its first price. */
const WAIT_MS = 5_000;

/** Checks whether each price source from outside gives a price. */
export const sources: Check = {
  name: "sources",
  title: "price sources",
  needs: [],
  async run(checkup) {
    const fed = checkup.config.sources.filter(({ feed }) => feed !== undefined);
    if (fed.length === 0) return [{ status: "ok", message: "none is received from outside" }];
    return Promise.all(fed.map((source) => findingOf(source, checkup)));
  },
};

async function findingOf(source: SourceSettings, { ports }: Checkup): Promise<Finding> {
  const { name } = source;
  const reasons: string[] = [];
  const failed = (_: string, reason: string): void => void reasons.push(reason);
  const wait = Promise.withResolvers<SourceInput | undefined>();
  const limit = ports.timer.after(WAIT_MS, () => wait.resolve(undefined));
  try {
    const feed = await priceFeeds([source], { ...ports, failed }, wait.resolve);
    feed.start();
    const value = await wait.promise;
    feed.stop();
    if (value === undefined) return nothing(name, reasons.at(-1));
    return priceOf(value, ports.clock.nowMs());
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    const { message, hint, code } = error;
    return { status: "problem", message, hint, details: { source: name, code } };
  } finally {
    limit.cancel();
  }
}

function nothing(name: string, reason: string | undefined): Finding {
  const cause = reason === undefined ? "" : `: ${reason}`;
  return {
    status: "problem",
    message: `${name} gave no price within ${WAIT_MS / 1000} s${cause}`,
    hint: `Correct sources.${name}: its address, and the paths to its prices.`,
    details: { source: name },
  };
}

function priceOf({ name, bid, ask, timeMs }: SourceInput, nowMs: number): Finding {
  const details = { source: name, bid, ask, lagMs: timeMs === undefined ? null : nowMs - timeMs };
  if (!(bid > 0 && bid <= ask)) {
    const message = `${name} gives an impossible price: bid ${bid}, ask ${ask}`;
    return { status: "problem", message, hint: `Correct the paths of sources.${name}.`, details };
  }
  const lag = details.lagMs === null ? "" : `, ${Math.round(details.lagMs)} ms after its own time`;
  return { status: "ok", message: `${name}: bid ${bid}, ask ${ask}${lag}`, details };
}
