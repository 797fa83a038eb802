import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { plainText } from "../base/plain-text.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { Log } from "../ports/log.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import { parseTypedSignature, typedSignatureText } from "../spec/session-typed-data.ts";
import { childEnvironment, type ProcessEnvironment } from "./child-environment.ts";
import { keySource } from "./key-source.ts";

/** An owner whose key is opened for each signature and wiped afterwards. Throws `KEY_INVALID` if it is the key of another address. */
export function ownerKeySigner(
  address: Address,
  place: KeyPlace,
  env: ProcessEnvironment,
  crypto: Crypto,
): OwnerSigner {
  return {
    address,
    async signTypedData({ digest }) {
      const key = await keySource(place, env).open();
      try {
        const signer = crypto.signer(key);
        if (signer.address !== address) {
          throw new TouchlineError(
            "KEY_INVALID",
            `The owner's key belongs to ${signer.address}, not to the owner ${address}.`,
          );
        }
        return typedSignatureText(signer.sign(digest));
      } finally {
        key.fill(0);
      }
    },
  };
}

/** A program's output is read up to this many characters. */
const MAX_OUTPUT = 4096;
/** What it says on standard error goes to the log, up to this many bytes. */
const MAX_MESSAGES = 16_384;
/** And up to this many lines: a log line for each line break would hold the event loop. */
const MAX_MESSAGE_LINES = 100;
/** How long output is still read after the program has ended. */
const OUTPUT_AFTER_END_MS = 1_000;

export interface OwnerCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** Names of variables that the program gets besides those of `childEnvironment`. */
  readonly pass: readonly string[];
}

/**
 * An owner whose signature comes from an external program. It gets the typed data as JSON on standard input and must print the
 * signature (`0x…`, 65 bytes) on standard output. Started without a shell, and without the variables that hold our secrets. What it
 * started ends with it. Rejects with `OWNER_SIGNATURE`.
 */
export function ownerCommandSigner(
  address: Address,
  program: OwnerCommand,
  env: ProcessEnvironment,
  { crypto, log }: { readonly crypto: Crypto; readonly log: Log },
): OwnerSigner {
  const { command } = program;
  return {
    address,
    async signTypedData({ typedData, digest }) {
      const printed = (await outputOf(program, JSON.stringify(typedData), env, log)).trim();
      const signature = parseTypedSignature(printed);
      const by = signature && crypto.recover(digest, signature.rs, signature.recovery);
      if (by === address) return printed;
      throw failed(
        command,
        by === undefined ? "did not print a signature of 65 bytes in hex" : `signed as ${by}`,
      );
    },
  };
}

function outputOf(
  { command, timeoutMs, pass }: OwnerCommand,
  input: string,
  env: ProcessEnvironment,
  log: Log,
): Promise<string> {
  const [program = "", ...rest] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      stdio: ["pipe", "pipe", "pipe"],
      env: childEnvironment(env, pass),
      detached: hasGroups,
    });
    child.on("error", (error) => reject(failed(command, `cannot be started: ${error.message}`)));
    // It has no pipes either when no file descriptor was left for them.
    if (child.pid === undefined) return;
    let isReleased = false;
    const release = (): void => {
      // Later the group's number may be another program's.
      if (isReleased) return;
      isReleased = true;
      process.off("exit", release);
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      killGroup(child);
    };
    process.on("exit", release);
    const refuse = (what: string): void => {
      reject(failed(command, what));
      // A program that it started may go on and print without an end.
      release();
    };
    const timer = setTimeout(
      () => refuse(`gave no signature within ${timeoutMs / 1000} s`),
      timeoutMs,
    );
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT) refuse(`printed more than ${MAX_OUTPUT} characters`);
    });
    let messageBytes = 0;
    child.stderr.on("data", (bytes: Buffer) => {
      messageBytes += bytes.length;
      if (messageBytes <= MAX_MESSAGES) return;
      refuse(`printed more than ${MAX_MESSAGES} bytes on standard error`);
    });
    let lines = 0;
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.trim() === "") return;
      lines += 1;
      if (lines <= MAX_MESSAGE_LINES)
        log.info({ program, line: plainText(line) }, "the signer program says");
      else if (lines === MAX_MESSAGE_LINES + 1)
        log.info({ program }, "the signer program says more, which is left out");
    });
    const ended = (code: number | null, signal: string | null): void => {
      if (code === 0) resolve(output);
      else
        reject(
          failed(command, signal === null ? `exited with ${code}` : `was killed by ${signal}`),
        );
      release();
    };
    child.on("close", ended);
    // A program that it started may go on and keep the output open.
    child.on("exit", (code, signal) => {
      setTimeout(() => ended(code, signal), OUTPUT_AFTER_END_MS).unref();
    });
    // A program that closes its input early reports the problem by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${input}\n`);
  });
}

/** Windows has no process groups. */
const hasGroups = process.platform !== "win32";

/** Ends a program and what it has started, except what has left its group or runs as another user. */
function killGroup(child: ChildProcess): void {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // All of them have ended, or they are another user's, as with `sudo`.
  }
}

function failed(command: readonly string[], what: string): TouchlineError {
  return new TouchlineError("OWNER_SIGNATURE", `The program ${command[0]} ${what}.`, {
    hint: "It gets typed data as JSON on standard input and must print the owner's signature of it.",
  });
}
