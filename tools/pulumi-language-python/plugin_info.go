// What makes this language host run a plugin for an engine of today. It is compiled together with the host's own main.go.
//
// Such an engine names the plugin's folder and its runtime options in a field of the request that is newer than the host,
// which therefore keeps it as an unknown field. Hosts that are as new as the engine read it themselves.
package main

import (
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Field numbers of RunPluginRequest and ProgramInfo in pulumi/language.proto.
const (
	infoOfRequest    = 5
	rootOfInfo       = 1
	programOfInfo    = 2
	optionsOfInfo    = 4
	virtualenvOption = "virtualenv"
)

// withInfo gives the host and the request as they would be if the engine had told everything in the old way.
func withInfo(
	host *pythonLanguageHost, req *pulumirpc.RunPluginRequest,
) (*pythonLanguageHost, *pulumirpc.RunPluginRequest, error) {
	info, err := fieldOf(req.ProtoReflect().GetUnknown(), infoOfRequest)
	if err != nil || info == nil {
		return host, req, err
	}
	root, err := fieldOf(info, rootOfInfo)
	if err != nil {
		return nil, nil, err
	}
	program, err := fieldOf(info, programOfInfo)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := fieldOf(info, optionsOfInfo)
	if err != nil {
		return nil, nil, err
	}
	var options structpb.Struct
	if err := proto.Unmarshal(encoded, &options); err != nil {
		return nil, nil, err
	}
	told := *host
	told.virtualenv = options.GetFields()[virtualenvOption].GetStringValue()
	told.virtualenvPath = resolveVirtualEnvironmentPath(string(root), told.virtualenv)
	return &told, &pulumirpc.RunPluginRequest{
		Pwd: req.Pwd, Program: string(program), Args: req.Args, Env: req.Env,
	}, nil
}

// fieldOf gives the bytes of a message's field, or nil when it is not there.
func fieldOf(message []byte, wanted protowire.Number) ([]byte, error) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return nil, protowire.ParseError(length)
		}
		message = message[length:]
		if number == wanted && kind == protowire.BytesType {
			value, length := protowire.ConsumeBytes(message)
			return value, protowire.ParseError(length)
		}
		if length = protowire.ConsumeFieldValue(number, kind, message); length < 0 {
			return nil, protowire.ParseError(length)
		}
		message = message[length:]
	}
	return nil, nil
}
