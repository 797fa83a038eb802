import type { OrderId } from "../domain/ids.ts";
import { cancelFromJournal } from "../runtime/journal-cancels.ts";
import { liveAdapter } from "../runtime/live-adapter.ts";
import type { Signer } from "../ports/crypto.ts";
import type { LivePorts, LiveSettings } from "../runtime/live-settings.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** Default of `watchdog.maxBlocked`. */
const MAX_BLOCKED_MS = 3_000;
/** As in the watchdog's thread (`cli/watchdog-thread.ts`). */
const CANCEL_MS = 5_000;
const GIVE_UP_MS = 6_500;

export interface VirtualWatchdogOptions {
  readonly settings: LiveSettings;
  /** Of the thread, which is not blocked. */
  readonly ports: LivePorts;
  /** The process that it watches over. */
  readonly blocked: VirtualProcess;
  /** The key of this address, if the process has opened it. */
  signerOf(address: string): Signer | undefined;
  /** Ends the process. `left`: orders whose end could not be proven; undefined when that is not known of any. */
  end(left: readonly OrderId[] | undefined): void;
}

/** What the watchdog's thread does in a process that has just been blocked, once that has lasted too long. */
export function watchBlocked({
  settings,
  ports,
  blocked,
  signerOf,
  end,
}: VirtualWatchdogOptions): void {
  const { timer, clock, store } = ports;
  const { blockedSinceMs } = blocked;
  timer.after(MAX_BLOCKED_MS, () => {
    // A later call may block it by now, which is watched by itself.
    if (blockedSinceMs === undefined || blocked.blockedSinceMs !== blockedSinceMs) return;
    let isOver = false;
    const once = (left: readonly OrderId[] | undefined): void => {
      if (!isOver) end(left);
      isOver = true;
    };
    timer.after(GIVE_UP_MS, () => once(undefined));
    void cancelFromJournal({
      settings,
      store,
      adapter: liveAdapter(settings, ports, clock),
      clock,
      timer,
      limitMs: CANCEL_MS,
      randomBytes: ports.randomBytes,
      signerOf,
    }).then(once, () => once(undefined));
  });
}
