/** A response of a model, in no provider's format. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[];
  /** The reported input tokens; Anthropic's format only. */
  readonly inputTokens?: number;
  /** `other` is a value that no provider uses today. */
  readonly finish?: "stop" | "tool_calls" | "length" | "content_filter" | "other";
}

type Format = (answer: ScriptedAnswer) => string[];

const event = (data: unknown, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const finishOf = ({ finish, calls = [] }: ScriptedAnswer) => finish ?? (calls.length > 0 ? "tool_calls" : "stop");

/** A text in two pieces, as models send them. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const anthropic: Format = (answer) => {
  const stop = {
    stop: "end_turn",
    tool_calls: "tool_use",
    length: "max_tokens",
    content_filter: "refusal",
    other: "brand_new",
  };
  const out: string[] = [];
  const send = (data: { type: string } & Record<string, unknown>) => out.push(event(data, data.type));
  const usage = {
    input_tokens: answer.inputTokens ?? 10,
    output_tokens: 1,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 2,
  };
  send({
    type: "message_start",
    message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage },
  });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    send({ type: "content_block_start", index, content_block });
    for (const delta of deltas) send({ type: "content_block_delta", index, delta });
    send({ type: "content_block_stop", index: index++ });
  };
  if (answer.reasoning) {
    block({ type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: answer.reasoning },
      { type: "signature_delta", signature: "signed" },
    ]);
  }
  if (answer.text) {
    block(
      { type: "text", text: "" },
      halves(answer.text).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const { id = "", name, arguments: args } of answer.calls ?? []) {
    const deltas = halves(args).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    block({ type: "tool_use", id, name, input: {} }, deltas);
  }
  send({
    type: "message_delta",
    delta: { stop_reason: stop[finishOf(answer)], stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  send({ type: "message_stop" });
  return out;
};

const chat: Format = (answer) => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const out = [chunk({ role: "assistant", content: "" })];
  if (answer.reasoning) out.push(chunk({ reasoning_content: answer.reasoning }));
  for (const content of halves(answer.text ?? "")) if (content) out.push(chunk({ content }));
  for (const [index, { id, name, arguments: args }] of (answer.calls ?? []).entries()) {
    const [first, second] = halves(args);
    out.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: first } }] }));
    out.push(chunk({ tool_calls: [{ index, function: { arguments: second } }] }));
  }
  out.push(chunk({}, answer.finish === "other" ? "brand_new" : finishOf(answer)));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  out.push(
    event({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage }),
    "data: [DONE]\n\n",
  );
  return out;
};

const responses: Format = (answer) => {
  const out: string[] = [];
  let sequence_number = 0;
  const send = (type: string, data: object) =>
    out.push(event({ type, sequence_number: sequence_number++, ...data }, type));
  send("response.created", { response: { id: "r1", created_at: 1, model: "m" } });
  let output_index = 0;
  if (answer.text) {
    const id = `msg_${output_index}`;
    send("response.output_item.added", {
      output_index,
      item: { type: "message", id, status: "in_progress", role: "assistant", content: [] },
    });
    for (const delta of halves(answer.text))
      send("response.output_text.delta", { item_id: id, output_index, content_index: 0, delta });
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    send("response.output_item.done", {
      output_index: output_index++,
      item: { type: "message", id, status: "completed", role: "assistant", content },
    });
  }
  for (const { id: call_id = "", name, arguments: args } of answer.calls ?? []) {
    const item = { type: "function_call", id: `fc_${output_index}`, call_id, name };
    send("response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } });
    for (const delta of halves(args))
      send("response.function_call_arguments.delta", { item_id: item.id, output_index, delta });
    send("response.output_item.done", {
      output_index: output_index++,
      item: { ...item, arguments: args, status: "completed" },
    });
  }
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const response = { id: "r1", created_at: 1, model: "m", output: [], usage };
  const incomplete = { length: "max_output_tokens", content_filter: "content_filter", other: "brand_new" };
  const finish = finishOf(answer);
  if (finish === "stop" || finish === "tool_calls") send("response.completed", { response });
  else send("response.incomplete", { response: { ...response, incomplete_details: { reason: incomplete[finish] } } });
  return out;
};

const google: Format = (answer) => {
  const reason = {
    stop: "STOP",
    tool_calls: "STOP",
    length: "MAX_TOKENS",
    content_filter: "SAFETY",
    other: "BRAND_NEW",
  };
  const parts: object[] = [];
  if (answer.reasoning) parts.push({ text: answer.reasoning, thought: true });
  for (const text of halves(answer.text ?? "")) if (text) parts.push({ text });
  for (const { name, arguments: args } of answer.calls ?? []) {
    parts.push({ functionCall: { name, args: JSON.parse(args || "{}") }, thoughtSignature: "signed" });
  }
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const last = {
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: reason[finishOf(answer)] }],
    usageMetadata,
  };
  return [...parts.map((part) => event({ candidates: [{ content: { role: "model", parts: [part] } }] })), event(last)];
};

/** The events of a response, in the format of a path. */
export function toWire(path: string, answer: ScriptedAnswer): string[] {
  if (path.includes("/messages")) return anthropic(answer);
  if (path.includes("/responses")) return responses(answer);
  if (path.includes(":streamGenerateContent")) return google(answer);
  return chat(answer);
}
