import { TouchlineError, TransportError } from "../../../base/error.ts";
import { clientClock, type VenueTime } from "../../../gateway/venue-clock.ts";
import { spanText } from "../../time-text.ts";
import type { Check, Finding } from "../checkup.ts";

const SAMPLES = 5;
/** A difference below this is not worth a warning. */
const USUAL_MS = 1_000;

/** Checks whether the venue responds, and measures its clock's offset with the fastest of a few requests. */
export const clock: Check = {
  name: "clock",
  title: "venue and clock",
  needs: [],
  async run(checkup) {
    const { client, ports, config } = checkup;
    const venueClock = clientClock(client, ports.clock);
    const samples: VenueTime[] = [];
    for (let at = 0; at < SAMPLES; at += 1) {
      const sample = await venueClock.read().catch((error: unknown) => {
        throw unreachable(error, config.venue.rest);
      });
      samples.push(sample);
    }
    const best = samples.reduce((least, each) =>
      each.roundTripMs < least.roundTripMs ? each : least,
    );
    checkup.results.offsetMs = best.offsetMs;
    return [findingOf(best.offsetMs, best.roundTripMs)];
  },
};

function unreachable(error: unknown, rest: string): unknown {
  if (!(error instanceof TouchlineError)) return error;
  const isSent = !(error instanceof TransportError) || error.outcome !== "not-sent";
  return new TouchlineError(
    "VENUE_UNREACHABLE",
    isSent
      ? `${rest} responds, but not with the venue's interface: ${error.message}`
      : `${rest} does not respond: ${error.message}`,
    {
      hint: isSent
        ? "Is venue.rest the base address of the REST interface, without /api/v1?"
        : "Start it (`touchline venue` is the paper venue), or correct venue.rest.",
      cause: error,
    },
  );
}

function findingOf(offsetMs: number, roundTripMs: number): Finding {
  const details = { offsetMs, roundTripMs: Math.round(roundTripMs * 10) / 10 };
  const responses = `the venue responds in ${roundTripMs.toFixed(1)} ms`;
  const awayMs = Math.abs(offsetMs);
  if (awayMs < USUAL_MS) {
    return { status: "ok", message: `${responses}; its clock differs by ${awayMs} ms`, details };
  }
  const side = offsetMs > 0 ? "ahead of" : "behind";
  return {
    status: "warning",
    message: `${responses}; its clock is ${spanText(awayMs)} ${side} ours`,
    hint: "A bot follows the venue's clock, but logs and recordings use this machine's: set it by NTP.",
    details,
  };
}
