import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import { addressOf } from "../domain/ids.ts";
import { channels, type ChannelKind, type Channels } from "./channels.ts";
import type { PayloadOf } from "./channel.ts";
import { parseJson } from "./bounded-json.ts";
import { checksumAddress } from "./checksum-address.ts";
import { countExtraFields } from "./extra-fields.ts";
import { integer, marketIdText, shownText } from "./fields.ts";
import {
  BODY_BYTES_MAX,
  FRAME_BYTES_MAX,
  FRAME_LEVELS_MAX,
  REQUEST_CHANNELS_MAX,
} from "./limits.ts";
import { problemOf } from "./problem.ts";
import type { Keccak256 } from "./transaction.ts";
import { list } from "./list.ts";

/** Messages of the WebSocket (§6.2, D28) and names of its channels (§6.3, D3). */

/** Both sides of the largest message, with room for fields that the venue adds. */
const frameLimits = { bytes: FRAME_BYTES_MAX, values: 7 * FRAME_LEVELS_MAX };
const requestLimits = { bytes: BODY_BYTES_MAX, values: 2 * REQUEST_CHANNELS_MAX };

/** A client's request. The reply has the same `id`. */
export const streamRequest = z.object({
  method: z.enum(["subscribe", "unsubscribe"]),
  params: z.object({ channels: list(z.string(), REQUEST_CHANNELS_MAX) }),
  id: integer,
});
export type StreamRequest = z.output<typeof streamRequest>;

/** The reply to a request: `result` is `ok`, or the request was refused as a whole (D28). */
export const streamReply = z.union([
  z.object({ result: z.string(), id: integer }),
  z.object({
    error: z.object({ code: integer, message: shownText() }),
    id: integer.nullable(),
  }),
]);
export type StreamReply = z.output<typeof streamReply>;

const streamMessage = z.object({
  method: z.literal("subscription"),
  params: z.object({ channel: z.string(), result: z.unknown() }),
});

/** A parsed channel name. */
export interface ChannelName {
  readonly kind: ChannelKind;
  /** Market id, address in lower case, or empty when the channel has no parameter. */
  readonly parameter: string;
  /** Equal for two names of one channel; needs no hash, unlike `text`. */
  readonly key: string;
  /** The name as messages contain it, with an address in EIP-55 form. */
  readonly text: string;
}

/** A pushed message with its decoded payload. */
export type StreamPush = {
  readonly [Kind in ChannelKind]: {
    readonly kind: Kind;
    readonly channel: string;
    readonly payload: PayloadOf<Channels[Kind]>;
  };
}[ChannelKind];

export type ServerFrame =
  | { readonly type: "reply"; readonly reply: StreamReply }
  | { readonly type: "push"; readonly push: StreamPush; readonly extraFields: number };

/** Formats `trade@1_2`, `userEvent@0xEIP-55` or `ticker`; undefined when the parameter does not fit the channel. */
export function channelName(
  kind: ChannelKind,
  parameter: string,
  keccak256: Keccak256,
): ChannelName | undefined {
  switch (channels[kind].parameter) {
    case "none":
      return parameter === "" ? { kind, parameter, key: kind, text: kind } : undefined;
    case "marketId":
      if (!marketIdText.safeParse(parameter).success) return undefined;
      return { kind, parameter, key: `${kind}@${parameter}`, text: `${kind}@${parameter}` };
    case "address": {
      const address = addressOf(parameter);
      if (address === undefined) return undefined;
      let text: string | undefined;
      return {
        kind,
        parameter: address,
        key: `${kind}@${address}`,
        // Only when it is read: a request may name a thousand users, and a checksum is a hash.
        get text() {
          return (text ??= `${kind}@${checksumAddress(address, keccak256)}`);
        },
      };
    }
  }
}

/** Parses a channel name, with addresses in any case (D3); undefined when there is no such channel. */
export function parseChannelName(text: string, keccak256: Keccak256): ChannelName | undefined {
  const at = text.indexOf("@");
  const kind = channelKind(at < 0 ? text : text.slice(0, at));
  if (kind === undefined) return undefined;
  const name = channelName(kind, at < 0 ? "" : text.slice(at + 1), keccak256);
  // `ticker@` has an empty parameter instead of none.
  return name !== undefined && at < 0 === (name.parameter === "") ? name : undefined;
}

function channelKind(text: string): ChannelKind | undefined {
  return Object.hasOwn(channels, text) ? (text as ChannelKind) : undefined;
}

/** Decodes a frame from the client. The error is one sentence for `error.message`, with the request's id if it could be read. */
export function decodeStreamRequest(
  text: string,
): Result<StreamRequest, { readonly message: string; readonly id: number | null }> {
  const parsed = parseJson(text, requestLimits);
  if (!parsed.ok) return err({ message: `request ${parsed.error}`, id: null });
  const id = z.object({ id: integer }).safeParse(parsed.value);
  const request = streamRequest.safeParse(parsed.value);
  if (request.success) return ok(request.data);
  return err({
    message: problemOf(request.error, "request"),
    id: id.success ? id.data.id : null,
  });
}

/** Decodes a frame from the server. The error is one sentence that names the violation of the interface and its place. */
export function decodeServerFrame(text: string): Result<ServerFrame, string> {
  const parsed = parseJson(text, frameLimits);
  if (!parsed.ok) return err(`frame ${parsed.error}`);
  const { value } = parsed;
  if (typeof value !== "object" || value === null) return err("frame is not a JSON object");
  if (!("method" in value)) {
    const reply = streamReply.safeParse(value);
    return reply.success
      ? ok({ type: "reply", reply: shortened(reply.data) })
      : err(problemOf(reply.error, "reply"));
  }
  const message = streamMessage.safeParse(value);
  if (!message.success) return err(problemOf(message.error, "message"));
  const { channel, result } = message.data.params;
  const kind = channelKind(channel.split("@", 1)[0] ?? "");
  if (kind === undefined) return err(`message of an unknown channel ${channel.slice(0, 80)}`);
  const payload = channels[kind].payload.safeParse(result);
  if (!payload.success) return err(problemOf(payload.error, `${kind} message: result`));
  const push = { kind, channel, payload: payload.data } as StreamPush;
  return ok({ type: "push", push, extraFields: countExtraFields(result, payload.data) });
}

/** The reply with an error message that is short enough to keep. */
function shortened(reply: StreamReply): StreamReply {
  if (!("error" in reply)) return reply;
  const { code, message } = reply.error;
  return { id: reply.id, error: { code, message } };
}

export function encodeStreamRequest(request: StreamRequest): string {
  return JSON.stringify(request);
}

export function encodeStreamReply(reply: StreamReply): string {
  return JSON.stringify(reply);
}

/** Encodes a pushed message; `payload` must fit the channel's schema. */
export function encodePush<Kind extends ChannelKind>(
  name: ChannelName & { readonly kind: Kind },
  payload: PayloadOf<Channels[Kind]>,
): string {
  return JSON.stringify({
    method: "subscription",
    params: { channel: name.text, result: payload },
  });
}
