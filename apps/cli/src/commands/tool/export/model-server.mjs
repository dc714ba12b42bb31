// A model server on loopback with every wire format the agents use: it makes a number of shell calls, then says "Done.".
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @param options.calls how many calls the model makes in a session
 * @param options.thinkMs how long it thinks before each answer
 * @param options.pieces the pieces of its last answer, for agents that read chat completions or messages; by default "Done."
 * @param options.pieceMs how long it waits after each of them
 * @returns url, the times and bodies of the current session's requests, and `begin(command)` for a new session; `shell(tools)` is
 *   asked which tool to call, and with what, given the definitions that the agent sent and the number of the call.
 */
export async function startModelServer({ calls, thinkMs = 0, pieces, pieceMs = 0, shell }) {
  const state = { times: [], sent: [], bodies: [], unknown: [] };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = parse(Buffer.concat(chunks));
      const format = formats.find(({ path }) => path.test(request.url ?? ""));
      if (!format || request.method !== "POST" || !(format.tools(body)?.length > 0)) {
        // Other requests of agents: lists of models, token counts, titles, telemetry.
        if (format && request.method === "POST") return send(response, format.say(body, request.url), format, body);
        state.unknown.push(`${request.method} ${request.url}`);
        response.writeHead(request.method === "GET" ? 200 : 404, { "content-type": "application/json" });
        return response.end(
          request.url?.includes("models") ? '{"object":"list","data":[{"id":"test"}],"models":[]}' : "{}",
        );
      }
      state.times.push(performance.now());
      state.bodies.push(body);
      const number = state.times.length;
      const tools = format.tools(body);
      if (pieces && number > calls) return void sendPieces(response, format, pieces, pieceMs);
      const answer = number <= calls ? format.call(number, shell(tools, number)) : format.say(body, request.url);
      const reply = () => {
        state.sent.push(performance.now());
        send(response, answer);
      };
      // A timer takes a millisecond at least.
      if (thinkMs > 0) setTimeout(reply, thinkMs);
      else reply();
    });
  });
  await new Promise((settle) => server.listen(0, "127.0.0.1", settle));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    get times() {
      return state.times;
    },
    get bodies() {
      return state.bodies;
    },
    /** When the answers to these requests were sent: until then, the time is the model's. */
    get sent() {
      return state.sent;
    },
    /** Requests that are not part of the session. */
    get unknown() {
      return state.unknown;
    },
    begin() {
      state.times = [];
      state.sent = [];
      state.bodies = [];
      state.unknown = [];
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response, answer) {
  response.writeHead(200, { "content-type": answer.type ?? "text/event-stream" });
  response.end(answer.text);
}

/** Streams a text in the format's events. */
async function sendPieces(response, format, pieces, pieceMs) {
  const { text } = format.say({ stream: true }, ":stream");
  const at = text.indexOf("Done.");
  const before = text.lastIndexOf("\n\n", at);
  // The event that has the text.
  const [start, end] = [before < 0 ? 0 : before + 2, text.indexOf("\n\n", at) + 2];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text.slice(0, start));
  for (const piece of pieces) {
    response.write(text.slice(start, end).replace("Done.", JSON.stringify(piece).slice(1, -1)));
    await sleep(pieceMs);
  }
  response.end(text.slice(end));
}

function parse(bytes) {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return {};
  }
}

const events = (list) => ({ text: list.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("") });
const named = (list) => ({
  text: list.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
});

const chat = {
  path: /\/chat\/completions/,
  tools: ({ tools }) => tools?.map(({ function: { name, parameters } }) => ({ name, parameters })),
  call: (number, { name, args }) =>
    chatStream([
      {
        delta: {
          role: "assistant",
          tool_calls: [
            { index: 0, id: `call_${number}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
          ],
        },
      },
      { delta: {}, finish_reason: "tool_calls" },
    ]),
  say: () => chatStream([{ delta: { role: "assistant", content: "Done." } }, { delta: {}, finish_reason: "stop" }]),
};

function chatStream(choices) {
  const chunk = { id: "c", object: "chat.completion.chunk", created: 0, model: "test" };
  const { text } = events(choices.map((choice) => ({ ...chunk, choices: [{ index: 0, ...choice }] })));
  return { text: `${text}data: [DONE]\n\n` };
}

const messages = {
  path: /\/messages(\?|$)/,
  tools: ({ tools }) => tools?.map(({ name, input_schema: parameters }) => ({ name, parameters })),
  call: (number, { name, args }) =>
    messageStream(
      { type: "tool_use", id: `toolu_${number}`, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(args) },
      "tool_use",
    ),
  say: ({ stream }) =>
    stream === false
      ? {
          type: "application/json",
          text: JSON.stringify({
            ...emptyMessage,
            content: [{ type: "text", text: "Done." }],
            stop_reason: "end_turn",
          }),
        }
      : messageStream({ type: "text", text: "" }, { type: "text_delta", text: "Done." }, "end_turn"),
};

const emptyMessage = {
  id: "msg",
  type: "message",
  role: "assistant",
  model: "claude-test",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

function messageStream(block, delta, reason) {
  return named([
    { type: "message_start", message: emptyMessage },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]);
}

const responses = {
  path: /\/responses(\?|$)/,
  tools: ({ tools }) =>
    tools?.map(({ name, type, parameters, tools: members }) => ({ name: name ?? type, type, parameters, members })),
  call: (number, { name, args, namespace }) => {
    const item = {
      type: "function_call",
      id: `fc_${number}`,
      call_id: `call_${number}`,
      ...(namespace && { namespace }),
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    };
    return responseStream(number, item);
  },
  say: () =>
    responseStream(0, {
      type: "message",
      id: "msg",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    }),
};

function responseStream(number, item) {
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const response = { id: `resp_${number}`, object: "response", created_at: 0, model: "test", output: [] };
  return named([
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "", content: [] } },
    ...(item.type === "function_call"
      ? [{ type: "response.function_call_arguments.delta", item_id: item.id, output_index: 0, delta: item.arguments }]
      : [{ type: "response.output_text.delta", item_id: item.id, output_index: 0, content_index: 0, delta: "Done." }]),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ]);
}

const gemini = {
  path: /:(streamGenerateContent|generateContent)/,
  tools: ({ tools }) =>
    tools?.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        parameters: parameters ?? parametersJsonSchema,
      })),
    ),
  call: (_number, { name, args }) => geminiAnswer({ functionCall: { name, args } }, ":stream"),
  say: (_body, url) => geminiAnswer({ text: "Done." }, url),
};

function geminiAnswer(part, url = "") {
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "test",
  };
  return url.includes(":stream") ? events([answer]) : { type: "application/json", text: JSON.stringify(answer) };
}

const formats = [chat, messages, responses, gemini];
