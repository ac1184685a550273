// Writes the keys with kafkajs: one line each, hexadecimal digits, or "-" for null.
const { readFileSync } = require("node:fs");
const { Kafka, Partitioners, logLevel } = require("kafkajs");

const BATCH = 1000;

async function main([bootstrap, topic, partitioner, keys]) {
  const settings = partitioner === "default" ? {} : { createPartitioner: Partitioners[partitioner] };
  if (partitioner !== "default" && !settings.createPartitioner) throw new Error(`no partitioner ${partitioner}`);
  const kafka = new Kafka({ brokers: bootstrap.split(","), logLevel: logLevel.ERROR });
  const messages = readFileSync(keys, "ascii")
    .trimEnd()
    .split("\n")
    .map((line, number) => ({ key: line === "-" ? null : Buffer.from(line, "hex"), value: String(number) }));
  const producer = kafka.producer(settings);
  await producer.connect();
  for (let first = 0; first < messages.length; first += BATCH) {
    await producer.send({ topic, acks: -1, messages: messages.slice(first, first + BATCH) });
  }
  await producer.disconnect();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
