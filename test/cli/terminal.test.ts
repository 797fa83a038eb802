import { describe, expect, it } from "vitest";
import { Terminal } from "../../src/cli/terminal.ts";

/** What a hostile venue could put into a message: colours, a title, a cleared line, a C1 sequence, text that runs backwards. */
const hostile = "a\u001b[8mb\u001b]0;title\u0007c\r\u001b[2Kd\u009b31me\u202ef\u0000";

function terminal(json: boolean) {
  let out = "";
  let err = "";
  const streams = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    isTerminal: true,
  };
  return { terminal: new Terminal(json, streams), all: () => out + err, out: () => out };
}

describe("a terminal", () => {
  it("gets no control character that a text contains, and keeps its own styles", () => {
    const { terminal: to, all } = terminal(false);
    to.print(`${to.bold("bold")}\t${hostile}`);
    to.say(hostile);
    to.note(hostile);
    to.warn(hostile);
    to.fail(new Error(hostile));
    const own = /\u001b\[(?:0|1|31|33)m/g;
    expect(all()).toContain("\u001b[1mbold\u001b[0m\ta");
    expect(all().replaceAll(own, "")).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
    );
    expect(all()).toContain("[8mb]0;titlec[2Kd31mef");
  });

  it("gets machine lines in plain characters that mean the same", () => {
    const { terminal: to, out } = terminal(true);
    to.emit("x", { hostile });
    expect(out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(out())).toEqual({ event: "x", hostile });
  });
});
