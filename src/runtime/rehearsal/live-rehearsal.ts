import { kernelConfig } from "../kernel-config.ts";
import type { LivePorts, LiveSettings } from "../live-settings.ts";
import { Rehearsal } from "./rehearsal.ts";
import { RehearsedBot } from "./rehearsed-bot.ts";

/**
 * The rehearsal of a live bot; undefined when it is off. Without the native library a signature takes half a millisecond, too long to
 * stand before a frame.
 */
export function liveRehearsal(
  settings: LiveSettings,
  { standIns, crypto, clock, timer, log }: LivePorts,
  { isPaperVenue, isIdle }: { readonly isPaperVenue: boolean; isIdle(): boolean },
): Rehearsal | undefined {
  const { enabled = false, share = 0 } = settings.rehearsal ?? {};
  if (!enabled || standIns === undefined || crypto.name !== "secp256k1") return undefined;
  const { throwAwaySigner: signer, http } = standIns;
  const owner = signer.address;
  const config = kernelConfig({ ...settings, strategies: [] }, "dry-run", {
    owner,
    markets: [],
    isPaperVenue,
  });
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  return new Rehearsal({
    clock,
    timer,
    log,
    share,
    isIdle,
    make: () => new RehearsedBot({ config, signer, keccak256, clock, http }),
  });
}
