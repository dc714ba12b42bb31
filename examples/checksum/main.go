// Compute the checksum of a file.
//
//	go build -o ~/.ikigai/tools/checksum-tool .
package main

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

const schema = `{
  "name": "checksum",
  "description": "Compute the checksum of a file",
  "parameters": {
    "type": "object",
    "properties": {
      "path": { "type": "string", "description": "Absolute or relative path to file" },
      "algorithm": { "type": "string", "enum": ["sha256", "sha512", "md5"], "description": "Default: sha256" }
    },
    "required": ["path"]
  },
  "outputSchema": {
    "type": "object",
    "properties": { "checksum": { "type": "string" }, "bytes": { "type": "integer" } },
    "required": ["checksum", "bytes"]
  },
  "annotations": { "readOnlyHint": true, "openWorldHint": false },
  "ikigai": { "version": "1.0.0", "prestart": true, "serves": true }
}
`

var algorithms = map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New, "md5": md5.New}

// The arguments. A pointer stays nil if the field is missing or null.
type arguments struct {
	Path      *string `json:"path"`
	Algorithm *string `json:"algorithm"`
}

// The answer if the operation failed. The tool itself worked, so it exits with 0.
type failure struct {
	Error string `json:"error"`
	Code  string `json:"error_code"`
}

type success struct {
	Checksum string `json:"checksum"`
	Bytes    int64  `json:"bytes"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--schema" {
		fmt.Print(schema)
		return
	}
	if os.Getenv("IKIGAI_SERVE") == "1" {
		serve()
		return
	}
	args, err := readArguments(os.Stdin)
	if err != nil {
		fail(err)
	}
	print(checksum(*args.Path, *args.Algorithm))
}

// A call on a line of stdin, if the host wants one process to answer several. "env" is left out: this tool uses no
// variables of a call and starts no processes.
type frame struct {
	Call      *string         `json:"call"`
	Arguments json.RawMessage `json:"arguments"`
}

type reply struct {
	Call    string `json:"call"`
	Answer  any    `json:"answer,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// Answers call after call until stdin ends.
func serve() {
	os.Unsetenv("IKIGAI_SERVE")
	lines := bufio.NewReader(os.Stdin)
	for {
		print(map[string]bool{"ready": true})
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return
		}
		var call frame
		if json.Unmarshal(line, &call) != nil || call.Call == nil {
			fail(errors.New("expected a frame on stdin"))
		}
		args, err := readArguments(bytes.NewReader(call.Arguments))
		if err != nil {
			print(reply{Call: *call.Call, Refused: message(err)})
		} else {
			print(reply{Call: *call.Call, Answer: checksum(*args.Path, *args.Algorithm)})
		}
	}
}

// Prints a value as JSON on one line.
func print(value any) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}

func message(err error) string {
	return "checksum-tool: " + err.Error()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, message(err))
	os.Exit(1)
}

func readArguments(stdin io.Reader) (args arguments, err error) {
	text, err := io.ReadAll(stdin)
	if err != nil {
		return args, err
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return args, err
	}
	if args.Path == nil {
		return args, errors.New(`expected "path", a text`)
	}
	if args.Algorithm == nil {
		standard := "sha256"
		args.Algorithm = &standard
	}
	if algorithms[*args.Algorithm] == nil {
		return args, fmt.Errorf(`expected "algorithm" to be sha256, sha512 or md5, got %q`, *args.Algorithm)
	}
	return args, nil
}

func checksum(path, algorithm string) any {
	// Checked before opening: opening a FIFO would block until another process writes to it.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return failure{"Not a regular file: " + path, "NOT_A_FILE"}
	}
	file, err := os.Open(path)
	if err != nil {
		return failure{err.Error(), "OPEN_FAILED"}
	}
	defer file.Close()
	sum := algorithms[algorithm]()
	bytes, err := io.Copy(sum, file)
	if err != nil {
		return failure{err.Error(), "READ_FAILED"}
	}
	return success{hex.EncodeToString(sum.Sum(nil)), bytes}
}
