import type { Channel } from "../channel.ts";
import { channels } from "../channels.ts";
import { streamLimits } from "../limits.ts";
import { streamReply, streamRequest } from "../stream.ts";
import { type JsonSchema, jsonSchemaOf, namedSchemas } from "./json-schema.ts";

/** An AsyncAPI 3 document, plain JSON. */
export interface AsyncApi {
  readonly asyncapi: "3.0.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: Readonly<Record<string, JsonSchema>>;
  readonly channels: Readonly<Record<string, JsonSchema>>;
  readonly operations: Readonly<Record<string, JsonSchema>>;
  readonly components: {
    readonly messages: Readonly<Record<string, StreamMessage>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface StreamMessage {
  readonly title: string;
  readonly summary: string;
  readonly payload: JsonSchema;
}

const SOCKET = "socket";
const { pingIntervalMs, pongDeadlineMs, lifetimeMs } = streamLimits;
const about =
  "Streams of a layer-2 spot venue. One WebSocket carries all channels that the client subscribed to. The server pings every " +
  `${pingIntervalMs / 1000} s and closes a connection whose pong is missing for ${pongDeadlineMs / 1000} s, or that is ` +
  `${lifetimeMs / 3_600_000} h old. § refers to the venue's interface document.`;

/** Describes every channel of the interface, served at `host` (with its port) under `path`. */
export function asyncApi(host: string, path: string): AsyncApi {
  const messages: Record<string, StreamMessage> = {
    request: {
      title: "Request",
      summary: "Subscribes to channels, or unsubscribes (§6.2).",
      payload: jsonSchemaOf(streamRequest),
    },
    reply: {
      title: "Reply",
      summary: "The reply to the request with the same id: done, or refused as a whole.",
      payload: jsonSchemaOf(streamReply),
    },
  };
  for (const [kind, channel] of Object.entries(channels)) messages[kind] = push(channel);
  const names = Object.keys(messages);
  const ofSocket = (name: string): JsonSchema => ({
    $ref: `#/channels/${SOCKET}/messages/${name}`,
  });
  const channel = { $ref: `#/channels/${SOCKET}` };
  return {
    asyncapi: "3.0.0",
    info: { title: "Layer-2 spot venue, streams", version: "v1", description: about },
    servers: { venue: { host, pathname: path, protocol: "ws" } },
    channels: {
      [SOCKET]: {
        address: "/",
        messages: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      request: {
        action: "receive",
        channel,
        messages: [ofSocket("request")],
        reply: { channel, messages: [ofSocket("reply")] },
      },
      push: {
        action: "send",
        channel,
        messages: Object.keys(channels).map(ofSocket),
      },
    },
    components: { messages, schemas: namedSchemas() },
  };
}

function push(channel: Channel): StreamMessage {
  return {
    title: channelForm(channel),
    summary: `${channel.summary} (${channel.section})`,
    payload: {
      type: "object",
      properties: {
        method: { const: "subscription" },
        params: {
          type: "object",
          properties: {
            channel: { type: "string", pattern: `^${channel.name}(@.+)?$` },
            result: jsonSchemaOf(channel.payload),
          },
          required: ["channel", "result"],
        },
      },
      required: ["method", "params"],
    },
  };
}

/** The channel with its parameter: `trade@{marketId}`, `ticker`. */
function channelForm(channel: Pick<Channel, "name" | "parameter">): string {
  return channel.parameter === "none" ? channel.name : `${channel.name}@{${channel.parameter}}`;
}
