// Package records reads the keys that every client writes: one line each, hexadecimal digits, or "-" for null.
package records

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
)

// Record is a key and its line number, which is the record's value.
type Record struct {
	Key   []byte // nil is the null key
	Value []byte
}

// Arguments are what every writer is started with.
type Arguments struct {
	Bootstrap, Topic, Partitioner string
	Records                       []Record
}

// Parse ends the program if the arguments or the file are wrong.
func Parse() Arguments {
	if len(os.Args) != 5 {
		Fail(fmt.Errorf("usage: %s BOOTSTRAP TOPIC PARTITIONER KEYS", os.Args[0]))
	}
	found, err := read(os.Args[4])
	if err != nil {
		Fail(err)
	}
	return Arguments{os.Args[1], os.Args[2], os.Args[3], found}
}

// Fail prints the error and ends the program.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func read(path string) ([]Record, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found []Record
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		record := Record{Value: []byte(strconv.Itoa(len(found)))}
		if line := lines.Text(); line != "-" {
			if record.Key, err = hex.DecodeString(line); err != nil {
				return nil, err
			}
			if record.Key == nil {
				record.Key = []byte{}
			}
		}
		found = append(found, record)
	}
	return found, lines.Err()
}
