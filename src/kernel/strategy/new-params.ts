import type { WrittenParams } from "../input.ts";
import { runnerOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategyRunner } from "./strategy-runner.ts";

/** Gives strategies new parameters, all or none. Those that no strategy takes are a warning: the sender has checked them. */
export function onParams(state: KernelState, written: readonly WrittenParams[]): void {
  const parsed: { readonly runner: StrategyRunner; readonly params: unknown }[] = [];
  for (const { name, params } of written) {
    const runner = runnerOf(state, name);
    const read = runner?.binding.definition.params.safeParse(params);
    if (runner === undefined || read?.success !== true) {
      const message = `no parameters were changed: ${name} does not take the new ones`;
      state.notes.push({ type: "warning", code: "PARAMS_REFUSED", message });
      return;
    }
    parsed.push({ runner, params: read.data });
  }
  for (const { runner, params } of parsed) {
    runner.tune(params);
    const { name: strategy, paramsVersion: version } = runner;
    state.notes.push({ type: "params", strategy, version });
  }
}
