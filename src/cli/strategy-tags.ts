import type { Terminal } from "./terminal.ts";

/**
 * Order id → strategy, of the orders that a bot's journal does not show ended. The venue knows no names (§4.4 has no field for
 * one), so they live in our journal only. Undefined when there is none; a journal that was named and cannot be read is a warning.
 */
export async function strategyTags(
  given: string | undefined,
  configured: string | undefined,
  terminal: Terminal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const folder = given ?? configured;
  if (folder === undefined) return undefined;
  const { createStore } = await import("../platform/store.ts");
  const { restore } = await import("../journal/restore.ts");
  const { TouchlineError } = await import("../base/error.ts");
  try {
    const { restored, header } = restore(createStore(), folder);
    if (header === undefined) {
      if (given !== undefined) terminal.warn(`there is no journal in ${folder}.`);
      return undefined;
    }
    return new Map(restored.orders.map(({ orderId, strategy }) => [orderId, strategy]));
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    terminal.warn(`strategies are not shown: ${error.message}`);
    return undefined;
  }
}
