import { expect, it } from "vitest";
import { roomTimes } from "../../bench/profile-rooms.ts";

it("gives each room its own time, and that of everything below it, without the idle time", () => {
  const frame = (functionName: string, url = "") => ({ functionName, url });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame("(root)"), children: [2, 6] },
      { id: 2, callFrame: frame("step", "file:///x/src/runtime/driver.ts"), children: [3] },
      { id: 3, callFrame: frame("append", "file:///x/src/journal/journal.ts"), children: [4, 5] },
      { id: 4, callFrame: frame("encode", "file:///x/src/journal/data-codec.ts") },
      { id: 5, callFrame: frame("writeSync", "node:fs") },
      { id: 6, callFrame: frame("(idle)") },
    ],
    samples: [2, 3, 4, 5, 6, 5],
    timeDeltas: [10, 20, 30, 40, 1_000, 50],
  };
  expect(roomTimes(profile)).toEqual({
    busyUs: 150,
    rooms: [
      { room: "runtime", ownUs: 10, withCallsUs: 150 },
      { room: "journal", ownUs: 140, withCallsUs: 140 },
      { room: "outside of src", ownUs: 0, withCallsUs: 0 },
    ],
  });
});
