import { keccak256 as ethersKeccak } from "ethers";
import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { fromHex } from "../../src/base/hex.ts";
import { channels, type ChannelKind } from "../../src/spec/channels.ts";
import {
  channelName,
  decodeServerFrame,
  decodeStreamRequest,
  encodePush,
  encodeStreamReply,
  encodeStreamRequest,
  parseChannelName,
} from "../../src/spec/stream.ts";
import { payloads, userEvents } from "./samples.ts";

const keccak256 = (bytes: Uint8Array) => fromHex(ethersKeccak(bytes)) ?? new Uint8Array();
/** The first example of EIP-55. */
const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

describe("channel names", () => {
  it("write an address in EIP-55 form, whatever its case (§6.3, D3)", () => {
    for (const text of [
      checksummed,
      checksummed.toLowerCase(),
      `0x${checksummed.slice(2).toUpperCase()}`,
    ]) {
      expect(parseChannelName(`userEvent@${text}`, keccak256)).toEqual({
        kind: "userEvent",
        parameter: checksummed.toLowerCase(),
        key: `userEvent@${checksummed.toLowerCase()}`,
        text: `userEvent@${checksummed}`,
      });
    }
  });

  it("hash no address whose text nobody reads", () => {
    let hashes = 0;
    const counted = (bytes: Uint8Array) => {
      hashes += 1;
      return keccak256(bytes);
    };
    const name = parseChannelName(`userEvent@${checksummed}`, counted);
    expect(hashes).toBe(0);
    expect([name?.text, name?.text, hashes]).toEqual([
      `userEvent@${checksummed}`,
      `userEvent@${checksummed}`,
      1,
    ]);
  });

  it("round-trip for every channel", () => {
    const parameters = { marketId: "1_2", address: checksummed, none: "" } as const;
    for (const kind of Object.keys(channels) as ChannelKind[]) {
      expect(channels[kind].name).toBe(kind);
      const name = channelName(kind, parameters[channels[kind].parameter], keccak256);
      assert(name !== undefined, kind);
      expect(parseChannelName(name.text, keccak256)).toEqual(name);
    }
  });

  it.each([
    "",
    "@",
    "trades@1_2",
    "trade",
    "trade@",
    "trade@1",
    "trade@1_2@3_4 ",
    "Trade@1_2",
    "ticker@",
    "ticker@1_2",
    "userEvent",
    "userEvent@0x12",
    "userEvent@1_2",
    "depth@0x",
    "toString",
    "__proto__@1_2",
    "constructor",
  ])("refuse %j", (text) => {
    expect(parseChannelName(text, keccak256)).toBeUndefined();
  });
});

describe("requests and replies", () => {
  it("round-trip", () => {
    const request = {
      method: "subscribe",
      params: { channels: ["ticker", "trade@1_2"] },
      id: 4,
    } as const;
    expect(
      decodeStreamRequest(
        encodeStreamRequest({ ...request, params: { channels: [...request.params.channels] } }),
      ),
    ).toEqual({
      ok: true,
      value: request,
    });
    for (const reply of [
      { result: "ok", id: 4 },
      { error: { code: 404, message: "no such market" }, id: 4 },
      { error: { code: 400, message: "request is not JSON" }, id: null },
    ]) {
      expect(decodeServerFrame(encodeStreamReply(reply))).toEqual({
        ok: true,
        value: { type: "reply", reply },
      });
    }
  });

  it.each([
    ["{", null, "request is not JSON"],
    ["[]", null, "request is not of type object"],
    ['{"method":"subscribe","params":{"channels":[]}}', null, "request.id is missing"],
    [
      '{"method":"subscribe","params":{"channels":[]},"id":"4"}',
      null,
      "request.id is not of type number",
    ],
    [
      '{"method":"list","params":{"channels":[]},"id":4}',
      4,
      "request.method is not one of subscribe, unsubscribe",
    ],
    [
      '{"method":"subscribe","params":{"channels":[1]},"id":4}',
      4,
      "request.params.channels.0 is not of type string",
    ],
    ['{"method":"subscribe","id":4}', 4, "request.params is missing"],
  ])("say what is wrong with %s (D28)", (text, id, message) => {
    expect(decodeStreamRequest(text)).toEqual({ ok: false, error: { id, message } });
  });
});

describe("pushed messages", () => {
  const name = (kind: ChannelKind) => {
    const parameters = { marketId: "1_2", address: checksummed, none: "" } as const;
    const built = channelName(kind, parameters[channels[kind].parameter], keccak256);
    assert(built !== undefined, kind);
    return built;
  };
  const push = (kind: ChannelKind, payload: unknown) =>
    encodePush(name(kind), payload as Parameters<typeof encodePush>[1]);

  it.each(Object.keys(channels) as ChannelKind[])("of %s round-trip", (kind) => {
    const payload = payloads[kind];
    expect(decodeServerFrame(push(kind, payload))).toEqual({
      ok: true,
      value: {
        type: "push",
        push: { kind, channel: name(kind).text, payload },
        extraFields: 0,
      },
    });
  });

  it.each(userEvents.map((event) => [event["eventType"], event] as const))(
    "carry the user event %s, each of its fields needed",
    (_, event) => {
      const read = decodeServerFrame(push("userEvent", event));
      assert(read.ok && read.value.type === "push", "a push");
      expect(read.value.push.payload).toEqual(event);
      for (const field of Object.keys(event)) {
        const { [field]: _gone, ...rest } = event;
        const broken = decodeServerFrame(push("userEvent", rest));
        assert(!broken.ok, `${field} is needed`);
        if (field !== "topic" && field !== "eventType") {
          expect(broken.error).toMatch(
            new RegExp(`^userEvent message: result\\.${field} is (missing|not one of)`),
          );
        }
      }
    },
  );

  it("tolerate and count unknown fields", () => {
    const payload = { ...(payloads["trade"] as object), sequence: 9 };
    const read = decodeServerFrame(push("trade", payload));
    assert(read.ok && read.value.type === "push", "a push");
    expect(read.value.extraFields).toBe(1);
    expect(read.value.push.payload).toEqual(payloads["trade"]);
  });

  it.each([
    "",
    "null",
    "[]",
    "{}",
    '{"method":"subscription"}',
    '{"method":"subscription","params":{"channel":"trades@1_2","result":{}}}',
    '{"method":"subscription","params":{"channel":"__proto__","result":{}}}',
    '{"method":"subscription","params":{"channel":"depth@1_2","result":{"marketId":"1_2"}}}',
    '{"result":7,"id":1}',
    '{"error":"x","id":1}',
  ])("answer a sentence for %j", (text) => {
    const read = decodeServerFrame(text);
    assert(!read.ok, "a refusal");
    expect(read.error).toMatch(/^(frame|message|reply|depth message: result)[ .]/);
  });
});
