import { demandWarnings } from "../../../config/rate-demand.ts";
import { VenueError } from "../../../gateway/venue-error.ts";
import { endpoints } from "../../../spec/endpoints.ts";
import { spanText } from "../../time-text.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

/** Upper bound on the reads sent, whatever the configuration allows. */
const READS_MAX = 40;
const TOO_MANY = 429;

/** Checks whether the venue accepts the burst that the configuration allows, and whether that is enough for the quotes. The venue does not publish its limits (§8). */
export const rateLimit: Check = {
  name: "rate-limit",
  title: "rate limits",
  needs: ["clock"],
  async run(checkup) {
    const { perSecond, burst, concurrency } = checkup.config.rateLimit;
    const estimates = demandWarnings(checkup.config).map(
      (message): Finding => ({ status: "warning", message }),
    );
    const settings = `${perSecond} requests a second, ${burst} at once, ${concurrency} concurrent`;
    if (checkup.results.isBusy) {
      return [
        { status: "skipped", message: `${settings}; not checked while a bot is running` },
        ...estimates,
      ];
    }
    const { sent, refused, retryAfterMs } = await burstOf(checkup);
    const details = {
      perSecond,
      burst,
      concurrency,
      sent,
      refused,
      retryAfterMs: retryAfterMs ?? null,
    };
    return [findingOf(settings, details), ...estimates];
  },
};

/** Sends reads as fast as a bot may, until the first refusal. */
async function burstOf({ client, config, results }: Checkup) {
  const { burst, concurrency } = config.rateLimit;
  const address = results.owner ?? config.account?.owner;
  const reads = Math.min(burst, READS_MAX);
  let sent = 0;
  let refused = 0;
  let retryAfterMs: number | undefined;
  const lane = async (): Promise<void> => {
    while (sent < reads && refused === 0) {
      sent += 1;
      try {
        if (address === undefined) await client.call(endpoints.time, {});
        else await client.call(endpoints.balance, { address });
      } catch (error) {
        if (!(error instanceof VenueError) || error.venueCode !== TOO_MANY) throw error;
        refused += 1;
        retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs ?? 0);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, reads) }, lane));
  return { sent, refused, retryAfterMs };
}

function findingOf(
  settings: string,
  details: {
    readonly sent: number;
    readonly refused: number;
    readonly retryAfterMs: number | null;
  } & Readonly<Record<string, unknown>>,
): Finding {
  const { sent, refused, retryAfterMs } = details;
  if (refused === 0) {
    return { status: "ok", message: `${settings}: ${sent} reads were accepted`, details };
  }
  const wait =
    retryAfterMs === null || retryAfterMs === 0 ? "" : `, wait ${spanText(retryAfterMs)}`;
  return {
    status: "problem",
    message: `${settings}: the venue refused ${refused} of ${sent} reads (429${wait})`,
    hint: `Lower rateLimit.burst below ${Math.max(2, sent - refused)}, and rateLimit.perSecond, until this check passes.`,
    details,
  };
}
