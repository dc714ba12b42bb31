import type { Message } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import type { AcpSession } from "./acp-session.ts";
import { callResult, shownCall, text } from "./send-events.ts";

/** Sends a loaded conversation to the editor, as it sends a running one. */
export function replayMessages(session: AcpSession, registry: Registry): void {
  for (const message of session.agent.conversation.messages) replayMessage(message, session, registry);
}

function replayMessage(message: Message, { agent, send }: AcpSession, registry: Registry): void {
  switch (message.role) {
    case "user":
      send({ sessionUpdate: "user_message_chunk", content: text(message.text) });
      for (const { mediaType, data } of message.images ?? [])
        send({ sessionUpdate: "user_message_chunk", content: { type: "image", mimeType: mediaType, data } });
      return;
    case "assistant":
      for (const part of message.parts) {
        if (part.type === "tool_call")
          send({
            sessionUpdate: "tool_call",
            ...shownCall(part, registry, agent.places.projectDir),
            status: "pending",
          });
        else if (part.text !== "") {
          const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
          send({ sessionUpdate, content: text(part.text) });
        }
      }
      return;
    case "tool":
      send({ sessionUpdate: "tool_call_update", ...callResult(message.id, message.json) });
      return;
    default:
      message satisfies never;
  }
}
