/** A child process for tests of `ProcessPool`: doubles a number, or ends without a report. */
process.on("message", (message) => {
  const value: unknown =
    typeof message === "object" && message !== null ? Reflect.get(message, "value") : undefined;
  if (typeof value !== "number") process.exit(7);
  process.send?.({ value: value * 2, pid: process.pid });
});
