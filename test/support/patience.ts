/** How long a test waits for what must come, however slow the machine is. `expect.poll` waits as long by itself. */
export const PATIENCE = { timeout: 60_000, interval: 50 };
