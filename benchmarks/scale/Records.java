import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes records with uuid keys that go round, fast: bootstrap, topic, partitions, records, keys, faults, bytes of a batch.
 *
 * Of each kind of fault there are as many: a record in the wrong partition, one whose sequence goes back, one that is
 * there twice, one whose key is no uuid. The last three are records more.
 */
public final class Records {
    private static final long FIRST_TIME = System.currentTimeMillis() - 3_600_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final String topic;
    private final int partitions;

    private Records(String servers, String topic, int partitions, String batch) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("linger.ms", "20");
        settings.put("batch.size", batch);
        settings.put("buffer.memory", "67108864");
        settings.put("acks", "1");
        settings.put("enable.idempotence", "false");
        settings.put("max.in.flight.requests.per.connection", "1"); // keeps the order all the same
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        this.topic = topic;
        this.partitions = partitions;
    }

    public static void main(String[] arguments) throws Exception {
        int partitions = Integer.parseInt(arguments[2]);
        Records records = new Records(arguments[0], arguments[1], partitions, arguments.length > 6 ? arguments[6] : "262144");
        records.write(Long.parseLong(arguments[3]), Long.parseLong(arguments[4]), Long.parseLong(arguments[5]));
    }

    private void write(long count, long keys, long faults) throws Exception {
        long every = faults == 0 ? count : count / 2 / faults;
        for (long number = 0; number < count; number++) {
            byte[] key = uuid(number % keys);
            long later = number - count / 2;
            boolean faulty = faults > 0 && later >= 0 && later % every == 0 && later / every < faults;
            int right = BuiltInPartitioner.partitionForKey(key, partitions);
            send(faulty ? (right + 1) % partitions : right, key, number, number);
            if (faulty) {
                byte[] other = uuid((number + 1) % keys);
                int place = BuiltInPartitioner.partitionForKey(other, partitions);
                send(place, other, -1, number); // goes back
                byte[] third = uuid((number + 2) % keys);
                place = BuiltInPartitioner.partitionForKey(third, partitions);
                send(place, third, number, number);
                send(place, third, number, number); // there twice
                byte[] wrong = ("no-uuid-" + number).getBytes(StandardCharsets.US_ASCII);
                send(BuiltInPartitioner.partitionForKey(wrong, partitions), wrong, number, number);
            }
        }
        producer.close();
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private void send(int partition, byte[] key, long sequence, long number) {
        byte[] value = ("{\"n\": " + sequence + "}").getBytes(StandardCharsets.US_ASCII);
        producer.send(new ProducerRecord<>(topic, partition, FIRST_TIME + number / 10_000, key, value), (sent, error) -> {
            if (error != null) {
                failure.compareAndSet(null, error);
            }
        });
    }

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static byte[] uuid(long number) {
        byte[] text = new byte[36];
        long high = mixed(number);
        long low = mixed(number ^ 0x5851f42d4c957f2dL);
        for (int at = 0, digit = 0; at < text.length; at++) {
            if (at == 8 || at == 13 || at == 18 || at == 23) {
                text[at] = '-';
            } else {
                long bits = digit < 16 ? high : low;
                text[at] = DIGITS[(int) (bits >>> 4 * (digit++ & 15)) & 15];
            }
        }
        return text;
    }

    private static long mixed(long number) {
        long mixed = number * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
        return mixed ^ mixed >>> 32;
    }
}
