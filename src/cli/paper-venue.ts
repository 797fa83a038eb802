import { TouchlineError } from "../base/error.ts";
import { marketId } from "../domain/ids.ts";
import type { Log } from "../ports/log.ts";
import { candlesHaveNoBook, hasCandles } from "../recordings/manifest.ts";
import { Recording } from "../recordings/recording.ts";
import { venuePorts } from "../sdk/paper-venue.ts";
import type { VenueConfig } from "../venue/config.ts";
import type { RecordedMarket } from "../venue/flow/recorded-market.ts";
import { type RunningVenue, startVenue } from "../venue/start-venue.ts";
import { openRecordingIo } from "./recording-io.ts";

export interface OpenPaperVenueOptions {
  readonly config: VenueConfig;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly log: Log;
}

/** Starts the paper venue in this process, and loads the recording that its flow replays. */
export async function openPaperVenue(options: OpenPaperVenueOptions): Promise<RunningVenue> {
  const { config, host, port, log } = options;
  const recording = await readFlow(config);
  return startVenue({
    config,
    ports: await venuePorts(log),
    listen: { host, port },
    ...(recording === undefined ? {} : { recording }),
  });
}

async function readFlow(config: VenueConfig): Promise<readonly RecordedMarket[] | undefined> {
  if (config.flow === "none" || !("replay" in config.flow)) return undefined;
  const folder = config.flow.replay;
  const recording = new Recording(await openRecordingIo(), folder);
  if (hasCandles(recording.manifest)) throw candlesHaveNoBook("The venue's flow");
  const symbols = new Map(config.tokens.map((token) => [token.tokenId, token.symbol]));
  const played: RecordedMarket[] = [];
  for (const { base, quote } of config.markets) {
    const id = marketId(base, quote);
    const names = [symbols.get(base) ?? base, symbols.get(quote) ?? quote];
    const recorded =
      recording.market(id) ?? recording.market(names.join("_")) ?? recording.market(names.join(""));
    if (recorded === undefined) continue;
    played.push({ marketId: id, events: [...recording.syncedEvents(recorded.marketId)] });
  }
  if (played.length > 0) return played;
  const recorded = recording.manifest.markets.map((market) => market.marketId).join(", ");
  throw new TouchlineError(
    "RECORDING_MARKET",
    `The recording ${folder} has none of the venue's markets; it has ${recorded}.`,
    { hint: "Give the venue's tokens the symbols of the recording, such as ZIL and USDT." },
  );
}
