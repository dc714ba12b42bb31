package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Plain tools (docs/plain-tools.md). In reading order: comments become tags, tags a tool, and the arguments of a call words and
// variables. Nothing is run to learn what a tool is.

// How a plain tool is called.
type plain struct {
	command     []string
	parameters  []parameter
	requiredEnv []string
	isBare      bool
}

type parameter struct {
	name, word, kind  string // kind: string, integer, number, flag or count
	isList, mustHave  bool
	choices, fallback []string
	text              string
}

type tag struct {
	name, text, more   string
	line, last, column int
}

const comment = `^[ \t]*(?:#+|//+|/\*+|--|;+|%+|\*)`

var (
	commentLine  = regexp.MustCompile(comment + `[ \t]*([^@ \t/].*)$`)
	tagLine      = regexp.MustCompile(comment + `[ \t]*@(describe|option|flag|arg|env|meta|cmd)(?:[ \t]+|$)(.*)$`)
	functionLine = regexp.MustCompile(`(?m)^\s*(?:function\s+)?([A-Za-z_][\w.-]*)\s*\(\)`)
	parameterOf  = regexp.MustCompile(`^(?:-\w\s+)?(-{0,2}[A-Za-z0-9_][\w.-]*)([!*+]?)` +
		`(?:="([^"]*)"|=([^\s"\[]+)|\[(=?)([^\]]+)\])?(?:\s+<([^<>]+)>)?(?:\s+(.*))?$`)
	notLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// Returns nil if the file does not describe itself.
func plainTools(header, name, path string) ([]tool, error) {
	if strings.Contains(header, "\x00") {
		return nil, nil
	}
	lines, tags := strings.Split(header, "\n"), []tag{}
	var starts []int
	isDescribed := false
	for number, line := range lines {
		line = strings.TrimRight(line, "\r")
		if found := tagLine.FindStringSubmatchIndex(line); found != nil {
			text := strings.TrimSpace(strings.TrimSuffix(line[found[4]:], "*/"))
			tags = append(tags, tag{name: line[found[2]:found[3]], text: text, line: number, last: number, column: found[4]})
		} else if more := commentLine.FindStringSubmatch(line); more != nil && len(tags) > 0 && tags[len(tags)-1].last == number-1 {
			tags[len(tags)-1].more += "\n" + strings.TrimSpace(more[1])
			tags[len(tags)-1].last = number
		}
	}
	for index, one := range tags {
		isDescribed = isDescribed || one.name == "describe"
		if one.name == "cmd" {
			starts = append(starts, index)
		}
	}
	if len(starts) == 0 && !isDescribed {
		return nil, nil
	}
	isBare := !strings.HasPrefix(header, "#!")
	if len(starts) == 0 {
		one, err := plainTool(tags, name, path, plain{isBare: isBare})
		return []tool{one}, err
	}
	var tools []tool
	for index, start := range starts {
		end, lastLine := len(tags), len(lines)
		if index+1 < len(starts) {
			end = starts[index+1]
			lastLine = tags[end].line
		}
		word := ""
		if found := functionLine.FindStringSubmatch(strings.Join(lines[tags[start].line:lastLine], "\n")); found != nil {
			word = found[1]
		} else {
			words := append(strings.SplitN(tags[start].text, " ", 2), "")
			word, tags[start].text = words[0], words[1]
		}
		full := name + "_" + notLetters.ReplaceAllString(word, "_")
		one, err := plainTool(tags[start:end], full, path, plain{isBare: isBare, command: []string{word}})
		if err != nil {
			return nil, err
		}
		tools = append(tools, one)
	}
	return tools, nil
}

func plainTool(tags []tag, name, path string, call plain) (tool, error) {
	made := tool{Name: name, Path: path, time: callTime, plain: &call}
	properties, required := object{}, []string{}
	for _, one := range tags {
		switch one.name {
		case "describe", "cmd":
			made.Description = one.text + one.more
		case "env":
			if variable := strings.Fields(one.text); len(variable) > 0 && strings.HasSuffix(variable[0], "!") {
				call.requiredEnv = append(call.requiredEnv, strings.TrimSuffix(variable[0], "!"))
			}
		case "meta":
			if words := strings.Fields(one.text); len(words) == 2 && words[0] == "timeout" {
				seconds, _ := strconv.Atoi(strings.TrimSuffix(words[1], "s"))
				made.time = time.Duration(seconds) * time.Second
			}
		default:
			read, ok := readParameter(one)
			if !ok {
				return made, fmt.Errorf("%s:%d:%d: expected a name, then ! * + =DEFAULT or [a|b], then a text", path, one.line+1, one.column+1)
			}
			call.parameters = append(call.parameters, read)
			properties[read.name] = read.schema()
			if read.mustHave {
				required = append(required, read.name)
			}
		}
	}
	made.Parameters = object{"type": "object", "properties": properties, "required": required}
	return made, nil
}

func readParameter(one tag) (parameter, bool) {
	found := parameterOf.FindStringSubmatch(one.text)
	if found == nil || strings.HasPrefix(found[1], "-") == (one.name == "arg") {
		return parameter{}, false
	}
	read := parameter{word: found[1], kind: "string", text: strings.TrimSpace(found[8] + one.more)}
	read.name = notLetters.ReplaceAllString(strings.TrimLeft(found[1], "-"), "_")
	read.mustHave, read.isList = found[2] == "!" || found[2] == "+", found[2] == "*" || found[2] == "+"
	if kind, ok := map[string]string{"INT": "integer", "NUM": "number"}[found[7]]; ok {
		read.kind = kind
	}
	if one.name == "flag" {
		read.kind = map[bool]string{true: "count", false: "flag"}[read.isList]
		read.isList = false
	}
	if found[6] != "" {
		read.choices = strings.Split(found[6], "|")
	}
	if value := found[3] + found[4]; value != "" {
		read.fallback = []string{value}
	} else if found[5] != "" {
		read.fallback = read.choices[:1]
	}
	return read, true
}

func (p parameter) schema() object {
	kind := map[string]string{"flag": "boolean", "count": "integer"}[p.kind]
	if kind == "" {
		kind = p.kind
	}
	typed := func(text string) any {
		if kind == "integer" || kind == "number" {
			return json.Number(text)
		}
		return text
	}
	one := object{"type": kind}
	for _, choice := range p.choices {
		list, _ := one["enum"].([]any)
		one["enum"] = append(list, typed(choice))
	}
	if p.kind == "count" {
		one["minimum"] = 0
	}
	if p.isList {
		one = object{"type": "array", "items": one}
		if p.mustHave {
			one["minItems"] = 1
		}
	}
	if p.text != "" {
		one["description"] = p.text
	}
	if p.fallback != nil && p.isList {
		one["default"] = []any{typed(p.fallback[0])}
	} else if p.fallback != nil {
		one["default"] = typed(p.fallback[0])
	}
	return one
}

// Returns the words and variables of a call, or an answer that refuses it. Values are passed as they are, past no shell.
func (p *plain) start(called tool, arguments object) ([]string, []string, object) {
	options, operands := append([]string{}, p.command...), []string{}
	variables := []string{"LLM_OUTPUT=/dev/stdout", "IKIGAI_ARGUMENTS=" + encode(arguments)}
	for _, name := range p.requiredEnv {
		if os.Getenv(name) == "" {
			return nil, nil, object{"error": called.Name + " needs the variable " + name + ", which is not set", "error_code": "MISSING_CREDENTIALS"}
		}
		variables = append(variables, name+"="+os.Getenv(name))
	}
	for _, one := range p.parameters {
		values, problem := one.values(arguments[one.name])
		if problem != "" {
			return nil, nil, object{"error": one.name + ": " + problem, "error_code": "INVALID_PARAMS"}
		}
		for _, value := range values {
			switch {
			case one.kind == "count":
				count, _ := strconv.Atoi(value)
				for ; count > 0; count-- {
					options = append(options, one.word)
				}
			case one.kind == "flag":
				options = append(options, one.word)
			case !strings.HasPrefix(one.word, "-"):
				operands = append(operands, value)
			case strings.HasPrefix(value, "-"): // would be taken for an option
				options = append(options, one.word+"="+value)
			default:
				options = append(options, one.word, value)
			}
		}
		if len(values) > 0 {
			variables = append(variables, "argc_"+one.name+"="+strings.Join(values, "\n"))
		}
	}
	if len(operands) > 0 {
		options = append(append(options, "--"), operands...)
	}
	return options, variables, nil
}

// The values of a parameter as text, or what is wrong with them.
func (p parameter) values(given any) ([]string, string) {
	list, isList := given.([]any)
	switch {
	case given == nil && p.mustHave:
		return nil, "is required"
	case given == nil:
		return p.fallback, ""
	case isList != p.isList:
		return nil, "expected " + map[bool]string{true: "a list", false: "one value"}[p.isList]
	case isList && p.mustHave && len(list) == 0:
		return nil, "expected at least one value"
	case !isList:
		list = []any{given}
	}
	values := []string{}
	for _, one := range list {
		text, isText := one.(string)
		number, isNumber := one.(json.Number)
		isTrue, isFlag := one.(bool)
		_, err := strconv.ParseInt(number.String(), 10, 64)
		isRight := map[string]bool{"string": isText, "number": isNumber, "integer": isNumber && err == nil, "count": isNumber && err == nil, "flag": isFlag}
		if !isRight[p.kind] || strings.Contains(text, "\x00") {
			return nil, "expected " + p.kind + ", got " + encode(one)
		}
		text += number.String()
		if len(p.choices) > 0 && !contains(p.choices, text) {
			return nil, "expected " + strings.Join(p.choices, ", ") + ", got " + encode(one)
		}
		if isFlag && isTrue {
			text = "1"
		}
		if !isFlag || isTrue {
			values = append(values, text)
		}
	}
	return values, ""
}

// The answer of a plain tool that has exited; nil if its output is the answer, or if it is a failure.
func plainResult(ended end, isObject bool) object {
	complaint := ""
	for _, line := range strings.Split(string(ended.stderr), "\n") {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "::progress ") {
			complaint = strings.TrimSpace(line)
		}
	}
	isSilent := len(ended.stdout) == 0 && complaint == ""
	isCrash := ended.code != 0 && (ended.bySignal || ended.code == 126 || ended.code == 127 || isSilent)
	if isCrash || (ended.code == 0 && isObject) {
		return nil
	}
	output := strings.TrimSuffix(strings.TrimSuffix(strings.ToValidUTF8(string(ended.stdout), "\ufffd"), "\n"), "\r")
	result := object{"output": output}
	if ended.code != 0 {
		result["exit_code"] = ended.code
		if complaint != "" {
			result["error"] = complaint
		}
	}
	return result
}
