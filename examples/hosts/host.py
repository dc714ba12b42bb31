#!/usr/bin/env python3
"""A host for tools, protocol level 0 (docs/protocol.md), with nothing but Python's standard library.

    host.py DIRECTORIES                    list the tools, as JSON
    host.py DIRECTORIES NAME [ARGUMENTS]   call one with a JSON object, and print what a model gets

DIRECTORIES are separated by colons, the nearest first. In reading order: files, comments of plain tools, processes, calls.
"""
import json, os, re, signal, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor

MAX_SCHEMA, MAX_ANSWER, MAX_OUTPUT, MAX_STREAM = 8_192, 65_536, 50 * 1_048_576, 2_048  # bytes
SCHEMA_TIME, TIME, GRACE, DRAIN = 1, 30, 2, 0.25  # seconds
KEYS = {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "OPENROUTER_API_KEY"}


class Unusable(Exception):
    """A file that cannot be used, or a call that is refused: a reason or code, and a sentence."""


def discover(directories):
    """The tools by name, and what is skipped. A nearer tool overrides; one that cannot be used overrides nothing."""
    files = [(d, f) for d in directories if os.path.isdir(d) for f in sorted(os.listdir(d))]
    files = [(d, f) for d, f in files if f.endswith("-tool") and os.path.isfile(os.path.join(d, f))]
    with ThreadPoolExecutor(16) as pool:
        found = [tool for tools in pool.map(lambda file: tools_of(*file), files) for tool in tools]
    usable = {tool["name"]: tool for tool in reversed(found) if "reason" not in tool}
    return dict(sorted(usable.items())), [tool for tool in found if "reason" in tool]


def tools_of(directory, file):
    path, name = os.path.abspath(os.path.join(directory, file)), file[: -len("-tool")].replace("-", "_")
    try:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", name):
            raise Unusable("invalid name", "expected a letter, then up to 63 letters, digits, - or _")
        if not os.access(path, os.X_OK):
            raise Unusable("not executable", f"chmod +x {path}")
        if os.stat(path).st_mode & 0o002:
            raise Unusable("unsafe", "other users can write it")
        with open(path + ".desc" if os.path.exists(path + ".desc") else path, "rb") as opened:
            header = opened.read(16_384).decode("utf-8", "replace")
        return plain_tools(header, name, path) or [{**asked(path), "name": name, "path": path}]
    except Unusable as error:
        return [{"name": name, "path": path, "reason": error.args[0], "detail": error.args[1]}]


def asked(path):
    """What a tool prints for --schema."""
    end = run([path, "--schema"], b"", {}, SCHEMA_TIME, MAX_SCHEMA)
    if end["stopped"] or end["code"]:
        raise Unusable({"TOOL_TIMEOUT": "timeout", "OUTPUT_TOO_LARGE": "too large"}.get(end["stopped"], "crash"), "--schema failed")
    schema = json_object(end["stdout"])
    if schema is None:
        raise Unusable("invalid JSON", "--schema did not print one JSON object")
    parameters = schema.get("parameters", schema.get("inputSchema"))
    if isinstance(parameters, dict) and parameters and "type" not in parameters and "properties" not in parameters:
        required = [name for name, one in parameters.items() if one.pop("required", False)]  # the older form (2.4)
        parameters = {"type": "object", "properties": parameters, "required": required}
    if not isinstance(parameters, dict) or parameters.get("type", "object") != "object" or not schema.get("description"):
        raise Unusable("invalid schema", "expected a description and parameters of type object")
    extra = schema.get("ikigai") if isinstance(schema.get("ikigai"), dict) else {}
    return {"description": schema["description"], "parameters": parameters, "time": extra.get("timeoutMs", TIME * 1000) / 1000}


# Plain tools (docs/plain-tools.md): their comments are read, and nothing is run.

COMMENT = r"[ \t]*(?:#+|//+|/\*+|--|;+|%+|\*(?!/))"
TAG = re.compile(COMMENT + r"[ \t]*@(describe|option|flag|arg|env|meta|cmd)(?=[ \t]|$)[ \t]*")
PARAMETER = re.compile(r"(?:-\w\s+(?=-))?(?P<word>-{0,2}[A-Za-z0-9_][\w.-]*)(?P<mark>[!*+]?)"
                       r"(?:=\"(?P<quoted>[^\"]*)\"|=(?P<bare>[^\s\"\[]+)|\[(?P<first>=?)(?P<choices>[^\]`]+)\])?"
                       r"(?:\s+<(?P<type>[^<>]+)>)?(?:\s+(?P<text>.*))?")


def plain_tools(header, name, path):
    tags, lines = [], [] if "\0" in header else header.splitlines()
    for number, line in enumerate(lines):
        if found := TAG.match(line):
            text = re.sub(r"\s*(\*/)?\s*$", "", line[found.end():])
            tags.append({"tag": found[1], "text": text, "more": "", "line": number, "end": number, "column": found.end()})
        elif tags and tags[-1]["end"] == number - 1 and re.match(COMMENT + r"[ \t]*[^@ \t]", line):
            tags[-1].update(more=tags[-1]["more"] + "\n" + re.sub(COMMENT, "", line).strip(" \t"), end=number)
    starts = [at for at, tag in enumerate(tags) if tag["tag"] == "cmd"]
    if not starts:
        described = any(tag["tag"] == "describe" for tag in tags)
        return [plain_tool(tags, name, path, header)] if described else []
    tools = []
    for start, end in zip(starts, [*starts[1:], len(tags)]):
        below = lines[tags[start]["line"]: tags[end]["line"] if end < len(tags) else None]
        command = re.search(r"(?m)^\s*(?:function\s+)?([A-Za-z_][\w.-]*)\s*\(\)", "\n".join(below))
        word, text = (command[1], tags[start]["text"]) if command else [*tags[start]["text"].split(" ", 1), ""][:2]
        tags[start]["text"] = text
        tools.append(plain_tool(tags[start:end], f"{name}_{re.sub('[^A-Za-z0-9]+', '_', word)}", path, header, [word]))
    return tools


def plain_tool(tags, name, path, header, command=()):
    about = next(tag for tag in tags if tag["tag"] in ("describe", "cmd"))
    tool = {"name": name, "path": path, "description": about["text"] + about["more"], "command": [*command], "words": {}, "time": TIME,
            "bare": not header.startswith("#!"), "env": [], "parameters": {"type": "object", "properties": {}, "required": []}}
    for tag in tags:
        if tag["tag"] in ("option", "flag", "arg"):
            found = PARAMETER.fullmatch(tag["text"])
            if not found or found["word"].startswith("-") == (tag["tag"] == "arg"):
                where = f"{path}:{tag['line'] + 1}:{tag['column'] + 1}"
                raise Unusable("invalid schema", f"{where}: expected a name, then ! * + =DEFAULT or [a|b], then a text")
            key = re.sub("[^A-Za-z0-9]+", "_", found["word"].lstrip("-"))
            tool["words"][key] = found["word"]
            tool["parameters"]["properties"][key] = property_of(tag, found)
            tool["parameters"]["required"] += [key] if found["mark"] in ("!", "+") else []
        elif tag["tag"] == "env":
            tool["env"] += re.findall(r"^(\w+)!", tag["text"])
        elif tag["tag"] == "meta" and tag["text"].startswith("timeout "):
            tool["time"] = int(re.sub(r"\D", "", tag["text"]))
    return tool


def property_of(tag, found):
    kind, typed = {"INT": ("integer", int), "NUM": ("number", json.loads)}.get(found["type"], ("string", str))
    one = {"type": "boolean" if tag["tag"] == "flag" else kind}
    choices = found["choices"] and [typed(choice) for choice in found["choices"].split("|")]
    if choices:
        one["enum"] = choices
    if tag["tag"] == "flag" and found["mark"] == "*":
        one = {"type": "integer", "minimum": 0, "counts": True}
    elif found["mark"] in ("*", "+"):
        one = {"type": "array", "items": one, **({"minItems": 1} if found["mark"] == "+" else {})}
    default = found["quoted"] or found["bare"] or (choices[0] if found["first"] else None)
    if default is not None:
        one["default"] = [typed(default)] if one["type"] == "array" else typed(default)
    return {**one, "description": ((found["text"] or "") + tag["more"]).strip()}


def plain_start(tool, arguments):
    """The words and variables of a call. Values are passed as they are, past no shell."""
    for name in tool["env"]:
        if not os.environ.get(name):
            raise Unusable("MISSING_CREDENTIALS", f"{tool['name']} needs the variable {name}, which is not set")
    options, operands, variables = [], [], {"IKIGAI_ARGUMENTS": json.dumps(arguments), "LLM_OUTPUT": "/dev/stdout"}
    for name, one in tool["parameters"]["properties"].items():
        value = arguments.get(name) if arguments.get(name) is not None else one.get("default")
        if value is None and name in tool["parameters"]["required"]:
            raise Unusable("INVALID_PARAMS", f"{name}: is required")
        item, values = one.get("items", one), [] if value is None else value if isinstance(value, list) else [value]
        types = {"string": str, "integer": int, "number": (int, float), "boolean": bool}[item["type"]]
        if value is not None and isinstance(value, list) != (one["type"] == "array"):
            raise Unusable("INVALID_PARAMS", f"{name}: expected {one['type']}, got {json.dumps(value)}")
        for each in values:
            if not isinstance(each, types) or isinstance(each, bool) != (types is bool) or "\0" in str(each):
                raise Unusable("INVALID_PARAMS", f"{name}: expected {item['type']}, got {json.dumps(each)}")
            if each not in item.get("enum", [each]):
                raise Unusable("INVALID_PARAMS", f"{name}: expected one of {item['enum']}, got {json.dumps(each)}")
        if len(values) < one.get("minItems", 0):
            raise Unusable("INVALID_PARAMS", f"{name}: expected at least one value")
        word, texts = tool["words"][name], ["1" if each is True else str(each) for each in values if each is not False]
        if not word.startswith("-"):
            operands += texts
        elif types is bool or "counts" in one:
            options += [word] * sum(values)
        else:  # a value that begins with a dash would be taken for an option
            options += [part for text in texts for part in ([f"{word}={text}"] if text.startswith("-") else [word, text])]
        variables.update({f"argc_{name}": "\n".join(texts)} if texts else {})
    return tool["command"] + options + (["--", *operands] if operands else []), variables


# A process, until it has exited and its output is read.


def run(argv, stdin, variables, seconds, most):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IKIGAI_") and name not in KEYS}
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, env={**kept, "IKIGAI_PROTOCOL": "1", "AGENT": "ikigai", **variables})
    except OSError as error:
        return {"stopped": "TOOL_UNAVAILABLE", "code": None, "stdout": b"", "stderr": str(error).encode()}
    out, err, flooded = bytearray(), bytearray(), threading.Event()

    def feed():
        try:
            process.stdin.write(stdin)
            process.stdin.close()
        except OSError:
            pass  # it does not read

    def collect(stream, into, limit):
        while chunk := os.read(stream.fileno(), 65_536):
            into += chunk[: max(0, limit + 1 - len(into))]
            if into is out and len(out) > limit:
                flooded.set()
                stop(signal.SIGTERM)

    def stop(number):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass

    readers = [threading.Thread(target=collect, args=each, daemon=True) for each in
               ((process.stdout, out, most), (process.stderr, err, MAX_OUTPUT))]
    for thread in [threading.Thread(target=feed, daemon=True), *readers]:
        thread.start()
    stopped = None
    try:
        process.wait(seconds)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
        stopped = "TOOL_CANCELLED" if isinstance(error, KeyboardInterrupt) else "TOOL_TIMEOUT"
        stop(signal.SIGTERM)
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
    readers[0].join(DRAIN)
    stop(signal.SIGKILL)  # also what it left running
    process.wait()
    readers[1].join(DRAIN)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return {"stopped": "OUTPUT_TOO_LARGE" if flooded.is_set() else stopped, "code": None if stopped else code,
            "signal": process.returncode < 0, "stdout": bytes(out), "stderr": bytes(err)}


def json_object(data):
    """One JSON object in UTF-8, or None."""
    def refuse(_):
        raise ValueError

    try:
        value = json.loads(data.decode("utf-8"), parse_constant=refuse)
        return value if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


# A call, and what the model sees of it.


def call(tools, name, text):
    def failure(code, error, end={}):
        streams = {key: shortened(end.get(key, b"")) for key in ("stdout", "stderr")}
        return json.dumps({"tool_success": False, "error": f"Tool '{name}' {error}", "error_code": code, "exit_code": end.get("code"), **streams})

    tool, arguments = tools.get(name), json_object(os.fsencode(text))
    if tool is None:
        return failure("TOOL_NOT_FOUND", "not found")
    if arguments is None:
        return failure("INVALID_PARAMS", "takes a JSON object")
    variables = {"IKIGAI_TOOL_NAME": name, "IKIGAI_TOOL_DIR": os.path.dirname(tool["path"]), "IKIGAI_TOOL_SCOPE": "user",
                 "IKIGAI_TIMEOUT_MS": str(int(tool["time"] * 1000)), "IKIGAI_MAX_OUTPUT_BYTES": str(MAX_ANSWER)}
    argv, stdin, is_plain = [tool["path"]], os.fsencode(text), "words" in tool
    if is_plain:
        try:
            words, more = plain_start(tool, arguments)
        except Unusable as error:
            return success(json.dumps({"error": error.args[1], "error_code": error.args[0]}))
        needed = {name: os.environ[name] for name in tool["env"]}
        argv, stdin, variables = ["bash"] * tool["bare"] + argv + words, b"", {**variables, **more, **needed}
    end = run(argv, stdin, variables, tool["time"], MAX_OUTPUT)
    if end["stopped"]:
        return failure(end["stopped"], "was stopped" if end["stopped"] != "TOOL_UNAVAILABLE" else "cannot be started", end)
    answer = json_object(end["stdout"])
    complaints = [line for line in end["stderr"].decode("utf-8", "replace").splitlines() if line.strip() and not line.startswith("::progress ")]
    if end["code"] and not (is_plain and not end["signal"] and end["code"] not in (126, 127) and (end["stdout"] or complaints)):
        return failure("TOOL_CRASHED", f"crashed with exit code {end['code']}", end)
    if is_plain and (end["code"] or answer is None):
        result = {"output": re.sub(r"\r?\n\Z", "", end["stdout"].decode("utf-8", "replace"))}
        if end["code"]:
            result.update({"exit_code": end["code"], **({"error": complaints[-1].strip()} if complaints else {})})
        return success(json.dumps(result))
    if answer is None:
        return failure("INVALID_OUTPUT", "did not print one JSON object", end)
    return success(end["stdout"].decode()) or failure("OUTPUT_TOO_LARGE", "printed too much, and no long texts that could be cut", end)


def success(text):
    """The tool's text as it is, since parsing loses long numbers; with the longest strings cut if it is too long."""
    if len(text.encode()) > MAX_ANSWER:
        lengths = (MAX_ANSWER >> step for step in range(1, 11))
        shorter = (json.dumps(cut(json.loads(text), length)) for length in lengths)
        text = next((one for one in shorter if len(one) <= MAX_ANSWER), None)
    return text and '{"tool_success":true,"result":' + re.sub(r"\s*[\r\n]+\s*", " ", text.strip()) + "}"


def cut(value, length):
    if isinstance(value, str) and len(value) > length:
        return f"{value[: length // 2]} … {len(value) - length} characters left out … {value[-(length // 2):]}"
    if isinstance(value, dict):
        return {key: cut(one, length) for key, one in value.items()}
    return [cut(one, length) for one in value] if isinstance(value, list) else value


def shortened(data):
    half = MAX_STREAM // 2
    left_out = f"\n… {len(data) - MAX_STREAM} bytes left out …\n".encode()
    return (data if len(data) <= MAX_STREAM else data[:half] + left_out + data[-half:]).decode("utf-8", "replace")


def main(directories, name=None, arguments="{}"):
    tools, skipped = discover(directories.split(":"))
    if name is None:
        listed = [{key: tool[key] for key in ("name", "description", "parameters", "path")} for tool in tools.values()]
        print(json.dumps({"tools": listed, "skipped": skipped}))
        return 0
    envelope = call(tools, name, arguments)
    print(envelope)
    return 0 if envelope.startswith('{"tool_success":true') else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if 2 <= len(sys.argv) <= 4 else __doc__)
