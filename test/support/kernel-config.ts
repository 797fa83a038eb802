import type { Mode } from "../../src/config/bot-key.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { kernelConfig } from "../../src/runtime/kernel-config.ts";

/** A kernel's configuration as every mode makes it, with default settings except what a test sets. */
export function testKernelConfig(
  mode: Mode,
  set: Pick<KernelConfig, "owner" | "markets" | "strategies"> & Partial<KernelConfig>,
): KernelConfig {
  const { owner, markets, strategies } = set;
  const settings = {
    execution: { useModify: false },
    // Most reads of tests get no response, and hold a slot.
    rateLimit: { perSecond: 20, burst: 40, concurrency: 64 },
    risk: defaultRisk,
    timing: defaultTiming,
    strategies,
  };
  return { ...kernelConfig(settings, mode, { owner, markets, nonceWindowMs: 60_000 }), ...set };
}
