import { kernelConfig } from "../kernel-config.ts";
import type { LivePorts, LiveSettings } from "../live-settings.ts";
import { OrderPathBot } from "./order-path-bot.ts";

/** The compiling ends when this many pieces are done, or after this long: by then most of the order path is compiled. */
const PIECES = 1_500;
const LIMIT_US = 300_000;

/**
 * Compiles the order path before the bot has its first frame (docs/decisions/041). The event loop turns between any two pieces. A failure
 * ends this, not the bot. Without the native library a signature takes too long for it.
 */
export async function compileOrderPath(
  settings: LiveSettings,
  { throwawaySigner: signer, crypto, clock, timer, log, stop }: LivePorts,
): Promise<void> {
  if (signer === undefined || crypto.name !== "secp256k1") return;
  const owner = signer.address;
  const facts = { owner, markets: [] };
  const config = kernelConfig({ ...settings, strategies: [], sources: [] }, "dry-run", facts);
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const endUs = clock.monotonicUs() + LIMIT_US;
  try {
    const bot = new OrderPathBot({ config, signer, keccak256, clock });
    for (let piece = 0; piece < PIECES && clock.monotonicUs() < endUs; piece += 1) {
      if (stop?.aborted === true) return;
      bot.step();
      await new Promise<void>((resolve) => timer.soon(resolve));
    }
  } catch (thrown) {
    log.warn(
      { err: thrown },
      "the order path could not be compiled in advance: the first orders take longer",
    );
  }
}
