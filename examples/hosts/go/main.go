// A host for tools, protocol level 0 (docs/protocol.md), with nothing but Go's standard library.
//
//	host DIRECTORIES                    list the tools, as JSON
//	host DIRECTORIES NAME [ARGUMENTS]   call one with a JSON object, and print what a model gets
//
// DIRECTORIES are separated by colons, the nearest first. In reading order: files, processes, calls. plain.go reads the comments of plain
// tools.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	maxSchema, maxAnswer, maxOutput, maxStream = 8_192, 65_536, 50 * 1_048_576, 2_048 // bytes
	schemaTime, callTime, grace, drain         = time.Second, 30 * time.Second, 2 * time.Second, 250 * time.Millisecond
	maxProcesses                               = 16
)

var providerKeys = []string{
	"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "OPENROUTER_API_KEY",
}

type object = map[string]any

// A tool, or a file that is not usable as one: then Reason and Detail say why.
type tool struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	Description string `json:"description,omitempty"`
	Parameters  object `json:"parameters,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Detail      string `json:"detail,omitempty"`
	time        time.Duration
	plain       *plain
}

func main() {
	args := os.Args[1:]
	if len(args) < 1 || len(args) > 3 {
		fmt.Fprintln(os.Stderr, "Usage: host DIRECTORIES [NAME [ARGUMENTS]]")
		os.Exit(2)
	}
	tools, skipped := discover(strings.Split(args[0], ":"))
	if len(args) == 1 {
		fmt.Println(encode(object{"tools": tools, "skipped": skipped}))
		return
	}
	envelope := call(tools, args[1], append(args[2:], "{}")[0])
	fmt.Println(envelope)
	if !strings.HasPrefix(envelope, `{"tool_success":true`) {
		os.Exit(1)
	}
}

// The tools by name, and what is skipped. A nearer tool overrides; one that cannot be used overrides nothing.
func discover(directories []string) ([]tool, []tool) {
	var paths []string
	for _, directory := range directories {
		found, _ := filepath.Glob(filepath.Join(directory, "*-tool"))
		paths = append(paths, found...)
	}
	read, slots := make([][]tool, len(paths)), make(chan bool, maxProcesses)
	var group sync.WaitGroup
	for index, path := range paths {
		group.Add(1)
		go func(index int, path string) {
			defer group.Done()
			slots <- true
			read[index] = toolsOf(path)
			<-slots
		}(index, path)
	}
	group.Wait()
	tools, skipped, known := []tool{}, []tool{}, map[string]bool{}
	for _, found := range read {
		for _, one := range found {
			if one.Reason != "" {
				skipped = append(skipped, one)
			} else if !known[one.Name] {
				known[one.Name] = true
				tools = append(tools, one)
			}
		}
	}
	sort.Slice(tools, func(a, b int) bool { return tools[a].Name < tools[b].Name })
	return tools, skipped
}

var validName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

func toolsOf(path string) []tool {
	path, _ = filepath.Abs(path)
	name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), "-tool"), "-", "_")
	skip := func(reason, detail string) []tool {
		return []tool{{Name: name, Path: path, Reason: reason, Detail: detail}}
	}
	stat, err := os.Stat(path)
	switch {
	case err != nil || !stat.Mode().IsRegular():
		return nil
	case !validName.MatchString(name):
		return skip("invalid name", "expected a letter, then up to 63 letters, digits, - or _")
	case stat.Mode()&0o111 == 0:
		return skip("not executable", "chmod +x "+path)
	case stat.Mode()&0o002 != 0:
		return skip("unsafe", "other users can write it")
	}
	tools, err := plainTools(headerOf(path), name, path)
	if err != nil {
		return skip("invalid schema", err.Error())
	}
	if tools != nil {
		return tools
	}
	return asked(path, name, skip)
}

// The beginning of a file, or of the one beside it that describes it.
func headerOf(path string) string {
	file, err := os.Open(path + ".desc")
	if err != nil {
		file, err = os.Open(path)
	}
	if err != nil {
		return ""
	}
	defer file.Close()
	header, _ := io.ReadAll(io.LimitReader(file, 16_384))
	return string(header)
}

// What a tool prints for --schema.
func asked(path, name string, skip func(string, string) []tool) []tool {
	end := run([]string{path, "--schema"}, "", nil, schemaTime, maxSchema)
	if reason, ok := map[string]string{"TOOL_TIMEOUT": "timeout", "OUTPUT_TOO_LARGE": "too large"}[end.stopped]; ok {
		return skip(reason, "--schema failed")
	}
	if end.stopped != "" || end.code != 0 {
		return skip("crash", "--schema failed")
	}
	schema := readObject(end.stdout)
	if schema == nil {
		return skip("invalid JSON", "--schema did not print one JSON object")
	}
	description, _ := schema["description"].(string)
	parameters, ok := schema["parameters"].(object)
	if !ok {
		parameters, ok = schema["inputSchema"].(object)
	}
	parameters = fromOlderForm(parameters)
	if kind, has := parameters["type"]; !ok || description == "" || (has && kind != "object") {
		return skip("invalid schema", "expected a description and parameters of type object")
	}
	limit := callTime
	if extra, ok := schema["ikigai"].(object); ok {
		if text, ok := extra["timeoutMs"].(json.Number); ok {
			milliseconds, _ := text.Int64()
			limit = time.Duration(milliseconds) * time.Millisecond
		}
	}
	return []tool{{Name: name, Path: path, Description: description, Parameters: parameters, time: limit}}
}

// Parameters by name, each with its own "required" (2.4).
func fromOlderForm(parameters object) object {
	if parameters["type"] != nil || parameters["properties"] != nil || len(parameters) == 0 {
		return parameters
	}
	required := []string{}
	for name, value := range parameters {
		if one, ok := value.(object); ok && one["required"] == true {
			delete(one, "required")
			required = append(required, name)
		}
	}
	sort.Strings(required)
	return object{"type": "object", "properties": parameters, "required": required}
}

// How a process ended. stopped is the code of a failure, if the host ended it.
type end struct {
	stopped        string
	code           int
	bySignal       bool
	stdout, stderr []byte
}

// Runs a program until it has exited and its output is read.
func run(argv []string, stdin string, variables []string, limit time.Duration, most int) end {
	command := exec.Command(argv[0], argv[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.Env = append(environment(), variables...)
	in, _ := command.StdinPipe()
	out, outEnd, _ := os.Pipe()
	errs, errsEnd, _ := os.Pipe()
	command.Stdout, command.Stderr = outEnd, errsEnd
	err := command.Start()
	outEnd.Close()
	errsEnd.Close()
	if err != nil {
		return end{stopped: "TOOL_UNAVAILABLE", code: -1, stderr: []byte(err.Error())}
	}
	stop := func(number syscall.Signal) { syscall.Kill(-command.Process.Pid, number) }
	go func() {
		io.WriteString(in, stdin)
		in.Close()
	}()
	stdout, stderr := collect(out, most), collect(errs, maxOutput)
	exited, interrupted := make(chan *os.ProcessState, 1), make(chan os.Signal, 1)
	go func() {
		state, _ := command.Process.Wait()
		exited <- state
	}()
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	stopped := ""
	var state *os.ProcessState
	select {
	case state = <-exited:
	case <-stdout.flooded:
		stopped = "OUTPUT_TOO_LARGE"
	case <-interrupted:
		stopped = "TOOL_CANCELLED"
	case <-time.After(limit):
		stopped = "TOOL_TIMEOUT"
	}
	if state == nil {
		stop(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(grace):
		}
	}
	stdout.wait(drain)
	stop(syscall.SIGKILL) // also what it left running
	stderr.wait(drain)
	result := end{stopped: stopped, code: -1, stdout: stdout.bytes(), stderr: stderr.bytes()}
	if len(result.stdout) > most {
		result.stopped = "OUTPUT_TOO_LARGE"
	}
	if state != nil {
		status := state.Sys().(syscall.WaitStatus)
		result.code, result.bySignal = status.ExitStatus(), status.Signaled()
		if result.bySignal {
			result.code = 128 + int(status.Signal())
		}
	}
	return result
}

// What is read of a pipe, up to a limit; the rest is read and forgotten, since a program that cannot write does not exit.
type collector struct {
	mutex   sync.Mutex
	kept    []byte
	flooded chan bool
	ended   chan bool
}

func collect(pipe *os.File, most int) *collector {
	c := &collector{flooded: make(chan bool, 1), ended: make(chan bool)}
	go func() {
		defer close(c.ended)
		chunk := make([]byte, 65_536)
		for {
			count, err := pipe.Read(chunk)
			if err != nil {
				return
			}
			c.mutex.Lock()
			if len(c.kept) <= most {
				c.kept = append(c.kept, chunk[:count]...)
				if len(c.kept) > most {
					c.flooded <- true
				}
			}
			c.mutex.Unlock()
		}
	}()
	return c
}

func (c *collector) wait(limit time.Duration) {
	select {
	case <-c.ended:
	case <-time.After(limit):
	}
}

func (c *collector) bytes() []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]byte{}, c.kept...)
}

// The environment without provider keys and what an outer host has set.
func environment() []string {
	env := []string{"IKIGAI_PROTOCOL=1", "AGENT=ikigai"}
	for _, variable := range os.Environ() {
		name := strings.SplitN(variable, "=", 2)[0]
		if !strings.HasPrefix(name, "IKIGAI_") && !contains(providerKeys, name) {
			env = append(env, variable)
		}
	}
	return env
}

// Calls a tool, and returns what the model sees: the envelope.
func call(tools []tool, name, text string) string {
	index := sort.Search(len(tools), func(at int) bool { return tools[at].Name >= name })
	if index == len(tools) || tools[index].Name != name {
		return failure(name, "TOOL_NOT_FOUND", "not found", end{code: -1})
	}
	called, arguments := tools[index], readObject([]byte(text))
	if arguments == nil {
		return failure(name, "INVALID_PARAMS", "takes a JSON object", end{code: -1})
	}
	variables := []string{
		"IKIGAI_TOOL_NAME=" + name, "IKIGAI_TOOL_DIR=" + filepath.Dir(called.Path), "IKIGAI_TOOL_SCOPE=user",
		fmt.Sprint("IKIGAI_TIMEOUT_MS=", called.time.Milliseconds()), fmt.Sprint("IKIGAI_MAX_OUTPUT_BYTES=", maxAnswer),
	}
	argv, stdin := []string{called.Path}, text
	if called.plain != nil {
		words, more, refusal := called.plain.start(called, arguments)
		if refusal != nil {
			return success(encode(refusal))
		}
		if called.plain.isBare {
			argv = []string{"bash", called.Path}
		}
		argv, stdin, variables = append(argv, words...), "", append(variables, more...)
	}
	ended := run(argv, stdin, variables, called.time, maxOutput)
	if ended.stopped == "TOOL_UNAVAILABLE" {
		return failure(name, ended.stopped, "cannot be started", ended)
	} else if ended.stopped != "" {
		return failure(name, ended.stopped, "was stopped", ended)
	}
	answer := readObject(ended.stdout)
	if called.plain != nil {
		if result := plainResult(ended, answer != nil); result != nil {
			return success(encode(result))
		}
	}
	if ended.code != 0 {
		return failure(name, "TOOL_CRASHED", fmt.Sprint("crashed with exit code ", ended.code), ended)
	}
	if answer == nil {
		return failure(name, "INVALID_OUTPUT", "did not print one JSON object", ended)
	}
	if envelope := success(string(ended.stdout)); envelope != "" {
		return envelope
	}
	return failure(name, "OUTPUT_TOO_LARGE", "printed too much, and no long texts that could be cut", ended)
}

func failure(name, code, what string, ended end) string {
	envelope := object{
		"tool_success": false, "error": fmt.Sprintf("Tool '%s' %s", name, what), "error_code": code, "exit_code": nil,
		"stdout": shortened(ended.stdout), "stderr": shortened(ended.stderr),
	}
	if ended.code >= 0 && ended.stopped == "" {
		envelope["exit_code"] = ended.code
	}
	return encode(envelope)
}

// The tool's text as it is, since parsing loses long numbers; with the longest strings cut if it is too long. Empty if that does not help.
func success(text string) string {
	for length := maxAnswer / 2; len(text) > maxAnswer; length /= 2 {
		if length < 64 {
			return ""
		}
		if shorter := encode(cut(readObject([]byte(text)), length)); len(shorter) <= maxAnswer {
			text = shorter
		}
	}
	lines := strings.FieldsFunc(text, func(letter rune) bool { return letter == '\n' || letter == '\r' })
	return `{"tool_success":true,"result":` + strings.TrimSpace(strings.Join(lines, " ")) + "}"
}

func cut(value any, length int) any {
	switch value := value.(type) {
	case string:
		if letters := []rune(value); len(letters) > length {
			left := fmt.Sprintf(" … %d characters left out … ", len(letters)-length)
			return string(letters[:length/2]) + left + string(letters[len(letters)-length/2:])
		}
	case object:
		for key, one := range value {
			value[key] = cut(one, length)
		}
	case []any:
		for index, one := range value {
			value[index] = cut(one, length)
		}
	}
	return value
}

func shortened(text []byte) string {
	if left := len(text) - maxStream; left > 0 {
		half := maxStream / 2
		note := fmt.Sprintf("\n… %d bytes left out …\n", left)
		text = append(append(append([]byte{}, text[:half]...), note...), text[len(text)-half:]...)
	}
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// One JSON object in UTF-8, or nil. Numbers keep their digits.
func readObject(text []byte) object {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if !utf8.Valid(text) || decoder.Decode(&value) != nil || decoder.Decode(new(any)) != io.EOF {
		return nil
	}
	found, _ := value.(object)
	return found
}

func encode(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}

func contains(list []string, wanted string) bool {
	for _, one := range list {
		if one == wanted {
			return true
		}
	}
	return false
}
