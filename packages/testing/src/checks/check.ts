// What a check is, and how it runs; then why a failure of each check matters, and what to do.

import { shellWord } from "@ikigai/system";
import { openSubject, type Subject, type SubjectOptions } from "../run/subject.ts";

/** One requirement of the protocol. */
export interface Check {
  /** A stable id, for example `schema-size`. */
  readonly id: string;
  /** `must`: a host rejects or misreads a tool that fails it. `should`: the tool works, but less well. */
  readonly level: "must" | "should";
  /** What a conforming tool does, to be read after its name. */
  readonly title: string;
  /** The id of the check that must pass first. */
  readonly needs?: string;
  /** Checks a tool. Returns `undefined` if it passes or the check does not apply, otherwise what is wrong and what to do. */
  run(bin: string, options?: SubjectOptions): Promise<string | undefined>;
}

/** Why a check does not apply to this tool. */
export interface NotTried {
  readonly notTried: string;
}

/** What is wrong with a tool. */
export interface Fault {
  /** What happened, one sentence. */
  readonly problem: string;
  /** Why it matters or what usually causes it, and what to do. */
  readonly advice: string;
}

/** What a check finds wrong. Without `advice`, that of the check applies. */
export type Wrong = string | { readonly problem: string; readonly advice?: string | undefined };

/** The outcome of a check: nothing wrong, what is wrong, or why it does not apply. */
export type Finding = Wrong | undefined | NotTried;

/** A check as implemented here: it gets a tool whose runs are shared with other checks. */
export interface Trial extends Omit<Check, "run"> {
  look(subject: Subject): Promise<Finding>;
}

/** Runs a trial. If it throws, the tool has failed it. */
export async function look({ id, look }: Trial, subject: Subject): Promise<Fault | NotTried | undefined> {
  try {
    const finding = await look(subject);
    if (finding === undefined || (typeof finding === "object" && "notTried" in finding)) return finding;
    const wrong = typeof finding === "string" ? { problem: finding } : finding;
    return { problem: wrong.problem, advice: wrong.advice ?? advice[id] ?? "" };
  } catch (error) {
    const problem = `The check could not run: ${(error as Error).message}.`;
    return { problem, advice: `If this works, run the check again: ${shellWord(subject.path)} --schema` };
  }
}

/** Turns a trial into a check that runs alone. */
export function toCheck(trial: Trial): Check {
  const { look: _, ...rest } = trial;
  return {
    ...rest,
    async run(bin, options) {
      const finding = await look(trial, openSubject(bin, options));
      return finding && "problem" in finding ? sentences(finding) : undefined;
    },
  };
}

/** What is wrong and what to do, as one text. */
export function sentences({ problem, advice }: Fault): string {
  return `${problem} ${advice}`;
}

/**
 * Why a failure of each check matters, or what usually causes it, and what to do; by the check's id. A finding with a cause of its own
 * has more specific advice.
 */
export const advice: Readonly<Record<string, string>> = {
  executable: "A host starts a tool as a program: pass the path of an executable file.",
  "file-name": 'Hosts find tools by their file names. Rename the file, for example to "weather-tool".',
  starts: "Check its #! line, its mode, and whether it was built for this machine.",
  shebang:
    "Some hosts run such a file with /bin/sh, others do not run it. Begin it with a shebang line, such as #!/bin/sh.",
  schema:
    'Print one JSON object on stdout, such as {"name": "weather", "description": "…", "parameters": {"type": "object", "properties": {}}}; logs go to stderr.',
  "schema-time":
    "Hosts skip a tool that takes longer. Print the schema before loading modules that it does not need, and before any other work.",
  "schema-environment":
    "A tool is listed before it is set up. Print the schema before reading variables, configuration or the home directory.",
  "schema-stable":
    "Hosts cache the schema until the file changes. Leave out times, process ids and random values, and sort what has no order.",
  "schema-size": "Hosts reject a larger one. Shorten the descriptions, or split the tool.",
  description:
    "The model uses the description to decide when to call the tool. Say in one sentence what the tool does.",
  name: 'Add "name" to the schema: the file name without "-tool", with "_" for each "-".',
  "name-matches": "The file name wins, so the other name is never used. Rename the file, or correct the schema.",
  parameters:
    'Hosts and model providers reject such a schema. Correct this. `parameters` has the form {"type": "object", "properties": {…}, "required": […]}.',
  "parameters-form":
    'Not every host reads the older form. Put the parameters into {"type": "object", "properties": …} and the required names into "required".',
  "required-listed":
    'The model cannot give a value to a parameter that it does not know. Add it to "properties", or remove it from "required".',
  "output-schema": "Programs read the schema to use the answer. Correct this.",
  "schema-keys":
    "Hosts may ignore unknown keys and invalid values, and take the nearest number in range. Correct or remove them.",
  "refuses-empty-input":
    "If a host ends early, stdin is empty; that is not a call. If stdin is empty, say so in one line on stderr and exit with 1.",
  "refuses-broken-json":
    "Otherwise the tool runs a call that no model has made. Parse stdin; in a shell, use jq. If it is not JSON, say so in one line on stderr and exit with 1.",
  "refuses-other-json": "Arguments are always an object. For other JSON, say so in one line on stderr and exit with 1.",
  "refuses-missing-parameter":
    "The host does not check the arguments. If a required parameter is missing, name it in one line on stderr and exit with 1.",
  "refuses-wrong-type":
    'The host does not check the arguments. If a parameter has the wrong type, answer {"error": "Expected …, got …", "error_code": "INVALID_PARAMS"} and exit with 0.',
  "refuses-null":
    "Some models send null for what they leave out. Treat it as missing: name the parameter in one line on stderr and exit with 1.",
  "explains-refusal":
    "The model uses this line to correct its call. Catch the error, print its message in one line on stderr and exit with 1.",
  answers:
    'If only the operation failed, answer {"error": "…", "error_code": "…"} and exit with 0. Otherwise correct the tool; its stderr says where.',
  "answer-object": 'Print one JSON object, such as {"output": "…"}, and nothing else on stdout.',
  "answer-once": "A host cannot tell which one is the answer. Collect the results, and print one object at the end.",
  "answer-alone":
    "Other text makes the answer unreadable. Write logs to stderr: echo … >&2, console.error, print(…, file=sys.stderr).",
  "answer-schema": 'Programs rely on it. Correct the answer, or "outputSchema".',
  "answer-fields": 'Programs rely on it. Add the fields to "outputSchema", or leave them out of the answer.',
  "error-shape":
    'The model reads "error", programs read "error_code". Answer a failure with {"error": "No such city: Atlantis", "error_code": "NOT_FOUND"}.',
  "help-steps": 'Add "help": {"steps": ["…"]} that says how to get them, so that the user can fix it.',
  visual:
    "The user gets its text instead. Section 14 of the protocol has the fields and limits; leave out everything else.",
  images:
    "The model does not see it. Save the image in IKIGAI_DATA_DIR, the project or the temporary directory, as a file of the type that you name.",
  documents:
    "The model does not see it. Save the PDF in IKIGAI_DATA_DIR, the project or the temporary directory, with the type application/pdf.",
  "ignores-unknown-fields":
    "Models and newer hosts send other fields. Use the ones you know, and do not reject the rest.",
  "null-is-absent":
    "Some models send null for what they leave out. Treat null as absent before checking the arguments.",
  "keeps-limit":
    'The host cuts a longer answer, but the tool knows better what to leave out. Read the variable, shorten the answer, and add "truncated": true.',
  needs:
    'In a sandbox a tool has the project and what its schema declares: "ikigai": {"needs": {"hosts": […], "read": […], "write": […], "env": […]}}. Add what it lacks.',
  "jobs-only-offered":
    "Without IKIGAI_JOBS a job belongs to no host. Answer when the work is done, or when the time is up.",
  "keeps-budget":
    "In a conversation this is how much of the answer a model reads, and the host cuts nothing to it. Read the variable, shorten the answer, and say what was left out and how to get it.",
  "reads-all-input":
    "The usual cause: the tool reads only once, or into a buffer of a fixed size. Read stdin until its end before parsing it.",
  "multi-line-input": "The usual cause: the tool reads only one line. Read stdin until its end before parsing it.",
  utf8: "The usual cause: the tool uses the encoding of the locale. Read and write UTF-8 explicitly; in Python, use sys.stdin.buffer and sys.stdout.buffer.",
  "read-only": `Users assume that such a call is harmless. Write the tool's own files below IKIGAI_DATA_DIR, or remove "readOnlyHint".`,
  "waits-for-input":
    'A host starts such a tool before a call that may never come. Read stdin until it ends before doing anything, or remove "prestart".',
  "ends-on-sigterm":
    "A host sends SIGTERM to interrupt a call, and kills the tool later, in the middle of its work. Do not ignore SIGTERM; a handler must stop the work and exit.",
  "leaves-nothing-running":
    "The host kills such a process, and its work is lost. Stop it, or wait for it, before the tool exits.",
  "serves-ready":
    'With IKIGAI_SERVE=1, print {"ready":true} and a newline, flush stdout, and wait for a call on stdin; or remove "serves".',
  "serves-refuses":
    'Answer an invalid call with {"call": ID, "refused": "…"}, with the same text as on stderr in a process of its own. If a line is not a frame, say why on stderr and exit with 1.',
  "serves-ends":
    "Otherwise it outlives the host. Exit at the end of stdin, and do not catch SIGTERM while waiting for a call.",
  "serves-like-one-shot": 'Give the same answer, list fields that always differ in "varies", or remove "serves".',
  "serves-no-state":
    'The next call would see it. Restore it after each call, or remove "serves". If the tool needs the state, use "service".',
  "service-ready":
    'With IKIGAI_SERVE=1, print {"ready":true} once and flush stdout. If it cannot start, print {"error": "…", "error_code": "…"} and exit.',
  "service-refuses":
    'Answer an invalid call with {"call": ID, "refused": "…"}, with the same text as on stderr in a process of its own. If a line is not a frame, say why on stderr and exit with 1.',
  "service-tools":
    'Several tools share the process. Answer a call whose "tool" it does not have with {"call": ID, "refused": "…"}.',
  "service-parallel": "Calls overlap. Keep the id of each call with its work, and print one reply with that id.",
  "service-cancels":
    'Stop that call only: reply to it at most once, keep reading frames, and ignore {"cancel": ID} for a call that is not open.',
  "service-ends":
    "Otherwise it outlives the host. Exit when stdin ends and on SIGTERM, and stop everything that the service has started.",
  "works-without-service":
    "Other hosts start one process per call. If IKIGAI_SERVE is not set, start what the call needs, answer the call and exit.",
};
