// Compute the checksum of a file.
//
//	go build -o ~/.ikigai/tools/checksum-tool .
package main

import (
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
    "required": ["path"],
    "properties": {
      "path": { "type": "string", "description": "Absolute or relative path to file" },
      "algorithm": { "type": "string", "enum": ["sha256", "sha512", "md5"], "description": "Default: sha256" }
    }
  },
  "outputSchema": {
    "type": "object",
    "required": ["checksum", "bytes"],
    "properties": { "checksum": { "type": "string" }, "bytes": { "type": "integer" } }
  },
  "annotations": { "readOnlyHint": true, "openWorldHint": false },
  "ikigai": { "version": "1.0.0", "prestart": true }
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
	args, err := readArguments(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checksum-tool:", err)
		os.Exit(1)
	}
	answer, _ := json.Marshal(checksum(*args.Path, *args.Algorithm))
	fmt.Println(string(answer))
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
