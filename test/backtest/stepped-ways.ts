import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import type { ReplayResult } from "../../src/backtest/replay-result.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { replay } from "../../src/backtest/replay.ts";
import { keccak256 } from "./hand-made.ts";

/** A replay whose result has a fixed wall time. `absorbs`: the kernel is stepped only when something is due for it. */
export function steppedReplay(
  setup: ReplaySetup,
  steps: Iterable<RecordedStep>,
  absorbs: boolean,
): { readonly result: ReplayResult; readonly kernelSteps: number } {
  const recorder = new ReplayRecorder(setup, keccak256);
  let kernelSteps = 0;
  const watcher = {
    // Without it the statistics keep a book of their own.
    ...(absorbs ? { begins: recorder.begins.bind(recorder) } : {}),
    recorded: recorder.recorded.bind(recorder),
    block: recorder.block.bind(recorder),
    decided: recorder.decided.bind(recorder),
    stopped: recorder.stopped.bind(recorder),
    stepped: (step: Parameters<typeof recorder.stepped>[0]) => {
      kernelSteps += 1;
      recorder.stepped(step);
    },
  };
  const moments = replay({ setup, steps, keccak256, watcher, absorbs });
  let moment = moments.next();
  while (moment.done !== true) moment = moments.next();
  return { result: recorder.result(moment.value, 1_000), kernelSteps };
}

/** A result without queues by level: the exchange's levels lack what the bot itself took, a book of the recording alone has it. */
export function withoutQueues({ levels, ...result }: ReplayResult): object {
  return { ...result, levels: levels?.map(({ queueAhead: _queue, ...level }) => level) };
}
