import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { replay } from "../../src/backtest/replay.ts";
import { type RecordedStep, recordedSteps } from "../../src/backtest/recorded-step.ts";
import { type ReplaySetup, replaySetup } from "../../src/backtest/replay-setup.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry, RunHeader, SignedEntry } from "../../src/journal/entry.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { createStore } from "../../src/platform/store.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills, type FillSettings } from "../../src/simulated/queue-models.ts";
import { venueModels } from "../../src/simulated/venue-models.ts";

const crypto = await loadCrypto();
export const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);

/** A run as a journal has it. */
export interface RunOfJournal {
  readonly header: RunHeader;
  readonly batches: readonly BatchEntry[];
  readonly strategies: ReplaySetup["kernel"]["strategies"];
}

/** What a journal would have of the demo's bot at a venue with this queue and this delay of every message, over two minutes of ZIL/USDT. */
export async function recordedAt(queue: FillSettings["queue"], ms: number): Promise<RunOfJournal> {
  const config = await loadBotConfig("config/demo.yaml");
  const recording = new Recording(
    { store: createStore(), compression: nodeCompression },
    "config/recordings/zilusdt",
  );
  const plain = replaySetup(config, recording, new Map([["1_2", "ZIL_USDT"]]));
  const latency = constantDelays({ entry: ms, response: ms, feed: ms });
  const settings = { ...plain.models.settings, latency, fills: { ...defaultFills, queue } };
  const setup = { ...plain, models: venueModels(settings, "recording") };
  return recordedRun(setup, [...recordedSteps(recording, setup.markets)]);
}

/** What a journal would have of a replay of these steps. */
export function recordedRun(setup: ReplaySetup, steps: readonly RecordedStep[]): RunOfJournal {
  const batches: BatchEntry[] = [];
  let signed: SignedEntry[] = [];
  const nothing = (): void => undefined;
  const startMs = steps[0]?.atMs ?? unixMs(0);
  const moments = replay({
    setup,
    steps,
    keccak256,
    // A journal has everything that was received.
    absorbs: false,
    // A live bot knows the market for some seconds before it quotes.
    commands: [
      { atMs: startMs, command: { command: "pause" } },
      { atMs: unixMs(startMs + 5_000), command: { command: "resume" } },
    ],
    watcher: {
      recorded: nothing,
      stopped: nothing,
      block: nothing,
      decided: ({ intent }, txHash) => signed.push({ intent, txHash, bytesHex: "" }),
      stepped({ batch, effects, notes }) {
        const booked = notes.flatMap((note) => (note.type === "fill" ? [note.fill] : []));
        batches.push({ batch, effects, signed, ended: [], booked });
        signed = [];
      },
    },
  });
  while (moments.next().done !== true);
  const { markets, strategies, ...kernel } = setup.kernel;
  return {
    header: {
      runId: "run",
      startedAtMs: startMs,
      codeVersion: "test",
      configText: "",
      chainId: setup.chainId,
      signer: kernel.owner,
      kernel,
      markets,
      strategies: [],
    },
    batches,
    strategies,
  };
}
