// Writes the keys with kafka-go and one of its balancers.
package main

import (
	"context"
	"fmt"
	"time"

	"kafka-topology/clients/records"

	"github.com/segmentio/kafka-go"
)

var balancers = map[string]kafka.Balancer{
	"default":                     nil,
	"Hash":                        &kafka.Hash{},
	"ReferenceHash":               &kafka.ReferenceHash{},
	"CRC32Balancer":               kafka.CRC32Balancer{},
	"CRC32Balancer{Consistent}":   kafka.CRC32Balancer{Consistent: true},
	"Murmur2Balancer":             kafka.Murmur2Balancer{},
	"Murmur2Balancer{Consistent}": kafka.Murmur2Balancer{Consistent: true},
}

func main() {
	arguments := records.Parse()
	balancer, known := balancers[arguments.Partitioner]
	if !known {
		records.Fail(fmt.Errorf("no balancer %q", arguments.Partitioner))
	}
	writer := &kafka.Writer{
		Addr:         kafka.TCP(arguments.Bootstrap),
		Topic:        arguments.Topic,
		Balancer:     balancer,
		RequiredAcks: kafka.RequireAll,
		BatchTimeout: 10 * time.Millisecond,
		BatchSize:    1000,
	}
	var batch []kafka.Message
	for _, record := range arguments.Records {
		batch = append(batch, kafka.Message{Key: record.Key, Value: record.Value})
	}
	if err := writer.WriteMessages(context.Background(), batch...); err != nil {
		records.Fail(err)
	}
	if err := writer.Close(); err != nil {
		records.Fail(err)
	}
}
