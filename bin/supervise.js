// What the final process needs to know about how it was started. Runs under the new Node.
import { Socket } from "node:net";
import { isatty } from "node:tty";

const mergeWithinMs = 200;

/**
 * One Ctrl-C can arrive several times: from the terminal, which signals the whole group, from npm and from our launcher, which both pass
 * it on. A service manager may send SIGHUP right after SIGTERM, as systemd does at the end of a login session. Programs take a second
 * signal for impatience, so those that follow within a moment are dropped, whatever their name. With no listener the first one ends us.
 * Without a terminal SIGHUP ends nothing: it hides no signal but its own kind, since the system may deliver it before the SIGTERM sent first.
 */
export function mergeSignals() {
  const emit = process.emit;
  const merged = new Set(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);
  const hasTerminal = isatty(0) || isatty(1);
  const lastSeen = { ending: -Infinity, hangup: -Infinity };
  process.emit = function (name, ...rest) {
    if (merged.has(name)) {
      const now = performance.now();
      const kind = name === "SIGHUP" && !hasTerminal ? "hangup" : "ending";
      if (now - Math.max(lastSeen.ending, lastSeen[kind]) < mergeWithinMs) return true;
      lastSeen[kind] = now;
    }
    return emit.call(this, name, ...rest);
  };
}

let hasLauncher = false;

/** Such a launcher passes signals on and looks after npm. */
export const isSupervised = () => hasLauncher;

/** kill -9 on the launcher must end the bot too, or it would trade on with nobody in control. The launcher holds the other end of our fourth descriptor. */
export function dieWithLauncher() {
  hasLauncher = true;
  const line = new Socket({ fd: 3, readable: true, writable: false });
  line.on("error", () => {});
  line.on("close", () => process.kill(process.pid, "SIGKILL"));
  line.resume();
  line.unref();
}
