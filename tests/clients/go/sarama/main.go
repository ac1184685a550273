// Writes the keys with sarama and one of its partitioners.
package main

import (
	"fmt"
	"strings"

	"kafka-topology/clients/records"

	"github.com/IBM/sarama"
)

const batchSize = 1000

var partitioners = map[string]sarama.PartitionerConstructor{
	"default":                         nil,
	"NewHashPartitioner":              sarama.NewHashPartitioner,
	"NewReferenceHashPartitioner":     sarama.NewReferenceHashPartitioner,
	"NewConsistentCRCHashPartitioner": sarama.NewConsistentCRCHashPartitioner,
	"NewMurmur2Partitioner":           sarama.NewMurmur2Partitioner,
}

func main() {
	arguments := records.Parse()
	partitioner, known := partitioners[arguments.Partitioner]
	if !known {
		records.Fail(fmt.Errorf("no partitioner %q", arguments.Partitioner))
	}
	config := sarama.NewConfig()
	config.Producer.Return.Successes = true
	if partitioner != nil {
		config.Producer.Partitioner = partitioner
	}
	producer, err := sarama.NewSyncProducer(strings.Split(arguments.Bootstrap, ","), config)
	if err != nil {
		records.Fail(err)
	}
	defer producer.Close()
	var batch []*sarama.ProducerMessage
	for number, record := range arguments.Records {
		message := &sarama.ProducerMessage{Topic: arguments.Topic, Value: sarama.ByteEncoder(record.Value)}
		if record.Key != nil {
			message.Key = sarama.ByteEncoder(record.Key)
		}
		batch = append(batch, message)
		if len(batch) == batchSize || number == len(arguments.Records)-1 {
			if err := producer.SendMessages(batch); err != nil {
				records.Fail(err)
			}
			batch = nil
		}
	}
}
