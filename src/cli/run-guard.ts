import type { BotConfig } from "../config/load-bot-config.ts";
import { controlPath } from "../control/control-path.ts";
import { cancelHeld } from "../guard/cancel-held.ts";
import { OrderGuard, type GuardEnd, type GuardState } from "../guard/order-guard.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { connectLocal } from "../platform/local-socket.ts";
import type { Log } from "../ports/log.ts";
import { liveAdapter } from "../runtime/live-adapter.ts";
import { nodePorts } from "../runtime/node-ports.ts";
import { journalFolder } from "./journal-folder.ts";

export interface RunGuardOptions {
  readonly config: BotConfig;
  readonly isOnce: boolean;
  readonly stop: AbortSignal;
  readonly log: Log;
  report(state: GuardState): void;
}

/** Guards the bot of a configuration until that is over. */
export async function runGuard({
  config,
  isOnce,
  stop,
  log,
  report,
}: RunGuardOptions): Promise<GuardEnd> {
  const ports = nodePorts({ log, crypto: await loadCrypto() });
  const { clock, timer } = ports;
  const { venue, rateLimit, timing } = config;
  const adapter = liveAdapter(config, ports, clock);
  const path = controlPath(config);
  const windowMs = venue.nonceWindow ?? adapter.nonces.windowMs;
  const guard = new OrderGuard({
    get journal() {
      // Links on the way can be followed only once the bot has made the folder.
      return journalFolder(config);
    },
    owner: config.account?.owner,
    rest: venue.rest,
    silentAfterMs: config.guard.silentAfter,
    windowMs,
    isOnce,
    clock,
    timer,
    connect: () => connectLocal(path),
    cancel: (bot) =>
      cancelHeld({
        ...bot,
        adapter,
        rateLimit,
        clock,
        timer,
        log,
        windowMs,
        inFlightMs: timing.inFlightMs,
      }),
    report,
  });
  try {
    return await guard.run(stop);
  } finally {
    await ports.http.close();
  }
}
