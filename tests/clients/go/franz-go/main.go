// Writes the keys with franz-go and one of its partitioners.
package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"hash/fnv"

	"kafka-topology/clients/records"

	"github.com/twmb/franz-go/pkg/kgo"
)

func fnv1a(key []byte) uint32 {
	hasher := fnv.New32a()
	hasher.Write(key)
	return hasher.Sum32()
}

var partitioners = map[string]kgo.Partitioner{
	"default":                   nil,
	"StickyKeyPartitioner(nil)": kgo.StickyKeyPartitioner(nil),
	"StickyKeyPartitioner(SaramaCompatHasher(fnv1a))": kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a)),
	"StickyKeyPartitioner(SaramaHasher(fnv1a))":       kgo.StickyKeyPartitioner(kgo.SaramaHasher(fnv1a)),
	"StickyKeyPartitioner(SaramaHasher(crc32))":       kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)),
	"StickyKeyPartitioner(KafkaHasher(fnv1a))":        kgo.StickyKeyPartitioner(kgo.KafkaHasher(fnv1a)),
}

func main() {
	arguments := records.Parse()
	partitioner, known := partitioners[arguments.Partitioner]
	if !known {
		records.Fail(fmt.Errorf("no partitioner %q", arguments.Partitioner))
	}
	options := []kgo.Opt{kgo.SeedBrokers(arguments.Bootstrap), kgo.DefaultProduceTopic(arguments.Topic)}
	if partitioner != nil {
		options = append(options, kgo.RecordPartitioner(partitioner))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		records.Fail(err)
	}
	defer client.Close()
	var batch []*kgo.Record
	for _, record := range arguments.Records {
		batch = append(batch, &kgo.Record{Key: record.Key, Value: record.Value})
	}
	if err := client.ProduceSync(context.Background(), batch...).FirstErr(); err != nil {
		records.Fail(err)
	}
}
